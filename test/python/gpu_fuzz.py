"""Calls on tensors of torch and on arrays of cupy on a GPU beside the same calls on arrays of numpy, which
test_*.py compare with numpy's own: any function, dtype, shape, view and axis, in four threads with a stream each.

    pytest test/python/gpu_fuzz.py; FUZZ_SECONDS (20), FUZZ_SEED (1) and FUZZ_THREADS (4) say how long, and which cases
"""
# SPDX-License-Identifier: MIT
import collections
import os
import threading
import time

import numpy as np
import pytest
import upsweep

DTYPES = ["u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?", "u2", "u4", "u8"]
THREADS = int(os.environ.get("FUZZ_THREADS", 4))


class Torch:
    """What the cases ask of a library."""

    def __init__(self):
        self.module = torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU that torch can use")
        self.array, self.movedim, self.copy = torch.Tensor, torch.movedim, torch.clone

    def on_gpu(self, a):
        return self.module.from_numpy(np.array(a)).cuda()

    def on_host(self, t):
        return t.cpu().numpy()

    def empty(self, shape, like, sums=False):
        """An array of like's dtype, or of that of its sums."""
        torch, dtype = self.module, like.dtype
        if sums and not dtype.is_floating_point:
            dtype = torch.uint64 if dtype == torch.uint64 else torch.int64
        return torch.empty(shape, dtype=dtype, device="cuda")

    def stream(self, number):
        cuda = self.module.cuda
        return cuda.stream(cuda.Stream() if number else cuda.default_stream())


class Cupy:
    def __init__(self):
        self.module = cupy = pytest.importorskip("cupy")
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError:
            pytest.skip("there is no GPU that cupy can use")
        self.array, self.movedim, self.copy = cupy.ndarray, cupy.moveaxis, lambda t: t.copy(order="C")
        self.on_host = cupy.asnumpy

    def on_gpu(self, a):
        return self.module.asarray(np.array(a))

    def empty(self, shape, like, sums=False):
        kind = like.dtype.kind
        wide = {"u": "u8", "i": "i8", "b": "i8"}.get(kind, like.dtype)
        return self.module.empty(shape, wide if sums else like.dtype)

    def stream(self, number):
        stream = self.module.cuda.Stream
        return stream(non_blocking=True) if number else stream.null


def values(rng, n, dtype):
    kind = rng.integers(6)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        a = (rng.standard_normal(n) if kind else rng.integers(-3, 3, n)).astype(dtype)
        if kind == 1:
            a[rng.random(n) < 0.2] = np.nan
            a[rng.random(n) < 0.2] = rng.choice([np.inf, -np.inf, -0.0, 0.0])
        return a
    limits = np.iinfo(dtype)
    least, most = int(limits.min), int(limits.max)
    low, high = [(0, 9), (least, most), (max(least, -50), 50), (0, min(most, 60000)), (0, 1), (most - 3, most)][kind]
    return rng.integers(low, high, n, dtype=dtype, endpoint=True)


def array(rng, dtype, lib):
    """The same array here and there, often a view of another."""
    dimensions = rng.choice([1, 1, 1, 1, 2, 2, 3, 0])
    if dimensions == 1:
        shape = (int(rng.choice([0, 1, 2, 31, 1000, 4097, 5000, 70000])),)
    else:
        shape = tuple(int(v) for v in rng.integers(0, {0: 1, 2: 200, 3: 20}[dimensions], dimensions))
    a = values(rng, int(np.prod(shape)), dtype).reshape(shape)
    t, view = lib.on_gpu(a), rng.integers(5)
    if view == 0 and dimensions == 1:
        return a[::3], t[::3]
    if view == 1 and dimensions == 1:
        return a[1:], t[1:]
    if view == 2 and dimensions > 1:
        return np.moveaxis(a, 0, -1), lib.movedim(t, 0, -1)
    if view == 3 and dimensions > 1:
        return a[1:, ::2], t[1:, ::2]
    return a, t


