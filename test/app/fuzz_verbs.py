#!/usr/bin/env python3
"""fuzz_verbs.py - the program's verbs beside their rivals, on random input and options.

    fuzz_verbs.py PROGRAM [--verbs sort,paths,arrays] [--seconds S] [--cases N] [--seed X] [--case X]

sort:   `upsweep sort` beside sort(1), in the C locale and in those of LOCALES that are installed: the same
        bytes and exit status, and words on standard error where the other has some; with --debug the same
        words. Half of the cases call the program by the name sort. Needs nothing but Python and sort(1).
paths:  `upsweep paths` beside scipy.sparse.csgraph; left out where scipy is not installed.
arrays: sort, reduce, scan, histogram and select of .npy files beside numpy; left out likewise.

A case is one number. One that differs is printed with its command, its input is kept, and the exit status
is 1; --case X runs it again. 77: nothing could be compared.
"""
# SPDX-License-Identifier: MIT
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "LANGUAGE": "en", "UPSWEEP_TUNING": "/nonexistent"}

LOCALES = ["en_US.UTF-8", "de_DE.UTF-8", "cs_CZ.UTF-8", "sv_SE.UTF-8", "fr_FR.UTF-8", "de_DE.ISO-8859-1"]


def answers(text, *options):
    """What the other makes of a text, or nothing where it is not there."""
    try:
        return subprocess.run(["sort", *options], input=text, capture_output=True, env=ENVIRONMENT).stdout
    except OSError:
        return b""


# What differs on purpose, or by a fault of the other's: (why, whether the other has it, whether a case has it).
KNOWN = [
    ("NaN: its order differs from one version of sort(1) to the next", True,
     lambda o, text: "g" in o.letters and b"nan" in text.lower()),
    ("GNU 9.1 to 9.4 take the byte 0x80 inside a number of -n for a separator of thousands",
     answers(b"2\n1\x800\n", "-n") == b"2\n1\x800\n",
     lambda o, text: set("nh") & set(o.letters) and b"\x80" in text),
    ("GNU 9.1 does not know the units R and Q", answers(b"1R\n2Y\n", "-h") == b"1R\n2Y\n",
     lambda o, text: "h" in o.letters and (set(b"RQ") | (set(b"rq") if "f" in o.letters else set())) & set(text)),
    ("GNU 9.1 takes all of .A for the ending of a name in -V", answers(b".0\n.A\n", "-V") == b".A\n.0\n",
     lambda o, text: "V" in o.letters and re.search(
         rb"\.[A-Za-z~]" if set("ib") & set(o.letters) or "-k" in o.words or "+" in "".join(o.words)
         else rb"(^|[\n\0])\.[A-Za-z~]", text)),
]
KNOWN = [known for known in KNOWN if known[1]]


class Different(Exception):
    pass


def run(command, data, folder, **variables):
    return subprocess.run(command, input=data, capture_output=True, cwd=folder, env={**ENVIRONMENT, **variables},
                          timeout=60)


# ---- sort ---------------------------------------------------------------------------------------------------

NUMBERS = [b"", b"-", b".", b"-.", b"+5", b"-0", b"0", b"00", b"0.0", b"-0.0", b".5", b"-.5", b"5.", b"007", b"1e5",
           b"1E5", b"1e", b"1e+", b"0x10", b"0x", b"0x1p3", b"inf", b"-inf", b"1e400", b"abc", b"1,5", b"1 2", b"--5",
           b"- 5", b" 3", b"\t3", b"3 ", b"3\r", b"1e-4", b"1e5000", b"INF", b"infinity", b"3x", b"1e-400",
           b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1.000000000000000001",
           b"1.0000000000000000011", b"-9223372036854775809", b"1.00000000000000000109"]
SIZES = [b"1K", b"1k", b"2K", b"1M", b"0.5G", b"1.5M", b"-1K", b"-2M", b"0K", b"00", b"1023", b"1,000K", b"1.K", b".5T",
         b"999P", b"1E", b"2Z", b"2Y", b"1KB", b"1Ki", b" 3K", b"-", b"-K", b"K", b"1" + b"0" * 40 + b"K", b"1,,5K", b"1.5.5M"]
MONTHS = [b"Jan", b"FEB", b"march", b"apr", b" May", b"JUNE", b"jul", b"Au", b"sep", b"Oct", b"\tNov", b"dec", b"ja", b"",
          "März".encode(), b"janv.", b"okt", b"Dez", "úno".encode(), b"maj", b"mar", "août".encode()]
