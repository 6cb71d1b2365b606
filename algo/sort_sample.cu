/* sort_sample.cu - sample sort, CUDA form.
 *
 * Same as the explained form: a sample is sorted, its keys at equal distances are splitters, each
 * key finds its bucket by halving among the splitters, keys are counted, counts scanned, keys
 * scattered, buckets sorted by themselves.
 * Differs: a bucket that fits shared memory is sorted there by a bitonic network; a larger one is
 * sample-sorted again, on the next level. The number of levels for uniform inputs follows from n;
 * three more are queued for buckets that stay too large. All is decided on the device: a level
 * works on a list of buckets, which is empty as a rule in the levels beyond. Buckets that are too
 * large after all levels are sorted by one block each, slowly. A bucket of one value is only
 * copied.
 *
 * Shape    choose_splitters: block 256, shared samples (up to 64 KB); a block a bucket.
 *          place_tiles: one block of 1024, shared 256 bytes.
 *          count_keys, scatter: block 256, shared up to 14 KB; a block a tile of 4096 keys.
 *          scan_counts: block 256, shared 64 bytes; a block a bucket.
 *          sort_buckets: block 256, shared 32 KB; a block a new bucket.
 *          Grids have at most 8 blocks a multiprocessor, which take one bucket or tile after the
 *          other.
 * Traffic  a level reads each key twice and writes it once; the buckets' sort reads and writes once
 *          more. One level up to 2^19 keys of 32 bits, two up to 2^28.
 * Source   W. D. Frazer, A. C. McKellar, Samplesort, JACM 1970; N. Leischner, V. Osipov, P.
 *          Sanders, GPU sample sort, IPDPS 2010. */
/* SPDX-License-Identifier: MIT */
#include "gpu/block/scan.cuh"
#include "gpu/textbook/sample_splitters.cuh"

namespace
{

/* One level: the buckets it splits, and what becomes of them. Row r of splitters and ends belongs
 * to bucket r. */
template <typename E> struct level {
    const E *from;
    E *to, *keys;          /* keys: where sorted buckets go, `from` or `to` */
    unsigned buckets;      /* a bucket is split into: a power of two */
    const unsigned *count; /* of the buckets */
    const range *list;
    unsigned *next_count; /* of the buckets that stay too large, which are the next level's */
    range *next_list;
    E *splitters;               /* [count][buckets]: the last of a row is not used */
    unsigned long long *ends;   /* [count][buckets] counts, places, at last ends of new buckets */
    unsigned long long *before; /* [count + 1] tiles before each bucket's */
};

/* ---- splitters ---- */

template <typename E>
__global__ void __launch_bounds__(tuning::threads) choose_splitters(level<E> l, unsigned samples)
{
    USW_DYNAMIC_SHARED(E, sample);
    for (unsigned r = blockIdx.x; r < *l.count; r += gridDim.x) {
        const range bucket = l.list[r];
        const size_t row = static_cast<size_t>(r) * l.buckets;
        usw_choose_splitters(l.from + bucket.begin, bucket.end - bucket.begin, sample, samples,
                             l.splitters + row, l.buckets);
        for (unsigned b = threadIdx.x; b < l.buckets; b += blockDim.x) {
            l.ends[row + b] = 0;
        }
    }
}

/* ---- tiles: no tile has keys of two buckets ---- */

template <typename E>
__global__ void __launch_bounds__(tuning::place_threads) place_tiles(level<E> l)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [tuning::place_threads / 32]);
    unsigned long long before = 0, all;
    for (unsigned first = 0; first < *l.count; first += blockDim.x) {
        const unsigned r = first + threadIdx.x;
        unsigned long long tiles = 0;
        if (r < *l.count) {
            tiles = (l.list[r].end - l.list[r].begin + tuning::tile - 1) / tuning::tile;
        }
        const unsigned long long inside = usw_block_exclusive_scan(tiles, sums, &all);
        if (r < *l.count) {
            l.before[r] = before + inside;
        }
        before += all;
    }
    if (threadIdx.x == 0) {
        l.before[*l.count] = before;
    }
}

