"""The version of the package; CMakeLists.txt has the same."""

__version__ = "0.1.0"
