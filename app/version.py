"""The version, from the installed package: it is written once, in pyproject.toml."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("physarium")
except PackageNotFoundError:  # run from a checkout without installing it
    VERSION = "unknown"
