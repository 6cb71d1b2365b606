#!/usr/bin/env python3
"""sort_merge.py - `upsweep sort -m` of files that are sorted and of files that are not, in memory and beyond it:
the same bytes as sort(1), within the limit of memory.

    sort_merge.py PROGRAM
"""
# SPDX-License-Identifier: MIT
import json
import os
import random
import subprocess
import sys
import tempfile

from array_files import ENV, run, same, unpacks

EXTRA = 2 << 20  # bytes that the limit may be passed by
LONG = "UPSWEEP_TEST_LONG" in os.environ
ORDERS = ["", "-r", "-u", "-s -k2,2n", "-n", "-rnu", "-k2,2n -k1", "-u -k1,1", "-f -u", "-h", "-V -u", "-k2,2nr -t.", "-z"]
problems = []


def say(problem):
    problems.append(problem)
    print("FAILED:", problem, flush=True)


def some_lines(rng, count, end):
    """Few different keys, so that equal ones meet, now and then an empty line, and a last one without its end."""
    words = ["alpha", "beta", "Gamma", "-12", "3.50", "1K", "0", "", "zz", "x" * rng.randrange(90), "a\rb"]
    text = end.join("" if rng.random() < 0.05 else
                    f"{rng.choice(words)}{rng.randrange(9)} {rng.randrange(-5, 5)}.{rng.randrange(3)}" for _ in range(count))
    return text + (end if text and rng.random() < 0.8 else "")


def make_files(rng, folder, options, count, lines):
    """Names of files: some sorted, some partly so, some in no order, some empty."""
    names = []
    end = "\0" if "-z" in options else "\n"
    for i in range(count):
        name = f"{folder}/m{i}"
        text = some_lines(rng, rng.choice([0, 1, lines, rng.randrange(lines + 1)]), end).encode()
        if rng.random() < 0.3:
            text = subprocess.run(["sort", *options.split()], input=text, env=ENV, check=True, capture_output=True).stdout
        with open(name, "wb") as f:
            f.write(text)
        names.append(name)
    return names


def check_small(program, folder):
    """Files in memory, and the same files by pipes, which are merged as they are read."""
    rng, want, got = random.Random(25), folder + "/want", folder + "/got"
    for case in range(400 if LONG else 90):
        options = rng.choice(ORDERS)
        names = make_files(rng, folder, options, rng.choice([1, 2, 3, 5, 17, 18, 33, 40]), rng.choice([1, 3, 20, 300]))
        batch = rng.choice([[], [], ["--batch-size=2"], ["--batch-size=3"], [f"--batch-size={rng.randrange(4, 20)}"]])
        subprocess.run(["sort", "-m", *options.split(), *batch, "-o", want, *names], env=ENV, check=True)
        command = [program, "sort", "--from", "text", "-m", *options.split(), *batch, "-T", folder]
        piped = " ".join(f"<(cat '{name}')" for name in names)
        for words in [*command, "-o", got, *names], ["bash", "-c", f'"$@" {piped}', "bash", *command, "-o", got]:
            status, error, _ = run(words)
            if status != 0 or error or not same(want, got):
                say(f"case {case}, {words[0]}: {len(names)} files, sort -m {options} {batch}: {status}, {error!r}, or other bytes")


def check_large(program, folder):
    """Files of more than the limit: every order, few at once and many, and the memory that was held."""
    rng, want, got = random.Random(52), folder + "/want", folder + "/got"
    for options in ORDERS if LONG else ("", "-rnu", "-s -k2,2n"):
        names = []
        for i in range(40):
            names.append(f"{folder}/m{i}")
            with open(names[-1], "w", encoding="ascii") as f:
                f.write(some_lines(rng, 3000, "\0" if "-z" in options else "\n") * 7)
        for batch in [], ["--batch-size=4"]:
            subprocess.run(["sort", "-m", *options.split(), *batch, "-o", want, *names], env=ENV, check=True)
            with open(folder + "/told", "wb") as told:
                status, error, most = run([program, "sort", "--json", "-m", *options.split(), *batch, "-S", "16M", "-T", folder,
                                           "-o", got, *names], stdout=told)
            with open(folder + "/told", "rb") as told:
                known = json.load(told) if status == 0 else {}
            if status != 0 or error or not same(want, got) or most > (16 << 20) + EXTRA or not known["beyond_memory"]:
                say(f"sort -m {options} {batch}: {status}, {error!r}, held {most >> 10} KB, {known}, or other bytes")
            if batch and known.get("merges_before", 0) < 36:
                say(f"sort -m {options} {batch}: {known}")
    check_outputs(program, folder)
    check_long_lines(program, folder, names)


