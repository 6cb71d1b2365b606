#!/usr/bin/env python3
"""sort_external_arrays.py - `upsweep sort` of raw arrays, .npy files and records of more than its limit of memory:
the same bytes as in memory and as Python's sort, the limit itself, and what must go wrong in a sentence.

    sort_external_arrays.py PROGRAM [--megabytes N] [--limits 16,64] [--large]    the long check takes more
"""
# SPDX-License-Identifier: MIT
import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left beside the tests
from array_files import ENV, SANITIZED, Killed, make_bytes, npy_header, run, same, unpacks  # noqa: E402

EXTRA = 2 << 20  # bytes that the limit may be passed by
TYPES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4,
         "f64": 8}
problems = []

# The oracle, in a process of its own, since a child's most memory begins with that of its parent.
ORACLE = """
import sys
source, target, size, begin, end, down, unique = sys.argv[1:3] + [int(a) for a in sys.argv[3:]]
data = open(source, "rb").read()
key = lambda r: r[begin:end] if end > begin else int.from_bytes(r, "little")
all = sorted((data[i:i + size] for i in range(0, len(data), size)), key=key, reverse=down == 1)
if unique:
    all = [r for i, r in enumerate(all) if i == 0 or key(r) != key(all[i - 1])]
open(target, "wb").write(b"".join(all))
"""


def say(problem):
    problems.append(problem)
    print("FAILED:", problem, flush=True)


class Sorts:
    """The program, a folder, and the comparison of what is sorted beyond memory with what is sorted in it."""

    def __init__(self, program, folder, megabytes, limits):
        self.program, self.folder, self.size, self.limits = program, folder, megabytes << 20, limits

    def path(self, name):
        return f"{self.folder}/{name}"

    def agree(self, words, names, want=None, feed=None):
        """Every limit gives the bytes of `want`, or else those that are sorted in memory."""
        if want is None:
            want = self.path("want")
            status, error, _ = run([self.program, "sort", *words, "-o", want, *names],
                                   open(feed, "rb") if feed else None)
            if status != 0 or error:
                say(f"sort {words} in memory: status {status}, {error!r}")
        for limit in self.limits:
            got = self.path("got")
            status, error, most = run([self.program, "sort", *words, "-S", f"{limit}M", "-T", self.folder, "-o", got,
                                       *names], open(feed, "rb") if feed else None)
            if status != 0 or error or not same(want, got):
                say(f"sort {words} -S {limit}M {names}: status {status}, {error!r}, or other bytes")
            if most > (limit << 20) + EXTRA:
                say(f"sort {words} -S {limit}M {names}: held {most >> 10} KB")

    def beyond(self, words, names):
        """That --stats says that the input did not fit."""
        limit = self.limits[0]
        error = run([self.program, "sort", *words, "-S", f"{limit}M", "-T", self.folder, "-o", self.path("got"),
                     "--stats", *names])[1]
        if "a limit of %d MB" % limit not in error:
            say(f"sort {words} {names}: was not sorted beyond memory: {error!r}")

    def fails(self, words, names, sentence, code=2):
        """A sentence, the old output, and nothing left."""
        out = self.path("out")
        with open(out, "w", encoding="ascii") as f:
            f.write("old\n")
        output = [] if "-c" in words or "-o" in names else ["-o", out]
        status, error, _ = run([self.program, "sort", *words, "-S", "16M", "-T", self.folder, *output, *names])
        with open(out, encoding="latin-1") as f:
            old = f.read(4)
        left = [n for n in os.listdir(self.folder) if n.startswith((".upsweep", "upsweep-", "sort"))]
        if status != code or sentence not in error or error.count("\n") != 1 or old != "old\n" or left:
            say(f"sort {words} {names}: status {status}, {error!r}, output {old!r}, left {left}")

    def oracle(self, source, size, begin, end, down=0, unique=0):
        want = self.path("oracle")
        subprocess.run([sys.executable, "-c", ORACLE, source, want,
                        *(str(a) for a in (size, begin, end, down, unique))], check=True)
        return want


