/* part_hybrid_rest.cuh - the hybrid sort's way with parts too large for a local sort.
 *
 * One cooperative launch. It ends at once where there is nothing to do, or goes from level to
 * level, with a barrier of the grid between the steps of one:
 *
 *   look   a warp a part: from a sample, where its keys lie and the digit to count: all bits in
 *          which they differ where these are few; or one value, if half of them have it; or the
 *          highest bits, as many as make bins of 4096 keys. Keys outside of what the sample has
 *          seen count as two digits more, below and above. Meanwhile the bins found so
 *          far are sorted if their list is full.
 *   count  the keys of each part by that digit, and the bits in which those inside differ.
 *   place  where the digit says all, the part will be filled: equal keys, few values, and most
 *          buckets of 32-bit keys end so. Else its digits' keys become parts and bins of the next
 *          level.
 *   move   fill: the keys are written by their counts. scatter: to the other array.
 * A part is always split into smaller ones, so there is an end, and rare keys far from the others
 * cost nothing.
 *
 * Shape    a block of 1024 threads a multiprocessor, 128 to 156 KB of shared memory.
 * Traffic  a level: 4 + 8 bytes a 32-bit key, twice that for 64 bits. */
#ifndef USW_PART_HYBRID_REST_CUH
#define USW_PART_HYBRID_REST_CUH

#include "part_hybrid_fill.cuh"
#include "part_hybrid_local.cuh"
#include "part_hybrid_look.cuh"
#include "part_hybrid_parts.cuh"
#include "part_hybrid_scatter.cuh"

template <typename K> struct hybrid_rest_args {
    K *keys, *tmp;
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    hybrid_lists lists;
    unsigned *barrier;
};

template <typename K> constexpr size_t hybrid_rest_shared()
{
    using shape = hybrid_rest_shape<K>;
    size_t local = hybrid_local_shared<K>(shape::threads, shape::bin_keys, shape::bin_bits);
    size_t scatter = hybrid_close_shared<K>(shape::tile, shape::digits);
    size_t count = (size_t(2) << shape::fill_bits) + 256;
    return local > scatter ? (local > count ? local : count) : scatter > count ? scatter : count;
}

