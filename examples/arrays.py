"""arrays.py - the library from Python: numpy's arrays go in and come out. Names are numpy's.

    pip install upsweep

Prints:
    [1. 1. 2. 3. 4. 5. 6. 9.]
    [1 3 6 0 2 4 7 5]
    [ 3.  4.  8.  9. 14. 23. 25. 31.]
    31.0
"""
# SPDX-License-Identifier: MIT
import sys

try:
    import numpy as np
    import upsweep
    upsweep.argsort  # a folder of that name, with nothing in it, is none
except (ImportError, AttributeError):
    print("arrays: the package upsweep is not installed for this Python")
    sys.exit(77)

x = np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.float32)

print(upsweep.sort(x))  # x stays as it is

# The order is stable: of equal keys the first comes first.
print(upsweep.argsort(x))
print(upsweep.cumsum(x))

# Sums are taken in a fixed order: the same bits for any number of threads.
print(float(upsweep.sum(x)))
