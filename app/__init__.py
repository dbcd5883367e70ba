"""The instrument: window, panel, pictures and commands."""

import time

STARTED = time.perf_counter()  # when Python came to the first line of ours
