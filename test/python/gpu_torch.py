"""Tensors of torch on a GPU: pytest test/python/gpu_torch.py, on a machine that has both."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import upsweep

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU that torch can use", allow_module_level=True)

DTYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
          torch.bfloat16, torch.float32, torch.float64]
SIZES = [0, 1, 2, 1000, 1 << 12, 100_003, 1 << 20]


def some(n, dtype):
    torch.manual_seed(n)
    if dtype.is_floating_point:
        return torch.randn(n, device="cuda").to(dtype)
    return torch.randint(0, 120, (n,), device="cuda").to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_sort_argsort(dtype, n):
    x = some(n, dtype)
    for descending in (False, True):
        values, index = torch.sort(x, stable=True, descending=descending)
        got, order = upsweep.sort(x, descending=descending), upsweep.argsort(x, descending=descending)
        assert got.is_cuda and got.dtype == dtype and torch.equal(got, values)
        assert torch.equal(order, index)
        both = upsweep.sort(x, descending=descending, return_index=True)
        assert both[1].dtype == torch.int64
        assert torch.equal(both[0], values) and torch.equal(both[1], index)
    before, out = x.clone(), torch.empty_like(x)
    assert upsweep.sort(x, out=out) is out and torch.equal(out, torch.sort(x)[0])
    assert torch.equal(x, before)
    again = x.clone()
    assert upsweep.sort(again, out=again) is again and torch.equal(again, torch.sort(x)[0])


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.bfloat16], ids=str)
def test_rows_top_k_and_axes(dtype):
    x = some(64 * 300, dtype).reshape(64, 300)
    assert torch.equal(upsweep.sort(x), torch.sort(x, 1)[0])
    assert torch.equal(upsweep.sort(x, axis=0), torch.sort(x, 0)[0])
    for axis in (0, 1):
        wanted = torch.sort(x, dim=axis, stable=True)
        values, index = upsweep.sort(x, axis=axis, return_index=True)
        assert torch.equal(values, wanted[0]) and torch.equal(index, wanted[1])
    flat = x.reshape(-1)
    part = flat[5:-7]
    assert torch.equal(upsweep.sort(part), torch.sort(part)[0])  # not at a vector's start
    assert torch.equal(upsweep.sort(part, out=part.clone()), torch.sort(part)[0])
    over, wanted = flat.clone(), torch.sort(flat[:1000])[0]
    assert torch.equal(upsweep.sort(over[:1000], out=over[10:1010]), wanted)  # they overlap
    values, index = upsweep.top_k(x, 7)
    assert torch.equal(values, torch.sort(x, dim=1, descending=True, stable=True)[0][:, :7])
    assert torch.equal(torch.gather(x, 1, index), values)
    line = torch.sort(flat)[0]
    for side in ("left", "right"):
        assert torch.equal(upsweep.searchsorted(line, flat, side=side), torch.searchsorted(line, flat, side=side))


def test_folds_and_moves():
    x = some(100_000, torch.int64)
    assert int(upsweep.sum(x)) == int(x.sum())
    assert torch.equal(upsweep.cumsum(x), torch.cumsum(x, 0))
    out = torch.empty_like(x)
    assert upsweep.cumsum(x, out=out) is out and torch.equal(out, torch.cumsum(x, 0))
    two = x.reshape(100, 1000)
    assert torch.equal(upsweep.cumsum(two, axis=1), torch.cumsum(two, 1))
    order = upsweep.argsort(x)
    assert torch.equal(upsweep.take(x, order), upsweep.sort(x))
    keys, values = upsweep.sort_pairs(x, torch.arange(x.numel(), device="cuda"))
    assert torch.equal(keys, upsweep.sort(x)) and torch.equal(values, order)
    f = some(1 << 20, torch.float32)
    assert float(upsweep.sum(f)) == float(upsweep.sum(f.cpu()))  # the same bits


@pytest.mark.parametrize("n", [0, 1, 2, 33, 5000, (1 << 20) + 1, (1 << 23) + 3])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64, torch.float16, torch.bfloat16,
                                   torch.float32, torch.float64], ids=str)
def test_one_step(dtype, n):
    """Calls that are one step of the module, on arrays that go by tiles, by rings, and not at a vector's start."""
    for x in (some(n, dtype), some(n + 5, dtype)[5:], (some(n, torch.float32) * 3).round().to(dtype)):
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
        assert torch.equal(upsweep.unique(x), values)
        got, lengths = upsweep.unique(x, return_counts=True)
        assert torch.equal(got, values) and torch.equal(lengths, counts)
        got, first, places, lengths = upsweep.unique(x, return_index=True, return_inverse=True, return_counts=True)
        assert torch.equal(got, values) and torch.equal(places, inverse) and torch.equal(lengths, counts)
        assert torch.equal(x[first], values)
        assert n == 0 or bool((first == torch.full_like(first, n).scatter_reduce(
            0, inverse, torch.arange(n, device="cuda"), "amin")).all())
        assert torch.equal(upsweep.reverse(x), x.flip(0))
        out = torch.empty_like(x)
        assert upsweep.reverse(x, out=out) is out and torch.equal(out, x.flip(0))
        assert upsweep.reverse(out, out=out) is out and torch.equal(out, x)
        flags = x > 0
        assert torch.equal(upsweep.compress(flags, x), x[flags])
        assert upsweep.is_sorted(x) is bool((x[1:] >= x[:-1]).all()) and upsweep.is_sorted(upsweep.sort(x))
        if n:
            index = torch.randint(0, n, (1000,), device="cuda")
            assert torch.equal(upsweep.take(x, index), x[index])
            assert torch.equal(upsweep.take(x, index.int()), x[index])
            least, most = upsweep.minmax(x)
            assert float(least) == float(x.min()) and float(most) == float(x.max())
            assert float(x[upsweep.argmin(x)]) == float(least) and float(x[upsweep.argmax(x)]) == float(most)
        keys, order = upsweep.sort_pairs(x, torch.arange(n, device="cuda"))
        wanted = torch.sort(x, stable=True)
        assert torch.equal(keys, wanted[0]) and (dtype.is_floating_point or torch.equal(order, wanted[1]))