def calls(rng, lib):
    """{name: (call here, call there)} of random arguments."""
    u, dtype, on_gpu = upsweep, np.dtype(DTYPES[rng.integers(len(DTYPES))]), lib.on_gpu
    a, t = array(rng, dtype, lib)
    flat, n = a.reshape(-1), a.size
    line = t.reshape(-1)
    axis = None if rng.integers(4) == 0 else int(rng.integers(-a.ndim, a.ndim)) if a.ndim else -1
    down, keeps = (bool(v) for v in rng.integers(0, 2, 2))
    heads, ids = rng.integers(0, 2, n).astype(bool), rng.integers(0, 13, n).astype(rng.choice(["u1", "i8"]))
    other, order = values(rng, n, dtype), rng.permutation(n)
    places = rng.integers(0, max(n, 1), 40 if n else 0)
    k = int(rng.integers(0, a.shape[-1] + 1)) if a.ndim else 0
    rising, rising_other = u.sort(flat), u.sort(other)
    finite = flat[np.isfinite(flat)]
    bins = [int(rng.integers(1, 9)), [-300, -0.5, 0.5, 2, 1e6]][rng.integers(2)]
    every = {"return_index": True, "return_inverse": True, "return_counts": True}
    both = {  # of a here, of t there
        "sort": lambda x: u.sort(x, axis=axis, descending=down),
        "positions": lambda x: u.sort(x, axis=axis, descending=down, return_index=True),
        "argsort": lambda x: u.argsort(x, axis=axis, descending=down),
        "top_k": lambda x: u.top_k(x, k, largest=down) if x.ndim else 0,
        "unique": lambda x: u.unique(x, equal_nan=keeps), "unique, all": lambda x: u.unique(x, **every),
        "sum": lambda x: u.sum(x, axis=axis, keepdims=keeps), "prod": lambda x: u.prod(x, axis=axis, keepdims=keeps),
        "min": lambda x: u.min(x, axis=axis), "max": lambda x: u.max(x, axis=axis),
        "or": lambda x: u.bitwise_or(x, axis=axis), "minmax": u.minmax, "argmin": u.argmin, "argmax": u.argmax,
        "cumsum": lambda x: u.cumsum(x, axis=axis), "cumprod": lambda x: u.cumprod(x, axis=axis),
        "cummin": lambda x: u.cummin(x, axis=axis), "cummax": lambda x: u.cummax(x, axis=axis)}
    pairs = {
        "sort, out": (lambda: u.sort(a), lambda: u.sort(t, out=lib.empty(t.shape, t))),
        "sort, in place": (lambda: u.sort(a), lambda: (lambda c: u.sort(c, out=c))(lib.copy(t))),
        "cumsum, out": (lambda: u.cumsum(flat), lambda: u.cumsum(line, out=lib.empty(n, t, sums=True))),
        "sort_pairs": (lambda: u.sort_pairs(flat, other, descending=down),
                       lambda: u.sort_pairs(line, on_gpu(other), descending=down)),
        "lexsort": (lambda: u.lexsort((other, flat), descending=down),
                    lambda: u.lexsort((on_gpu(other), line), descending=down)),
        "run_lengths": (lambda: u.run_lengths(rising), lambda: u.run_lengths(on_gpu(rising))),
        "searchsorted": (lambda: u.searchsorted(rising, flat, side="left" if down else "right"),
                         lambda: u.searchsorted(on_gpu(rising), line, side="left" if down else "right")),
        "merge": (lambda: u.merge(rising, rising_other), lambda: u.merge(on_gpu(rising), on_gpu(rising_other))),
        "is_sorted": (lambda: u.is_sorted(flat), lambda: u.is_sorted(line)),
        "scan by heads": (lambda: u.scan(flat, heads=heads), lambda: u.scan(line, heads=on_gpu(heads))),
        "scan by keys": (lambda: u.scan(flat, "max", keys=ids), lambda: u.scan(line, "max", keys=on_gpu(ids))),
        "exclusive": (lambda: u.scan(flat, exclusive=True), lambda: u.scan(line, exclusive=True)),
        "histogram": (lambda: u.histogram(finite, bins), lambda: u.histogram(on_gpu(finite), bins)),
        "bincount": (lambda: u.bincount(ids, minlength=k), lambda: u.bincount(on_gpu(ids), minlength=k)),
        "bincount, 256": (lambda: u.bincount(ids, minlength=256), lambda: u.bincount(on_gpu(ids), minlength=256)),
        "split": (lambda: u.split(flat, heads), lambda: u.split(line, on_gpu(heads))),
        "compress": (lambda: u.compress(heads, flat), lambda: u.compress(on_gpu(heads), line)),
        "split_by_id": (lambda: u.split_by_id(flat, ids, 13), lambda: u.split_by_id(line, on_gpu(ids), 13)),
        "take": (lambda: u.take(flat, places), lambda: u.take(line, on_gpu(places))),
        "permute": (lambda: u.permute(flat, order), lambda: u.permute(line, on_gpu(order))),
        "reverse": (lambda: u.reverse(flat), lambda: u.reverse(line))}
    pairs.update({name: (lambda f=f: f(a), lambda f=f: f(t)) for name, f in both.items()})
    return a, t, pairs


