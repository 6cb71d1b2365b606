"""Graphs and shortest paths."""
# SPDX-License-Identifier: MIT
import os

import numpy as np

from . import _core
from ._arrays import host
from ._dtypes import DTYPES
from ._program import program

__all__ = ["Graph", "NegativeCycleError"]

UNDIRECTED, SYMMETRIC, NEGATIVE = 1 << 16, 1 << 17, 1 << 18
NO_VERTEX = 2**32 - 1


class NegativeCycleError(ValueError):
    """A cycle of negative length can be reached; `cycle` has its vertices."""

    def __init__(self, cycle):
        super().__init__(f"a cycle of negative length can be reached: {cycle.tolist()[:20]}")
        self.cycle = cycle

    def __reduce__(self):  # to another process it goes by its cycle
        return type(self), (self.cycle,)


def _ids(x, what):
    ids = host(x)
    if ids.size == 0:
        return np.empty(0, np.uint32)
    if ids.dtype.kind not in "iu" or ids.ndim != 1:
        raise TypeError(f"{what} must be integers, in one dimension")
    if int(ids.min()) < 0 or int(ids.max()) > NO_VERTEX - 1:
        raise IndexError(f"{what} has an id that is not in 0 .. {NO_VERTEX - 1}")
    return np.ascontiguousarray(ids, np.uint32)


def _weights(weight, negative):
    if weight is None:
        return None
    w = host(weight)
    if w.ndim != 1 or w.dtype.kind not in "biuf":
        raise TypeError("weights must be numbers, in one dimension")
    if w.dtype in (np.uint32, np.uint64, np.float32, np.float64):
        return w
    if w.dtype in (np.int32, np.int64) and negative:
        return w
    if w.dtype.kind == "f":
        return w.astype(np.float32)
    if w.size and int(w.min()) < 0:
        if negative:
            return w.astype(np.int64)
        raise ValueError("a weight is negative: negative=True makes a graph for bellman_ford")
    return w.astype(np.uint32 if w.size == 0 or int(w.max()) < 2**32 - 1 else np.uint64)


