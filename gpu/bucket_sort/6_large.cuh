/* 6_large.cuh - step 6 of the bucket sort: ranges of keys that are too large for step 5.
 *
 * One cooperative launch. It ends at once where no range is listed; otherwise it goes from level to
 * level, with a barrier of the grid between the steps of a level:
 *
 *   sample  a warp a range: a sample shows where its keys lie, and which digit to count: all bits
 *           in which keys differ where these are few; or one value, if half of them have it; or the
 *           highest bits, as many as make bins of 4096 keys. Keys outside of what the sample has
 *           seen count as two digits more, below and above. Meanwhile the bins found so far are
 *           sorted if their list is full.
 *   count   the keys of each range by that digit, and the bits in which those inside differ.
 *   place   where the digit decides all bits, the range is to be written by counts: equal keys, few
 *           values, and most buckets of 32-bit keys end so. Otherwise the keys of its digits become
 *           ranges and bins of the next level.
 *   move    write the keys by their counts, or scatter them to the other array.
 * A range is always split into smaller ones, so there is an end, and rare keys far from the others
 * cost nothing.
 *
 * Shape    a block of 1024 threads a multiprocessor, 128 to 156 KB of shared memory.
 * Traffic  a level: 4 + 8 bytes a 32-bit key, twice that for 64 bits. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_6_LARGE_CUH
#define USW_GPU_BUCKET_SORT_6_LARGE_CUH

#include "gpu/bucket_sort/7_write_counts.cuh"
#include "gpu/bucket_sort/6_large_level.cuh"
#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/bucket_sort/4_scatter.cuh"

template <typename K> constexpr size_t hybrid_large_shared()
{
    using shape = hybrid_large_shape<K>;
    size_t local = hybrid_local_shared<K>(shape::threads, shape::bin_keys, shape::bin_bits);
    size_t scatter = hybrid_close_shared<K>(shape::tile, shape::digits);
    size_t count = hybrid_one_block_shape::shared; /* enough for the counts of a block, too */
    return local > scatter ? (local > count ? local : count) : scatter > count ? scatter : count;
}

