#!/usr/bin/env python3
"""sort_external.py - `upsweep sort` of more than its limit of memory: the same bytes as sort(1) for many
options, the limit itself, inputs of every kind, and what must go wrong in a sentence.

    sort_external.py PROGRAM [--megabytes N]    N of text, 24 unless said; the long check takes more
"""
# SPDX-License-Identifier: MIT
import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

from array_files import ENV, Killed, run, same, unpacks

EXTRA = 2 << 20  # bytes that the limit may be passed by
LONG = "UPSWEEP_TEST_LONG" in os.environ  # all limits, orders and sources
problems = []


def say(problem):
    problems.append(problem)
    print("FAILED:", problem, flush=True)


def make_text(path, size, seed):
    rng = random.Random(seed)
    words = ["alpha", "beta", "Gamma", "-12", "3.50", "1e9", "0", "007", "zz", "x" * 90, "", "12345678901234567890.5"]
    with open(path, "w", encoding="ascii") as f:
        held = 0
        while held < size:
            block = "".join(
                f"{rng.choice(words)}{rng.randrange(1000)} {rng.randrange(-50, 50)}.{rng.randrange(10)}"
                f"\t{rng.choice(words)}\n" for _ in range(4000))
            f.write(block)
            held += len(block)


def check_options(program, folder, text):
    """Bytes as of sort(1), under limits that make runs of a megabyte, and the memory that was held."""
    want, got = folder + "/want", folder + "/got"
    for options in ["", "-r", "-u", "-n", "-rnu", "-k2,2n -k1", "-k3 -s", "-f", "-t. -k2,2nr -u", "-bd -k1.2,1.5"]:
        for limit in (16, 64) if LONG or options in ("", "-rnu") else (16,):
            subprocess.run(["sort", *options.split(), "-o", want, text], env=ENV, check=True)
            status, error, most = run([program, "sort", *options.split(), "-S", f"{limit}M", "-o", got, "-T", folder, text])
            if status != 0 or error or not same(want, got):
                say(f"sort {options} -S {limit}M: status {status}, {error!r}, or other bytes than sort(1)")
            if most > (limit << 20) + EXTRA:
                say(f"sort {options} -S {limit}M: held {most >> 10} KB")


def check_inputs(program, folder, text):
    """Pipes, compressed files, several files, and -m, -c: no more memory than the limit."""
    want, got, small = folder + "/want", folder + "/got", folder + "/small"
    with open(small, "w", encoding="ascii") as f:
        f.write("last line without an end")
    subprocess.run(["sh", "-c", 'gzip -1 -c "$0" >"$0.gz"', text], check=True)
    subprocess.run(["sort", "-o", want, text, small, text], env=ENV, check=True)
    command = [program, "sort", "-S", "16M", "-T", folder, "-T", ENV["TMPDIR"]]
    inputs = [([text, small, text], None), ([text, small, "-"], "cat '%s'" % text)]
    if unpacks(program):
        inputs += [([folder + "/text.gz", small, text], None), (["-", small, text], "cat '%s/text.gz'" % folder)]
    for names, source in inputs:
        with open(got, "wb") as out:
            feeder = subprocess.Popen(source, shell=True, stdout=subprocess.PIPE) if source else None
            status, error, most = run([*command, *names], feeder.stdout if feeder else None, stdout=out)
            if feeder:
                feeder.stdout.close()
                feeder.wait()
        if status != 0 or error or not same(want, got) or most > (16 << 20) + EXTRA:
            say(f"sort {names}: status {status}, {error!r}, held {most >> 10} KB, or other bytes")
    status, error, most = run([*command, "-m", want, want, "-o", got])
    subprocess.run(["sort", "-m", "-o", folder + "/merged", want, want], env=ENV, check=True)
    if status != 0 or not same(folder + "/merged", got) or most > (16 << 20) + EXTRA:
        say(f"sort -m: status {status}, {error!r}")
    os.mkdir(folder + "/tool")
    os.symlink(program, folder + "/tool/sort")
    for name, status_wanted in ((want, 0), (text, 1)):
        status, error, most = run([folder + "/tool/sort", *command[2:], "-c", name])
        reference = subprocess.run(["sort", "-c", name], env=ENV, check=False, capture_output=True).stderr.decode()
        if status != status_wanted or error != reference or most > (16 << 20) + EXTRA:
            say(f"sort -c {name}: status {status}, {error!r}, held {most >> 10} KB")