def check_outputs(program, folder):
    """The output is an input; standard input, packed files, few descriptors; --debug."""
    os.chdir(folder)
    subprocess.run("sort -m -o three m0 m1 m2 m?*; cat m* >all; sort -m -o two all all; sort -m -o one all; sort -m --debug all m1 >debug 2>told", shell=True, env=ENV,
                   check=True)
    cases = [("cp all got; $P -o got got all", "two"), ("$P -o got - all <all", "two"), ("cat all | $P all - >got", "two"),
             ("cp all got; $P got all 1<>got", "two"), ("cp all got; $P got >>got; tail -c $(wc -c <one) got >x; mv x got", "one"),
             ("cp all got; ln got other; $P -o other other; rm other", "one"), ("$P all all - </dev/null >got", "two"),
             ("ulimit -n 20; $P -o got m0 m1 m2 m?*", "three"), ("$P --debug all m1 >got", "debug"),
             ("head -c 1000 all >x; exec <all; head -c 0; sh -c 'read -r one'; sort -m - >want; exec <all; sh -c 'read -r one'; "
              "$P - >got", "want")]
    # Pipes that are written to by turns.
    os.mkfifo("p")
    os.mkfifo("q")
    cases += [("timeout 30 tee p q <up >told 2>&1 & timeout 20 $P p q -o got; true", "twice")]
    subprocess.run("sort -o up all; sort -m -o twice up up", shell=True, env=ENV, check=True)
    if unpacks(program):
        subprocess.run("sort -m -o blend m0 all m1 all m2 m3", shell=True, env=ENV, check=True)
        cases += [("gzip -c all >all.gz; $P --batch-size=2 m0 all.gz m1 all.gz m2 m3 >got", "blend")]
        cases += [("gzip -1 -c all >all.gz; $P all.gz all >got", "two"), ("gzip -c all | $P - all -o got.gz; gzip -dc got.gz >got",
                                                                         "two")]
    for command, want in cases:
        done = subprocess.run(["bash", "-c", f"rm -f got; {command}"], capture_output=True, check=False,
                              env={**ENV, "P": f"{program} sort -m -S 16M -T {folder}"})
        if done.returncode != 0 or not same(want, "got"):
            say(f"{command}: status {done.returncode}, {done.stderr!r}, or other bytes")


def check_long_lines(program, folder, names):
    """A line that has room beside the others, and one that has none: a sentence, the old output, nothing left."""
    os.chdir(folder)
    for length, fits in (500000, True), (9000000, False):
        subprocess.run(["bash", "-c", f'(echo a; head -c {length} /dev/zero | tr "\\0" 7; echo; cat all) >long; echo old >got; '
                        "sort -m -u -o want long all"], env=ENV, check=True)
        status, error, most = run([program, "sort", "-m", "-u", "-S", "16M", "-T", folder, "-o", "got", "long", "all"])
        with open("got", "rb") as f:
            old = f.read(5) == b"old\n"
        if most > (16 << 20) + EXTRA or (status != 0 or not same("want", "got") if fits else status != 2 or not old):
            say(f"a line of {length} bytes: {status}, {error!r}, held {most >> 10} KB")
        if not fits and "long:2: this line is too long for a memory limit of 16 MB" not in error:
            say(f"a line of {length} bytes: {error!r}")
    status, error, _ = run([program, "sort", "-m", "-S", "16M", "--batch-size=2", "-T", "/nowhere", "-o", "got", *names])
    if status != 2 or "cannot create temporary file in '/nowhere': No such file or directory" not in error:
        say(f"no directory for temporaries: {status}, {error!r}")


def main():
    program = os.path.abspath(sys.argv[1])
    if b"GNU" not in subprocess.run(["sort", "--version"], capture_output=True, check=False).stdout:
        print("sort_merge: sort(1) is not GNU's")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="sort_merge.") as folder:
        ENV["TMPDIR"] = folder
        check_small(program, folder)
        check_large(program, folder)
        os.chdir("/")
    print(f"sort_merge: {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
