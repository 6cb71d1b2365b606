"""csource.py - reads functions out of C and CUDA sources as text and runs them on z3's bit-vectors.

The proofs take their formulas from here, so that what is proved is what is compiled. A subset of C is
understood: integers of all widths with C's promotions and conversions, structs, pointers into arrays,
calls, if, for, while and return. A vector register is one lane of it, and a mask that lane's bit:
the instructions of proofs/lanes.py work lane by lane. What is not understood raises Unread.
"""
# SPDX-License-Identifier: MIT
import re
import subprocess
from pathlib import Path

import z3

from cparse import Parser, Unread, tokens
from cvalues import (INTEGERS, MASKS, VECTORS, Bit, Int, Lane, Pointer, copied, either, like, number,
                     promoted, together, truth)

ROOT = Path(__file__).resolve().parent.parent
def preprocessed(name, defines=(), widths=(None,)):
    """The text of a C source after the preprocessor, included once per width of keys."""
    text = "".join(f"#define {d}\n" for d in defines)
    for width in widths:
        if width is None:
            text += f'#include "{name}"\n'
        else:
            text += f'#define KEY_BITS {width}\n#include "{name}"\n#undef KEY_BITS\n'
    out = subprocess.run(["cc", "-E", "-P", "-D_GNU_SOURCE", f"-I{ROOT}/proofs/stub", f"-I{ROOT}",
                          f"-I{ROOT}/include", "-x", "c", "-"],
                         input=text, capture_output=True, text=True, check=True)
    return out.stdout