VERSIONS = [b"a1", b"a01", b"a10", b"a9", b"a", b"a0", b"a.", b".", b"..", b"...", b".a", b".a1", b"a~", b"a1~", b"~", b"1.2.3",
            b"1.02.3", b"1.2.03", b"v1.tar.gz", b"v1.2.tar.gz", b"v1", b"v01.tar.gz", b"a-1", b"a_1", b"a+1", b"a.b.c1", b"0", b"00",
            b"1" * 300, b"1" * 255, b"9" * 254, b"a00000b", b"a0b", b"ab", b"x.~1~", b"x", b"#x#", b"x.c", b"x.10", b"x.c~"]
LETTERS = ["a", "A", "b", "c", "ch", "C", "h", "i", "z", "Z", "å", "ä", "Ä", "ö", "é", "e", "E", "ß", "ss", "ř", "r", "š", "ů", "æ", "ñ",
           " ", "-", ".", "'", "1", "10", "_", "\u0301", "日", "ж", "Ω", "\u00a0", "ǆ", "ı", "\U0001f600", "aa", "dz", "CH", "cH"]
WORDS = [b"the", b"The", b"quick", b"brown", b"FOX", b"fox", b"", b"a", b"ab", b"common/prefix/1", b"common/prefix/10"]


def number(r):
    kind = r.randrange(7)
    if kind == 0:
        return r.choice(NUMBERS)
    if kind == 1:
        return b"%d" % r.randrange(-10, 10)
    if kind == 2:
        return b"%.*f" % (r.randrange(8), r.uniform(-100, 100))
    if kind == 3:
        return b"%.*e" % (r.randrange(20), r.uniform(-1, 1) * 10 ** r.randrange(12))
    if kind == 4:
        return b"0" * r.randrange(20) + b"%d" % r.randrange(99)
    if kind == 5:
        return r.choice([b"", b"-"]) + b"%d" % r.getrandbits(r.randrange(1, 130))
    return b"%d.%s%d" % (r.randrange(3), b"0" * r.randrange(5), r.randrange(3))


def word(r):
    kind = r.randrange(10)
    if kind > 5:
        if kind == 9:
            return "".join(r.choice(LETTERS) for _ in range(r.randrange(10))).encode()
        return r.choice([SIZES, MONTHS, VERSIONS][kind - 6])
    if kind == 0:
        return bytes(r.choice(b"aAbB._-1 ") for _ in range(r.randrange(12)))
    if kind == 1:
        return bytes(r.randrange(256) for _ in range(r.randrange(12)))
    if kind == 2:
        return r.choice([b"x", b"\0"]) * r.randrange(40)
    if kind == 3:
        return b"common/prefix/of/all/%d" % r.randrange(100)
    return r.choice(WORDS)


def line(r, kind):
    if kind == 0:
        return number(r)
    if kind == 1:
        return word(r)
    separator = r.choice([b" ", b",", b"\t", b"  ", b":", b"\t ", b";"])
    return separator.join(number(r) if r.random() < 0.5 else word(r) for _ in range(r.randrange(6)))


def text_of(r, end):
    """Lines of one pool, so that some are equal; now and then without the last end."""
    kind, pool = r.randrange(5) % 4, r.choice([1, 3, 20, 200, 2000])
    count = r.choice([0, 1, 2, 5, 20, 60, 200, 200, 700, 3000 if r.random() < 0.2 else 100])
    lines = [line(r, kind).replace(end, b"?") for _ in range(min(pool, count))]
    text = b"".join(r.choice(lines) + end for _ in range(count))
    return text[:-1] if text and r.random() < 0.2 else text


ORDERS = "ngrfdibsuhMVR"
SORT_WORDS = {"general-numeric": "g", "human-numeric": "h", "month": "M", "numeric": "n", "random": "R", "version": "V",
              "num": "n", "v": "V"}


