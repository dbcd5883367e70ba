"""A minute of random input in a real window; `tests/monkey.py` goes on for as long as it is asked to."""

import subprocess
import sys
from pathlib import Path

import pytest

MONKEY = Path(__file__).parent / "monkey.py"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_input_breaks_nothing(seed: int) -> None:
    command = [sys.executable, str(MONKEY), "--minutes", "1", "--seed", str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("minute 0: ")
