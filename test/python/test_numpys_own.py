"""numpy's own tests of sort, argsort, partition and unique, with our functions in the place of its
methods and functions. What the library refuses (complex, objects, text) goes to numpy."""
# SPDX-License-Identifier: MIT
import ast
import inspect
import os

import numpy as np
import pytest
import upsweep

CORE = "numpy._core" if int(np.__version__.split(".")[0]) > 1 else "numpy.core"
multiarray = pytest.importorskip(f"{CORE}.tests.test_multiarray")
arraysetops = pytest.importorskip("numpy.lib.tests.test_arraysetops")
CALLED = []

# Where ours differs, and why.
DIFFERENT = {}


def ours(name, a, args, options):
    """(result,), or None where the arguments are none of ours."""
    options = dict(options)
    if "partition" in name:
        options.pop("kind", None)
    options.pop("stable", None)
    at = 1 if "partition" in name else 0  # where numpy's axis stands
    known = isinstance(a, np.ndarray) and a.dtype.kind in "biufmM" and a.dtype.itemsize <= 8
    if not known or options.pop("order", None) is not None or len(args) not in (at, at + 1):
        return None
    if name == "unique" and (options.pop("axis", None) is not None or "sorted" in options
                             or type(a) is not np.ndarray):
        return None
    CALLED.append(name)
    return (getattr(upsweep, name)(a, *args, **options),)


def by_method(name, a, *args, **options):
    """a.NAME(...); sort and partition work in place."""
    inside = dict(options, out=a) if name in ("sort", "partition") else options
    got = ours(name, a, args, inside)
    if got is None:
        return getattr(a, name)(*args, **options)
    return None if name in ("sort", "partition") else got[0]


def by_function(name, a, *args, **options):
    """np.NAME(a, ...)"""
    got = ours(name, a, args, options)
    return getattr(np, name)(a, *args, **options) if got is None else got[0]


class Instead(ast.NodeTransformer):
    """Makes calls of ours of x.sort(...), np.sort(...) and unique(...)."""

    names = {"sort", "argsort", "partition", "argpartition"}

    def visit_Call(self, node):
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and f.attr in self.names:
            module = isinstance(f.value, ast.Name) and f.value.id == "np"
            instead, name, first = (("by_function", f.attr, []) if module
                                    else ("by_method", f.attr, [f.value]))
        elif isinstance(f, ast.Name) and f.id == "unique":
            instead, name, first = "by_function", "unique", []
        else:
            return node
        return ast.copy_location(ast.Call(ast.Name(instead, ast.Load()),
                                          [ast.Constant(name), *first, *node.args], node.keywords),
                                 node)


def rewritten(module, wanted):
    """(name, function or class) of the module's tests, compiled anew; classes keep what is wanted."""
    names = dict(vars(module), by_method=by_method, by_function=by_function)
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef) and node.name in ("TestMethods", "TestUnique"):
            node.body = [f for f in node.body if not isinstance(f, ast.FunctionDef)
                         or not f.name.startswith("test") or wanted(f.name)]
        elif not isinstance(node, ast.FunctionDef) or not wanted(node.name) \
                or "UPSWEEP_LONG" not in os.environ:  # thousands of long arrays
            continue
        code = ast.fix_missing_locations(ast.Module([Instead().visit(node)], []))
        exec(compile(code, module.__file__, "exec"), names)
        made = names[node.name]
        for name, why in DIFFERENT.items():
            if isinstance(made, type) and hasattr(made, name):
                setattr(made, name, pytest.mark.skip(why)(getattr(made, name)))
        yield node.name, made


def is_sort(name):
    return name.startswith("test") and "searchsorted" not in name and (
        "sort" in name or "partition" in name)


globals().update(rewritten(multiarray, is_sort))
globals().update(rewritten(arraysetops, lambda name: "unique" in name))


def test_zz_ours_were_called():
    assert len(CALLED) > 300 and set(CALLED) == {"sort", "argsort", "partition", "argpartition",
                                                 "unique"}