template <typename K> struct hybrid_large : hybrid_large_level<K> {
    using level = hybrid_large_level<K>;
    using shape = hybrid_large_shape<K>;
    using level::a;
    using level::buffer;
    using level::list;
    using level::ranges;
    using level::tiles;

    /* ---- sample ---- */

    /* Warps sample the ranges, one each, and choose digits; the block clears the tables. */
    __device__ __forceinline__ void sample_ranges()
    {
        const unsigned warps = shape::threads / 32, lane = threadIdx.x % 32;
        const unsigned warp = threadIdx.x / 32;
        uint4 **table = reinterpret_cast<uint4 **>(buffer);
        unsigned *vectors = reinterpret_cast<unsigned *>(table + warps);
        for (unsigned at = 0; at < ranges; at += gridDim.x * warps) {
            const unsigned i = at + warp * gridDim.x + blockIdx.x;
            unsigned clear = 0;
            if (i < ranges) {
                hybrid_range p = a.lists.ranges[list][i];
                if (p.left <= shape::fill_bits && p.left != 0 && p.size <= a.one_block_keys) {
                    p.kind = HYBRID_RANGE_ONE_BLOCK;
                } else {
                    p.kind = HYBRID_RANGE_NONE;
                    hybrid_sample_range(p, this->keys_of(p), this->map_of(p));
                    p.any = p.base;
                    p.all = p.base;
                    clear = this->values_of(p) / 2;
                }
                if (lane == 0) {
                    a.lists.ranges[list][i] = p;
                    table[warp] = reinterpret_cast<uint4 *>(this->counts_of(p));
                }
            }
            if (lane == 0) {
                vectors[warp] = clear;
            }
            __syncthreads();
            for (unsigned w = 0; w < warps; w++) {
                for (unsigned v = threadIdx.x; v < vectors[w]; v += shape::threads) {
                    table[w][v] = make_uint4(0, 0, 0, 0);
                }
            }
            __syncthreads();
        }
    }
    /* Sorts the bins found so far, where their list might not hold those of one more level. Static,
     * so that the object lies in registers. */
    __device__ __noinline__ static void sort_bins(const hybrid_large_args<K> &a,
                                                  unsigned char *buffer)
    {
        const hybrid_bins_args<K> bins = {a.keys, a.tmp, a.map, a.plan, a.lists};
        for (unsigned large = 0; large < 2; large++) {
            hybrid_sort_bins<K, shape::threads, shape::bin_keys, shape::bin_bits, shape::rounds>(
                bins, large, buffer);
        }
    }

    /* ---- count ---- */

    /* Counts the keys [from, to) of a range. */
    template <typename Digit>
    __device__ __forceinline__ void count_stretch(hybrid_range *range, const hybrid_range &p,
                                                  const Digit &digit, unsigned long long from,
                                                  unsigned long long to)
    {
        using counter = hybrid_counter<K, Digit>;
        static_assert(counter::T == shape::tile, "count and scatter go by the same tiles");
        const K *keys = this->keys_of(p) + from;
        const usw_gpu_keymap<K> map = this->map_of(p);
        const unsigned values = this->values_of(p);
        unsigned *bins = reinterpret_cast<unsigned *>(buffer), *counts = this->counts_of(p);
        __syncthreads();
        for (unsigned w = threadIdx.x; w < values / 2; w += shape::threads) {
            bins[w] = 0;
        }
        __syncthreads();
        const unsigned long long n = to - from;
        unsigned long long head = (16 - (reinterpret_cast<uintptr_t>(keys) & 15)) % 16 / sizeof(K);
        head = head < n ? head : n;
        const K base = static_cast<K>(p.base);
        counter c = {keys,
                     n,
                     head,
                     (n - head) / counter::T,
                     0,
                     1,
                     map,
                     digit,
                     bins,
                     counts + values,
                     {base, base, 1, 1}};
        c.count_tiles();
        c.count_ends();
        hybrid_note_bits(c.seen.any, c.seen.all, &range->any, &range->all);
        hybrid_flush(bins, values / 2, reinterpret_cast<unsigned long long *>(counts));
    }
    /* Counts all ranges. Each block takes its share of the tiles, one after another. */
    __device__ __forceinline__ void count()
    {
        unsigned long long t = tiles * blockIdx.x / gridDim.x;
        const unsigned long long end = tiles * (blockIdx.x + 1ull) / gridDim.x;
        for (unsigned i = t < end ? this->range_at(0, t) : 0; t < end; i++) {
            hybrid_range *p = &a.lists.ranges[list][i];
            unsigned long long size = p->size, from = (t - p->tile) * shape::tile;
            unsigned long long last = (end - p->tile) * shape::tile;
            if (p->left != 0 && p->kind != HYBRID_RANGE_ONE_BLOCK) {
                const hybrid_range range = *p;
                if (range.left <= shape::fill_bits && range.lo == 0 &&
                    range.span == 1u << range.left &&
                    (range.base & (range.span - 1)) == 0) { /* no key can be outside */
                    count_stretch(p, range, hybrid_bits_digit<K>{0, range.span - 1}, from,
                                  last < size ? last : size);
                } else {
                    count_stretch(p, range, hybrid_range_digit<K>(range), from,
                                  last < size ? last : size);
                }
            }
            t = p->tile + (size + shape::tile - 1) / shape::tile;
        }
    }

    /* ---- move ---- */

    __device__ __forceinline__ void scatter_tile(const hybrid_range &p, unsigned long long from)
    {
        const unsigned long long to = from + shape::tile < p.size ? from + shape::tile : p.size;
        const hybrid_close_buffer<K, shape::digits> s(buffer);
        if (threadIdx.x < shape::digits) {
            s.cnt[threadIdx.x] = 0;
        }
        __syncthreads();
        hybrid_tile<K> t = {this->keys_of(p) + from, static_cast<unsigned>(to - from),
                            this->starts_of(p)};
        hybrid_scatter_tile<K, shape::threads, shape::keys, true>(
            t, p.in_tmp ? a.keys : a.tmp, this->map_of(p), hybrid_range_digit<K>(p), s);
        __syncthreads();
    }
    /* Moves all ranges. Blocks share the tiles as in count. */
    __device__ __forceinline__ void move()
    {
        unsigned long long t = tiles * blockIdx.x / gridDim.x;
        const unsigned long long end = tiles * (blockIdx.x + 1ull) / gridDim.x;
        for (unsigned i = t < end ? this->range_at(0, t) : 0; t < end; i++) {
            const hybrid_range p = a.lists.ranges[list][i];
            const unsigned long long past = p.tile + (p.size + shape::tile - 1) / shape::tile;
            const unsigned long long stop = past < end ? past : end;
            if (p.kind == HYBRID_RANGE_FILL) {
                const unsigned long long to = (stop - p.tile) * shape::tile;
                hybrid_filling<K> f = {a.keys + p.begin, this->starts_of(p), p.span, p.lo,
                                       static_cast<K>(p.base)};
                hybrid_fill_block<shape::threads>(f, a.map, (t - p.tile) * shape::tile,
                                                  to < p.size ? to : p.size);
            }
            for (; p.kind == HYBRID_RANGE_SPLIT && t < stop; t++) {
                scatter_tile(p, (t - p.tile) * shape::tile);
            }
            t = past;
        }
    }
};

template <typename K>
__global__
    __launch_bounds__(1024,
                      1) void hybrid_sort_large(const __grid_constant__ hybrid_large_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    hybrid_large<K> r = {{a, buffer, 0, 0, 0}};
    if (a.plan->ranges[0] == 0) {
        return;
    }
    unsigned round = 0;
    for (;; r.list = 1 - r.list) {
        unsigned long long ranges = usw_load_relaxed(&a.plan->ranges[r.list]);
        if (ranges == 0) {
            break;
        }
        const bool full = usw_load_relaxed(&a.plan->bins[0]) + usw_load_relaxed(&a.plan->bins[1]) >
                          a.lists.bins_max / 2;
        r.ranges = static_cast<unsigned>(hybrid_ranges_number(ranges));
        r.tiles = hybrid_ranges_tiles(ranges);
        r.sample_ranges();
        if (full) {
            r.sort_bins(a, buffer);
        }
        usw_grid_barrier(a.barrier, ++round, false);
        if (full && blockIdx.x == 0 && threadIdx.x == 0) {
            a.plan->bins[0] = a.plan->bins[1] = 0;
        }
        r.count();
        usw_grid_barrier(a.barrier, ++round, false);
        r.place();
        usw_grid_barrier(a.barrier, ++round, false);
        if (blockIdx.x == 0 && threadIdx.x == 0) { /* this level's list becomes empty */
            a.plan->ranges[r.list] = 0;
            a.plan->taken = 0;
        }
        r.move();
        usw_grid_barrier(a.barrier, ++round, false);
    }
    usw_grid_barrier(a.barrier, ++round, true);
}

#endif