def check_in_order(program, folder, text):
    """Lines in order are written as they are read, and what is out of order behind many of them is sorted."""
    want, got, rest = folder + "/want", folder + "/got", folder + "/rest"
    if os.path.getsize(text) < 17 << 20:  # it fits; the long check has more
        return
    with open(text, "rb") as f, open(rest, "wb") as t:
        t.writelines(f.readline() for _ in range(5))
    for options in ["", "-r", "-u", "-rnu", "-k2,2n", "-s -k2,2n", "-f"]:
        for more, in_order in ((None, True), (rest, False)):
            ordered = folder + "/ordered"
            subprocess.run(["sort", *options.split(), "-o", ordered, text], env=ENV, check=True)
            names = [ordered, more] if more else [ordered]
            subprocess.run(["sort", *options.split(), "-o", want, *names], env=ENV, check=True)
            if os.path.getsize(ordered) < 17 << 20:  # by -u
                continue
            for out in (got, ordered):
                status, error, most = run(
                    [program, "sort", "--stats", *options.split(), "-S", "16M", "-o", out, "-T", folder, *names])
                seen = "stand in order" in error
                if status != 0 or seen != in_order or not same(want, out) or most > (16 << 20) + EXTRA:
                    say(f"sort {options} of lines in order: status {status}, {error!r}, held {most >> 10} KB, or other bytes")


def make_natural(folder, text, options, kinds):
    """Files in which lines fall, lie in five runs, have a tail, or rise and fall, and beside each what sort(1) makes of it,
    KIND.want. Sorted pieces are merged by sort -m, which takes less than sorting all of them again."""
    make = {"down": "sort $1 -o down.want down",
            "tail": 'cat up >tail; head -n 2000 "$0" >>tail; sort $1 -o tail.want tail',
            "turn": "head -n 100000 down >head; cat up head >turn; sort $1 head | sort $1 -m -o turn.want up -",
            "noend": "head -c -1 down >noend; cp down.want noend.want",
            "runs": 'for p in piece??; do sort $1 -m "$p" "$p" >"twice$p"; done; cat twice* >runs; sort $1 -m -o runs.want twice*'}
    begin = """rm -f piece?? twice*; split -n l/5 "$0" piece; for p in piece??; do sort $1 -o "$p" "$p"; done
               sort $1 -m -o once piece??; sort $1 -m -o up once once; tac up >down; """
    subprocess.run(["sh", "-e", "-c", begin + "; ".join(make[kind] for kind in kinds), text, options], env=ENV, check=True,
                   cwd=folder)


def check_natural(program, folder, text):
    """Lines in few runs are not written to temporary files, but read again from where they are."""
    got = folder + "/got"
    for options in ["", "-r", "-u", "-s -k2,2n", "-f"] if LONG else ["-r", "-u", "-s -k2,2n"]:
        kinds = ("down", "tail", "turn", "noend", "runs") if LONG or options == "-r" else ("turn", "runs")
        make_natural(folder, text, options, kinds)
        for kind in kinds:
            name, size = f"{folder}/{kind}", os.path.getsize(f"{folder}/{kind}")
            with open(folder + "/told", "wb") as told:
                status, error, most = run([program, "sort", "--json", *options.split(), "-S", "16M", "-T", folder, "-o", got,
                                           name], stdout=told)
            with open(folder + "/told", "rb") as told:
                written = json.load(told)["temporary_written"] if status == 0 else 0
            few = size // 2 if kind == "tail" else 0 if kind in ("down", "turn", "runs") else size // 3
            if options in ("-u", "-s -k2,2n"):  # equal lines that must go, or stay apart
                few = 2 * size
            if status != 0 or error or not same(name + ".want", got) or written > few or most > (16 << 20) + EXTRA:
                say(f"sort {options} {kind}: status {status}, {error!r}, wrote {written}, held {most >> 10} KB, or other bytes")