/* The bucket that tile t is of: the last with before <= t. */
template <typename E>
__device__ __forceinline__ unsigned bucket_of_tile(const level<E> &l, unsigned long long t)
{
    unsigned least = 0, most = *l.count - 1;
    while (least < most) {
        const unsigned middle = most - (most - least) / 2;
        if (l.before[middle] <= t) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    return least;
}

/* What a block knows of its tile: the keys [begin, end) and their bucket's row. */
struct tile {
    size_t begin, end, row;
};

/* All lanes of the block; the splitters come to shared memory, and the counts are cleared. */
template <typename E>
__device__ __forceinline__ tile open_tile(const level<E> &l, unsigned long long t, E *splitters,
                                          unsigned *counts)
{
    const unsigned r = bucket_of_tile(l, t);
    const size_t row = static_cast<size_t>(r) * l.buckets;
    const size_t begin = l.list[r].begin + (t - l.before[r]) * tuning::tile;
    const size_t end = begin + tuning::tile < l.list[r].end ? begin + tuning::tile : l.list[r].end;
    __syncthreads(); /* the tile before needs its splitters no more */
    for (unsigned b = threadIdx.x; b < l.buckets; b += blockDim.x) {
        counts[b] = 0;
        if (b + 1 < l.buckets) {
            splitters[b] = l.splitters[row + b];
        }
    }
    __syncthreads();
    return {begin, end, row};
}

template <typename E> __global__ void __launch_bounds__(tuning::threads) count_keys(level<E> l)
{
    USW_SHARED_ARRAY(E, splitters, [tuning::buckets_most]);
    USW_SHARED_ARRAY(unsigned, counts, [tuning::buckets_most]);
    const unsigned long long tiles = l.before[*l.count];
    for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
        const tile at = open_tile<E>(l, t, splitters, counts);
        for (size_t i = at.begin + threadIdx.x; i < at.end; i += tuning::threads) {
            atomicAdd(&counts[usw_find_bucket<E>(splitters, l.buckets, l.from[i])], 1u);
        }
        __syncthreads();
        for (unsigned b = threadIdx.x; b < l.buckets; b += blockDim.x) {
            if (counts[b] != 0) {
                atomicAdd(&l.ends[at.row + b], static_cast<unsigned long long>(counts[b]));
            }
        }
    }
}

/* Counts become the places where the new buckets begin. */
template <typename E> __global__ void __launch_bounds__(tuning::threads) scan_counts(level<E> l)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [tuning::threads / 32]);
    for (unsigned r = blockIdx.x; r < *l.count; r += gridDim.x) {
        const size_t row = static_cast<size_t>(r) * l.buckets;
        unsigned long long before = l.list[r].begin, all;
        for (unsigned first = 0; first < l.buckets; first += blockDim.x) {
            const unsigned b = first + threadIdx.x;
            const unsigned long long count = b < l.buckets ? l.ends[row + b] : 0;
            const unsigned long long inside = usw_block_exclusive_scan(count, sums, &all);
            if (b < l.buckets) {
                l.ends[row + b] = before + inside;
            }
            before += all;
        }
    }
}

/* A tile's keys of one bucket go to one stretch, reserved by moving the bucket's end. */
template <typename E> __global__ void __launch_bounds__(tuning::threads) scatter(level<E> l)
{
    USW_SHARED_ARRAY(E, splitters, [tuning::buckets_most]);
    USW_SHARED_ARRAY(unsigned, counts, [tuning::buckets_most]);
    USW_SHARED_ARRAY(unsigned long long, places, [tuning::buckets_most]);
    const unsigned long long tiles = l.before[*l.count];
    for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
        const tile at = open_tile<E>(l, t, splitters, counts);
        unsigned bucket[tuning::tile_rounds], rank[tuning::tile_rounds];
#pragma unroll
        for (unsigned k = 0; k < tuning::tile_rounds; k++) {
            const size_t i = at.begin + k * tuning::threads + threadIdx.x;
            if (i < at.end) {
                bucket[k] = usw_find_bucket<E>(splitters, l.buckets, l.from[i]);
                rank[k] = atomicAdd(&counts[bucket[k]], 1u);
            }
        }
        __syncthreads();
        for (unsigned b = threadIdx.x; b < l.buckets; b += blockDim.x) {
            if (counts[b] != 0) {
                places[b] =
                    atomicAdd(&l.ends[at.row + b], static_cast<unsigned long long>(counts[b]));
            }
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < tuning::tile_rounds; k++) {
            const size_t i = at.begin + k * tuning::threads + threadIdx.x;
            if (i < at.end) {
                l.to[places[bucket[k]] + rank[k]] = l.from[i];
            }
        }
    }
}

/* ---- new buckets ---- */

/* All lanes: sorts keys of `from` that fit a block to their final places. */
template <typename E>
__device__ __forceinline__ void sort_bucket(const E *from, E *keys, range bucket, E *buffer)
{
    const unsigned n = static_cast<unsigned>(bucket.end - bucket.begin);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        buffer[i] = from[bucket.begin + i];
    }
    __syncthreads();
    usw_bitonic_sort(buffer, n);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        keys[bucket.begin + i] = buffer[i];
    }
    __syncthreads();
}

template <typename E>
__device__ __forceinline__ void copy_bucket(const E *from, E *keys, range bucket)
{
    for (size_t i = bucket.begin + threadIdx.x; from != keys && i < bucket.end; i += blockDim.x) {
        keys[i] = from[i];
    }
}

