"""python -m upsweep: the program, in this process's place."""
# SPDX-License-Identifier: MIT
import os
import sys

from upsweep._program import program


def main():
    """Becomes the program; only an error of the system lets it return."""
    path = program()
    os.environ.setdefault("PYTHON", sys.executable)  # which `upsweep learn` gives solutions to
    os.execv(path, ["upsweep", *sys.argv[1:]])


if __name__ == "__main__":
    main()
