"""Arguments that are odd but right, beside numpy and scipy, and odd ones that are wrong, whose errors must say so:
parts of one memory in several roles, lists where arrays are written to, types that only look alike, empty lists."""
# SPDX-License-Identifier: MIT
import array
import datetime
import fractions
import pickle

import numpy as np
import pytest
import upsweep
from shared import same


def raises(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


# ---- memory that is written to while it is read ----

def test_put_takes_parts_of_its_array():
    """The positions, read while they were overwritten, named places behind the array's end."""
    for n in (3, 2000):
        order = np.random.default_rng(n).permutation(n)
        for role in ("positions", "values", "both"):
            ours, theirs = order.copy(), order.copy()
            at, values = order.copy(), np.arange(n) + 10 * n
            upsweep.put(ours, at if role == "values" else ours, values if role == "positions" else ours)
            np.put(theirs, at if role == "values" else order, values if role == "positions" else order)
            same(ours, theirs)


def test_permute_by_its_own_elements():
    order = np.random.default_rng(1).permutation(1000)
    wanted, own = upsweep.permute(order, order.copy()), order.copy()
    assert upsweep.permute(own, own, out=own) is own
    same(own, wanted)


def test_scan_into_its_keys():
    """Threads read keys where others had written sums."""
    keys = np.repeat(np.arange(300_000), 3)
    x = np.arange(keys.size)
    for exclusive in (False, True):
        wanted, out = upsweep.scan(x, keys=keys, exclusive=exclusive), keys.copy()
        assert upsweep.scan(x, keys=out, out=out, exclusive=exclusive) is out
        same(out, wanted)


def test_pairs_in_place_are_two_arrays():
    keys = np.array([4, 2, 1, 3])
    for values in (keys, keys[::1], keys[:]):
        raises(ValueError, "share no memory", lambda: upsweep.sort_pairs(keys, values, in_place=True))
    raises(ValueError, "share no memory", lambda: upsweep.sort_pairs(keys[:3], keys[1:], in_place=True))
    raises(ValueError, "contiguous", lambda: upsweep.sort_pairs([2, 1], np.array([5, 6]), in_place=True))
    same(keys, np.array([4, 2, 1, 3]))


def test_results_go_to_arrays():
    """A list was returned as it was, unsorted; other things got an AttributeError."""
    for out in ([0, 0, 0], (0, 0, 0), 5, "abc", array.array("l", [0, 0, 0])):
        for call in (lambda: upsweep.sort([3, 1, 2], out=out), lambda: upsweep.cumsum(np.arange(3), out=out),
                     lambda: upsweep.take(np.arange(3), [0, 1, 2], out=out),
                     lambda: upsweep.reverse(np.arange(3), out=out)):
            raises(TypeError, "out must be an array, not of type", call)
    numbers = [3, 1, 2]
    raises(TypeError, "out must be an array, not of type list", lambda: upsweep.sort(numbers, out=numbers))


# ---- types ----

def test_merge_refuses_what_only_looks_alike():
    days, seconds = np.array(["2020", "2021"], "M8[D]"), np.array(["2020"], "M8[s]")
    for a, b in ((days, seconds), (days, np.array([1], "u8")), (days, np.array([1], "m8[D]")),
                 (np.array([True]), np.array([2], "u1")), (np.array([2], "i8"), days)):
        raises(TypeError, "differ in dtype", lambda: upsweep.merge(a, b))
    same(upsweep.merge(days, np.array(["2020-06-01", "NaT"], "M8[D]")),
         np.array(["2020-01-01", "2020-06-01", "2021-01-01", "NaT"], "M8[D]"))
    same(upsweep.merge(np.array([1, 3], ">i4"), np.array([2], "<i4")), np.array([1, 2, 3], ">i4"))


def test_scans_of_bools_hold_bools():
    for op in ("and", "min", "max", "or"):
        for heads in (None, [0, 0, 1]):
            got = upsweep.scan(np.array([True, False, True]), op, heads=heads, exclusive=True)
            assert got.dtype == bool and set(got.view("u1").tolist()) <= {0, 1}, op


@pytest.mark.parametrize("call", ["sum", "prod", "cumsum", "cumprod"])
def test_sums_of_dtype_bool(call):
    for x in ([3, 1, 3], [0.5, 0, -3], [], [0], np.ones(256, "i2"), np.array([[0, 2], [0, 0]]),
              np.array([True, False])):
        for axis in (None, 0):
            same(getattr(upsweep, call)(x, axis=axis, dtype=bool), getattr(np, call)(x, axis=axis, dtype=bool))


def test_times_in_sums_of_columns():
    """Those with nulls gave numbers, those without a TypeError."""
    pl = pytest.importorskip("polars")
    for days in ([datetime.date(2020, 1, 1)], [datetime.date(2020, 1, 1), None]):
        for call in (upsweep.sum, upsweep.min, upsweep.minmax, upsweep.argmax):
            raises(TypeError, "datetimes", lambda: call(pl.Series(days)))


def test_masks_are_not_dropped():
    hidden = np.ma.array([5, 6], mask=[True, False])
    records = np.ma.array(np.zeros(2, "i4,f4"), mask=[True, False])
    for call in (lambda: upsweep.sort_pairs(np.array([2, 1]), hidden),
                 lambda: upsweep.put(np.zeros(2, int), [0, 1], hidden),
                 lambda: upsweep.sort_records(records),
                 lambda: upsweep.searchsorted(hidden, 5), lambda: upsweep.searchsorted([5, 6], hidden),
                 lambda: upsweep.searchsorted([5, 6], [5], sorter=hidden),
                 lambda: upsweep.take(np.arange(9), hidden), lambda: upsweep.split(np.arange(2), hidden),
                 lambda: upsweep.compress(hidden, np.arange(2)), lambda: upsweep.scan(np.arange(2), heads=hidden),
                 lambda: upsweep.bincount(np.arange(2), hidden)):
        raises(TypeError, "masked", call)


def test_numbers_of_python_go_into_any_integers():
    for dtype in ("u1", "i1", "u4", "f4", "u8"):
        a = np.zeros(3, dtype)
        upsweep.put(a, [0, 2], [3, 4])
        same(a, np.array([3, 0, 4], dtype))
    raises(OverflowError, "uint8", lambda: upsweep.put(np.zeros(3, "u1"), [0], [256]))
    raises(TypeError, "float64", lambda: upsweep.put(np.zeros(3, "u1"), [0], [2.5]))
    raises(TypeError, "int64", lambda: upsweep.put(np.zeros(3, "u1"), [0], np.array([2])))


def test_values_of_pairs_come_back_as_they_came():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    days = [datetime.date(2020, 1, 1), datetime.date(2019, 1, 1)]
    for values, wanted in ((pl.Series("v", [5, 6]), pl.Series("v", [6, 5])), (pl.Series(days), pl.Series(days[::-1])),
                           (pa.array([5, 6]), pa.array([6, 5]))):
        keys, moved = upsweep.sort_pairs(pl.Series([2, 1]), values)
        assert keys.to_list() == [1, 2] and type(moved) is type(values) and moved.equals(wanted)
        keys, moved = upsweep.sort_pairs(np.array([2, 1]), values)
        assert type(keys) is np.ndarray and moved.equals(wanted)
    same(upsweep.sort_pairs([2, 1], pl.Series([True, False]))[1], np.array([False, True]))


# ---- shapes, and lists without an element ----

def test_one_position_takes_one_element():
    x, rows = np.array([5, 6, 7]), np.arange(6).reshape(3, 2)
    for at in (1, -1, np.int32(2), np.array(0)):
        same(upsweep.take(x, at), np.take(x, at))
        same(upsweep.take(rows, at, axis=0), np.take(rows, at, axis=0))
    assert isinstance(upsweep.take(x, 1), np.int64)
    for at in (3, -4):
        raises(IndexError, "3", lambda: upsweep.take(np.empty((3, 0)), [at], axis=0))


def test_empty_lists_are_lists_of_integers():
    empty = np.empty(0)
    upsweep.put(empty, [], [])
    same(upsweep.permute(empty, []), empty)
    same(upsweep.split_by_id(empty, [], 2)[1], np.zeros(3, np.int64))
    for minlength in (0, 3):
        same(upsweep.bincount([], minlength=minlength), np.bincount([], minlength=minlength))


def test_keys_may_be_an_iterator():
    keys = [np.array([1, 0, 2], ">i4"), np.array([5, 5, 1], ">i4")]
    same(upsweep.lexsort(k for k in keys), np.lexsort(keys))


def test_axis_of_no_dimension():
    same(upsweep.cumsum(5, axis=0), np.cumsum(5, axis=0))
    raises(ValueError, "axis 1", lambda: upsweep.cumsum(5, axis=1))


def test_axis_of_text():
    for text, axis, dimensions in (("abc", -1, 0), (np.array(["b", "a"]), 5, 1)):
        with pytest.raises(np.exceptions.AxisError, match=f"^axis {axis} is out of bounds for array of dimension {dimensions}$"):
            upsweep.sort(text, axis=axis)


def test_counts_are_integers():
    raises(TypeError, "float", lambda: upsweep.bincount([0, 2], minlength=2.5))
    raises(TypeError, "float", lambda: upsweep.split_by_id([5], [0], 1.0))
    raises(ValueError, "count", lambda: upsweep.split_by_id(np.empty(0), [], -1))
    for x in ([1, 2, 4], [1.5, 2.5], np.array([1, 2], "u1")):
        raises(ValueError, "monotonically", lambda: upsweep.histogram(x, bins=[0, 1, np.nan]))


def test_fields_of_no_bytes_and_no_names():
    r = np.array([(b"", 1), (b"", 0)], [("nothing", "S0"), ("i", "i1")])
    same(upsweep.sort_records(r), r[::-1])
    same(upsweep.sort_records(r, "nothing"), r)
    raises(TypeError, "names of fields", lambda: upsweep.sort_records(r, [0]))


# ---- graphs ----

def test_graphs_of_scipys_kind():
    sparse, csgraph = pytest.importorskip("scipy.sparse"), pytest.importorskip("scipy.sparse.csgraph")
    twice = sparse.coo_matrix(([1., 2., 4.], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    same(upsweep.dijkstra(twice), csgraph.dijkstra(twice))
    same(upsweep.bellman_ford(twice), csgraph.bellman_ford(twice))
    masked = np.ma.array([[0, 1., 5], [0, 0, 2], [0, 0, 0]], mask=[[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    same(upsweep.shortest_path(masked), csgraph.shortest_path(masked))


def test_errors_of_graphs():
    negative = upsweep.Graph([0, 1], [1, 0], [-5, 1], negative=True)
    raises(ValueError, "bellman_ford", lambda: negative.distances(0))
    raises(ValueError, "bellman_ford", lambda: negative.distance_matrix([0]))
    with pytest.raises(upsweep.NegativeCycleError) as error:
        negative.bellman_ford(0)
    other = pickle.loads(pickle.dumps(error.value))  # as multiprocessing sends it to the parent
    assert isinstance(other, upsweep.NegativeCycleError) and str(other) == str(error.value)
    same(other.cycle, error.value.cycle)
    raises(IndexError, "circle", lambda: upsweep.Graph.path([1, 0], 0))
    raises(TypeError, "begin", lambda: upsweep.Graph.from_rows([0., 1.5, 2.], [1, 0]))


def test_weights_of_networkx():
    nx = pytest.importorskip("networkx")
    g = nx.Graph()
    g.add_edge(0, 1, weight=fractions.Fraction(1, 2))
    g.add_edge(1, 2, weight=2**70)
    graph, _ = upsweep.Graph.from_networkx(g)
    same(graph.distances(0), np.array([0, 0.5, 2.0**70 + 0.5]))


# ---- what is told of algorithms ----

def test_arguments_of_what_is_told():
    raises(ValueError, "path/dijkstra does not take these numbers; it takes arcs",
           lambda: upsweep.trace("path/dijkstra", [5]))
    raises(ValueError, "it takes arcs", lambda: upsweep.trace("path/bucket", [2**32 - 1, 0, 7]))
    assert upsweep.explain("sort", np.int64(1000)) == upsweep.explain("sort", 1000)
    assert upsweep.explain(np.zeros(9, "M8[s]")) == upsweep.explain("sort", 9, dtype="i64")
    for threads, limit in ((-1, 0), (2**40, 0), (0, -1), (0, 2**64)):
        raises(ValueError, "0 or more", lambda: upsweep.set_threads(threads, scratch_limit=limit))
    raises(ValueError, "0 or more", lambda: upsweep.explain("sort", -1))