template <typename K, bool identity> struct hybrid_rest {
    using shape = hybrid_rest_shape<K>;
    const hybrid_rest_args<K> &a;
    unsigned char *room;
    unsigned list; /* of this level */
    unsigned parts;
    unsigned long long tiles;

    __device__ __forceinline__ const K *keys_of(const hybrid_part &p) const
    {
        return (p.in_tmp ? a.tmp : a.keys) + p.begin;
    }
    /* What is still to be done to its keys. */
    __device__ __forceinline__ usw_gpu_keymap<K> map_of(const hybrid_part &p) const
    {
        return p.raw ? a.map : usw_gpu_keymap<K>{0, 0, 0};
    }
    /* Digits, and one more where their number is odd. */
    __device__ __forceinline__ static unsigned values_of(const hybrid_part &p)
    {
        return (p.span + 3) / 2 * 2;
    }
    /* 16 bytes for each digit: counts and how often they were handed on, later where they begin
     * (second half). In the array that holds no keys of the part, but when filling the second half
     * is in tmp. */
    __device__ __forceinline__ unsigned char *table_of(const hybrid_part &p, bool in_keys) const
    {
        if (p.in_cells) {
            return reinterpret_cast<unsigned char *>(
                a.lists.cells + (p.begin + HYBRID_CELL_KEYS - 1) / HYBRID_CELL_KEYS);
        }
        uintptr_t at = reinterpret_cast<uintptr_t>((in_keys ? a.keys : a.tmp) + p.begin);
        return reinterpret_cast<unsigned char *>((at + 15) / 16 * 16);
    }
    __device__ __forceinline__ unsigned *counts_of(const hybrid_part &p) const
    {
        return reinterpret_cast<unsigned *>(table_of(p, p.in_tmp));
    }
    __device__ __forceinline__ unsigned long long *starts_of(const hybrid_part &p) const
    {
        return reinterpret_cast<unsigned long long *>(table_of(p, false)) + values_of(p);
    }
    /* The part of that tile, at `from` in the list or behind. */
    __device__ __forceinline__ unsigned part_at(unsigned from, unsigned long long t) const
    {
        unsigned lo = from, hi = parts - 1;
        while (lo < hi) {
            unsigned mid = (lo + hi + 1) / 2;
            if (a.lists.parts[list][mid].tile <= t) {
                lo = mid;
            } else {
                hi = mid - 1;
            }
        }
        return lo;
    }

    /* ---- look ---- */

    __device__ __forceinline__ void look()
    {
        const unsigned warps = shape::threads / 32, lane = threadIdx.x % 32;
        for (unsigned i = blockIdx.x * warps + threadIdx.x / 32; i < parts;
             i += gridDim.x * warps) {
            hybrid_part p = a.lists.parts[list][i];
            if (p.left <= shape::fill_bits && p.left != 0 && p.size <= shape::alone_keys) {
                if (lane == 0) {
                    a.lists.parts[list][i].kind = HYBRID_PART_ALONE;
                }
                continue;
            }
            p.kind = HYBRID_PART_NONE;
            hybrid_look(p, keys_of(p), map_of(p));
            p.any = p.base;
            p.all = p.base;
            unsigned *counts = counts_of(p);
            for (unsigned w = lane; w < 2 * values_of(p); w += 32) {
                counts[w] = 0;
            }
            __syncwarp();
            if (lane == 0) {
                a.lists.parts[list][i] = p;
            }
        }
    }
    /* Where the list of bins might not hold those of one more level. */
    __device__ __noinline__ void sort_bins()
    {
        const hybrid_bins_args<K> bins = {a.keys, a.tmp, a.map, a.plan, a.lists};
        for (unsigned large = 0; large < 2; large++) {
            hybrid_sort_bins<K, shape::threads, shape::bin_keys, shape::bin_bits, shape::rounds,
                             identity>(bins, large, room);
        }
    }

    /* ---- count ---- */

    /* Keys [from, to) of a part. */
    __device__ __forceinline__ void count_stretch(hybrid_part *part, unsigned long long from,
                                                  unsigned long long to)
    {
        using counter = hybrid_counter<K, identity, hybrid_part_digit<K>>;
        static_assert(counter::T == shape::tile, "count and scatter go by the same tiles");
        const hybrid_part p = *part;
        const K *keys = keys_of(p) + from;
        const usw_gpu_keymap<K> map = map_of(p);
        const unsigned values = values_of(p);
        unsigned *bins = reinterpret_cast<unsigned *>(room), *counts = counts_of(p);
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
                     hybrid_part_digit<K>(p),
                     bins,
                     counts + values,
                     {base, base, 1, 1}};
        c.count_tiles();
        c.count_rest();
        hybrid_note_bits(c.seen.any, c.seen.all, &part->any, &part->all);
        hybrid_flush(bins, values / 2, reinterpret_cast<unsigned long long *>(counts));
    }
    /* Each block takes its share of the tiles, as they follow each other. */
    __device__ __forceinline__ void count()
    {
        unsigned long long t = tiles * blockIdx.x / gridDim.x;
        const unsigned long long end = tiles * (blockIdx.x + 1ull) / gridDim.x;
        for (unsigned i = t < end ? part_at(0, t) : 0; t < end; i++) {
            hybrid_part *p = &a.lists.parts[list][i];
            unsigned long long size = p->size, from = (t - p->tile) * shape::tile;
            unsigned long long last = (end - p->tile) * shape::tile;
            if (p->left != 0 && p->kind != HYBRID_PART_ALONE) {
                count_stretch(p, from, last < size ? last : size);
            }
            t = p->tile + (size + shape::tile - 1) / shape::tile;
        }
    }

    /* ---- place ---- */

    __device__ __forceinline__ static unsigned long long count_at(const unsigned *counts,
                                                                  unsigned values, unsigned d)
    {
        return counts[d] + (static_cast<unsigned long long>(counts[values + d]) << 15);
    }
    /* The keys of digit d become a part or a bin of the next level. */
    __device__ __forceinline__ void push_digit(const hybrid_part &p, unsigned d,
                                               unsigned long long at, unsigned long long c,
                                               unsigned left)
    {
        hybrid_push(a.plan, a.lists, 1 - list, at, c, 1 - p.in_tmp, d < p.span ? left : p.left);
    }
    /* The counts become sums of all before, from base on, keys below first; split: push_digit. */
    __device__ __forceinline__ void scan(const hybrid_part &p, unsigned long long base, bool split,
                                         unsigned left)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, values = values_of(p);
        const unsigned *counts = counts_of(p);
        unsigned long long *starts = starts_of(p);
        unsigned long long *sums = reinterpret_cast<unsigned long long *>(room);
        const unsigned each = (values + 1023) / 1024 * 32;
        const unsigned begin = warp * each, end = begin + each < values ? begin + each : values;
        unsigned long long total = 0;
        for (unsigned d = begin + lane; d < end; d += 32) {
            total += count_at(counts, values, d);
        }
        for (int o = 16; o > 0; o >>= 1) {
            total += __shfl_xor_sync(~0u, total, o);
        }
        __syncthreads();
        if (lane == 0) {
            sums[warp] = total;
        }
        __syncthreads();
        const unsigned long long first = base, below = count_at(counts, values, p.span);
        base += below;
        for (unsigned w = 0; w < warp; w++) {
            base += sums[w];
        }
        for (unsigned d0 = begin; d0 < end; d0 += 32) {
            const unsigned d = d0 + lane;
            unsigned long long c = d < end ? count_at(counts, values, d) : 0, sum = c;
            for (unsigned o = 1; o < 32; o <<= 1) {
                unsigned long long up = __shfl_up_sync(~0u, sum, o);
                sum += lane >= o ? up : 0;
            }
            if (d < end) {
                const unsigned long long at = d < p.span    ? base + sum - c
                                              : d == p.span ? first
                                                            : first + p.size - c;
                starts[d] = at;
                if (split && c != 0) {
                    push_digit(p, d, at, c, left);
                }
            }
            base += __shfl_sync(~0u, sum, 31);
        }
    }
    /* A part that was to be filled, but has keys below or above: into three. False: it can not. */
    __device__ __forceinline__ bool split_in_three(hybrid_part &p, unsigned long long below,
                                                   unsigned long long above)
    {
        unsigned bits = p.lo + hybrid_top(p.span) - 1;
        if (below + above == 0 || bits >= sizeof(K) * 8) {
            return false;
        }
        p.kind = HYBRID_PART_SPLIT;
        p.lo = bits;
        p.span = 1;
        p.in_cells = 1;
        if (threadIdx.x == 0) {
            unsigned long long *starts = starts_of(p), inside = p.size - below - above;
            const unsigned long long at[3] = {p.begin + below, p.begin, p.begin + p.size - above};
            const unsigned long long size[3] = {inside, below, above};
            for (unsigned d = 0; d < 3; d++) {
                starts[d] = at[d];
                push_digit(p, d, at[d], size[d], p.left);
            }
        }
        return true;
    }
    __device__ __forceinline__ void place_part(hybrid_part &p)
    {
        if (p.left == 0) { /* all of its keys are equal */
            p.kind = HYBRID_PART_FILL;
            if (threadIdx.x == 0) {
                starts_of(p)[0] = 0;
            }
            return;
        }
        const unsigned values = values_of(p);
        const unsigned long long below = count_at(counts_of(p), values, p.span);
        const unsigned long long above = count_at(counts_of(p), values, p.span + 1);
        const unsigned long long differ = (p.any ^ p.all) & ((1ull << p.lo) - 1);
        if (differ == 0 && below + above == 0) {
            p.kind = HYBRID_PART_FILL;
            scan(p, 0, false, 0);
        } else if (p.in_cells) {
            const bool aligned = (p.base & ((1ull << p.lo) - 1)) == 0 || differ == 0;
            p.kind = HYBRID_PART_SPLIT;
            scan(p, p.begin, true, aligned ? hybrid_top(differ) : p.left);
        } else if (!split_in_three(p, below, above)) {
            p.kind = HYBRID_PART_NONE;
            if (threadIdx.x == 0) {
                hybrid_part again = p;
                again.wary = 1;
                hybrid_push_part(a.plan, a.lists, 1 - list, again);
            }
        }
    }
    __device__ __forceinline__ void place()
    {
        for (unsigned i = blockIdx.x; i < parts; i += gridDim.x) {
            hybrid_part p = a.lists.parts[list][i];
            if (p.kind == HYBRID_PART_ALONE) {
                hybrid_fill_alone<K, shape::threads>(keys_of(p), a.keys + p.begin, p.size,
                                                     map_of(p), a.map, room);
                p.kind = HYBRID_PART_NONE;
            } else {
                place_part(p);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                a.lists.parts[list][i] = p;
            }
        }
    }

    /* ---- move ---- */

    __device__ __forceinline__ void move_tile(const hybrid_part &p, unsigned long long from)
    {
        unsigned long long to = from + shape::tile < p.size ? from + shape::tile : p.size;
        if (p.kind == HYBRID_PART_FILL) {
            hybrid_filling<K> f = {a.keys + p.begin, starts_of(p), p.span, p.lo,
                                   static_cast<K>(p.base)};
            hybrid_fill_tile<K, shape::threads, shape::tile>(f, a.map, from, to);
        } else {
            const hybrid_close_room<K, shape::digits> s(room);
            if (threadIdx.x < shape::digits) {
                s.cnt[threadIdx.x] = 0;
            }
            __syncthreads();
            hybrid_tile<K> t = {keys_of(p) + from, static_cast<unsigned>(to - from), starts_of(p)};
            hybrid_scatter_tile<K, shape::threads, shape::keys, identity>(
                t, p.in_tmp ? a.keys : a.tmp, map_of(p), hybrid_part_digit<K>(p), s);
            __syncthreads();
        }
    }
    __device__ __forceinline__ void move()
    {
        unsigned i = 0;
        for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
            i = part_at(i, t);
            const hybrid_part p = a.lists.parts[list][i];
            if (p.kind != HYBRID_PART_NONE) {
                move_tile(p, (t - p.tile) * shape::tile);
            }
        }
    }
};

