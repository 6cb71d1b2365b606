/* 5_sort.cuh - step 5 of the bucket sort: each bucket is sorted in shared memory by the bits that
 * the scatters left undecided.
 *
 * A block takes a bucket. split: a counting split by the next bits, about as many bins as keys; the
 * returned atomic is a key's rank in its bin. Then rounds of odd-even transposition, in registers:
 * a thread takes its keys and R more on either side, so R rounds put every bin of up to R keys in
 * order. A bucket with a bin of many more (uneven keys) is sorted by digits instead, or by merging
 * where its keys differ in more than two digits; one of few keys by comparing all with all. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_SORT_CUH
#define USW_GPU_BUCKET_SORT_5_SORT_CUH

#include "gpu/block/bins_by_warps.cuh"
#include "gpu/block/rounds.cuh"
#include "gpu/block/sort_digits.cuh"
#include "gpu/block/sort_merge.cuh"
#include "gpu/bucket_sort/5_buckets.cuh"
#include "gpu/bucket_sort/6_large_lists.cuh"
#include "gpu/prefix_tree/write_values.cuh"

/* ---- a bucket ---- */

/* Shared memory: 64 words, the keys, and the bins. */
template <typename K> constexpr size_t hybrid_local_shared(int threads, int keys, int b)
{
    return 256 + size_t(threads) * keys * sizeof(K) + (size_t(4) << b);
}

enum { HYBRID_EVEN, HYBRID_UNEVEN, HYBRID_FULL, HYBRID_CROWDED, HYBRID_CROWD = 32 };

/* The bins of a split for usw_sort_bins_by_warps, whose begins are counted in `unit`. digit(key):
 * four times its bin. */
template <typename K, typename Digit> struct hybrid_split_bins {
    K *tile;
    unsigned *bins, m, last, unit;
    Digit digit;
    __device__ __forceinline__ K &item(unsigned p) const
    {
        return tile[p];
    }
    __device__ __forceinline__ static K order(K key)
    {
        return key;
    }
    __device__ __forceinline__ bool falls(unsigned p) const
    {
        return tile[p] < tile[p - 1];
    }
    __device__ __forceinline__ unsigned of(unsigned p) const
    {
        return digit(tile[p]) / 4;
    }
    __device__ __forceinline__ unsigned begin(unsigned bin) const
    {
        return (bins[bin] & ~0u >> 1) / unit;
    }
    __device__ __forceinline__ unsigned end(unsigned bin) const
    {
        return bin == last ? m : begin(bin + 1);
    }
    __device__ __forceinline__ bool mark(unsigned bin) const
    {
        return atomicOr(&bins[bin], 1u << 31) >> 31 != 0;
    }
};

/* A place in a tile is counted in so many bytes where these are less than 2^16. */
template <typename K, int keys>
static constexpr unsigned hybrid_split_unit = keys * sizeof(K) < 65536 ? sizeof(K) : 1;

/* Puts split keys in order where few bins are not, as usw_sort_bins_by_warps. */
template <typename K, int NT, int I, int B, typename Digit>
__device__ __noinline__ bool hybrid_settle_bins(K *tile, unsigned m, unsigned *sums, unsigned *bins,
                                                Digit digit)
{
    return usw_sort_bins_by_warps<NT>(m, sums,
                                      hybrid_split_bins<K, Digit>{tile, bins, m, (1u << B) - 1,
                                                                  hybrid_split_unit<K, NT * I>,
                                                                  digit});
}

/* Splits m keys into bins, in tile. Returns HYBRID_UNEVEN if some bin has more than R keys,
 * HYBRID_FULL if it has twice as many, and HYBRID_CROWDED if it has more than HYBRID_CROWD; then
 * tile is as it was, unless `crowds`. own: where this thread's first key is; its others follow NT
 * apart. digit(key): four times the bin. complete: the keys of a bin are equal. */
template <typename K, int NT, int I, int B, int R, bool crowds, typename Digit>
__device__ __forceinline__ int hybrid_split(const K (&k)[I], unsigned own, unsigned m, K *tile,
                                            unsigned *bins, unsigned *sums, const Digit &digit,
                                            bool complete = false)
{
    constexpr unsigned unit = hybrid_split_unit<K, NT * I>;
    unsigned r[I], most = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (own + i * NT < m) {
            r[i] = atomicAdd(hybrid_byte<unsigned>(bins, digit(k[i])), unit);
            most = most > r[i] ? most : r[i];
        }
    }
    const bool uneven = __syncthreads_or(most >= R * unit && !complete);
    const bool crowded = uneven && __syncthreads_or(most >= HYBRID_CROWD * unit);
    if (crowded && !crowds) {
        return HYBRID_CROWDED;
    }
    hybrid_scan_bins<NT, 1 << B>(bins, sums);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (own + i * NT < m) {
            unsigned at = *hybrid_byte<unsigned>(bins, digit(k[i])) + r[i];
            *hybrid_byte<K>(tile, at * (sizeof(K) / unit)) = k[i];
        }
    }
    for (unsigned p = m + threadIdx.x; p < NT * I; p += NT) {
        tile[p] = static_cast<K>(~K(0));
    }
    __syncthreads();
    return crowded                                            ? HYBRID_CROWDED
           : !uneven                                          ? HYBRID_EVEN
           : crowds && __syncthreads_or(most >= 2 * R * unit) ? HYBRID_FULL
                                                              : HYBRID_UNEVEN;
}

