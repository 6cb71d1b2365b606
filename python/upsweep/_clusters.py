"""For engines that hold an array in partitions (Dask, Ray, Spark): where to cut, and the cuts."""
# SPDX-License-Identifier: MIT
import numpy as np

from ._selecting import searchsorted
from ._sorting import argsort

__all__ = ["splitters", "split_at"]


def splitters(samples, parts, /, *, counts=None, descending=False):
    """parts - 1 keys, in order, that cut what the samples were taken from into parts of like size.

    samples: an array, or a list of arrays, one of each partition, as many of its elements as you like
    (64 for each part are enough for parts within a few percent). counts: how many elements each
    partition has; without it each sample counts by its own length. Equal splitters come out where a
    key fills more than a part. Raises ValueError, TypeError.

    >>> import numpy as np, upsweep
    >>> upsweep.splitters(np.arange(100), 4)
    array([25, 50, 75])
    >>> upsweep.splitters([np.array([1, 2]), np.array([7, 8])], 2, counts=[1000, 10])
    array([2])
    """
    whole = samples if isinstance(samples, (list, tuple)) else [samples]
    whole = [np.asarray(s) for s in whole]
    if parts < 1 or not whole or any(s.ndim != 1 for s in whole):
        raise ValueError("splitters takes arrays of one axis, and one part or more")
    if counts is not None and len(counts) != len(whole):
        raise ValueError(f"{len(counts)} counts for {len(whole)} samples")
    keys = np.concatenate(whole)
    if len(keys) == 0:
        if parts == 1:
            return keys
        raise ValueError("the samples are empty")
    stands_for = np.concatenate([
        np.full(len(s), 1.0 if counts is None else counts[i] / len(s) if len(s) else 0.0)
        for i, s in enumerate(whole)])
    order = argsort(keys, descending=descending)
    # Splitter k is the key that has as nearly as can be k / parts of all before it.
    before = np.cumsum(stands_for[order]) - stands_for[order]
    wanted = np.arange(1, parts) / parts * stands_for.sum()
    after = np.minimum(np.searchsorted(before, wanted), len(keys) - 1)
    nearer = np.maximum(after - 1, 0)
    take = np.where(wanted - before[nearer] <= before[after] - wanted, nearer, after)
    return keys[order][take]


def split_at(x, cuts, /, *others, descending=False):
    """The parts of x between ascending splitters, a list of len(cuts) + 1 arrays: part r has what is
    not below cuts[r - 1] and below cuts[r], in the order of x, which need not be sorted. With others,
    arrays of the same length, each part is a tuple of stretches of all.

    >>> import numpy as np, upsweep
    >>> upsweep.split_at(np.array([5, 1, 9, 3]), np.array([3, 6]))
    [array([1]), array([5, 3]), array([9])]
    """
    x, cuts = np.asarray(x), np.asarray(cuts)
    if descending:
        part = len(cuts) - searchsorted(cuts[::-1].copy(), x, side="left")
    else:
        part = searchsorted(cuts, x, side="right")
    order = argsort(np.asarray(part))
    ends = np.cumsum(np.bincount(np.asarray(part), minlength=len(cuts) + 1))[:-1]
    arrays = [np.split(np.asarray(a)[order], ends) for a in (x, *others)]
    return arrays[0] if not others else list(zip(*arrays))
