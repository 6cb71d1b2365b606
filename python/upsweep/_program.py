"""Where the program is."""
# SPDX-License-Identifier: MIT
import os


def program():
    """The path of the program `upsweep` that came with this package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upsweep")
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"the program is not in this package: {path}")
    return path
