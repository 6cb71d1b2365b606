#!/usr/bin/env python3
"""sort_messages.py - what `upsweep sort` says of outputs that cannot be written, temporary files that cannot be made, and
names with blanks, quotes, newlines and bytes from 0x80 on, beside sort(1): the same exit status, and a first line
that begins with sort(1)'s, by both names of the program.

    sort_messages.py PROGRAM
"""
# SPDX-License-Identifier: MIT
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the tests
from fuzz_case import ENVIRONMENT  # noqa: E402

LONG = "UPSWEEP_TEST_LONG" in os.environ  # all names in all cases
NAMES = [b"a b", b"it's", b"it's $x", b'q"q', b"both'\"", b"n\nl", b"end\n", b"\n\n", b"\t", b"t\tt\nn", b"caf\xc3\xa9", b"\xff",
         b"a\xff'b", b"$x", b"-x y", b"~", b"a~", b"#", b"a#", b"a:b", b"a:'b", b"a\\b", b"a\\", b"{", b"{}", b"a{", b"=", b"a=b",
         b"*", b"?", b"[x]", b"x]", b"\x01\x02", b"\x1b[1m", b"\x7f", b"\a\b\f\v\r", b"x%sy", b"a,b+c-d.e_f", b"a;b", b"<", b"a|b",
         b"^", b"`", b"!", b"(a)", b"&", b"\xc3", b"\xe2\x80\x98x\xe2\x80\x99", "日本".encode(), b"\xc2\xad", b"x" * 300]
# One name a case, $N: of a file that is not there, of a directory, of lines out of order.
WITH_NAME = [
    'S -- "$N"', 'S -c -- "$N"', 'S -m -- "$N"', 'S a -- "$N"', 'S -o "$N/x" a', 'S --files0-from="$N"', 'S --random-source="$N" -R a',
    'mkdir -- "$N"; S -- "$N"; rmdir -- "$N"', 'mkdir -- "$N"; S -c -- "$N"; rmdir -- "$N"', 'mkdir -- "$N"; S -m s -- "$N"; rmdir -- "$N"',
    'mkdir -- "$N"; S a -o "$N"; rmdir -- "$N"', 'printf "%s\\0" "$N" >list; S --files0-from=list', 'S --files0-from=good -- "$N"',
    'cp a -- "$N"; S -c -- "$N"; rm -- "$N"', 'S -c a -- "$N"', 'cat a | S -m --batch-size=2 -T "$N" - s s',
    ': >"$N"; S --files0-from="$N"; rm -- "$N"', 'printf "a\\0\\0" >"$N"; S --files0-from="$N"; rm -- "$N"',
    'S -S 1M -T "$N" large', 'TMPDIR=$N S -S 1M large', 'ln -s a "$N"; S "./$N/x"; rm -- "$N"',
]
# Words of options.
WITH_WORD = ['S -k "$N" a', 'S -k "1$N" a', 'S -t "x$N" a', 'S -S "$N" a', 'S -S "1$N" a', 'S --sort="$N" a', 'S --check="$N" a',
             'S --parallel="$N" a', 'S --parallel="1$N" a', 'S --batch-size="$N" a', 'S --batch-size="1$N" a', 'S --"$N" a',
             'S --batch-size="0$N" a', 'S --compress-program=x --compress-program="$N" a', 'S -o x -o "$N" a']
PLAIN = """
S a >/dev/full|S -o /dev/full a|S -m s s >/dev/full|S -S 1M large >/dev/full|S -n large >/dev/full
S -m large large >/dev/full|S -u a -o /dev/full|S --debug a >/dev/full|S a >&-|S a -o out >&-|S --debug a >&-|S -c s >&-|S -c a >&-
S <&-|S - <&-|S -c <&-|S <.|S - <.|S -c <.|S -m <.|S s - <.|S empty >&-|S empty >/dev/full|S empty -o /dev/full
S -o folder a|S -o folder/ a|S -o none/x a|S -o a/x a|S -o /proc/none a|S -o /dev/none/x a|S -S 1M -o none/x large|S -m -o folder s s
S --help >/dev/full|S --version >/dev/full|S --help >&-|S -T none -S 1M large|S -T a -S 1M large|S -T none a|S -T none -T none2 -S 1M large
S -S 1M -T none -n large|S --files0-from=- <&-|S --files0-from=. |S --files0-from=- <.|printf 'a\\0-\\0' | S --files0-from=-
printf '\\0' | S --files0-from=-|printf '' | S --files0-from=-|printf 'none\\0' | S --files0-from=-|S --files0-from=good a
ulimit -f 0; trap '' XFSZ; S -o out a|ulimit -f 0; trap '' XFSZ; S a >out2|ulimit -f 8; trap '' XFSZ; S large >out2
ulimit -f 8; trap '' XFSZ; S -o out large|trap '' PIPE; S a 1<&-|S a >/dev/full -o out|S -o '' a|S -o - a|S ''
S -o ./out/ a|S none/x|S a/x|S -c a/x|S loop|S -o loop a|S -c loop|S --random-source=loop -R a|S --files0-from=loop|S -m loop a
""".replace("\n", "|").split("|")
PIPES = ["cat a | S -m - s >/dev/full", "trap '' PIPE; S large | :", "trap '' PIPE; cat large | S -m - a | :"]
# Only called by that name the program says of its help what sort(1) says of its own.
TOOL = ["S --help >/dev/full", "S --version >/dev/full", "S --help >&-"]
OWN = [(WITH_WORD[0], b"a:b"), (WITH_WORD[1], b"a:b"), (WITH_WORD[0], b"a:'b"), (WITH_WORD[1], b"a:'b"),
       (WITH_WORD[11], b"a=b")]  # --key A:B, --algorithm=
