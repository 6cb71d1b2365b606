"""fuzz_numbers.py - cases of fuzz_verbs.py: paths beside scipy, arrays beside numpy, which are imported where they are
needed."""
# SPDX-License-Identifier: MIT
from fuzz_case import Different, run

# ---- paths --------------------------------------------------------------------------------------------------


def paths_case(r, program, folder):
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra
    n, real = r.randrange(1, r.choice([5, 40, 300])), r.random() < 0.5
    arcs = {}
    for _ in range(r.randrange(0, n * r.choice([2, 4, 12]))):
        # scipy takes several arcs between two vertices for one of their sum, and 0 for none
        arcs[r.randrange(n), r.randrange(n)] = r.randrange(1, 64) / 4 if real else r.randrange(1, 2 ** 20)
    arcs[n - 1, n - 1] = 1  # so that the last vertex is there
    (folder / "arcs.csv").write_text("".join(f"{t},{h},{w}\n" for (t, h), w in arcs.items()))
    tails, heads = zip(*arcs)
    graph = csr_matrix((list(map(float, arcs.values())), (tails, heads)), shape=(n, n))
    sources = [r.randrange(n) for _ in range(r.randrange(1, 5))]
    cutoff = r.choice([None, None, r.randrange(1, 200)])
    nearest = r.random() < 0.3
    command = [program, "paths", "arcs.csv", "--device", "cpu", "--format", "npy", "--verify", "--weight",
               "f64" if real else "u64", "-o", "out.npy"]
    command += [w for s in sources for w in ("--source", str(s))] + (["--nearest"] if nearest else [])
    command += ["--cutoff", str(cutoff)] if cutoff is not None else []
    want = dijkstra(graph, indices=sources, min_only=nearest, limit=numpy.inf if cutoff is None else cutoff)
    result = run(command, b"", folder)
    if result.returncode != 0:
        raise Different(f"{' '.join(command)}: status {result.returncode}: {result.stderr.decode()}")
    got = numpy.load(folder / "out.npy").astype(object if not real else float)
    got = numpy.array([[numpy.inf if x == 2 ** 64 - 1 else float(x) for x in row]
                       for row in got.reshape(-1, n)]) if not real else got.reshape(-1, n)
    if not numpy.array_equal(got, want.reshape(-1, n)):
        raise Different(f"{' '.join(command)}: the distances differ")
    return True


# ---- arrays -------------------------------------------------------------------------------------------------


def array_of(r, numpy):
    kind = r.choice(["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"])
    n = r.choice([0, 1, 2, 7, 100, 1000, 5000, r.randrange(20000)])
    seeded = numpy.random.default_rng(r.getrandbits(63))
    bits = seeded.integers(0, 2 ** 64, n, dtype="u8")
    if r.random() < 0.4:
        bits = bits % numpy.uint64(r.choice([2, 10, 100, 10000]))
    if kind[0] == "f" and r.random() < 0.7:
        return (seeded.normal(size=n) * r.choice([1, 100])).astype(kind)
    values = bits.astype("u" + kind[1]).view(kind)
    return values if r.random() < 0.7 else ordered(numpy, values)


def same(numpy, a, b):
    """The same numbers: NaN is NaN, and -0 is 0, since numpy does not tell them apart in a sort."""
    return a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def near(numpy, a, b, scale):
    both = numpy.isnan(a) & numpy.isnan(b) | (a == b)
    return bool(numpy.all(both | (numpy.abs(a - b) <= scale)))


def ordered(numpy, a):
    """By numpy's stable method: the default one sorts f16 wrongly with AVX-512 (numpy 2.0 to 2.5)."""
    return numpy.sort(a, axis=-1, kind="stable")