def check_raw(s):
    raw, few = s.path("raw"), s.path("few")
    make_bytes(raw, s.size, 1)
    make_bytes(few, s.size, 2, few=True)
    options = [[], ["-r"], ["-u"], ["-ru"]]
    for i, kind in enumerate(TYPES):
        s.agree([*options[i % 4], "--type", kind], [few if i // 4 == 1 else raw])
        if i % 4 == 1:
            s.agree([*options[i // 4], "--type", kind], [few])
    s.beyond(["--type", "u32"], [raw])
    # Beside Python's sort; two files as one, standard input, and the output as an input.
    part = s.path("part")
    make_bytes(part, 11 << 20, 3)
    s.agree(["--type", "u64"], [part], s.oracle(part, 8, 0, 0))
    s.agree(["-r", "--type", "u64"], [part, part], None)
    s.agree(["--type", "u64"], [part, "-"], None, feed=few)
    subprocess.run(["cp", raw, s.path("got")], check=True)
    status, error, _ = run([s.program, "sort", "--type", "u16", "-S", "16M", "-T", s.folder, "-o", s.path("got"),
                            s.path("got")])
    run([s.program, "sort", "--type", "u16", "-o", s.path("want"), raw])
    if status != 0 or error or not same(s.path("got"), s.path("want")):
        say(f"an output that is the input: status {status}, {error!r}")
    if unpacks(s.program):
        subprocess.run(["gzip", "-1", "-k", "-f", part], check=True)
        s.agree(["--type", "u32"], [part + ".gz", part], None)


def check_npy(s):
    one, rows, long, short, whole = (s.path(n) for n in ("one.npy", "rows.npy", "long.npy", "short.npy", "whole"))
    n = s.size // 4
    make_bytes(one, 4 * n, 4, npy_header("u32", f"({n},)"))
    s.agree([], [one])
    s.agree(["-r", "-u"], [one])
    make_bytes(short, 8000, 5, npy_header("u32", "(2000,)"))
    s.agree(["-u"], [short, one, short])
    s.agree(["-r"], [one, short])
    s.beyond([], [one])
    count = s.size // (3 * 8 * 1000)
    make_bytes(rows, count * 3000 * 8, 6, npy_header("f64", f"({count}, 3, 1000)"))
    s.agree([], [rows])
    s.agree(["-r"], [rows])
    s.beyond([], [rows])
    width = max(s.limits) << 20
    make_bytes(long, 2 * width, 7, npy_header("u16", f"(2, {width // 2})"))
    s.agree([], [long])
    if unpacks(s.program):
        subprocess.run(["sh", "-c", 'gzip -1 -c "$0" >"$1"', one, s.path("one.gz")], check=True)
        s.agree([], [s.path("one.gz")])
    # Truncated, too long, of another type, together with what is no array, and what has no axis to sort.
    subprocess.run(["sh", "-c", 'head -c -5 "$0" >"$1"', one, whole], check=True)
    promise = f"the .npy header promises {4 * n} bytes of elements, the file has "
    s.fails([], [whole], promise + str(4 * n - 5))
    subprocess.run(["sh", "-c", '(cat "$0"; printf 123) >"$1"', one, whole], check=True)
    s.fails([], [whole], promise + str(4 * n + 3))
    s.fails(["--type", "u16"], [one], "holds elements of type u32, not u16")
    s.fails([], [rows, rows], "several arrays are taken together only if each has one axis")
    s.fails(["--type", "u32"], [one, s.path("raw")], "they are not taken together")
    s.fails(["--type", "u32"], [s.path("raw"), one], "they are not taken together")
    s.fails(["-u"], [rows], "-u is for arrays of one axis")
    s.fails(["-k1"], [one], "-k, -m, -z and --debug are for lines, not for arrays")
    subprocess.run(["sh", "-c", 'head -c -3 "$0" >"$1"', s.path("raw"), whole], check=True)
    s.fails(["--type", "u64"], [whole], "are no whole number of u64 elements of 8 bytes")


def check_natural(s):
    """What rises, falls, or lies in few runs is not written to temporary files, but read again from where it is."""
    raw, files = s.path("raw"), {name: s.path(name) for name in ("up", "down", "runs")}
    for words in (["--type", "u32"], ["--type", "f64"], ["--type", "u8", "-r"], ["--type", "i64", "-u"],
                  ["--record", "64", "--key", "3:12"], ["--record", "64", "--key", "3:5", "-u"]):
        down = [w for w in words if w != "-r"] if "-r" in words else [*words, "-r"]
        for options, name in ((words, "up"), (down, "down")):
            run([s.program, "sort", *options, "-o", files[name], raw])
        subprocess.run(["sh", "-c", 'head -c 6400000 "$1" >"$0"; cat "$2" >>"$0"; tail -c 3200000 "$1" >>"$0"',
                        files["runs"], files["up"], files["down"]], check=True)
        for name in ("up", "down", "runs"):
            done = subprocess.run([s.program, "sort", "--json", *words, "-S", "16M", "-T", s.folder, "-o", s.path("got"),
                                   files[name], files["up"]], capture_output=True, check=False)
            written = json.loads(done.stdout or "{}").get("temporary_written", -1)
            if not 0 <= written <= (4 * s.size if "3:5" in words else 1 << 20):  # equal keys, which must go
                say(f"sort {words} {name}: {done}")
            s.agree(words, [files[name], files["up"]])


def check_order(s):
    """-c of what is sorted, what is not, and what is cut, with the words that are said in memory."""
    for words, name in ((["--type", "i32"], "raw"), ([], "one.npy"), ([], "rows.npy"),
                        (["--record", "64", "--key", "3:9"], "raw")):
        ordered, cut = s.path("ordered"), s.path("cut")
        run([s.program, "sort", *words, "-o", ordered, s.path(name)])
        subprocess.run(["sh", "-c", 'head -c -3 "$0" >"$1"', s.path(name), cut], check=True)
        for check, source in ((["-c"], ordered), (["-c"], s.path(name)), (["-C"], s.path(name)), (["-cu"], ordered), (["-c"], cut)):
            if "-cu" in check and name == "rows.npy":
                continue
            want = run([s.program, "sort", *check, *words, source])
            got = run([s.program, "sort", *check, *words, "-S", "16M", source])
            if want[:2] != got[:2] or got[2] > (16 << 20) + EXTRA:
                say(f"sort {check} {words} {source}: {got}, in memory {want[:2]}")
            if want[0] != (0 if source == ordered else 2 if source == cut else 1) and "-cu" not in check:
                say(f"sort {check} {words} {source}: status {want[0]}")


def check_records(s):
    records, few = s.path("records"), s.path("few-records")
    count = s.size // 100
    make_bytes(records, count * 100, 8)
    make_bytes(few, count * 100, 9, few=True)
    s.agree(["--record", "100", "--key", "0:10"], [records], s.oracle(records, 100, 0, 10))
    s.agree(["--record", "100", "--key", "1:2"], [records], s.oracle(records, 100, 1, 2))
    s.agree(["--record", "100", "--key", "1:2", "-u"], [records], s.oracle(records, 100, 1, 2, 0, 1))
    s.agree(["--record", "100"], [few], s.oracle(few, 100, 0, 100))
    s.agree(["--record", "100", "-r", "--key", "5:9r", "--key", "50:u16", "--key", "8:f64r"], [few])
    s.agree(["--record", "100", "--key", "5:i8", "--key", "90:bf16", "-u"], [few])
    s.beyond(["--record", "100", "--key", "0:10"], [records])
    size = 300000
    make_bytes(records, 50 * size, 10)
    if not SANITIZED:  # which leaves too little of 16 MB for such records
        s.agree(["--record", str(size), "--key", f"{size - 8}:{size}"], [records],
                s.oracle(records, size, size - 8, size))
    s.fails(["--record", str(4 << 20)], [records, records], "are too long for a memory limit of 16 MB")
    s.fails(["--record", "99"], [few, few], "are no whole number of records of 99 bytes")
    s.fails(["--record", "100", "--key", "99:u16"], [few], "a key of bytes 99 to 100 lies outside")
    s.fails(["--key", "0:10"], [few], "--record says of how many bytes")
    s.fails(["--record", "100", "-n"], [few], "of the options for lines, records take")
    s.fails(["--record", "100"], [s.path("one.npy")], "is a .npy array; --from raw takes its bytes as records")
    for key in ("3:3", "4:x9", "7:", "1:2x"):
        s.fails(["--record", "100", "--key", key], [few], "--key of records takes A:B")


def check_large(s):
    """One sort of each kind, for limits of hundreds of megabytes: lines of any bytes, too."""
    raw, one = s.path("raw"), s.path("one.npy")
    make_bytes(raw, s.size // 800 * 800, 1)
    make_bytes(one, s.size // 4 * 4, 2, npy_header("u32", f"({s.size // 4},)"))
    for words, name in (([], raw), (["--from", "text"], one), (["--type", "u64"], raw), (["-u"], one),
                        (["--record", "100", "--key", "3:12"], raw)):
        s.agree(words, [name])
        s.beyond(words, [name])


def make_text(path):
    with open(path, "w", encoding="ascii") as f:  # and never much of it in this process
        f.writelines(f"{i * 7919 % 100003:06} line {i % 60000}\n" for i in range(250000))


def check_packed(s):
    """Outputs that are compressed, by name or by word, in memory and beyond."""
    text, plain = s.path("text"), s.path("plain")
    if not unpacks(s.program):
        print("check_packed: left out, since the program was built without zlib")
        return
    run([s.program, "sort", "-o", plain, text])
    empty = s.path("empty")
    make_bytes(empty, 0, 1)
    tools = [("gzip", "gz")] + ([("zstd", "zst")] if shutil.which("zstd") else [])
    for tool, ending in tools:
        for words, out in (([], f"out.{ending}"), (["-S", "16M"], f"out.{ending}"),
                           ([f"--compress-output={tool}:1", "-S", "16M"], "any.name")):
            name = s.path(out)
            status, error, most = run([s.program, "sort", *words, "-T", s.folder, "-o", name, text])
            same_text = subprocess.run(["sh", "-c", f'{tool} -dc <"$0" | cmp -s - "$1"', name, plain],
                                       check=False).returncode == 0
            if status != 0 or error or not same_text or ("-S" in words and most > (16 << 20) + EXTRA):
                say(f"sort {words} -o {out}: status {status}, {error!r}, held {most >> 10} KB, or other text")
        status, error, _ = run([s.program, "sort", "-o", s.path(f"none.{ending}"), empty])
        if status != 0 or subprocess.run([tool, "-tq", s.path(f"none.{ending}")], check=False).returncode != 0:
            say(f"an empty .{ending}: status {status}, {error!r}")
    # A compressed input that is the output stays one; the numbers of an array are packed as well.
    packed = s.path("out.gz")
    run([s.program, "sort", "-r", "-o", packed, packed])
    run([s.program, "sort", "-r", "-o", plain, text])
    run([s.program, "sort", "-S", "16M", "-T", s.folder, "-o", s.path("one.npy.gz"), s.path("one.npy")])
    run([s.program, "sort", "-o", s.path("want"), s.path("one.npy")])
    for name, want in ((packed, plain), (s.path("one.npy.gz"), s.path("want"))):
        if subprocess.run(["sh", "-c", 'gzip -dc "$0" | cmp -s - "$1"', name, want], check=False).returncode != 0:
            say(f"{name}: other bytes than {want}")
    run([s.program, "sort", "--compress-output=none", "-o", packed, text])
    run([s.program, "sort", "-o", s.path("want"), text])
    if not same(packed, s.path("want")):
        say("--compress-output=none compresses")
    s.fails(["--compress-output=none"], [s.path("one.npy.gz"), "-o", s.path("one.npy.gz")], "is compressed, and the output")
    s.fails(["--compress-output=lzw"], [text], "valid are none, gzip, zstd")
    s.fails(["--compress-output=gzip:10"], [text], "gzip:1 to gzip:9")


def check_json(s):
    text = s.path("text")
    s.fails(["--json", "-c"], [text], "--json tells of a sort")
    for words, name, beyond in ((["-S", "16M"], text, True), ([], text, False), (["--type", "u8"], text, False),
                                (["--record", "64", "-S", "16M"], s.path("raw"), True),
                                (["--record", "64"], s.path("raw"), False), (["-S", "16M"], s.path("rows.npy"), True)):
        done = subprocess.run([s.program, "sort", "--json", *words, "-T", s.folder, "-o", s.path("out"), name],
                              capture_output=True, check=False)
        told = json.loads(done.stdout or "{}")
        if done.returncode != 0 or done.stderr or told.get("beyond_memory") != beyond or not told["phases"]:
            say(f"sort --json {words} {name}: {done}")


def check_failures(s):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    for words, file in ((["--type", "u32"], "raw"), (["-u"], "one.npy"), (["--record", "64"], "raw")):
        name = s.path(file)
        command = [s.program, "sort", *words, "-S", "16M", name]
        status, error, _ = run([*command, "-T", s.folder, "-o", s.path("out")], preexec_fn=small_files)
        if status != 2 or "File too large" not in error or error.count("\n") != 1:
            say(f"temporary files that cannot grow: {words}: status {status}, {error!r}")
        status, error, _ = run([*command, "-T", s.folder], stdout=open("/dev/full", "wb"))
        if status != 2 or "No space left" not in error or error.count("\n") != 1:
            say(f"a full output: {words}: status {status}, {error!r}")
        s.fails([*words, "-T", s.path("nowhere")], [name], "No such file or directory")


def check_room(s):
    """The disk is too small for temporary files, for the output, for both: said before anything is done."""
    small, raw = s.path("small"), s.path("raw")
    need = f"need {(s.size >> 20) + 1} MB, and there are 12 MB left"
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", small], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        print("check_room: left out, since no file system can be mounted")
        return
    try:
        for place, out, sentence in ((small, s.path("out"), f"temporary files {need}"),
                                     (s.folder, f"{small}/out", f"the output {need.replace('need', 'needs', 1)}"),
                                     (small, f"{small}/out", "temporary files and the output need ")):
            status, error, _ = run([s.program, "sort", "--type", "u32", "-S", "16M", "-T", place, "-o", out, raw])
            if status != 2 or sentence not in error or error.count("\n") != 1 or os.listdir(small):
                say(f"no room for {sentence!r}: status {status}, {error!r}, {os.listdir(small)}")
    finally:
        subprocess.run(["umount", small], check=True)


def check_progress(s):
    """A person at a terminal sees how many bytes have come."""
    ours, theirs = os.openpty()
    begun = subprocess.Popen([s.program, "sort", "--type", "u64", "-S", "16M", "-T", s.folder, "-o", s.path("out")],
                             stdin=subprocess.PIPE, stderr=theirs, env=ENV)
    os.close(theirs)
    with open(s.path("raw"), "rb") as f:
        for i in range(56):
            begun.stdin.write(f.read(1 << 18))
            begun.stdin.flush()
            time.sleep(0.03)
    begun.stdin.close()
    told, status = os.read(ours, 1 << 16), begun.wait()
    if status != 0 or b"upsweep sort: read, runs, " not in told or b" MB" not in told:
        say(f"progress: {told!r}")


def check_kills(s, count):
    out, want = s.path("out"), s.path("want")
    for words, name in ((["-u"], s.path("one.npy")), (["--record", "64"], s.path("raw"))):
        command = [s.program, "sort", *words, "-S", "16M", "-T", s.folder, "-o", out, name]
        run([s.program, "sort", *words, "-o", want, name])
        begin = time.monotonic()
        run(command)
        whole = time.monotonic() - begin
        for i in range(count):
            with open(out, "w", encoding="ascii") as f:
                f.write("old\n")
            begun = Killed(command)
            time.sleep(whole * 1.1 * i / count)
            begun.kill()
            left = [n for n in os.listdir(s.folder) if n.startswith((".upsweep", "upsweep-"))]
            if left or not (os.path.getsize(out) == 4 or same(out, want)):
                say(f"killed after {whole * 1.1 * i / count:.2f} s: left {left}, {os.path.getsize(out)} bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--megabytes", type=int, default=14)
    parser.add_argument("--limits", default="16")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--large", action="store_true", help="one sort of each kind only")
    given = parser.parse_args()
    # In memory where there is room: a short test would wait for the disk.
    shared = given.megabytes < 20 and os.path.isdir("/dev/shm") and os.statvfs("/dev/shm")
    room = shared and shared.f_bavail * shared.f_frsize > 1 << 30
    with tempfile.TemporaryDirectory(dir="/dev/shm" if room else None) as folder:
        s = Sorts(os.path.abspath(given.program), folder, given.megabytes, [int(a) for a in given.limits.split(",")])
        checks = (check_raw, check_npy, check_records, check_natural, check_order, check_packed, check_json, check_failures,
                  check_room, check_progress)
        make_text(s.path("text"))
        for check in (check_large,) if given.large else checks:
            begin = time.monotonic()
            check(s)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        if not given.large:
            check_kills(s, given.kills)
    print(f"sort_external_arrays: {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