def test_unique_of_zeros_and_nans():
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        for n in (40, 5000, 1 << 23):
            x = (some(n, torch.float32) * 2).round()
            x[::7] *= -1
            x[3::50], x[4::50] = float("nan"), -float("nan")
            x = x.to(dtype)
            numbers = torch.unique(x[x == x])
            got, counts = upsweep.unique(x, return_counts=True)
            assert torch.equal(got[:-1], numbers) and bool(got[-1] != got[-1]) and got.numel() == numbers.numel() + 1
            assert int(counts.sum()) == n and int(counts[-1]) == int((x != x).sum())
            assert torch.equal(upsweep.unique(x)[:-1], numbers)
            apart = upsweep.unique(x, equal_nan=False)
            assert torch.equal(apart[:numbers.numel()], numbers)
            assert apart.numel() == numbers.numel() + int((x != x).sum())


def test_histograms():
    for dtype in (torch.uint8, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64):
        x = some(100_003, dtype)
        for bins in (10, np.array([-1.0, 0.0, 0.5, 3.0])):
            if dtype == torch.uint8 and np.ndim(bins):
                bins = np.array([1, 5, 100])
            counts, edges = upsweep.histogram(x, bins)
            expected, their_edges = np.histogram(x.cpu().numpy(), bins)
            assert counts.is_cuda and edges.is_cuda and counts.dtype == torch.int64
            assert np.array_equal(counts.cpu().numpy(), expected)
            assert np.array_equal(edges.cpu().numpy(), their_edges)
    for dtype in (torch.uint8, torch.int16, torch.int64):
        for n in (0, 1, 5120, 100_003):
            for least in (0, 100, 256, 300):
                x = some(n, dtype)
                assert torch.equal(upsweep.bincount(x, minlength=least),
                                   torch.bincount(x, minlength=least))
    with pytest.raises(ValueError):
        upsweep.bincount(torch.tensor([-1], device="cuda"))
    with pytest.raises(ValueError):
        upsweep.bincount(torch.tensor([1 << 16], device="cuda"))


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.float32, torch.bfloat16, torch.bool],
                         ids=str)
def test_reductions_along_axes(dtype):
    x = (some(64 * 300, torch.int32) % 7).to(dtype).reshape(64, 300)
    for axis in (0, 1):
        got = upsweep.sum(x, axis=axis)
        assert got.is_cuda and torch.equal(got, torch.sum(x, axis))
        wanted = torch.amax(x.to(torch.uint8) if dtype == torch.bool else x, axis, keepdim=True)
        assert torch.equal(upsweep.max(x, axis=axis, keepdims=True), wanted.to(dtype))
    assert torch.equal(upsweep.sum(x, keepdims=True), torch.sum(x).reshape(1, 1))


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_kinds_of_tensors(where):
    """Views with strides, of one row, of none, parameters: each on its device, as torch has it."""
    for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16):
        x = (some(3000, torch.int32) % 5).to(dtype).to(where)
        for a in (x, x[::3], x.reshape(1, -1), x[:1].expand(7), x.reshape(30, 100).T, x[:0], x[7:2000]):
            wanted, order = torch.sort(a, stable=True)
            got, places = upsweep.sort(a, return_index=True)
            assert got.device == a.device and torch.equal(got, wanted) and torch.equal(places, order)
            assert torch.equal(upsweep.sort(a), wanted) and torch.equal(upsweep.argsort(a), order)
            if dtype in (torch.float32, torch.int64):
                assert torch.equal(upsweep.cumsum(a), torch.cumsum(a.reshape(-1), 0))
    kept = torch.nn.Parameter(x, requires_grad=False)
    assert torch.equal(upsweep.sort(kept), torch.sort(x)[0])