def plain(name, kinds=None):
    """The text of a CUDA source without comments and directives; kinds replaces words by types."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)
    text = re.sub(r"\b(?:static_cast|reinterpret_cast)<([^<>]*)>\(", r"(\1)(", text)
    for word, kind in (kinds or {}).items():
        text = re.sub(rf"\b{word}\b", kind, text)
    return text


class Source:
    """The functions, structs and constants of a text, read when they are asked for."""

    def __init__(self, text, lane_bits=None, instructions=None):
        self.text, self.lane_bits = text, lane_bits
        self.instructions = {} if instructions is None else instructions
        self.assumed = []  # what is taken for granted where a condition would leave both ways open
        self.functions, self.structs, self.constants = {}, {}, {}
        for body in re.findall(r"\benum\b[^;{()]*\{([^{}]*)\}", text):
            self.read_enum(body)

    def read_enum(self, body):
        at = 0
        for item in re.split(r",(?![^(]*\))", body):
            name, _, value = item.strip().partition("=")
            if not name:
                continue
            if value:
                try:
                    at = self.value(Parser(tokens(value), self).expression(), {}).known()
                except (Unread, AttributeError):
                    return  # not all enums are asked for
            self.constants[name.strip()] = number(at)
            at += 1

    def is_type(self, name):
        return name in INTEGERS or name in VECTORS or name in MASKS or \
            name in ("unsigned", "signed", "long", "void", "struct", "double", "const", "volatile") or \
            self.struct(name) is not None

    def struct(self, name):
        if name not in self.structs:
            m = re.search(rf"\bstruct\s+{re.escape(name)}\s*\{{([^{{}}]*)\}}", self.text)
            fields = None
            if m:
                fields = []
                for line in m.group(1).split(";"):
                    d = re.match(r"\s*(?:const\s+)?([\w ]+?)\s*\*?\s*(\w+(?:\s*,\s*\w+)*)\s*$", line)
                    if d:
                        fields += [(d.group(1).strip(), f.strip()) for f in d.group(2).split(",")]
            self.structs[name] = fields
        return self.structs[name]

    def has(self, name):
        return re.search(rf"\b{re.escape(name)}\b", self.text) is not None

    def function(self, name):
        """(return type, [(type, pointer, name)], body)."""
        if name in self.functions:
            return self.functions[name]
        for m in re.finditer(rf"\b{re.escape(name)}\s*\(", self.text):
            depth, at = 1, m.end()
            while depth > 0:
                depth += {"(": 1, ")": -1}.get(self.text[at], 0)
                at += 1
            rest = re.match(r"\s*(?:const\s*)?\{", self.text[at:])
            before = self.text[max(0, m.start() - 400):m.start()]
            head = re.split(r"[;{}]", before)[-1]
            if not rest or not re.search(r"\w", head) or re.search(r"\b(return|else)\b|[=(,&|]\s*$", head):
                continue
            head = re.sub(r"__attribute__\s*\(\(.*?\)\)|\b(static|inline|const|__device__|"
                          r"__forceinline__|__global__|template\s*<[^<>]*>)", " ", head)
            head = re.sub(r"template\s*<[^<>]*>", " ", head)
            parser = Parser(tokens(self.text[self.text.index("{", at):at + self.body_end(at)]), self)
            arguments = []
            for a in self.text[m.end():at - 1].split(","):
                d = re.match(r"\s*(?:const\s+)?([\w ]+?)\s*([*&]?)\s*(?:const\s+)?(\w+)\s*(?:\[\w*\])?\s*$", a)
                if d:
                    kind = re.sub(r"\bconst\b", "", d.group(1)).strip()
                    arguments.append((kind, d.group(2), d.group(3)))
            self.functions[name] = (head.strip(), arguments, parser.block())
            return self.functions[name]
        raise Unread(f"no function {name}")

    def body_end(self, at):
        start = at
        at = self.text.index("{", at)
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.text[at], 0)
            at += 1
            if depth == 0:
                return at - start

    # ---- running -----------------------------------------------------------------------------

    def convert(self, value, kind):
        kind = kind.strip()
        if kind == "unsigned long long":
            kind = "unsigned long"
        if isinstance(value, Int) and kind in INTEGERS:
            return value.to(*INTEGERS[kind])
        if isinstance(value, Int) and kind in MASKS:
            raise Unread("an integer as a mask")
        if isinstance(value, dict):
            return dict(value)
        return value

    def make(self, kind, items):
        """A struct from an initialiser: [(field or None, value)]."""
        fields = self.struct(kind)
        made = {}
        at = 0
        names = [f for _, f in fields]
        for field, value in items:
            if field is not None:
                at = names.index(field)
            made[names[at]] = self.convert(value, fields[at][0])
            at += 1
        for t, f in fields:
            if f not in made and t in INTEGERS:
                made[f] = number(0, *INTEGERS[t])
        return made

    def call(self, name, *values):
        kind, arguments, body = self.function(name)
        if len(arguments) != len(values):
            raise Unread(f"{name} takes {len(arguments)} arguments")
        env = {}
        for (t, pointer, n), v in zip(arguments, values):
            env[n] = v if pointer else self.convert(v, t)
        result = self.run(body, env)
        return self.convert(result, kind) if result is not None else None

    def run(self, statements, env):
        """Runs to the first return and gives its value; both sides where a condition is not known."""
        for at, s in enumerate(statements):
            what = s[0]
            if what == "return":
                return self.value(s[1], env) if s[1] else None
            if what == "block":
                return self.run(s[1] + statements[at + 1:], env)
            if what == "if":
                c = self.condition(s[1], env)
                if z3.is_true(c) or z3.is_false(c):
                    return self.run((s[2] if z3.is_true(c) else s[3]) + statements[at + 1:], env)
                rest = statements[at + 1:]
                one = self.run(s[2] + rest, copied(env))
                two = self.run(s[3] + rest, copied(env))
                return either(c, one, two)
            if what == "for":
                if s[1]:
                    self.run(s[1], env)
                turns = 0
                while s[2] is None or z3.is_true(self.condition(s[2], env)):
                    self.run(s[4], env)
                    if s[3]:
                        self.value(s[3], env)
                    turns += 1
                    if turns > 64:
                        raise Unread("a loop that does not end")
                if s[2] is not None and not z3.is_false(self.condition(s[2], env)):
                    raise Unread("a loop over what is not known")
                continue
            if what == "declare":
                for kind, pointer, name, init in s[1]:
                    env[name] = self.declared(kind, pointer, init, env)
                continue
            self.value(s[1], env)
        return None

    def declared(self, kind, pointer, init, env):
        if init is None:
            return None
        if init[0] == "braces":
            return self.make(kind, [(f, self.value(e, env)) for f, e in init[1]])
        value = self.value(init, env)
        return value if pointer else self.convert(value, kind)

    def condition(self, e, env):
        v = self.value(e, env)
        if isinstance(v, (Pointer, dict)):
            return z3.BoolVal(True)
        if isinstance(v, Bit):
            return v.on
        c = z3.simplify(v.bv != 0)
        for answer in (True, False):
            solver = z3.Solver()
            solver.add(*self.assumed, c != answer)
            if self.assumed and solver.check() == z3.unsat:
                return z3.BoolVal(answer)
        return c

    def value(self, e, env):
        return getattr(self, "on_" + e[0])(e, env)

    def on_number(self, e, env):
        return number(*e[1])

    def on_name(self, e, env):
        if e[1] in env:
            return env[e[1]]
        if e[1] in self.constants:
            return self.constants[e[1]]
        raise Unread(f"no name {e[1]}")

    def on_cast(self, e, env):
        return self.convert(self.value(e[2], env), e[1])

    def on_literal(self, e, env):
        return self.make(e[1], [(f, self.value(x, env)) for f, x in e[2]])

    def on_comma(self, e, env):
        self.value(e[1], env)
        return self.value(e[2], env)

    def on_sizeof(self, e, env):
        if e[1] not in INTEGERS:
            raise Unread(f"the size of {e[1]}")
        return number(INTEGERS[e[1]][0] // 8, 64, False)

    def on_member(self, e, env):
        base = self.value(e[1], env)
        if isinstance(base, Pointer):
            base = base.cells[base.at]
        return base[e[2]]

    def on_index(self, e, env):
        p, i = self.value(e[1], env), self.value(e[2], env).known()
        return p.cells[p.at + i]

    def on_call(self, e, env):
        if e[1] in self.instructions or e[1].startswith("_mm"):
            return self.instructions[e[1]](self, *[self.value(a, env) for a in e[2]])
        return self.call(e[1], *[self.value(a, env) for a in e[2]])

    def on_choice(self, e, env):
        c = self.condition(e[1], env)
        if z3.is_true(c) or z3.is_false(c):
            one = self.value(e[2 if z3.is_true(c) else 3], env)
            return one
        return either(c, self.value(e[2], env), self.value(e[3], env))

    def on_assign(self, e, env):
        value = self.value(e[3], env)
        if e[1] != "=":
            value = self.operate(e[1][:-1], self.value(e[2], env), value)
        target = e[2]
        if target[0] == "name":
            old = env.get(target[1])
            env[target[1]] = like(old, value)
        elif target[0] == "member":
            base = self.value(target[1], env)
            base[target[2]] = like(base.get(target[2]), value)
        elif target[0] == "index":
            p, i = self.value(target[1], env), self.value(target[2], env).known()
            p.cells[p.at + i] = like(p.cells[p.at + i], value)
        elif target[0] == "unary" and target[1] == "*":
            p = self.value(target[2], env)
            p.cells[p.at] = like(p.cells[p.at], value)
        else:
            raise Unread(f"an assignment to {target[0]}")
        return value

    def on_step(self, e, env):
        old = self.value(e[2], env)
        self.on_assign(("assign", e[1] + "=", e[2], ("number", (1, 32, True))), env)
        return old if e[3] else self.value(e[2], env)

    def on_unary(self, e, env):
        if e[1] == "*":
            p = self.value(e[2], env)
            return p.cells[p.at] if isinstance(p, Pointer) else p
        v = self.value(e[2], env)
        if e[1] == "&":
            return v
        if e[1] == "!":
            return truth(z3.Not(self.condition(e[2], env)))
        v = promoted(v)
        return Int(-v.bv if e[1] == "-" else ~v.bv if e[1] == "~" else v.bv, v.signed)

    def on_binary(self, e, env):
        if e[1] in ("&&", "||"):
            c = self.condition(e[2], env)
            if z3.is_false(c) and e[1] == "&&" or z3.is_true(c) and e[1] == "||":
                return truth(c)
            d = self.condition(e[3], env)
            return truth(z3.And(c, d) if e[1] == "&&" else z3.Or(c, d))
        return self.operate(e[1], self.value(e[2], env), self.value(e[3], env))

    def operate(self, op, a, b):
        if op in ("==", "!=") and any(isinstance(v, (dict, Pointer)) for v in (a, b)):
            return number(int((a is b) == (op == "==")))  # with NULL
        if isinstance(a, Bit) or isinstance(b, Bit):  # lane 0 stands for all
            a, b = (v if isinstance(v, Bit) else Bit(z3.Extract(0, 0, v.bv) == 1) for v in (a, b))
        if isinstance(a, Lane):
            return Lane({"^": a.bv ^ b.bv, "&": a.bv & b.bv, "|": a.bv | b.bv}[op])
        if isinstance(a, Bit):
            return Bit({"^": z3.Xor(a.on, b.on), "&": z3.And(a.on, b.on), "|": z3.Or(a.on, b.on)}[op])
        if isinstance(a, Pointer):
            return Pointer(a.cells, a.at + (b.known() if op == "+" else -b.known()))
        if op in ("<<", ">>"):
            a = promoted(a)
            by = promoted(b).to(a.bits, False).bv
            right = a.bv >> by if a.signed else z3.LShR(a.bv, by)
            return Int(a.bv << by if op == "<<" else right, a.signed)
        a, b = together(a, b)
        x, y, s = a.bv, b.bv, a.signed
        order = {"<": (x < y, z3.ULT(x, y)), ">": (x > y, z3.UGT(x, y)), "<=": (x <= y, z3.ULE(x, y)),
                 ">=": (x >= y, z3.UGE(x, y)), "==": (x == y,) * 2, "!=": (x != y,) * 2}
        if op in order:
            return truth(order[op][0 if s else 1])
        made = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "&": lambda: x & y,
                "|": lambda: x | y, "^": lambda: x ^ y, "/": lambda: x / y if s else z3.UDiv(x, y),
                "%": lambda: z3.SRem(x, y) if s else z3.URem(x, y)}
        return Int(made[op](), s)