class Graph:
    """A graph of arcs with weights that are not negative. It is made once and never changes; any
    number of threads may ask it at once.

    tail, head : integers of shape (m,): arc i goes from tail[i] to head[i].
    weight : numbers of shape (m,); None: every arc counts 1. Distances are of its type: uint32,
    uint64, float32 or float64 (other types become one of these).
    vertices : how many; None: one more than the greatest id.
    directed : False: every arc also goes from its head to its tail.
    symmetric : the arcs as given hold every edge in both directions, which is checked.
    negative : weights may be negative, for `bellman_ford`.

    Raises ValueError that names the arc for a negative weight or NaN, IndexError for an id.

    >>> import numpy as np, upsweep
    >>> g = upsweep.Graph([0, 1, 0], [1, 2, 2], [1.0, 2.0, 5.0])
    >>> g.distances(0)
    array([0., 1., 3.])
    """

    __slots__ = ("_graph", "info", "__weakref__")

    def __init__(self, tail, head, weight=None, vertices=None, *, directed=True, symmetric=False, negative=False):
        tail, head = _ids(tail, "tail"), _ids(head, "head")
        if vertices is None:
            vertices = int(max(tail.max(initial=0), head.max(initial=0))) + 1 if tail.size else 0
        flags = (0 if directed else UNDIRECTED) | (SYMMETRIC if symmetric else 0) | (NEGATIVE if negative else 0)
        self._made(_core.graph_from_arcs(vertices, tail, head, _weights(weight, negative), flags))

    def _made(self, graph):
        self._graph = graph
        self.info = _core.graph_describe(graph)
        return self

    @classmethod
    def from_rows(cls, begin, head, weight=None, *, directed=True, symmetric=False, negative=False):
        """From compressed rows: the arcs of vertex v are begin[v] .. begin[v + 1] - 1."""
        flags = (0 if directed else UNDIRECTED) | (SYMMETRIC if symmetric else 0) | (NEGATIVE if negative else 0)
        rows = host(begin)
        if rows.dtype.kind not in "iu" or rows.ndim != 1:
            raise TypeError("begin must be integers, in one dimension")
        rows = np.ascontiguousarray(rows, np.uint64)
        made = _core.graph_from_rows(rows, _ids(head, "head"), _weights(weight, negative), flags)
        return object.__new__(cls)._made(made)

    @classmethod
    def from_scipy(cls, matrix, *, directed=True, unweighted=False, negative=False):
        """From a sparse matrix or array of scipy (any format), where NaN means no arc, or a dense array
        where 0, inf and NaN do, as scipy.sparse.csgraph has it. Undirected: the lesser of both weights.

        Weights become f64; or uint32, which is faster, if all are whole and so small that every
        distance fits."""
        found = _rows_of(matrix)
        rows, columns, weights, n = arcs_of(matrix, unweighted) if found is None else found
        if not negative and weights.size and 0 <= weights.min() and weights.max() * n < NO_VERTEX:
            whole = weights.astype(np.uint32)
            weights = whole if (weights == whole).all() else weights
        weights = None if unweighted else weights
        if found is not None:
            return cls.from_rows(rows, columns, weights, directed=directed, negative=negative)
        return cls(rows, columns, weights, n, directed=directed, negative=negative)

    @classmethod
    def from_networkx(cls, graph, weight="weight"):
        """From a graph of networkx; arcs without the attribute count 1. Returns (graph, nodes),
        where nodes[v] is the node of vertex v."""
        nodes = list(graph.nodes)
        number = {node: v for v, node in enumerate(nodes)}
        arcs = [(number[a], number[b], w) for a, b, w in graph.edges(data=weight, default=1)]
        tail, head, weights = zip(*arcs) if arcs else ((), (), ())
        costs = np.array(weights)
        costs = costs.astype(np.float64) if costs.dtype == object else costs  # fractions, large integers
        made = cls(np.array(tail, np.uint32), np.array(head, np.uint32),
                   costs if arcs else None, len(nodes), directed=graph.is_directed())
        return made, nodes

    @classmethod
    def from_file(cls, path, *options):
        """From a file of any format that the program reads: DIMACS, Matrix Market, edge lists,
        tables, GAP's, upsweep's own .usg, also compressed by gzip or zstd.

        options : those of `upsweep graph convert`, as "--columns", "from,to,cost".

        Raises ValueError with the program's sentence, which names file, line and cause."""
        import subprocess  # these two take longer to import than all the rest
        import tempfile
        with tempfile.TemporaryDirectory(prefix="upsweep-") as folder:
            name = os.path.join(folder, "graph.usg")
            made = subprocess.run([program(), "graph", "convert", os.fspath(path), "--to", "usg", "-o", name, *options],
                                  check=False, capture_output=True, text=True)
            if made.returncode != 0:
                raise ValueError(made.stderr.strip())
            return cls._from_usg(np.fromfile(name, np.uint8))

    @classmethod
    def _from_usg(cls, data):
        """The sections of io/graph_usg.c behind a header of 64 bytes."""
        n, m = (int(v) for v in data[16:32].view(np.uint64))
        kind, flags = (int(v) for v in data[32:40].view(np.uint32))
        at = 64
        begin = data[at:at + 8 * (n + 1)].view(np.uint64)
        at += -(-begin.nbytes // 64) * 64
        head = data[at:at + 4 * m].view(np.uint32)
        at += -(-head.nbytes // 64) * 64
        weight = None
        if kind:
            dtype = DTYPES[kind]
            weight = data[at:at + m * dtype.itemsize].view(dtype)
        return cls.from_rows(begin, head, weight, directed=not flags & 1, symmetric=bool(flags & 16))

    @property
    def vertices(self):
        """How many vertices there are."""
        return self.info["vertices"]

    @property
    def arcs(self):
        """How many arcs are stored; undirected ones count twice."""
        return self.info["arcs"]

    @property
    def dtype(self):
        """The dtype of distances."""
        return DTYPES[self.info["distance_type"]]

    def __repr__(self):
        return f"<upsweep.Graph of {self.vertices} vertices and {self.arcs} arcs, {self.dtype}>"

    def __copy__(self):
        return self  # it never changes

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError("a Graph cannot be pickled: make it anew in each process, from its arcs or a file")

    def _sources(self, sources):
        if type(sources) is int and 0 <= sources < self.vertices:
            return np.array((sources,), np.uint32)
        given = _ids(np.atleast_1d(sources), "sources")
        if given.size and int(given.max()) >= self.vertices:
            raise IndexError(f"vertex {int(given.max())} is not in 0 .. {self.vertices - 1}" if self.vertices
                             else f"there is no vertex {int(given.max())}: the graph is empty")
        return given

    def distances(self, sources, *, parents=False, targets=None, cutoff=None, algorithm=None):
        """Lengths of the shortest paths from the nearest of the sources to every vertex.

        sources : a vertex or several; targets : the search stops when all of them have their
        distance; cutoff : what lies farther counts as not reached; algorithm : "path/bucket", ...

        Returns an array of `dtype`, or (distances, parents). What is not reached has infinity, or
        the greatest value of an integer type; parents are uint32, 2^32 - 1 for none.

        Raises IndexError for a vertex, ValueError, OverflowError where a distance does not fit.
        """
        distance = np.empty(self.vertices, self.dtype)
        parent = np.empty(self.vertices, np.uint32) if parents else None
        self._search(sources, distance, parent, targets, cutoff, algorithm)
        return (distance, parent) if parents else distance

    def _search(self, sources, distance, parent=None, targets=None, cutoff=None, algorithm=None):
        limit = None if cutoff is None else self._limit(cutoff)
        goals = None if targets is None else self._sources(targets)
        given = self._sources(sources)
        if self.vertices:
            self._find(_core.paths, given, distance, parent, limit, goals, (algorithm or "").encode())

    def _find(self, call, *arguments):
        try:
            call(self._graph, *arguments)
        except IndexError as error:  # of the library's range: what is no distance
            if "negative weights" in str(error):
                raise ValueError("the graph was made for negative weights: use its bellman_ford") from None
            raise OverflowError(str(error)) from None

    def _limit(self, cutoff):
        top = np.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).max
        if cutoff != cutoff or cutoff < 0:
            raise ValueError("a cutoff is not negative, and not NaN")
        if cutoff >= top:
            return None
        return np.array([cutoff]).astype(self.dtype)

    def distance_matrix(self, sources, *, parents=False, cutoff=None):
        """A row for each source: array of shape (sources, vertices), or that and the parents."""
        given = self._sources(sources)
        shape = (given.size, self.vertices)
        distance = np.empty(shape, self.dtype)
        parent = np.empty(shape, np.uint32) if parents else None
        if distance.size:
            self._find(_core.paths_matrix, given, distance, parent, None if cutoff is None else self._limit(cutoff))
        return (distance, parent) if parents else distance

    def bellman_ford(self, sources):
        """(distances, parents) where weights may be negative; NegativeCycleError has the cycle."""
        distance = np.empty(self.vertices, self.dtype)
        parent = np.empty(self.vertices, np.uint32)
        cycle = np.empty(self.vertices, np.uint32)
        if self.vertices:
            length = _core.bellman_ford(self._graph, self._sources(sources), distance, parent, cycle)
            if length:
                raise NegativeCycleError(cycle[:length])
        return distance, parent

    @staticmethod
    def path(parents, target):
        """The vertices of the path to target, its source first, by the parents of a query."""
        parent = np.require(parents, np.uint32, "CA")
        if not 0 <= target < parent.size:
            raise IndexError(f"vertex {target} is not in 0 .. {parent.size - 1}")
        path = np.empty(parent.size, np.uint32)
        try:
            return path[:_core.path_of(parent, target, path)].copy()
        except IndexError:
            raise IndexError("parents run in a circle, or one of them is no vertex") from None


def _rows_of(matrix):
    """(begin, columns, f64 weights, vertices) of a matrix that has them as they are wanted: in compressed rows,
    square, of real numbers and no NaN. None: arcs_of is for it."""
    if getattr(matrix, "format", "") != "csr" or len(set(matrix.shape)) != 1 or len(matrix.shape) != 2 \
            or matrix.dtype.kind == "c":
        return None
    weights = np.asarray(matrix.data[:matrix.nnz], np.float64)
    if weights.size and weights.min() != weights.min():
        return None
    return matrix.indptr, matrix.indices[:matrix.nnz], weights, matrix.shape[0]


def arcs_of(matrix, unweighted=False):
    """(rows, columns, f64 weights, vertices) as scipy.sparse.csgraph sees a matrix, to which a path over
    NaN is no shorter one."""
    if getattr(getattr(matrix, "dtype", None), "kind", None) == "c":
        raise TypeError("weights must be numbers that can be compared, not complex ones")
    if hasattr(matrix, "tocoo"):  # of COO elements at one place are one, their sum
        coo = (matrix.tocsr() if matrix.format == "coo" else matrix).tocoo()
        rows, columns, weights = coo.row, coo.col, np.asarray(coo.data, np.float64)
        n, width = coo.shape
        if not unweighted and np.isnan(weights).any():
            known = ~np.isnan(weights)
            rows, columns, weights = rows[known], columns[known], weights[known]
    else:
        dense = np.asarray(matrix.filled(0) if isinstance(matrix, np.ma.MaskedArray) else matrix, np.float64)
        if dense.ndim != 2:
            raise ValueError("compressed-sparse graph must be 2-D")
        n, width = dense.shape
        rows, columns = np.nonzero(np.isfinite(dense) & (dense != 0))
        weights = dense[rows, columns]
    if n != width:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return rows, columns, weights, n
