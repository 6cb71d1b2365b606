"""fuzz_sort.py - cases of fuzz_verbs.py: `upsweep sort` beside sort(1)."""
# SPDX-License-Identifier: MIT
import os
import re
import subprocess

from fuzz_case import ENVIRONMENT, Different, run

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
                   ["--batch-size", str(r.randrange(2, 30))], ["-T", ".", "-T", "temporary"], ["--compress-program=gzip"],
                   ["--compress-program=/nonexistent"], ["-y5"], ["-y", "12"], ["-y"]]
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


def call(program, name, tool, locale):
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
    results, held = [], []
    for name in ("theirs", "ours"):
        command, variables = call(program, name, tool, locale)
        target = ["out_" + name] if mode == "-o" else []
        result = run(command + words + target + files, data, folder, **variables)
        made = folder / ("out_" + name)
        said = result.stderr.replace(b"upsweep sort: ", b"sort: ") if mode == "--debug" and locale == "C" else \
            len(result.stderr) > 0
        out = result.stdout
        if mode == "--debug":  # where a key ends before it begins, GNU 9.1 looks for its mark elsewhere
            out = re.sub(rb" *\^ no match", b"^ no match", out)
        results.append((result.returncode, out, made.read_bytes() if made.exists() else None, said))
        held, before = sorted(os.listdir(folder / "temporary")), held
    if held != before:
        raise Different(f"upsweep sort {' '.join(map(repr, words + files))}: leaves {held}")
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