def sort_array(r, numpy, a):
    if r.random() < 0.4 and a.size:
        a = a[:a.size // 6 * 6].reshape(r.choice([(-1, 6), (6, -1), (2, 3, -1), (-1, 1)]))
    reverse = r.random() < 0.3
    want = ordered(numpy, a)
    if reverse and a.dtype.kind == "f":  # NaN is last in either direction
        want = -ordered(numpy, -a)
    elif reverse:
        want = want[..., ::-1]
    return a, ["sort"] + (["-r"] if reverse else []), lambda got: same(numpy, got, want)


def scan_array(r, numpy, a):
    op = r.choice(["sum", "min", "max"] + (["xor", "and", "or"] if a.dtype.kind != "f" else []))
    functions = {"sum": numpy.add, "min": numpy.fmin, "max": numpy.fmax, "xor": numpy.bitwise_xor,
                 "and": numpy.bitwise_and, "or": numpy.bitwise_or}
    if a.dtype.kind == "f":
        a = numpy.where(numpy.isfinite(a) & (numpy.abs(a) < 1e4), a, a.dtype.type(1)).astype(a.dtype)
    if op == "sum" and a.dtype.kind == "f":
        # Elements of 64 bits are added in 64 bits: of each partial sum a rounding.
        roundings = a.size.bit_length() if a.dtype.itemsize == 8 else 1
        want = numpy.cumsum(a.astype(numpy.longdouble))
        scale = numpy.finfo(a.dtype).eps * roundings * (numpy.cumsum(numpy.abs(a.astype("f8"))) + 1)
        with numpy.errstate(over="ignore"):
            want = want.astype(a.dtype).astype("f8")
        return a, ["scan", "--op", op], lambda got: got.dtype == a.dtype and near(numpy, got.astype("f8"), want, scale)
    want = functions[op].accumulate(a, dtype=a.dtype) if a.size else a
    return a, ["scan", "--op", op], lambda got: same(numpy, got, want)


def select_array(r, numpy, a):
    k = r.randrange(a.size + 1)
    kind = r.choice(["--top", "--least", "--unique"])
    whole = ordered(numpy, a)
    numbers = whole[~numpy.isnan(whole)] if a.dtype.kind == "f" else whole
    nans = whole[len(numbers):]
    if kind == "--unique":
        bits = numpy.unique(a.view("u%d" % a.dtype.itemsize)).view(a.dtype)
        want = ordered(numpy, bits)
        return a, ["select", kind], lambda got: same(numpy, got, want)
    want = numpy.concatenate([numbers[::-1] if kind == "--top" else numbers, nans])[:k]
    return a, ["select", kind, str(k)], lambda got: same(numpy, got, want)


def reduced(r, numpy, program, folder, a):
    op = r.choice(["sum", "min", "max", "argmin", "argmax"])
    if a.size == 0 or (a.dtype.kind == "f" and not numpy.isfinite(a).all()):
        return True
    result = run([program, "reduce", "--device", "cpu", "--op", op, "in.npy"], b"", folder)
    if op == "sum" and a.dtype.kind == "f":
        total, scale = a.astype("f8").sum(), numpy.abs(a.astype("f8")).sum() * 1e-13
        return result.returncode == 0 and abs(float(result.stdout) - total) <= scale
    want = a.sum(dtype="u8" if a.dtype.kind == "u" else "i8") if op == "sum" else getattr(a, op)()
    if a.dtype.kind == "f" and not op.startswith("arg"):
        return result.returncode == 0 and a.dtype.type(float(result.stdout)) == want
    return result.returncode == 0 and int(result.stdout) == int(want)


def counted(r, numpy, program, folder, a):
    bins = r.choice([1, 2, 10, 16, 100])
    if a.dtype not in (numpy.dtype("f8"), numpy.dtype("i4"), numpy.dtype("u2")) or not a.size or \
            not numpy.isfinite(a).all() or not (numpy.ptp(a) == 0 or 1e-299 < numpy.ptp(a.astype("f8")) < 1e300):
        return True
    result = run([program, "histogram", "--device", "cpu", "--csv", "--bins", str(bins), "in.npy"], b"", folder)
    rows = [row.split(",") for row in result.stdout.decode().split("\n")[1:] if row]
    counts = [int(row[2]) for row in rows]
    try:
        want = list(numpy.histogram(a, bins)[0])
    except ValueError:  # equal numbers so great that numpy's bins, a unit wide, have no width
        want = [0] * (bins // 2) + [a.size] + [0] * (bins - bins // 2 - 1)
    return result.returncode == 0 and counts == want


def arrays_case(r, program, folder):
    import numpy
    a = array_of(r, numpy)
    verb = r.choice([sort_array, scan_array, select_array, reduced, counted])
    if verb in (reduced, counted):
        numpy.save(folder / "in.npy", a)
        if not verb(r, numpy, program, folder, a):
            raise Different(f"upsweep {'reduce' if verb is reduced else 'histogram'} of {a.size} {a.dtype} differs")
        return True
    a, words, right = verb(r, numpy, a)
    numpy.save(folder / "in.npy", a)
    command = [program, words[0], "--device", "cpu", *words[1:], "-o", "out.npy", "in.npy"]
    result = run(command, b"", folder)
    if result.returncode != 0:
        raise Different(f"{' '.join(command)}: status {result.returncode}: {result.stderr.decode()}")
    if not right(numpy.load(folder / "out.npy")):
        raise Different(f"{' '.join(command)}: of {a.shape} {a.dtype} the outcome differs")
    return True
