"""The calls of scipy.sparse.csgraph."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._graph import NO_VERTEX, Graph, arcs_of

__all__ = ["dijkstra", "shortest_path", "bellman_ford"]

NO_PREDECESSOR = -9999  # scipy's


def _predecessors(parent):
    signed = parent.view(np.int32)
    signed[signed == -1] = NO_PREDECESSOR
    return signed


def _prepared(csgraph, directed, unweighted, negative=False):
    if isinstance(csgraph, Graph):
        return csgraph
    return Graph.from_scipy(csgraph, directed=directed, unweighted=unweighted, negative=negative)


def _as_f64(distance):
    if distance.dtype.kind == "f":
        return distance.astype(np.float64, copy=False)
    wide, none = distance.astype(np.float64), np.iinfo(distance.dtype).max
    if distance.size and distance.max() == none:
        wide[distance == none] = np.inf
    return wide


def _from_one(graph, vertex, cutoff):
    """The distances from one vertex as f64. Those of 32 bits are found in the end of the array that they fill."""
    if graph.dtype not in (np.uint32, np.float32):
        return _as_f64(graph.distances(vertex, cutoff=cutoff))
    wide = np.empty(graph.vertices)
    narrow = wide.view(graph.dtype)[graph.vertices:]
    graph._search(vertex, narrow, cutoff=cutoff)
    _core.widen(narrow, wide)
    return wide


def _indices(indices, n):
    """Vertices of scipy's argument: None is all; negative ones count from the end."""
    if indices is None:
        return np.arange(n)
    given = np.asarray(indices)
    if given.ndim == 0 and type(indices) is int and 0 <= indices < n:
        return given
    if given.size == 0:
        return given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise TypeError("indices must be integers")
    given = np.where(given < 0, given + n, given)
    if int(given.min()) < 0 or int(given.max()) >= n:
        raise ValueError("indices out of range 0...N")
    return given


def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False,
             limit=np.inf, min_only=False):
    """Shortest paths, with the arguments and results of scipy.sparse.csgraph.dijkstra.

    csgraph : sparse or dense matrix as there, or a `Graph`, which saves making it each time (and
    whose own directedness counts). Distances are f64. Negative weights are a ValueError.

    Of several shortest paths, predecessors follow the one of the least vertex, where scipy's are
    any. With min_only the third result names for each vertex the source of its path.

    >>> import numpy as np, upsweep
    >>> upsweep.dijkstra(np.array([[0, 1, 0], [0, 0, 2], [0, 0, 0]]), indices=0)
    array([0., 1., 3.])
    """
    graph = _prepared(csgraph, directed, unweighted)
    vertices = _indices(indices, graph.vertices)
    if limit != limit or limit < 0:
        raise ValueError("limit must be >= 0")
    cutoff = None if np.isinf(limit) else float(limit)
    shape = vertices.shape + (graph.vertices,)
    if min_only:
        made = graph.distances(vertices.reshape(-1), parents=return_predecessors, cutoff=cutoff)
        if not return_predecessors:
            return _as_f64(made)
        sources = _sources_of(made[1], vertices.reshape(-1))
        return _as_f64(made[0]), _predecessors(made[1]), sources
    if vertices.ndim == 0 and not return_predecessors:
        return _from_one(graph, int(vertices), cutoff)
    if vertices.ndim == 0:
        made = graph.distances(int(vertices), parents=return_predecessors, cutoff=cutoff)
    else:
        made = graph.distance_matrix(vertices.reshape(-1), parents=return_predecessors, cutoff=cutoff)
    if not return_predecessors:
        return _as_f64(made).reshape(shape)
    return _as_f64(made[0]).reshape(shape), _predecessors(made[1]).reshape(shape)


def _sources_of(parent, given):
    """For each vertex the source where its path begins, by jumping over parents; scipy's number
    for none."""
    n = parent.shape[0]
    above = np.where(parent == NO_VERTEX, np.arange(n, dtype=np.uint32), parent)
    while True:
        further = above[above]
        if (further == above).all():
            break
        above = further
    is_source = np.zeros(n, bool)
    is_source[given] = True
    return np.where(is_source[above], above.astype(np.int32), np.int32(NO_PREDECESSOR))


def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """Shortest paths with negative weights, as scipy.sparse.csgraph.bellman_ford.

    Raises NegativeCycleError, a ValueError, whose `cycle` has the vertices."""
    graph = _prepared(csgraph, directed, unweighted, True)
    vertices = _indices(indices, graph.vertices)
    made = [graph.bellman_ford(int(v)) for v in vertices.reshape(-1)]
    shape = vertices.shape + (graph.vertices,)
    distance = np.array([_as_f64(d) for d, _ in made]).reshape(shape)
    if not return_predecessors:
        return distance
    parents = np.array([_predecessors(p) for _, p in made], np.int32).reshape(shape)
    return distance, parents


def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False,
                  unweighted=False, overwrite=False, indices=None):
    """Shortest paths, as scipy.sparse.csgraph.shortest_path; method is "auto", "D" or "BF".

    >>> import numpy as np, upsweep
    >>> upsweep.shortest_path(np.array([[0, 2], [0, 0]]))
    array([[ 0.,  2.],
           [inf,  0.]])
    """
    del overwrite  # the input is never written to
    if method not in ("auto", "D", "BF"):
        raise ValueError('method must be "auto", "D" or "BF"')
    negative = False
    if not isinstance(csgraph, Graph) and method != "D" and not unweighted:
        weights = arcs_of(csgraph)[2]
        negative = bool(weights.size and weights.min() < 0)
    if method == "BF" or negative:
        return bellman_ford(csgraph, directed, indices, return_predecessors, unweighted)
    return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