def check_outputs(program, folder):
    """Every output, the input itself among them, of lines that fall."""
    subprocess.run(["sort", "-m", "-o", "two.want", "up", "up"], env=ENV, check=True, cwd=folder)
    for command in ("$P -o got down", "cp down got; $P -o got got", "cp down got; ln got other; $P -o other other; rm other",
                    "$P down >got", "cp down got; $P got 1<>got", "$P down | cat >got", "$P <down >got", "$P -o got - <down",
                    "$P down down -o got", "$P -o /dev/stdout down >got", "exec 3>got 4<got; $P -o /dev/fd/3 down; cat <&4 >one; mv one got",
                    "cp down got; $P got >>got; tail -c $(wc -c <down) got >one; mv one got"):
        subprocess.run(["sh", "-c", f"rm -f got; {command}"], check=True, cwd=folder,
                       env={**ENV, "P": f"{program} sort -S 16M -T {folder}"})
        if not same(f"{folder}/{'two' if 'down down' in command else 'down'}.want", folder + "/got"):
            say(f"{command}: other bytes")


def check_long_lines(program, folder, text):
    """Lines as long as is said, a tenth of the limit, a thirtieth of a small one, by several orders, from and to pipes."""
    want, got, name, numbers = folder + "/want", folder + "/got", folder + "/some", folder + "/numbers"
    make = 'cat "$1"; for i in 3 1 2; do head -c $2 /dev/zero | tr "\\0" 7; echo $i; done; cat "$1"'
    subprocess.run(["sh", "-c", 'seq 2400000 -1 1 >"$0"', numbers], check=True)
    cases = [(text, 16, "-r", 559000), (text, 32, "-k2,2n", 1500000), (numbers, 34, "-n", 1500000), (text, 32, "", 1500000),
             (text, 16, "-u -f", 559000), (numbers, 16, "-n", 559000), (numbers, 64, "-nr -u", 6700000)]
    for source, megabytes, options, length in cases if LONG else cases[:2]:  # sort(1) -n of such lines takes long
        subprocess.run(["sh", "-c", f'({make}) >"$0"', name, source, str(length)], check=True)
        subprocess.run(["sort", *options.split(), "-o", want, name], env=ENV, check=True)
        for out, names in (([], ["-"]), (["-o", got], [name])):
            with open(got, "wb") as f, open(name, "rb") as g:
                feeder = subprocess.Popen(["cat"], stdin=g, stdout=subprocess.PIPE) if names == ["-"] else None
                status, error, most = run([program, "sort", *options.split(), "-S", f"{megabytes}M", "-T", folder, *out, *names],
                                          feeder.stdout if feeder else None, stdout=f)
                if feeder:
                    feeder.stdout.close()
                    feeder.wait()
            if status != 0 or error or not same(want, got) or most > (megabytes << 20) + EXTRA:
                say(f"sort {options} -S {megabytes}M {names}, lines of {length}: status {status}, {error!r}, "
                    f"held {most >> 10} KB, or other bytes")


def check_debug_and_strict(program, folder, text):
    """--debug and --strict beyond memory; the latter of numbers in order, and of others."""
    want, got, numbers = folder + "/want", folder + "/got", folder + "/numbers"
    for options in ["-k2,2n", "-r -k3", "-u -k2,2nr"]:
        with open(want, "wb") as f, open(got, "wb") as t:
            subprocess.run(["sort", "--debug", *options.split(), text], env=ENV, stdout=f, stderr=subprocess.DEVNULL, check=True)
            status, _, most = run([program, "sort", "--debug", *options.split(), "-S", "16M", "-T", folder, text], stdout=t)
        if status != 0 or not same(want, got) or most > (16 << 20) + EXTRA:
            say(f"sort --debug {options}: status {status}, held {most >> 10} KB, or other bytes")
    for numbers_from in ("seq 100000 2400000", "seq 2400000 -1 1"):
        subprocess.run(["sh", "-c", numbers_from + ' >"$0"; sort -n -o "$1" "$0"', numbers, want], env=ENV, check=True)
        # In order from a pipe, else from a file; the long check has both ways of both.
        for source in (None, numbers) if LONG else (numbers,) if "-1" not in numbers_from else (None,):
            with open(source or os.devnull, "rb") as f:
                status, error, most = run([program, "sort", "-n", "--strict", "-S", "16M", "-T", folder, "-o", got,
                                           "-" if source else numbers], f)
            if status != 0 or error or not same(want, got) or most > (16 << 20) + EXTRA:
                say(f"sort -n --strict, {numbers_from}: status {status}, {error!r}, held {most >> 10} KB, or other bytes")


