"""cparse.py - the parser of csource.py: C's expressions and statements as nested tuples."""
# SPDX-License-Identifier: MIT
import re


class Unread(Exception):
    """Something in the source that the proofs do not understand."""


TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)|([A-Za-z_]\w*)|"
                   r'("(?:\\.|[^"\\])*")|(<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.))')
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"],
          ["+", "-"], ["*", "/", "%"]]


def tokens(text):
    out, at = [], 0
    text = text.rstrip()
    while at < len(text):
        m = TOKEN.match(text, at)
        if m is None:
            raise Unread(f"at {text[at:at + 20]!r}")
        at = m.end()
        if m.group(1):
            value, suffix = int(m.group(1), 0), m.group(2).lower()
            bits = 64 if "l" in suffix or value >= 1 << 32 else 32
            signed = "u" not in suffix and value < 1 << (bits - 1)
            out.append(("number", (value, bits, signed)))
        elif m.group(3):
            out.append(("name", m.group(3)))
        elif m.group(4):
            out.append(("string", m.group(4)))
        else:
            out.append(("sign", m.group(5)))
    return out


class Parser:
    def __init__(self, found, source):
        self.found, self.at, self.source = found, 0, source

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.found[at][1] if at < len(self.found) else None

    def kind(self, ahead=0):
        at = self.at + ahead
        return self.found[at][0] if at < len(self.found) else None

    def take(self, wanted=None):
        got = self.peek()
        if wanted is not None and got != wanted:
            raise Unread(f"{wanted!r} expected, {got!r} found")
        self.at += 1
        return got

    def skip(self, wanted):
        if self.peek() == wanted:
            self.at += 1
            return True
        return False

    def skip_brackets(self):
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(self.take(), 0)
            if depth == 0:
                return

    # ---- statements ----

    def block(self):
        self.take("{")
        out = []
        while not self.skip("}"):
            out += self.statement()
        return out

    def body(self):
        return self.block() if self.peek() == "{" else self.statement()

    def statement(self):
        word = self.peek()
        if word == ";":
            self.take()
            return []
        if word == "{":
            return [("block", self.block())]
        if word in ("_Pragma", "__asm__", "__builtin_prefetch"):
            self.take()
            self.skip_brackets()
            self.skip(";")
            return []
        if word == "enum":
            while self.take() != "}":
                pass
            self.take(";")
            return []
        if word == "if":
            self.take()
            self.skip("constexpr")
            self.take("(")
            c = self.expression()
            self.take(")")
            then = self.body()
            return [("if", c, then, self.body() if self.skip("else") else [])]
        if word == "for":
            return [self.loop()]
        if word == "while":
            self.take(), self.take("(")
            c = self.expression()
            self.take(")")
            return [("for", None, c, None, self.body())]
        if word == "return":
            self.take()
            e = None if self.peek() == ";" else self.expression()
            self.take(";")
            return [("return", e)]
        if self.at_declaration():
            return [self.declaration()]
        e = self.expression()
        self.take(";")
        return [("do", e)]

    def loop(self):
        self.take("for"), self.take("(")
        first = None
        if not self.skip(";"):
            if self.at_declaration():
                first = [self.declaration()]
            else:
                first = [("do", self.expression())]
                self.take(";")
        c = None if self.peek() == ";" else self.expression()
        self.take(";")
        step = None if self.peek() == ")" else self.expression()
        self.take(")")
        return ("for", first, c, step, self.body())

    def at_declaration(self):
        return self.kind() == "name" and (self.peek() in ("const", "static") or self.source.is_type(self.peek())) \
            and self.peek(1) not in ("(", ".", "=")

    def type_name(self):
        words = []
        while self.kind() == "name" and (self.peek() in ("const", "static", "restrict", "volatile", "constexpr") or
                                         self.source.is_type(self.peek())):
            word = self.take()
            if word not in ("const", "static", "restrict", "volatile", "struct", "constexpr"):
                words.append(word)
        name = " ".join(words)
        name = {"long long": "long", "long int": "long", "unsigned int": "unsigned",
                "unsigned long long": "unsigned long", "long unsigned int": "unsigned long"}.get(name, name)
        return name

    def declaration(self):
        kind, out = self.type_name(), []
        while True:
            pointer = False
            while self.peek() in ("*", "const", "restrict", "&"):
                self.take()
                pointer = True
            name = self.take()
            while self.skip("["):
                while self.take() != "]":
                    pass
            init = None
            if self.skip("="):
                init = self.braces() if self.peek() == "{" else self.assignment()
            out.append((kind, pointer, name, init))
            if self.skip(";"):
                return ("declare", out)
            self.take(",")

    def braces(self):
        self.take("{")
        items = []
        while not self.skip("}"):
            field = None
            if self.peek() == "." and self.peek(2) == "=":
                self.take()
                field = self.take()
                self.take("=")
            items.append((field, self.assignment()))
            if not self.skip(","):
                self.take("}")
                break
        return ("braces", items)

    # ---- expressions ----

    def expression(self):
        e = self.assignment()
        while self.skip(","):
            e = ("comma", e, self.assignment())
        return e

    def assignment(self):
        e = self.choice()
        if self.peek() in ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="):
            return ("assign", self.take(), e, self.assignment())
        return e

    def choice(self):
        c = self.binary(0)
        if not self.skip("?"):
            return c
        one = self.expression()
        self.take(":")
        return ("choice", c, one, self.choice())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        e = self.binary(level + 1)
        while self.kind() == "sign" and self.peek() in LEVELS[level]:
            op = self.take()
            e = ("binary", op, e, self.binary(level + 1))
        return e

    def unary(self):
        if self.kind() == "sign" and self.peek() in ("-", "~", "!", "*", "&", "+"):
            return ("unary", self.take(), self.unary())
        if self.peek() in ("++", "--"):
            op = self.take()
            return ("step", op[0], self.unary(), False)
        if self.peek() == "sizeof":
            self.take()
            bracket = self.skip("(")
            kind = self.type_name()
            if bracket:
                self.take(")")
            return ("sizeof", kind)
        if self.peek() == "(" and self.kind(1) == "name" and self.source.is_type(self.peek(1)) \
                and self.peek(2) != "(":
            self.take()
            kind = self.type_name()
            while self.peek() in ("*", "const"):
                self.take()
                kind = kind if kind.endswith("*") else kind + "*"
            self.take(")")
            if self.peek() == "{":
                return self.postfix(("literal", kind, self.braces()[1]))
            return ("cast", kind, self.unary())
        return self.postfix(self.primary())

    def primary(self):
        kind, word = self.kind(), self.take()
        if kind == "number":
            return ("number", word)
        if kind == "sign" and word == "(":
            e = self.expression()
            self.take(")")
            return e
        if kind == "name" and self.peek() == "(":
            if self.source.is_type(word):  # K(0), as in C++
                self.take()
                e = self.expression()
                self.take(")")
                return ("cast", word, e)
            self.take()
            arguments = []
            while not self.skip(")"):
                arguments.append(self.assignment())
                self.skip(",")
            return ("call", word, arguments)
        if kind == "name":
            return ("name", word)
        raise Unread(f"{word!r} in an expression")

    def postfix(self, e):
        while True:
            if self.skip("["):
                e = ("index", e, self.expression())
                self.take("]")
            elif self.peek() in (".", "->"):
                self.take()
                e = ("member", e, self.take())
            elif self.peek() in ("++", "--"):
                e = ("step", self.take()[0], e, True)
            else:
                return e
