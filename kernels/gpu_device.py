"""What the kernels run on: a GPU through `kernels.cuda`, or only NumPy where TRITON_INTERPRET=1 is set."""

import importlib
import os
from typing import Any

INTERPRETED = os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "true", "on", "yes")

# Two modules with the same functions, each of which imports what the other has no use for.
device: Any = importlib.import_module("kernels.interpreted" if INTERPRETED else "kernels.cuda")
