"""A sort of more than one machine holds, by Dask: each worker samples its partitions, upsweep.splitters says
where to cut, every partition is cut by upsweep.split_at, and each part is sorted where it comes together.
`python cluster_dask.py` starts two workers on this machine; Client("scheduler:8786") takes yours."""
# SPDX-License-Identifier: MIT
import numpy as np
import upsweep
from dask import delayed
from distributed import Client


def load(i):
    """Partition i: here made up, else read from where it lies."""
    return np.random.default_rng(i).lognormal(size=100_000)


def sample(x):
    return x[:: max(1, len(x) // 2000)], len(x)


def sort_part(*pieces):
    return upsweep.sort(np.concatenate(pieces))


def main():
    parts = 4
    with Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        partitions = client.persist([delayed(load)(i) for i in range(8)])
        samples, counts = zip(*client.gather(client.compute([delayed(sample)(p) for p in partitions])))
        cuts = upsweep.splitters(list(samples), parts, counts=counts)
        pieces = [delayed(upsweep.split_at, nout=parts)(p, cuts) for p in partitions]
        in_order = [delayed(sort_part)(*(piece[k] for piece in pieces)) for k in range(parts)]
        whole = np.concatenate(client.gather(client.compute(in_order)))
        wanted = np.sort(np.concatenate([load(i) for i in range(8)]))
        print("dask:", len(whole), "numbers", "as numpy sorts it" if np.array_equal(whole, wanted) else "WRONG")


if __name__ == "__main__":
    main()