/* Sorts those that fit, lists the others for the next level. */
template <typename E> __global__ void __launch_bounds__(tuning::threads) sort_buckets(level<E> l)
{
    USW_SHARED_ARRAY(E, buffer, [bucket_most<E>]);
    const size_t all = static_cast<size_t>(*l.count) * l.buckets;
    for (size_t c = blockIdx.x; c < all; c += gridDim.x) {
        const size_t r = c / l.buckets;
        const unsigned b = static_cast<unsigned>(c % l.buckets);
        const range bucket = {b == 0 ? l.list[r].begin : l.ends[c - 1], l.ends[c]};
        if (bucket.begin == bucket.end) {
            continue;
        }
        if (usw_one_value(l.splitters + r * l.buckets, l.buckets, b)) {
            copy_bucket<E>(l.to, l.keys, bucket);
        } else if (bucket.end - bucket.begin <= bucket_most<E>) {
            sort_bucket<E>(l.to, l.keys, bucket, buffer);
        } else if (threadIdx.x == 0) {
            l.next_list[atomicAdd(l.next_count, 1u)] = bucket;
        }
    }
}

/* Sorts the buckets that are too large after the last level. */
template <typename E>
__global__ void __launch_bounds__(tuning::threads) sort_large_buckets(level<E> l)
{
    for (unsigned r = blockIdx.x; r < *l.next_count; r += gridDim.x) {
        const range bucket = l.next_list[r];
        usw_bitonic_sort(l.to + bucket.begin, static_cast<size_t>(bucket.end - bucket.begin));
        copy_bucket<E>(l.to, l.keys, bucket);
    }
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads)
    begin_levels(unsigned *counts, range *list, size_t n)
{
    if (threadIdx.x <= tuning::levels_most) {
        counts[threadIdx.x] = threadIdx.x == 0 ? 1 : 0;
    }
    if (threadIdx.x == 0) {
        *list = {0, n};
    }
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads) sort_one_block(E *keys, size_t n)
{
    USW_SHARED_ARRAY(E, buffer, [bucket_most<E>]);
    sort_bucket<E>(keys, keys, {0, n}, buffer);
}

/* ---- the whole ---- */

template <typename E> void split_level(usw_gpu *g, const level<E> &l, size_t n, size_t count_most)
{
    const size_t most = static_cast<size_t>(g->sms) * tuning::blocks;
    const auto grid = [=](size_t work) { return static_cast<unsigned>(work < most ? work : most); };
    const size_t tiles = n / tuning::tile + count_most, by_bytes = tuning::sample_bytes / sizeof(E);
    size_t samples = static_cast<size_t>(l.buckets) * tuning::oversampling;
    samples = samples < by_bytes ? samples : by_bytes;
    const unsigned rows = grid(count_most);
    const unsigned place = count_most < tuning::place_threads
                               ? static_cast<unsigned>(count_most + 31) / 32 * 32
                               : tuning::place_threads;
    USW_LAUNCH(g, choose_splitters<E>, rows, tuning::threads, samples * sizeof(E), l,
               static_cast<unsigned>(samples));
    USW_LAUNCH(g, place_tiles<E>, 1, place, 0, l);
    USW_LAUNCH(g, count_keys<E>, grid(tiles), tuning::threads, 0, l);
    USW_LAUNCH(g, scan_counts<E>, rows, tuning::threads, 0, l);
    USW_LAUNCH(g, scatter<E>, grid(tiles), tuning::threads, 0, l);
    USW_LAUNCH(g, sort_buckets<E>, grid(count_most * l.buckets), tuning::threads, 0, l);
}

struct elements {
    template <typename E> static upsweep_status sort(usw_gpu *g, E *keys, size_t n)
    {
        if (n <= bucket_most<E>) {
            return USW_LAUNCH(g, sort_one_block<E>, 1, tuning::threads, 0, keys, n);
        }
        const plan p = plan_for(n, bucket_most<E>);
        sort_scratch<E> w;
        if (!take_scratch(g, p, n, &w)) {
            return g->status;
        }
        USW_LAUNCH(g, begin_levels<E>, 1, tuning::threads, 0, w.counts, w.lists[0], n);
        level<E> l = {};
        for (unsigned i = 0; i < p.levels && g->status == UPSWEEP_OK; i++) {
            l = {i % 2 != 0 ? w.other : keys,
                 i % 2 != 0 ? keys : w.other,
                 keys,
                 p.buckets[i],
                 w.counts + i,
                 w.lists[i % 2],
                 w.counts + i + 1,
                 w.lists[(i + 1) % 2],
                 w.splitters,
                 w.ends,
                 w.before};
            split_level(g, l, n, p.count_most[i]);
        }
        return USW_LAUNCH(g, sort_large_buckets<E>, g->sms, tuning::threads, 0, l);
    }
};

} // namespace

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_sample_cuda) = {
    usw_gpu_sort_elements<elements>, usw_gpu_pairs_elements<elements>, 0, false, false};