# Whom the system lets do less than root.
NOBODY = ["S secret", "S -c secret", "S -m secret", "S secret a", "S -o closed/x a", "S -o locked a", "S -T closed -S 1M large",
          "S -T closed a", "S -o secret a", "S --files0-from=secret", "S --random-source=secret -R a", "S hidden/x", "S -o hidden/x a",
          "cat a | S -m --batch-size=2 -T closed - s s", "TMPDIR=closed S -S 1M large", "S -c hidden/x", "S a -o closed/locked"]


def fill(folder, program):
    texts = {"a": b"b 2\na 1\nc 3\n", "s": b"a\nb\nc\n", "empty": b"", "good": b"a\0s\0", "secret": b"b\na\n", "locked": b"x\n"}
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    with open(folder / "large", "w", encoding="ascii") as f:
        f.writelines(f"{i * 7919 % 1000003} x\n" for i in range(1800000))
    for name in "folder", "closed", "hidden", "open":
        (folder / name).mkdir()
    (folder / "hidden/x").write_bytes(b"x\n")
    (folder / "closed/locked").write_bytes(b"x\n")
    (folder / "loop").symlink_to("loop")
    (folder / "open/sort").symlink_to(program)
    for name, mode in ("secret", 0o000), ("locked", 0o444), ("closed/locked", 0o444), ("closed", 0o555), ("hidden", 0o000), ("open", 0o777):
        (folder / name).chmod(mode)


def become_nobody():
    os.setgid(65534)
    os.setuid(65534)


def run(case, which, folder, name, locale, nobody):
    """S is one of the two; its status and the first line of what it says, as bytes."""
    command = {"theirs": "sort", "tool": "./open/sort", "ours": "$P sort"}[which]
    script = f"S() {{ {'LC_ALL=' + locale} {command} \"$@\"; echo \"status $?\" >&2; }}\n{case}"
    done = subprocess.run([b"bash", b"-c", script.encode()], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, timeout=60, preexec_fn=become_nobody if nobody else None,
                          env={**{k.encode(): v.encode() for k, v in ENVIRONMENT.items()}, b"N": name, b"TMPDIR": b"/tmp"})
    said, _, status = done.stderr.rpartition(b"status ")
    said = said.replace(b"upsweep sort: ", b"sort: ").replace(b"./open/sort: ", b"sort: ")
    for folder_made in folder.iterdir():
        if folder_made.name in ("out", "out2", "x", "list"):
            folder_made.unlink()
    return status.strip(), said


def main():
    program = os.path.abspath(sys.argv[1])
    if b"GNU" not in subprocess.run(["sort", "--version"], capture_output=True, check=False).stdout:
        print("sort_messages: sort(1) is not GNU's")
        sys.exit(77)
    os.environ["P"] = ENVIRONMENT["P"] = program
    cases = [(case, b"", "C", False) for case in PLAIN + PIPES if case.strip()]
    some = NAMES if LONG else NAMES[::6] + NAMES[1:9:2]
    cases += [(case, name, "C", False) for case in WITH_NAME for name in (NAMES if case == WITH_NAME[0] else some)
              if len(name) < 200 or "mkdir" not in case and "cp " not in case and ": >" not in case and '>"$N' not in case]
    cases += [(case, name, "C", False) for case in WITH_WORD for name in (NAMES if case == WITH_WORD[0] else some) if (case, name) != (WITH_WORD[11], b"=")]
    cases += [(case, name, "C.UTF-8", False) for case in (WITH_NAME[0], WITH_NAME[11], WITH_WORD[0], WITH_WORD[3]) for name in some + NAMES[41:]]
    cases += [(case, b"", "C", True) for case in NOBODY] if os.geteuid() == 0 else []
    wrong, seen = 0, set()
    with tempfile.TemporaryDirectory(prefix="sort_messages.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        fill(folder, program)
        for case in cases:
            theirs = run(case[0], "theirs", folder, *case[1:])
            own = case[0] in TOOL or case[2] != "C" or case[:2] in OWN  # in which `upsweep sort` has a way of its own
            for which in ("tool",) if own else ("tool", "ours"):
                ours = run(case[0], which, folder, *case[1:])
                line = theirs[1].rstrip(b"\n")
                for more in b"\nTry 'sort", b"\nValid arguments", b"\nfile operands", b"\nsort: write error":
                    line = line.split(more)[0]
                if ours[0] != theirs[0] or not ours[1].startswith(line) or bool(ours[1]) != bool(theirs[1]):
                    wrong += 1
                    if "-v" in sys.argv or case[0] not in seen:
                        print(f"sort_messages: {which}, {case}\n  sort(1): {theirs}\n  upsweep: {ours}")
                    seen.add(case[0])
        (folder / "hidden").chmod(0o755)
    print(f"sort_messages: {2 * len(cases)} cases, {wrong} differ")
    sys.exit(wrong > 0)


main()
