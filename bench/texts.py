#!/usr/bin/env python3
"""texts.py - lines as sorts of text meet them, made up: paths, URLs, a log of accesses, which share long beginnings,
and words of few kinds. The same lines for the same arguments.

    texts.py paths|urls|logs|words LINES [SEED] >FILE
"""
# SPDX-License-Identifier: MIT
import random
import sys

SYLLABLES = "ba co di fe gu ha ji ko lu ma ne po qui ra so ti va xo ys ze lib str net sys dev core util".split()


def word(r, least, most):
    return "".join(r.choice(SYLLABLES) for _ in range(r.randint(least, most)))


def tree(r, count):
    """Directories that lie within one another, as in a system's files."""
    out = ["/usr", "/usr/lib", "/usr/share", "/usr/include", "/etc", "/var/lib", "/home"]
    while len(out) < count:
        parent = out[int(len(out) * r.random() ** 1.5)]
        if parent.count("/") < 9:
            out.append(parent + "/" + word(r, 1, 4))
    return out


def paths(r, n):
    dirs = tree(r, max(100, n // 40))
    names = [word(r, 1, 4) for _ in range(max(50, n // 100))]
    ends = [".c", ".h", ".o", ".so", ".html", ".py", ".txt", ".png", ".gz", ""]
    for i in range(n):
        yield dirs[int(len(dirs) * r.random())] + "/" + r.choice(names) + r.choice(ends)


def urls(r, n):
    hosts = ["https://www." + word(r, 2, 4) + r.choice([".com", ".org", ".net"]) for _ in range(max(20, n // 20000))]
    for path in paths(r, n):
        yield hosts[int(len(hosts) * r.random() ** 3)] + path + ("?id=%d" % r.randrange(n) if r.random() < 0.3 else "")


def logs(r, n):
    addresses = ["%d.%d.%d.%d" % tuple(r.randrange(1, 255) for _ in range(4)) for _ in range(5000)]
    popular = list(paths(r, 20000))
    for i in range(n):
        second = i * 86400 // n
        yield '%s - - [26/Nov/2026:%02d:%02d:%02d +0000] "GET %s HTTP/1.1" %d %d' % (
            addresses[int(5000 * r.random() ** 3)], second // 3600, second // 60 % 60, second % 60,
            popular[int(20000 * r.random() ** 4)], 200 if r.random() < 0.95 else 404, r.randrange(100, 50000))


def words(r, n):
    known = sorted({word(r, 2, 6) + str(r.randrange(1000)) for _ in range(50000)})
    for i in range(n):
        yield r.choice(known)


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    r = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    make = {"paths": paths, "urls": urls, "logs": logs, "words": words}[kind](r, n)
    batch = []
    for line in make:
        batch.append(line)
        if len(batch) == 1 << 16:
            sys.stdout.write("\n".join(batch) + "\n")
            batch = []
    if batch:
        sys.stdout.write("\n".join(batch) + "\n")


if __name__ == "__main__":
    main()