class Options:
    """What both are given; letters: all that order the lines."""

    def __init__(self, r):
        self.words, self.letters = [], ""
        self.end = b"\n"
        for letter in r.choices(ORDERS, k=r.choice([0, 0, 1, 1, 2, 3])):
            self.letters += letter
            self.words.append("-" + letter)
        if r.random() < 0.1:
            word = r.choice(list(SORT_WORDS))
            self.letters += SORT_WORDS[word]
            self.words.append(r.choice(["--sort=", "--so="]) + word)
        if r.random() < 0.3:
            self.words += ["-t", r.choice([",", ":", " ", "\t", ";", "a", "\\0"])]
        for _ in range(r.choice([0, 0, 0, 1, 1, 2, 3])):
            self.words += ["-k", self.key(r)] if r.random() < 0.85 else self.old_key(r)
        if r.random() < 0.1:
            self.words.append("-z")
            self.end = b"\0"
        self.words += self.machine(r)
        # Random bytes that both take from one file make one order.
        self.words += ["--random-source=source"] if "R" in self.letters else []

    @staticmethod
    def machine(r):
        """What changes how the work is done, and no byte of the output."""
        choices = [["--parallel", str(r.randrange(1, 5))], ["-S", r.choice(["50%", "1G", "2000000", "64M", "99999999b"])],
                   ["--batch-size", str(r.randrange(2, 30))], ["-T", ".", "-T", "/tmp"], ["--compress-program=gzip"]]
        return r.choice(choices) if r.random() < 0.2 else []

    def some_letters(self, r):
        letters = "".join(r.choices("bdfginrhMVR", k=r.choice([0, 0, 0, 1, 2])))
        self.letters += letters
        return letters

    def key(self, r):
        def place(last):
            field = r.randrange(0 if r.random() < 0.02 else 1, 6)
            character = "." + str(r.randrange(0 if last or r.random() < 0.05 else 1, 7)) if r.random() < 0.4 else ""
            return str(field) + character + self.some_letters(r)
        return place(False) + ("," + place(True) if r.random() < 0.6 else "")

    def old_key(self, r):
        def place(sign):
            character = "." + str(r.randrange(4)) if r.random() < 0.3 else ""
            return sign + str(r.randrange(4)) + character + self.some_letters(r)
        return [place("+")] + ([place("-")] if r.random() < 0.6 else [])


def call(folder, program, name, tool, locale):
    """How one of the two is called, and its environment."""
    if name == "theirs":
        return ["sort"], {"LC_ALL": locale}
    if tool:
        return ["./sort"], {"LC_ALL": locale}
    return [program, "sort", "--device", "cpu"] + (["--locale=" + locale] if locale != "C" else []), {}


def sort_case(r, program, folder):
    options = Options(r)
    tool, locale = r.random() < 0.5, "C" if r.random() < 0.5 else r.choice(["C", *INSTALLED])
    mode = r.choice(["", "", "", "", "", "-c", "-C", "-m", "-o", "--debug", "--files0-from=names"])
    texts = [text_of(r, options.end) for _ in range(r.choice([1, 1, 1, 2, 3]) if mode not in ("-c", "-C") else 1)]
    for _, _, holds in KNOWN:
        if any(holds(options, t) for t in texts):
            return False
    (folder / "sort").symlink_to(program)
    (folder / "source").write_bytes(bytes(r.randrange(256) for _ in range(16)))
    if mode == "-m" or (mode in ("-c", "-C") and r.random() < 0.6):
        ordered = [run(["sort", *options.words], t, folder, LC_ALL=locale) for t in texts]
        texts = [o.stdout if o.returncode == 0 else t for o, t in zip(ordered, texts)]
    files, data = [], b""
    for i, t in enumerate(texts):
        (folder / f"in{i}").write_bytes(t)
        files.append(f"in{i}")
    if mode.startswith("--files0"):
        (folder / "names").write_bytes(b"".join(f.encode() + b"\0" for f in files))
        files = []
    elif r.random() < 0.4:
        data, files = texts[0], (["-"] if r.random() < 0.5 or len(files) > 1 else []) + files[1:]
    words = options.words + ([mode] if mode else [])
    results = []
    for name in ("theirs", "ours"):
        command, variables = call(folder, program, name, tool, locale)
        target = ["out_" + name] if mode == "-o" else []
        result = run(command + words + target + files, data, folder, **variables)
        made = folder / ("out_" + name)
        said = result.stderr.replace(b"upsweep sort: ", b"sort: ") if mode == "--debug" and locale == "C" else \
            len(result.stderr) > 0
        out = result.stdout
        if mode == "--debug":  # where a key ends before it begins, GNU 9.1 looks for its mark elsewhere
            out = re.sub(rb" *\^ no match", b"^ no match", out)
        results.append((result.returncode, out, made.read_bytes() if made.exists() else None, said))
    theirs, ours = results
    if theirs != ours:
        what = ["the exit status is %d, not %d" % (ours[0], theirs[0]), "the output differs", "the file differs",
                "standard error has words, or has none, or has others"]
        wrong = next(w for w, a, b in zip(what, ours, theirs) if a != b)
        raise Different(f"LC_ALL={locale} {'' if tool else 'upsweep '}sort {' '.join(map(repr, words + files))}: {wrong}")
    return True


def installed_locales():
    try:
        names = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower().replace("-", "").split()
    except OSError:
        return []
    return [name for name in LOCALES if name.lower().replace("-", "") in names]


INSTALLED = installed_locales()


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
    return values if r.random() < 0.7 else numpy.sort(values)


def same(numpy, a, b):
    """The same numbers: NaN is NaN, and -0 is 0, since numpy does not tell them apart in a sort."""
    return a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def near(numpy, a, b, scale):
    both = numpy.isnan(a) & numpy.isnan(b) | (a == b)
    return bool(numpy.all(both | (numpy.abs(a - b) <= scale)))


