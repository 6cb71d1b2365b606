"""upsweep: sorts, scans, reductions, selection and shortest paths, in parallel, on arrays of
numpy, torch, cupy, polars, pyarrow and all that offers DLPack, the CUDA array interface, Arrow's C
data interface or the buffer protocol. What comes in comes out, and nothing is copied that need not
be.

>>> import numpy as np, upsweep
>>> upsweep.sort(np.array([3.0, 1.0, 2.0]))
array([1., 2., 3.])

Sorting      sort argsort sort_pairs lexsort sort_records sort_rows partition argpartition top_k
             unique run_lengths searchsorted merge is_sorted
Folding      sum prod min max minmax argmin argmax bitwise_and bitwise_or bitwise_xor
             cumsum cumprod cummin cummax scan histogram bincount
Moving       split compress split_by_id take take_rows put permute reverse
Graphs       Graph dijkstra shortest_path bellman_ford
Clusters     splitters split_at, and the module upsweep.mpi
Looking      trace view explain algorithms last_report machine set_threads
             wait trim
Learning     the module upsweep.lanes, for the tasks of `python -m upsweep learn`

NaN comes last, ascending or descending; -0 comes before +0; sorts that carry positions or values
are stable; sums of floats are the same bits on any machine and for any number of threads. Errors
are exceptions with the library's sentence, and an output counts only where there was none.

Calls release the GIL. Each thread of Python has a handle of its own for each device, made on
demand; a child process makes its own.
"""
# SPDX-License-Identifier: MIT
from . import _core
from ._about import *  # noqa: F401,F403
from ._about import __all__ as _about_names
from ._clusters import *  # noqa: F401,F403
from ._clusters import __all__ as _clusters_names
from ._counting import *  # noqa: F401,F403
from ._counting import __all__ as _counting_names
from ._csgraph import *  # noqa: F401,F403
from ._csgraph import __all__ as _csgraph_names
from ._folding import *  # noqa: F401,F403
from ._folding import __all__ as _folding_names
from ._graph import *  # noqa: F401,F403
from ._graph import __all__ as _graph_names
from ._moving import *  # noqa: F401,F403
from ._moving import __all__ as _moving_names
from ._scanning import *  # noqa: F401,F403
from ._scanning import __all__ as _scanning_names
from ._selecting import *  # noqa: F401,F403
from ._selecting import __all__ as _selecting_names
from ._sorting import *  # noqa: F401,F403
from ._sorting import __all__ as _sorting_names

__version__ = _core.version
__all__ = [*_sorting_names, *_selecting_names, *_folding_names, *_scanning_names, *_counting_names, *_moving_names,
           *_graph_names, *_csgraph_names, *_clusters_names, *_about_names]
