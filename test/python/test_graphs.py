"""Graphs beside scipy and networkx."""
# SPDX-License-Identifier: MIT
import copy
import pickle
import weakref

import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import same

scipy_sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")


def some_graph(seed, n, m, whole=True):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 20, m).astype("f8") if whole else rng.random(m) + 0.01
    return scipy_sparse.coo_array((weights, (rng.integers(0, n, m), rng.integers(0, n, m))),
                                  (n, n)).tocsr()


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 30, 300]), st.integers(0, 4), st.booleans(),
       st.booleans())
def test_dijkstra(seed, n, degree, directed, unweighted):
    g = some_graph(seed, n, n * degree)
    rng = np.random.default_rng(seed)
    limit = [np.inf, 15.0][seed % 2]
    for indices in (None, int(rng.integers(n)), rng.integers(-n, n, 3)):
        wanted, _ = csgraph.dijkstra(g, directed, indices, True, unweighted, limit)
        got, before = upsweep.dijkstra(g, directed, indices, True, unweighted, limit)
        np.testing.assert_array_equal(got, wanted)
        assert before.dtype == np.int32 and before.shape == wanted.shape
        check_predecessors(g, directed, unweighted, got, before)
    some = rng.integers(0, n, 4)
    wanted = csgraph.dijkstra(g, directed, some, True, unweighted, limit, min_only=True)
    got = upsweep.dijkstra(g, directed, some, True, unweighted, limit, min_only=True)
    np.testing.assert_array_equal(got[0], wanted[0])
    reached = np.isfinite(got[0])
    np.testing.assert_array_equal(got[2] >= 0, reached)


def check_predecessors(g, directed, unweighted, distance, before):
    """Each reached vertex lies one arc behind its predecessor."""
    dense = np.where(g.toarray() == 0, np.inf, 1.0 if unweighted else g.toarray())
    dense = dense if directed else np.minimum(dense, dense.T)
    for d, p in zip(np.atleast_2d(distance), np.atleast_2d(before)):
        for v in np.flatnonzero(p >= 0):
            assert d[v] == d[p[v]] + dense[p[v], v]
        assert (np.isinf(d[p < 0]) | (d[p < 0] == 0)).all()


def test_dense_float_weights_and_shortest_path():
    g = some_graph(3, 60, 240, whole=False)
    wanted = csgraph.dijkstra(g)
    np.testing.assert_allclose(upsweep.dijkstra(g), wanted, rtol=1e-12)
    np.testing.assert_allclose(upsweep.dijkstra(g.toarray()), wanted, rtol=1e-12)
    np.testing.assert_allclose(upsweep.shortest_path(g, "D"), wanted, rtol=1e-12)
    np.testing.assert_allclose(upsweep.shortest_path(g, "BF", indices=[0, 5]), wanted[[0, 5]],
                               rtol=1e-12)


def test_negative_weights():
    g = upsweep.Graph([0, 1, 0], [1, 2, 2], [4, -3, 2], negative=True)
    assert g.bellman_ford(0)[0].tolist() == [0, 4, 1]
    bad = upsweep.Graph([0, 1, 2], [1, 2, 0], [1, -3, 1], negative=True)
    with pytest.raises(upsweep.NegativeCycleError) as error:
        bad.bellman_ford(0)
    assert sorted(error.value.cycle.tolist()) == [0, 1, 2]
    with pytest.raises(ValueError, match="arc 1"):
        upsweep.Graph([0, 1], [1, 2], [1.0, -1.0])
    with pytest.raises(ValueError):
        upsweep.Graph([0, 1], [1, 2], [1.0, np.nan])


@pytest.mark.parametrize("dtype", ["u4", "u8", "f4", "f8", "i4", "u1", None])
def test_graph_of_all_weights(dtype):
    w = None if dtype is None else np.array([1, 2, 5], dtype)
    g = upsweep.Graph([0, 1, 0], [1, 2, 2], w, 4)
    distance, parent = g.distances(0, parents=True)
    top = np.inf if g.dtype.kind == "f" else np.iinfo(g.dtype).max
    assert distance.tolist() == [0, 1, 1 if dtype is None else 3, top]
    assert upsweep.Graph.path(parent, 2).tolist() == ([0, 2] if dtype is None else [0, 1, 2])
    assert (g.vertices, g.arcs) == (4, 3)
    assert g.distances(0, cutoff=1).tolist()[1] == 1
    assert g.distance_matrix([0, 3])[1].tolist() == [top, top, top, 0]