def sort_array(r, numpy, a):
    if r.random() < 0.4 and a.size:
        a = a[:a.size // 6 * 6].reshape(r.choice([(-1, 6), (6, -1), (2, 3, -1), (-1, 1)]))
    reverse = r.random() < 0.3
    want = numpy.sort(a, axis=-1)
    if reverse and a.dtype.kind == "f":  # NaN is last in either direction
        want = -numpy.sort(-a, axis=-1)
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
        want = numpy.cumsum(a.astype("f8"))
        scale = numpy.finfo(a.dtype).eps * (numpy.cumsum(numpy.abs(a.astype("f8"))) + 1)
        with numpy.errstate(over="ignore"):
            want = want.astype(a.dtype).astype("f8")
        return a, ["scan", "--op", op], lambda got: got.dtype == a.dtype and near(numpy, got.astype("f8"), want, scale)
    want = functions[op].accumulate(a, dtype=a.dtype) if a.size else a
    return a, ["scan", "--op", op], lambda got: same(numpy, got, want)


def select_array(r, numpy, a):
    k = r.randrange(a.size + 1)
    kind = r.choice(["--top", "--least", "--unique"])
    ordered = numpy.sort(a)
    numbers = ordered[~numpy.isnan(ordered)] if a.dtype.kind == "f" else ordered
    nans = ordered[len(numbers):]
    if kind == "--unique":
        bits = numpy.unique(a.view("u%d" % a.dtype.itemsize)).view(a.dtype)
        want = numpy.sort(bits)
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
            not numpy.isfinite(a).all() or numpy.ptp(a.astype("f8")) > 1e300:
        return True
    result = run([program, "histogram", "--device", "cpu", "--csv", "--bins", str(bins), "in.npy"], b"", folder)
    rows = [row.split(",") for row in result.stdout.decode().split("\n")[1:] if row]
    return result.returncode == 0 and [int(row[2]) for row in rows] == list(numpy.histogram(a, bins)[0])


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


# ---- the whole ----------------------------------------------------------------------------------------------

VERBS = {"sort": sort_case, "paths": paths_case, "arrays": arrays_case}


def available(verb):
    """Whether its rival is here; says so if not."""
    try:
        if verb == "sort":
            found = subprocess.run(["sort", "--version"], capture_output=True, env=ENVIRONMENT).stdout
            missing = None if b"GNU" in found else "sort(1) is not GNU's"
        else:
            __import__("numpy")
            missing = None
            if verb == "paths":
                __import__("scipy.sparse.csgraph")
    except (ImportError, OSError) as why:
        missing = str(why)
    if missing is not None:
        print(f"fuzz_verbs: {verb} is left out: {missing}")
    return missing is None


def run_case(verb, number, program, keep):
    with tempfile.TemporaryDirectory(prefix="fuzz_verbs.") as name:
        folder = Path(name)
        try:
            return VERBS[verb](random.Random(number), program, folder)
        except (Different, subprocess.TimeoutExpired) as why:
            os.makedirs(keep, exist_ok=True)
            for f in folder.iterdir():
                (Path(keep) / f.name).write_bytes(f.read_bytes())
            print(f"fuzz_verbs: {why}\nfuzz_verbs: --verbs {verb} --case {number}; its files are in {keep}")
            sys.exit(1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("program", type=os.path.abspath)
    arguments.add_argument("--verbs", default="sort")
    arguments.add_argument("--seconds", type=float, default=25)
    arguments.add_argument("--cases", type=int, default=sys.maxsize)
    arguments.add_argument("--seed", type=lambda text: int(text, 0), default=time.time_ns())
    arguments.add_argument("--case", type=lambda text: int(text, 0))
    arguments.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "fuzz_verbs.differs"))
    a = arguments.parse_args()
    verbs = [verb for verb in a.verbs.split(",") if available(verb)]
    if not verbs:
        sys.exit(77)
    if a.case is not None:
        run_case(verbs[0], a.case, a.program, a.keep)
        print(f"fuzz_verbs: {verbs[0]}: case {a.case} is right")
        return
    for verb in verbs:
        if verb == "sort" and not INSTALLED:
            print("fuzz_verbs: sort: none of the locales is installed: the C locale alone is compared")
        start, cases, known, numbers = time.monotonic(), 0, 0, random.Random(a.seed)
        print(f"fuzz_verbs: {verb}: seed {a.seed}", flush=True)
        while cases < a.cases and time.monotonic() - start < a.seconds / len(verbs):
            compared = run_case(verb, numbers.getrandbits(63), a.program, a.keep)
            cases += compared
            known += not compared
        print(f"fuzz_verbs: {verb}: {cases} cases, none differs; {known} have a difference that is known",
              flush=True)


main()
