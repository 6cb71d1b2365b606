#!/usr/bin/env python3
"""sort_refusals.py - what `upsweep sort` refuses, beside sort(1): words that no option knows, options that exclude
one another, keys and sizes that are none, files that are not there. The same exit status and output, and a first line
that begins with sort(1)'s.

    sort_refusals.py PROGRAM

By both names of the program. 77: sort(1) is not GNU's.
"""
# SPDX-License-Identifier: MIT
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the tests
from fuzz_case import ENVIRONMENT  # noqa: E402

CASES = """
--check=x a; --check= a; --check=diagnose-firstx a; --check=q a; --check=diag s; --check=silen a
--check=quiet --check a; --sort=x a; --sort= a; --sort=num a; --sort; --sort=x -S 1x; -S 1x --sort=x
--sort=numeric -g a; -c -C a; -cC a; -c a s; -C a s nonex; -co out a; -C -o out a; -k1,1 -c nonex -C; -c a s nonex
--debug -c a; --debug -o out a; -k; -k 0 a; -k a a; -k '' a; -k 1. a; -k 1.0 a; -k 1,0 a; -k 1,a a; -k 1,1.a a
-k 1x a; -k 1,1x a; -k -1 a; -k 1.2.3 a; -k +1 a; -k ' 1' a; -k 1, a; -k 1,1.0 a; -k 1,2,3 a; -k 1/2x a; -k 1nM a
-k 1n,1g a; -k 99999999999999999999999 a; --key= a; --key; -k 1 -k 2x nonex; nonex -k 1x; nonex -ng
--debug -k 1ng a; --files0-from=nonex -k 0; -ng a; -nM a; -nh a; -hg a; -Mh a; -nR a; -nV a; -dn a; -in a; -dg a
-dM a; -dh a; -iV a; -di a; -fd a; -o; -o one -o two a; -o out -o out a; a -o folder; a -o nonex/x; a -o ''
--output=; --output; -T; -T nonex a; -t; -t '' a; -t ab a; -t x -t y a; -t x -t x a; -t '\\0' a; --field-separator
-tab a; -S; -S x a; -S 1x a; -S -1 a; -S '' a; -S 1KB a; -S 1B a; -S 5.5M a; -S %; -S 1Y a
-S 99999999999999999999999999 a; -S 1mb a; -S +5M a; -S ' 5M' a; -S '  +5M' a; -S '+ 5M' a; -S 1k a; -S 1b a
-S 1c a; --parallel=0 a; --parallel=x a; --parallel=-1 a; --parallel=+1 a; --parallel=' 2' a; --parallel=1x a
--parallel=1K a; --parallel= a; --parallel; --batch-size=0 a; --batch-size=x a; --batch-size=1x a; --batch-size=+2 a
--batch-size= a; --batch-size=-1 a; --batch-size=1K a; --batch-size=99999999999999999999999999 a
--batch-size=1000000000 a; --files0-from; --files0-from=nonex; --files0-from=good; --files0-from=hole
--files0-from=good a; --files0-from=empty; --files0-from=folder; --files0-from=; --compress-program
--compress-program=gzip --compress-program=bzip2 a; --random-source=nonex -R a
--random-source=a --random-source=s -R a; --random-source=nonex a; --unknown a; --unknown=x a; --h; --help=x
--version=x; --zero-terminated=x a; --stable= a; -x a; -nx a; -1 a; -1.2 a; -? a; --re a; --human-numeric-sor a
--st a; --so=n a; --reverse=1 a; --te=. a; --ke=1 a; --o=out a; --files good; --ignore-n a; nonex; nonex a; a nonex
one two; -c nonex; -C nonex; -m nonex; -m a nonex; ''; -- -x; folder; folder a; a folder; folder nonex; -c folder
-C folder; -m folder; -m folder s; +1 a; +0 -1 a; +x a; +1x a; +1 -x a; +1 -2x a; +1 -2.x a; +1.x a; +1. a; +1 -1. a
+1.2.3 a; +1 -1.2.3 a; +1 -0 a; +99999999999999999999999 a; +1n -2g a; +ng a; a +1 -2; -- +1; -k1 +1 a; -y1 a
-u -c s; -us s; -uc a; -mc s; -mC a; -z a; -rc a; -ch a
"""
# Of these several options begin so, which each lists in the order of its own table.
AMBIGUOUS = ["--r a", "--s a", "--c a", "--m a", "--i a", "--d a", "--b a", "--f a", "--fi a", "--rand a",
             "--random-s a", "--v", "--ver", "--h"]


def fill(folder, program):
    texts = {"a": b"b 2\na 1\nc 3\n", "s": b"a\nb\nc\n", "empty": b"", "good": b"a\0s\0", "hole": b"a\0\0s\0"}
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    (folder / "folder").mkdir()
    (folder / "sort").symlink_to(program)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT,
                          timeout=60)
    out = folder / "out"
    made = out.read_bytes() if out.exists() else None
    out.unlink(missing_ok=True)
    said = done.stderr.decode(errors="replace").replace("upsweep sort: ", "sort: ").split("\n")[0]
    return done.returncode, done.stdout[:200], made, said


def main():
    program = os.path.abspath(sys.argv[1])
    if b"GNU" not in subprocess.run(["sort", "--version"], capture_output=True).stdout:
        print("sort_refusals: sort(1) is not GNU's")
        sys.exit(77)
    wrong = 0
    cases = [shlex.split(case) for case in CASES.replace("\n", ";").split(";") if case.strip()]
    with tempfile.TemporaryDirectory(prefix="sort_refusals.") as name:
        folder = Path(name)
        fill(folder, program)
        for words in cases + [case.split() for case in AMBIGUOUS]:
            theirs = run(["sort", *words], folder)
            for command in ["./sort"], [program, "sort"]:
                ours = run(command + words, folder)
                if " ".join(words) in AMBIGUOUS:
                    said, expected = sorted(ours[3].split("'")), sorted(theirs[3].split("'"))
                    same = ours[:3] == theirs[:3] and said == expected
                else:
                    same = ours[:3] == theirs[:3] and ours[3].startswith(theirs[3]) and \
                        bool(ours[3]) == bool(theirs[3])
                if not same:
                    wrong += 1
                    print(f"sort_refusals: {os.path.basename(command[0])} {' '.join(map(repr, words))}\n"
                          f"  sort(1): {theirs}\n  upsweep: {ours}")
    print(f"sort_refusals: {2 * (len(cases) + len(AMBIGUOUS))} cases, {wrong} differ")
    sys.exit(wrong > 0)


main()