/* Sorts m keys with crowded bins, from data to tile, by digits or by merging. */
template <typename K, int NT, int I>
__device__ __forceinline__ void hybrid_sort_crowded(const K *data, unsigned m, K *tile,
                                                    unsigned *bins, unsigned *sums)
{
    if constexpr (NT >= 256) { /* a thread a digit */
        const K differ = hybrid_differ<K, NT>(data, m, sums);
        unsigned digits = 0;
        for (unsigned shift = 0; shift < sizeof(K) * 8; shift += 8) {
            digits += (static_cast<unsigned>(differ >> shift) & 255) != 0;
        }
        if (digits <= 2) {
            hybrid_by_digits<K, NT, I>(data, m, tile, reinterpret_cast<uint16_t *>(bins), sums);
            return;
        }
    }
    hybrid_by_merging<K, NT, I>(data, m, tile);
}

/* Decodes m keys of a tree's bucket to tile, as what they are above its least key. Returns it. */
template <typename K, int NT>
__device__ __forceinline__ const K *hybrid_decode(const K *data, unsigned m,
                                                  const hybrid_decoder<K> &decoder, K *tile)
{
    __syncthreads();
    for (unsigned p = threadIdx.x; p < m; p += NT) {
        tile[p] = decoder.above(data[p]);
    }
    __syncthreads();
    return tile;
}

/* Sorts no more keys than there are threads: each thread counts the keys before its own. */
template <typename K>
__device__ __forceinline__ void hybrid_sort_few_keys(const K *data, K *to, unsigned m,
                                                     const usw_gpu_keymap<K> &map, K *tile,
                                                     const hybrid_decoder<K> &decoder = {})
{
    constexpr unsigned V = hybrid_vector<K>::keys;
    const unsigned tid = threadIdx.x;
    const K k = tid < m ? decoder.key(data[tid]) : K(~K(0));
    if (tid < m + V) {
        tile[tid] = k;
    }
    __syncthreads();
    if (tid < m) {
        unsigned rank = 0;
        for (unsigned p = 0; p < m; p += V) {
            hybrid_vector<K> x;
            x.v = *reinterpret_cast<const uint4 *>(tile + p);
#pragma unroll
            for (unsigned v = 0; v < V; v++) {
                rank += x.k[v] < k || (x.k[v] == k && p + v < tid);
            }
        }
        to[rank] = map.unmap(k);
    }
}

/* What gives four times the bin of a key, of 1 << b: its part of a tree's bucket, or its digit. */
template <bool by_tree>
__device__ __forceinline__ auto hybrid_bin_digit(unsigned key_bits, unsigned left, unsigned fill,
                                                 unsigned b)
{
    if constexpr (by_tree) {
        return hybrid_part_of_range(key_bits, left, fill, b);
    } else {
        return hybrid_digit(left > b ? left - b : 0, 1u << (left < b ? left : b), key_bits);
    }
}

/* Sorts m keys, NT * I - 32 at most, from data to to, which may be data, by their last `left` bits,
 * of which the first B choose a bin; by_tree: they are those of what a key is above its bucket's
 * least, and bins are parts of the range that fills `fill` 256ths of them. buffer:
 * hybrid_local_shared bytes. All threads call. */
template <typename K, int NT, int I, int B, int R, bool by_tree = false>
__device__ __forceinline__ void
hybrid_sort_bucket(const K *data, K *to, unsigned m, unsigned left, const usw_gpu_keymap<K> &map,
                   unsigned char *buffer, const hybrid_decoder<K> &decoder = {},
                   unsigned fill = 256)
{
    constexpr unsigned T = NT * I, S = sizeof(K), few_keys = NT < 256 ? NT - 8 : 248;
    constexpr bool settle = by_tree || S == 8;
    unsigned *sums = reinterpret_cast<unsigned *>(buffer);
    K *tile = reinterpret_cast<K *>(sums + 64);
    static_assert(NT >= few_keys + 16 / S, "a thread a key");
    if (m <= few_keys) {
        hybrid_sort_few_keys<K>(data, to, m, map, tile, decoder);
        return;
    }
    unsigned *bins = reinterpret_cast<unsigned *>(tile + T);
    const auto digit = hybrid_bin_digit<by_tree>(S * 8, left, fill, B);
    /* Warps read and write whole lines: positions own + i * NT, which begin up to 31 keys early. */
    const unsigned own = threadIdx.x - unsigned(reinterpret_cast<uintptr_t>(to) / S) % 32;
    K k[I];
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = own + i * NT < m ? data[static_cast<int>(own) + i * NT] : K(0);
        k[i] = by_tree ? decoder.above(k[i]) : k[i];
    }