def on_host(made, lib):
    if isinstance(made, (tuple, list)):
        return [on_host(part, lib) for part in made]
    return lib.on_host(made) if isinstance(made, lib.array) else np.asarray(made)


def alike(here, there, bits):
    """bits: of floats, too; else zeros are equal, and NaNs."""
    if isinstance(here, list):
        return len(here) == len(there) and all(alike(x, y, bits) for x, y in zip(here, there))
    if here.shape != there.shape:
        return False
    if here.dtype.kind in "iu" and there.dtype.kind in "iu":  # torch's sums of unsigned ones are signed
        return np.array_equal(here.astype("i8"), there.astype("i8"))
    if here.dtype != there.dtype:
        return False
    return here.tobytes() == there.tobytes() if bits else np.array_equal(here, there, equal_nan=here.dtype.kind == "f")


def theirs(made, lib):
    """Whether all arrays of a result are the library's own."""
    parts = made if isinstance(made, (tuple, list)) else [made]
    return all(isinstance(part, lib.array) or not isinstance(part, np.ndarray) for part in parts)


def result(call, lib):
    try:
        made = call()
        return on_host(made, lib), theirs(made, lib)
    except (TypeError, ValueError, IndexError, MemoryError, RuntimeError) as error:
        return error, True


def one_case(rng, lib, seen, wrong):
    a, t, pairs = calls(rng, lib)
    name = list(pairs)[rng.integers(len(pairs))]
    before = a.copy()
    (here, _), (there, its_own) = (result(call, lib) for call in pairs[name])
    seen[name] += 1
    if isinstance(here, Exception) or isinstance(there, Exception):
        fine = type(here) is type(there)
    else:
        fine = alike(here, there, not name.startswith("unique")) and lib.on_host(t).tobytes() == before.tobytes()
    if not fine or not its_own:
        wrong.append(f"{name} of {a.dtype} {a.shape} {a.strides}: {str(here)[:150]} | {str(there)[:150]}")


@pytest.mark.parametrize("library", [Torch, Cupy])
def test_beside_numpy(library):
    lib = library()
    seen, wrong, seed = collections.Counter(), [], int(os.environ.get("FUZZ_SEED", 1))
    end = time.time() + float(os.environ.get("FUZZ_SECONDS", 20))

    def work(number):
        rng = np.random.default_rng([seed, number])
        with lib.stream(number):
            while time.time() < end and len(wrong) < 50:
                one_case(rng, lib, seen, wrong)
            done.append(number)

    done = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{sum(seen.values())} cases of {len(seen)} calls")
    assert not wrong, "\n".join(wrong[:20])
    assert len(done) == THREADS