def check_strict_order(program, folder):
    """-c and -C with --strict: beyond memory the sentence and the status that they have in it."""
    name = folder + "/numbers"
    up, long_line = "seq 1000000 3150000", "printf '7%0200000d\\n' 5"
    cases = [up, f"{up}; echo 5; seq 9", f"{up}; echo 5; seq 9; echo 1x", f"printf '\\357\\273\\277'; {up}", f"{up}; echo 3150000",
             f"{up}; {long_line}; {long_line}; echo 6; echo 12.5.6"]
    options = [["-n", "-c"], ["-n", "-C"], ["-g", "-u", "-c"], ["-k1,1n", "-r", "-c"]]
    for i, source in enumerate(cases):
        subprocess.run(["sh", "-c", f'({source}) >"$0"', name], check=True)
        for words in options if LONG else options[:: 1 + i % 2]:
            want = run([program, "sort", "--strict", *words, name])
            got = run([program, "sort", "--strict", *words, "-S", "16M", name])
            if got[:2] != want[:2] or got[2] > (16 << 20) + EXTRA:
                say(f"sort --strict {words}, {source}: {got[0]}, {got[1][:200]!r}, not {want[0]}, {want[1][:200]!r}")


def left_over(folder):
    return [n for n in os.listdir(folder) if n.startswith((".upsweep", "upsweep-", "sort"))]


def check_failures(program, folder, text):
    """A sentence, status 2, the old output and nothing left."""
    long_line, short, out = folder + "/long", folder + "/short.gz", folder + "/out"
    numbers, bad, within = folder + "/numbers", folder + "/bad", folder + "/within"
    subprocess.run(["sh", "-c", '(echo one; head -c 2500000 /dev/zero | tr "\\0" y; echo; cat "$1") >"$0"', within, text],
                   check=True)
    subprocess.run(["sh", "-c", 'seq 3000000 -1 1 >"$0"; (seq 700000; echo 12x; seq 9) >"$1"', numbers, bad], check=True)
    subprocess.run(["sh", "-c", '(echo one; echo two; head -c 5000000 /dev/zero | tr "\\0" y; echo; cat "$1") >"$0"; '
                    'head -c 1000000 "$1.gz" >"$2"', long_line, text, short], check=True)
    cases = [([long_line], "long:3: this line is too long for a memory limit of 16 MB"),
             ([text, long_line], "long:3: this line is too long for a memory limit of 16 MB"),
             ([text, within], "within:2: this line is too long for a memory limit of 16 MB"),
             ([text, short], "short.gz: the gzip stream ends early" if unpacks(program) else "short.gz: is compressed"),
             ([text, folder], "Is a directory"), ([text, folder + "/none"], "No such file"),
             ([text, "-T", "/nowhere"], "cannot create temporary file in '/nowhere': No such file or directory"),
             ([text, text, "-n", "--strict"], "text:1: no number: "),
             ([numbers, text, "-n", "--strict"], "text:1: no number: "),
             ([bad, numbers, "-n", "--strict"], "bad:700001: no number: 12x")]
    for names, sentence in cases:
        with open(out, "w", encoding="ascii") as f:
            f.write("old\n")
        status, error, _ = run([program, "sort", "-S", "16M", "-T", folder, "-o", out, *names])
        with open(out, encoding="ascii") as f:
            old = f.read()
        if status != 2 or sentence not in error or error.count("\n") != 1 or old != "old\n" or left_over(folder):
            say(f"{names}: status {status}, {error!r}, output {old[:20]!r}, left {left_over(folder)}")

    # What cannot be read again: the line is known all the same.
    for command, name in (('cat "$1" | "$0" "$@" -', "standard input"), ('"$0" "${@:2}" <"$1"', "standard input"),
                          ('"$0" "${@:2}" <(cat "$1")', "/dev/fd/63"), ('mkfifo p; cat "$1" >p & "$0" "${@:2}" p', "p")):
        begun = subprocess.run(["bash", "-c", command.replace('"$@" -', '"${@:2}" -'), program, within, "sort", "-S", "16M", "-T", folder],
                               capture_output=True, env=ENV, cwd=folder, timeout=60, check=False)
        if f"{name}:2: this line is too long" not in begun.stderr.decode():
            say(f"a long line, {command}: {begun.stderr!r}")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    status, error, _ = run([program, "sort", "-S", "16M", "-T", folder, "-o", out, text], preexec_fn=small_files)
    if status != 2 or "File too large" not in error or left_over(folder):
        say(f"a temporary file that cannot grow: status {status}, {error!r}")
    status, error, _ = run([program, "sort", "-S", "16M", "-T", folder, text], stdout=open("/dev/full", "wb"))
    if status != 2 or "No space left" not in error:
        say(f"a full output: status {status}, {error!r}")