def test_overflow_and_ids():
    g = upsweep.Graph([0, 1], [1, 2], np.array([2**32 - 2, 5], "u4"))
    with pytest.raises(OverflowError):
        g.distances(0)
    with pytest.raises(IndexError):
        g.distances(7)
    with pytest.raises(IndexError):
        upsweep.Graph([0, -1], [1, 2])
    with pytest.raises((IndexError, ValueError)):
        upsweep.Graph([0, 9], [1, 2], vertices=3)
    with pytest.raises(ValueError):
        upsweep.Graph([0, 1], [1])


def test_networkx():
    nx = pytest.importorskip("networkx")
    g = nx.Graph()
    g.add_edge("a", "b", weight=2)
    g.add_edge("b", "c", weight=3)
    g.add_edge("a", "c", weight=9)
    made, nodes = upsweep.Graph.from_networkx(g)
    assert dict(zip(nodes, made.distances(0).tolist())) == nx.single_source_dijkstra_path_length(
        g, "a")


def test_from_file(tmp_path):
    path = tmp_path / "g.gr"
    path.write_text("p sp 3 2\na 1 2 5\na 2 3 7\n")
    g = upsweep.Graph.from_file(path)
    assert g.distances(0).tolist() == [0, 5, 12]
    path.write_text("p sp 3 2\na 1 2 5\na 2 9 7\n")
    with pytest.raises(ValueError, match="g.gr"):
        upsweep.Graph.from_file(path)
    table = tmp_path / "t.csv"
    table.write_text("from,to,cost\n0,1,0.5\n1,2,0.25\n")
    assert upsweep.Graph.from_file(table, "--weight", "f64").distances(0).tolist() == [0, 0.5, 0.75]


def test_nan_in_a_sparse_matrix_is_no_arc():
    """As in a dense one, and as scipy's searches have it; a Graph's own arcs are still refused."""
    m = scipy_sparse.csr_matrix((np.array([1, np.nan, 2.0, np.nan]), ([0, 0, 1, 2], [1, 2, 2, 0])), shape=(3, 3))
    for form in ("csr", "csc", "coo", "lil"):
        for ours, theirs in ((upsweep.dijkstra, csgraph.dijkstra), (upsweep.shortest_path, csgraph.shortest_path),
                             (upsweep.bellman_ford, csgraph.bellman_ford)):
            for directed in (True, False):
                got, wanted = ours(m.asformat(form), directed=directed), theirs(m, directed=directed)
                assert np.array_equal(got, wanted)
    assert upsweep.dijkstra(m, unweighted=True, indices=0).tolist() == [0, 1, 1]


def test_copies():
    """A graph never changes, so that its copy is itself; what a pickle would lack is said."""
    g = upsweep.Graph([0, 1], [1, 2], [1.0, 2.0])
    assert copy.copy(g) is g and copy.deepcopy([g])[0] is g and weakref.ref(g)() is g
    with pytest.raises(TypeError, match="from its arcs or a file"):
        pickle.dumps(g)


def test_what_is_no_weight_and_no_vertex():
    for m in (np.array([[0, 1j], [0, 0]]), scipy_sparse.csr_matrix(np.array([[0, 1j], [0, 0]]))):
        for call in (upsweep.dijkstra, upsweep.shortest_path, upsweep.bellman_ford, upsweep.Graph.from_scipy):
            with pytest.raises(TypeError, match="not complex"):
                call(m)
    with pytest.raises(IndexError, match="the graph is empty"):
        upsweep.Graph([], []).distances(0)


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "i8"])
@pytest.mark.parametrize("n", [1, 2, 3, 1023, 1024, 1025, 3000])
def test_dijkstra_of_all_lengths_gives_f64(dtype, n):
    """Distances of 32 bits lie in the end of the result until they are widened; every seventh vertex is not reached."""
    reached = np.delete(np.arange(n), np.arange(1, n, 7))
    weight = (np.arange(reached.size - 1) % 5 + 1).astype(dtype)
    graph = upsweep.Graph(reached[:-1], reached[1:], weight, vertices=n)
    want = np.full(n, np.inf)
    want[reached] = np.append(0, np.cumsum(weight, dtype="f8"))
    same(upsweep.dijkstra(graph, indices=0), want)
    same(upsweep.dijkstra(graph, indices=[0])[0], want)
    far = want.copy()
    far[far > 7] = np.inf
    same(upsweep.dijkstra(graph, indices=0, limit=7), far)