#pragma unroll
    for (int w = 0; w < (1 << B) / NT / 4; w++) {
        reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    int found = hybrid_split<K, NT, I, B, R, settle>(k, own, m, tile, bins, sums, digit, left <= B);
    if (found == HYBRID_EVEN) {
        if (left > B) {
            hybrid_rounds<K, NT, I, R>(tile, m);
        }
        __syncthreads();
    } else if (settle && found > HYBRID_UNEVEN &&
               hybrid_settle_bins<K, NT, I, B>(tile, m, sums, bins, digit)) {
        /* many keys are equal */
    } else if (found != HYBRID_CROWDED) {
        hybrid_more_rounds<K, NT>(tile, m);
    } else {
        hybrid_sort_crowded<K, NT, I>(by_tree ? hybrid_decode<K, NT>(data, m, decoder, tile) : data,
                                      m, tile, bins, sums);
    }
    map.unmapping([&](auto back) {
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (own + i * NT < m) {
                int p = static_cast<int>(own) + i * NT;
                to[p] = back(by_tree ? static_cast<K>(tile[p] + decoder.least) : tile[p]);
            }
        }
    });
}

/* Sorts bucket b if it has NT * I - 32 keys or fewer; larger ones of few values are written, others
 * sorted by gpu/bucket_sort/6_large.cuh or left to the radix sort. */
template <typename K, int NT, int I, int B, int R>
__device__ __forceinline__ void hybrid_sort_one(const hybrid_local_args<K> &a,
                                                const hybrid_bucket &b, unsigned char *buffer)
{
    if (!a.sorts(b, NT * I - 32)) {
        return;
    }
    const unsigned m = static_cast<unsigned>(b.size), left = b.extent.left;
    if (b.by_tree && (left <= TREE_FEW_LEFT || m > NT * I - 32)) {
        hybrid_write_by_values<K, NT>(a.from(b.plan) + b.begin, a.out + b.begin, m, left,
                                      static_cast<K>(b.extent.least), a.map,
                                      reinterpret_cast<unsigned *>(buffer));
    } else if (b.by_tree) {
        hybrid_sort_bucket<K, NT, I, B, R, true>(a.from(b.plan) + b.begin, a.out + b.begin, m, left,
                                                 a.map, buffer, b.extent.template decoder<K>(),
                                                 b.extent.fill);
    } else {
        hybrid_sort_bucket<K, NT, I, B, R>(a.in + b.begin, a.out + b.begin, m, left, a.map, buffer);
    }
}

/* A block sorts each bucket, and has the keys of the bucket `ahead` loaded into the cache. */
template <typename K, int NT, int I, int B, int R, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_local(hybrid_local_args<K> a, unsigned ahead)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    if (a.once(*a.plan)) { /* asked first, since small sorts often have none */
        const unsigned next = gridDim.x - blockIdx.x > ahead ? blockIdx.x + ahead : 0;
        hybrid_sort_one<K, NT, I, B, R>(a, a.bucket(blockIdx.x, next, NT * I), buffer);
    }
}

/* The same of twice as many buckets, which the sample may choose: a block sorts many. */
template <typename K, int NT, int I, int B, int R, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_local_twice(hybrid_local_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    a.for_twice([&](unsigned b, unsigned next) {
        hybrid_sort_one<K, NT, I, B, R>(a, a.bucket(b, next, NT * I), buffer);
    });
}

template <typename K> struct hybrid_bins_args {
    K *keys, *tmp;
    usw_gpu_keymap<K> map;
    const hybrid_plan *plan;
    hybrid_lists lists;
};

/* Sorts the bins of the list: the small ones, or the others (large). */
template <typename K, int NT, int I, int B, int R>
__device__ __forceinline__ void hybrid_sort_bins(const hybrid_bins_args<K> &a, bool large,
                                                 unsigned char *buffer)
{
    const unsigned bins = usw_load_relaxed(&a.plan->bins[large]);
    for (unsigned i = blockIdx.x; i < bins; i += gridDim.x) {
        const hybrid_bin b(a.lists.bins[large ? a.lists.bins_max - 1 - i : i]);
        hybrid_sort_bucket<K, NT, I, B, R>((b.in_tmp ? a.tmp : a.keys) + b.begin, a.keys + b.begin,
                                           b.size, b.left, a.map, buffer);
        __syncthreads();
    }
}

template <typename K, int NT, int I, int B, int R, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_local_bins(hybrid_bins_args<K> a, bool large)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    hybrid_sort_bins<K, NT, I, B, R>(a, large, buffer);
}

#endif
