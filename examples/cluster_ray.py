"""A sort of more than one machine holds, by Ray: as cluster_dask.py, with tasks that return their pieces to
Ray's object store. `python cluster_ray.py` starts two workers on this machine; ray.init(address="auto") takes
a cluster."""
# SPDX-License-Identifier: MIT
import numpy as np
import ray
import upsweep

PARTS = 4


@ray.remote
def load(i):
    return np.random.default_rng(i).lognormal(size=100_000)


@ray.remote
def sample(x):
    return x[:: max(1, len(x) // 2000)], len(x)


@ray.remote(num_returns=PARTS)
def split(x, cuts):
    return upsweep.split_at(x, cuts)


@ray.remote
def sort_part(*pieces):
    return upsweep.sort(np.concatenate(pieces))


def main():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    partitions = [load.remote(i) for i in range(8)]
    samples, counts = zip(*ray.get([sample.remote(p) for p in partitions]))
    cuts = ray.put(upsweep.splitters(list(samples), PARTS, counts=counts))
    pieces = [split.remote(p, cuts) for p in partitions]
    in_order = [sort_part.remote(*(piece[k] for piece in pieces)) for k in range(PARTS)]
    whole = np.concatenate(ray.get(in_order))
    wanted = np.sort(np.concatenate(ray.get(partitions)))
    print("ray:", len(whole), "numbers", "as numpy sorts it" if np.array_equal(whole, wanted) else "WRONG")
    ray.shutdown()


if __name__ == "__main__":
    main()