def check_full_directory(program, folder, text):
    """Of several directories one that is full is passed over."""
    small, want, got = folder + "/small_disk", folder + "/want", folder + "/got"
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", small], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        print("check_full_directory: left out, since no file system can be mounted")
        return
    try:
        subprocess.run(["sort", "-o", want, text, text, text], env=ENV, check=True)
        for limit in ("16M", "48M"):
            status, error, _ = run([program, "sort", "-S", limit, "-T", small, "-T", folder, "-o", got, text, text, text])
            if status != 0 or not same(want, got):
                say(f"-S {limit}, one directory of two is full: status {status}, {error!r}, or other bytes")
    finally:
        subprocess.run(["umount", small], check=True)


def check_kills(program, folder, text, count):
    """At any moment, of a sort, of a copy of what is in order already (from a file, and from a pipe), and of a merge of runs
    that are in the input: the old output or the new one, whole, and no temporary file."""
    out, up = folder + "/out", folder + "/up"
    for name, want, piped in ((text, folder + "/once", False), (up, up, False), (up, up, True),
                              (folder + "/down", folder + "/down.want", False)):
        command = [program, "sort", "-S", "16M", "-T", folder, "-o", out, "-" if piped else name]

        def begin_sort():
            feeder = subprocess.Popen(["cat", name], stdout=subprocess.PIPE) if piped else None
            begun = Killed(command, stdin=feeder.stdout if piped else None)
            if piped:
                feeder.stdout.close()
            return begun, feeder

        begin = time.monotonic()
        begun, feeder = begin_sort()
        status = begun.wait()
        if status != 0 or not same(out, want):
            say(f"sort {name}, which nobody kills: status {status}, or other bytes")
        whole = time.monotonic() - begin
        for i in range(count):
            with open(out, "w", encoding="ascii") as f:
                f.write("old\n")
            begun, feeder = begin_sort()
            time.sleep(whole * 1.1 * i / count)
            begun.kill()
            if feeder:
                feeder.wait()
            if left_over(folder) or not (os.path.getsize(out) == 4 or same(out, want)):
                say(f"{name}, killed after {whole * 1.1 * i / count:.2f} s: left {left_over(folder)}, "
                    f"{os.path.getsize(out)} bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--megabytes", type=int, default=24)
    parser.add_argument("--kills", type=int, default=8)
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    # In memory where there is room: a short test would wait for the disk.
    shared = given.megabytes < 20 and os.path.isdir("/dev/shm") and os.statvfs("/dev/shm")
    room = shared and shared.f_bavail * shared.f_frsize > 1 << 30
    with tempfile.TemporaryDirectory(dir="/dev/shm" if room else None) as folder:
        text, ENV["TMPDIR"] = folder + "/text", folder + "/temporary"  # sort(1) leaves files there at times
        os.mkdir(ENV["TMPDIR"])
        make_text(text, given.megabytes << 20, 1)
        check_options(program, folder, text)
        check_inputs(program, folder, text)
        check_in_order(program, folder, text)
        check_natural(program, folder, text)
        make_natural(folder, text, "", ("down",))
        check_outputs(program, folder)
        check_long_lines(program, folder, text)
        check_debug_and_strict(program, folder, text)
        check_strict_order(program, folder)
        check_failures(program, folder, text)
        check_full_directory(program, folder, text)
        check_kills(program, folder, text, given.kills)
    print(f"sort_external: {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