template <typename K, bool identity>
__global__ __launch_bounds__(1024, 1) void hybrid_sort_rest(const hybrid_rest_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, room);
    hybrid_rest<K, identity> r = {a, room, 0, 0, 0};
    if (a.plan->parts[0] == 0) {
        return;
    }
    unsigned round = 0;
    for (;; r.list = 1 - r.list) {
        unsigned long long parts = usw_load_relaxed(&a.plan->parts[r.list]);
        if (parts == 0) {
            break;
        }
        const bool full = usw_load_relaxed(&a.plan->bins[0]) + usw_load_relaxed(&a.plan->bins[1]) >
                          a.lists.bins_max / 2;
        r.parts = static_cast<unsigned>(hybrid_parts_number(parts));
        r.tiles = hybrid_parts_tiles(parts);
        r.look();
        if (full) {
            r.sort_bins();
        }
        usw_grid_barrier(a.barrier, ++round, false);
        if (full && blockIdx.x == 0 && threadIdx.x == 0) {
            a.plan->bins[0] = a.plan->bins[1] = 0;
        }
        r.count();
        usw_grid_barrier(a.barrier, ++round, false);
        r.place();
        usw_grid_barrier(a.barrier, ++round, false);
        if (blockIdx.x == 0 && threadIdx.x == 0) { /* this level's list is empty again */
            a.plan->parts[r.list] = 0;
        }
        r.move();
        usw_grid_barrier(a.barrier, ++round, false);
    }
    usw_grid_barrier(a.barrier, ++round, true);
}

#endif