def test_captured():
    """A graph of torch's holds the calls, and sorts what is there when it is replayed."""
    x, out = some(5000, torch.float32), torch.zeros(5000, device="cuda")
    upsweep.sort(x, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        upsweep.sort(x, out=out)
        made, places = upsweep.sort(x, return_index=True)
    x.copy_(some(5001, torch.float32)[1:])
    graph.replay()
    assert torch.equal(out, torch.sort(x)[0]) and torch.equal(made, out)
    assert torch.equal(places, torch.sort(x, stable=True)[1])
    assert torch.equal(upsweep.sort(x), out)  # and calls that are not captured go on


def test_streams():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = some(1 << 22, torch.float32)
        got = upsweep.sort(x * 2)
        assert torch.equal(got, torch.sort(x * 2)[0])


def test_patterns_to_another_array():
    """What the sort finds out about keys decides which step writes the result."""
    for n in (5000, 1 << 16, 1 << 20, 1 << 23):
        rising = torch.arange(n, device="cuda", dtype=torch.int32)
        few = torch.randint(0, 3, (n,), device="cuda", dtype=torch.int32) << 20
        for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.float32):
            for x in (rising, rising.flip(0), few, few * 0 + 7, few.sort()[0], rising % 1000,
                      rising * 12345 % 65536 << 8):
                x = x.to(dtype)
                before, out = x.clone(), torch.full_like(x, 1)
                upsweep.sort(x, out=out)
                assert torch.equal(out, torch.sort(before)[0]) and torch.equal(x, before)
                values, index = upsweep.sort(x, return_index=True)
                wanted = torch.sort(before, stable=True)
                assert torch.equal(values, wanted[0]) and torch.equal(index, wanted[1])
                assert torch.equal(x, before)


def test_host_time(capsys):
    """What a call takes of the host's time, beside torch's."""
    import time

    def host(f):
        for _ in range(20):
            f()
        torch.cuda.synchronize()
        times = []
        for i in range(200):
            a = time.perf_counter_ns()
            f()
            times.append(time.perf_counter_ns() - a)
            if i % 16 == 0:
                torch.cuda.synchronize()
        return sorted(times)[100] / 1000

    x = torch.randn(4096, device="cuda")
    out, index = torch.empty_like(x), torch.arange(4096, device="cuda")
    with capsys.disabled():
        for name, f in {
                "sort": lambda: upsweep.sort(x), "torch.sort": lambda: torch.sort(x),
                "sort, out": lambda: upsweep.sort(x, out=out),
                "sort, positions": lambda: upsweep.sort(x, return_index=True),
                "argsort": lambda: upsweep.argsort(x),
                "sort_pairs": lambda: upsweep.sort_pairs(x, index),
                "cumsum": lambda: upsweep.cumsum(x),
                "cumsum, out": lambda: upsweep.cumsum(x, out=out),
                "torch.cumsum": lambda: torch.cumsum(x, 0),
                "bincount": lambda: upsweep.bincount(index.to(torch.uint8), minlength=256),
                "empty_like": lambda: torch.empty_like(x)}.items():
            print(f"\n{name}: {host(f):.1f} us of the host", end="")


def test_errors_that_come_later():
    """A position out of range is raised by wait, once; what was kept is given back by trim."""
    x = some(1 << 20, torch.int64)
    upsweep.sort(x)
    upsweep.take(x, torch.tensor([0, 1 << 20], device="cuda"))
    with pytest.raises(IndexError):
        upsweep.wait()
    upsweep.wait()
    before = torch.cuda.mem_get_info()[0]
    upsweep.trim()
    assert torch.cuda.mem_get_info()[0] >= before
    assert torch.equal(upsweep.sort(x), torch.sort(x)[0])


def test_refused():
    with pytest.raises(TypeError):
        upsweep.sort(torch.zeros(3, device="cuda", requires_grad=True))
    with pytest.raises(TypeError):
        upsweep.sort(torch.zeros(3, device="cuda", dtype=torch.complex64))


def test_figures(capsys):
    """Medians beside torch.sort, which gives keys and positions."""
    def took(f):
        times = []
        for _ in range(12):
            a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            a.record()
            f()
            b.record()
            b.synchronize()
            times.append(a.elapsed_time(b))
        return sorted(times)[6]

    with capsys.disabled():
        for dtype in (torch.float32, torch.int64, torch.bfloat16):
            for n in (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28):
                x = some(n, dtype)
                theirs = took(lambda x=x: torch.sort(x))
                pairs = took(lambda x=x: upsweep.argsort(x))
                alone = took(lambda x=x: upsweep.sort(x))
                print(f"\n{dtype} {n}: torch.sort {theirs:.3f} ms, argsort {pairs:.3f} "
                      f"({theirs / pairs:.2f}), sort {alone:.3f} ({theirs / alone:.2f})", end="")
