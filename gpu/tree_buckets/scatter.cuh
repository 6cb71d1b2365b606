/* scatter.cuh - step 4 of the bucket sort, its first scatter, for keys that go by a prefix tree: as
 * that of gpu/bucket_sort, but a key's digit is of the number of its bucket, which is looked up.
 * The digit of the second scatter takes the place of the key's leading bits (hybrid_coded), so that
 * this is the same as for other keys, and looks nothing up.
 *
 * A block takes tile after tile, and loads the next tile while this one is written. Of many keys,
 * where a sample has measured the buckets' regions (weigh_regions.cuh), it counts the buckets on
 * the way as 4_scatter_uncounted.cuh does, so that no count has to read and look up the keys
 * before. Where a region turns out to be too small or a counter overflows, plan->uncounted becomes
 * 0, and the keys are counted where they were. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_SCATTER_CUH
#define USW_GPU_TREE_BUCKETS_SCATTER_CUH

#include "gpu/tree_buckets/scatter_args.cuh"

/* A block of a shape, hybrid_tree_shape of gpu/bucket_sort/tuning.cuh. */
template <typename K, typename Shape, bool counts, tree_root kind> struct hybrid_tree_block {
    static constexpr int NT = Shape::threads, I = Shape::keys, slots = Shape::slots;
    static constexpr int U = Shape::batch;
    static constexpr unsigned T = NT * I, NOWHERE = 1u << 31;
    const hybrid_tree_scatter_args<K> &args;
    const hybrid_scatter_args<K> &a;
    unsigned *bins;         /* the counters */
    unsigned long long *to; /* 256: where each digit's keys of the tile go, less where they are */
    unsigned *cnt, *more;   /* 256 counts of the tile, 256 of unplaced keys or begins */
    unsigned *sums;         /* of warps */
    K *tile;
    unsigned char *digits_kept;
    hybrid_window<K, kind> window;
    unsigned below, digits, C, table, low;

    __device__ __forceinline__ hybrid_tree_block(const hybrid_tree_scatter_args<K> &from,
                                                 unsigned char *memory, size_t counters)
        : args(from), a(from.a), bins(reinterpret_cast<unsigned *>(memory + TREE_TABLE_BYTES)),
          to(reinterpret_cast<unsigned long long *>(memory + TREE_TABLE_BYTES + counters)),
          cnt(reinterpret_cast<unsigned *>(to + 256)), more(cnt + 256), sums(more + 256),
          tile(reinterpret_cast<K *>(sums + 64)),
          digits_kept(reinterpret_cast<unsigned char *>(tile + T)),
          window(reinterpret_cast<unsigned *>(memory), from.tree), table(1u << from.bits),
          low(hybrid_tree_low(sizeof(K), from.bits))
    {
        static_assert(NT >= 256 && I <= 32 && T <= 1 << 16, "a thread a digit, 16 bits a rank");
        below = from.bits - from.bits1;
        digits = 1u << from.bits1;
        C = slots / digits - 1 + (slots / digits & 1); /* odd: digits do not share banks */
        hybrid_copy_slots<NT>(from.tree, reinterpret_cast<unsigned *>(memory));
        for (unsigned w = threadIdx.x; counts && w < counters / 4; w += NT) {
            bins[w] = 0;
        }
        for (unsigned w = threadIdx.x; w < 512; w += NT) {
            cnt[w] = 0;
        }
        __syncthreads();
    }

    /* ---- tiles ---- */

    struct place {
        const K *in;
        unsigned m; /* keys */
    };
    __device__ __forceinline__ unsigned tiles() const
    {
        return static_cast<unsigned>((a.n + T - 1) / T);
    }
    __device__ __forceinline__ place tile_at(unsigned number) const
    {
        const unsigned long long at = static_cast<unsigned long long>(number) * T;
        return {a.in + at, a.n - at < T ? static_cast<unsigned>(a.n - at) : T};
    }
    __device__ __forceinline__ void fetch(K (&k)[I], const place &p) const
    {
        const K *in = p.in + threadIdx.x;
        if (p.m == T) {
#pragma unroll
            for (int i = 0; i < I; i++) {
                k[i] = in[i * NT];
            }
        } else {
#pragma unroll
            for (int i = 0; i < I; i++) {
                k[i] = threadIdx.x + i * NT < p.m ? in[i * NT] : K(0);
            }
        }
    }
    __device__ __forceinline__ unsigned digit_of(unsigned found) const
    {
        return found >> below & (digits - 1);
    }

    /* ---- counters and places ---- */

    __device__ __forceinline__ void count(unsigned b) const
    {
        atomicAdd(hybrid_byte<unsigned>(bins, b & (table - 4)), __funnelshift_l(0u, 1u, b * 8));
    }
    __device__ __forceinline__ unsigned long long reserve(unsigned d) const
    {
        const unsigned c = cnt[d];
        return c != 0 ? atomicAdd(&a.cursor[d], static_cast<unsigned long long>(c)) : 0;
    }
    __device__ __forceinline__ unsigned long long placed(unsigned d, unsigned long long at) const
    {
        if (counts && cnt[d] != 0 && at + cnt[d] > args.tree->regions[d + 1]) {
            usw_store_relaxed(&args.changed->uncounted, 0u);
            usw_store_relaxed(&args.changed->skip, 0u);
            at = args.tree->regions[d];
        }
        return at;
    }

    /* ---- a tile ---- */

    /* Codes and counts a key that is ranked, and puts it into its slot, or returns `bit` if there
     * is none free. moves: it does not stay. What is left in r: see rank. */
    __device__ __forceinline__ unsigned keep(K &key, unsigned found, bool moves, unsigned ranked,
                                             unsigned bit, unsigned &r) const
    {
        const unsigned d = digit_of(found);
        key = hybrid_coded(key, found, low);
        if (counts) {
            count(found);
        }
        if constexpr (slots == 0) {
            r = moves ? d << 16 | ranked : NOWHERE;
            return 0;
        }
        const bool fits = ranked < C;
        if (moves && fits) {
            tile[d * C + ranked] = key;
        }
        return moves && !fits ? bit : 0;
    }
    /* Looks up keys, ranks them within their digits and keeps them, U at a time. With slots, a bit
     * is returned for each key that finds none free; else the digit and the rank of each are left
     * in r, or NOWHERE. Keys that are all of their bucket stay: their number is all that the last
     * step asks for. */
    __device__ __forceinline__ unsigned rank(K (&k)[I], unsigned (&r)[I], unsigned m) const
    {
        unsigned most = ~0u, unplaced = 0;
        bool plainly = m == T;
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            K some[U];
            unsigned found[U], ranks[U], alike;
#pragma unroll
            for (int i = 0; i < U; i++) {
                some[i] = k[i0 + i < I ? i0 + i : I - 1];
            }
            window.buckets(some, found, alike);
            if (i0 == 0) { /* lanes whose key stays differ from all others */
                const unsigned stays = NOWHERE + threadIdx.x % 32;
                plainly &= hybrid_crowd((alike & 1) != 0 ? stays : digit_of(found[0]), most) < 8;
            }
            if (plainly) {
#pragma unroll
                for (int i = 0; i < U && i0 + i < I; i++) { /* sums: for keys that stay */
                    const bool moves = (alike >> i & 1) == 0;
                    unsigned *const counter =
                        moves ? cnt + digit_of(found[i]) : sums + threadIdx.x % 32;
                    ranks[i] = atomicAdd(counter, 1u);
                }
#pragma unroll
                for (int i = 0; i < U && i0 + i < I; i++) {
                    unplaced |= keep(k[i0 + i], found[i], (alike >> i & 1) == 0, ranks[i],
                                     1u << (i0 + i), r[i0 + i]);
                }
                continue;
            }
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                const unsigned d = digit_of(found[i]);
                const bool here = threadIdx.x + (i0 + i) * NT < m, moves = (alike >> i & 1) == 0;
                ranks[i] = hybrid_rank_crowd(&cnt[d], d, here && moves, most);
                r[i0 + i] = NOWHERE;
                if (here) {
                    unplaced |=
                        keep(k[i0 + i], found[i], moves, ranks[i], 1u << (i0 + i), r[i0 + i]);
                }
            }
        }
        return unplaced;
    }
    /* A warp writes the slots of a digit, in whole lines: it begins up to 31 keys early. */
    __device__ __forceinline__ void empty_slots() const
    {
#pragma unroll 2
        for (unsigned d = threadIdx.x / 32; d < digits; d += NT / 32) {
            const int c = static_cast<int>(cnt[d] < C ? cnt[d] : C);
            K *out = a.out + to[d];
            const K *from = tile + d * C;
            const int skew = static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(K) % 32);
            for (int j = static_cast<int>(threadIdx.x % 32) - skew; j < c; j += 96) {
                K v[3];
#pragma unroll
                for (int u = 0; u < 3; u++) {
                    v[u] = j + 32 * u >= 0 && j + 32 * u < c ? from[j + 32 * u] : K(0);
                }
#pragma unroll
                for (int u = 0; u < 3; u++) {
                    if (j + 32 * u >= 0 && j + 32 * u < c) {
                        out[j + 32 * u] = v[u];
                    }
                }
            }
        }
    }
    /* Writes the keys that found no slot: they are loaded and looked up again. */
    __device__ __forceinline__ void write_unplaced(const place &p, unsigned unplaced) const
    {
        unsigned most = ~0u;
        for (unsigned some = __reduce_or_sync(~0u, unplaced); some != 0; some &= some - 1) {
            const int i = __ffs(static_cast<int>(some)) - 1;
            const bool here = (unplaced >> i & 1) != 0;
            const K key = a.map.map(here ? p.in[threadIdx.x + i * NT] : K(0));
            const unsigned bucket = window.bucket(key), d = digit_of(bucket);
            const unsigned r = hybrid_rank_crowd(&more[d], d, here, most);
            if (here) {
                a.out[to[d] + C + r] = hybrid_coded(key, bucket, low);
            }
        }
    }
    /* Sets more[d] to where digit d begins in the tile; at: its reserved place. */
    __device__ __forceinline__ void begin_digits(unsigned long long &at) const
    {
        const unsigned d = threadIdx.x, lane = d % 32;
        unsigned sum = 0;
        if (d < 256) {
            sum = cnt[d];
            at = reserve(d);
#pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                const unsigned up = __shfl_up_sync(~0u, sum, o);
                sum += lane >= static_cast<unsigned>(o) ? up : 0;
            }
            if (lane == 31) {
                sums[d / 32] = sum;
            }
        }
        __syncthreads();
        if (d < 256) {
            sum -= cnt[d];
#pragma unroll
            for (unsigned w = 0; w < 8; w++) {
                sum += w < d / 32 ? sums[w] : 0;
            }
            more[d] = sum;
        }
        __syncthreads();
    }
    /* Puts the keys of a tile close together, and their digits behind; at: see begin_digits. */
    __device__ __forceinline__ void fill_close(const K (&k)[I], const unsigned (&r)[I],
                                               unsigned long long &at) const
    {
        begin_digits(at);
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (r[i] != NOWHERE) {
                const unsigned q = more[r[i] >> 16] + (r[i] & 0xffff);
                tile[q] = k[i];
                digits_kept[q] = static_cast<unsigned char>(r[i] >> 16);
            }
        }
    }
    __device__ __forceinline__ void empty_close() const
    {
        const unsigned m = more[255] + cnt[255];
#pragma unroll
        for (int i = 0; i < I; i++) {
            const unsigned q = threadIdx.x + i * NT;
            if (m == T || q < m) {
                a.out[to[digits_kept[q]] + q] = tile[q];
            }
        }
    }
    /* Scatters the tile at p, whose keys are in k, and loads the next one. */
    __device__ __forceinline__ void scatter(K (&k)[I], place &p, unsigned next, bool last)
    {
        unsigned r[I];
        unsigned long long at = 0;
        const unsigned d = threadIdx.x;
        const place now = p;
        const unsigned unplaced = rank(k, r, p.m);
        __syncthreads();
        if constexpr (slots != 0) {
            if (d < digits) {
                at = reserve(d);
            }
        } else {
            fill_close(k, r, at);
        }
        if (d < digits) {
            to[d] = placed(d, at) - (slots != 0 ? 0 : more[d]);
        }
        __syncthreads();
        if (!last) {
            p = tile_at(next);
            fetch(k, p);
        }
        if constexpr (slots != 0) {
            empty_slots();
            write_unplaced(now, unplaced);
        } else {
            empty_close();
        }
        __syncthreads();
        for (unsigned w = threadIdx.x; w < 512; w += NT) {
            cnt[w] = 0;
        }
        __syncthreads();
    }
    /* Scatters this block's tiles; returns the number of their keys. */
    __device__ __forceinline__ unsigned scatter_all()
    {
        const unsigned number = tiles();
        unsigned keys = 0;
        if (blockIdx.x >= number) {
            return 0;
        }
        K k[I];
        place p = tile_at(blockIdx.x);
        fetch(k, p);
        for (unsigned t = blockIdx.x; t < number; t += gridDim.x) {
            keys += p.m;
            a.map.map_all(k);
            scatter(k, p, t + gridDim.x, t + gridDim.x >= number);
        }
        return keys;
    }
};

/* Scatters all tiles of a block. A kernel has it twice, for both kinds of a root: where it asked
 * for the kind before each look-up, both would be slower. */
template <tree_root kind, typename K, typename Shape, bool counts>
__device__ __forceinline__ void hybrid_scatter_by(const hybrid_tree_scatter_args<K> &args,
                                                  unsigned char *memory)
{
    const size_t counters = counts ? hybrid_tree_counters(args.bits) : 0;
    hybrid_tree_block<K, Shape, counts, kind> b(args, memory, counters);
    const unsigned keys = b.scatter_all();
    if (counts && !hybrid_flush_bytes<Shape::threads>(b.bins, b.table, args.counts, b.sums, keys)) {
        usw_store_relaxed(&args.changed->uncounted, 0u);
        usw_store_relaxed(&args.changed->skip, 0u);
    }
}

/* counts: keys that were not counted; else keys that were. */
template <typename K, typename Shape, bool counts>
__global__
__launch_bounds__(Shape::threads,
                  Shape::blocks) void hybrid_scatter_tree(hybrid_tree_scatter_args<K> args)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    const hybrid_plan *plan = args.a.plan;
    const unsigned uncounted = usw_load_relaxed(&plan->uncounted);
    const bool idle = counts ? uncounted != HYBRID_UNCOUNTED_TREE
                             : plan->tree_buckets != TREE_IN_KEYS || uncounted != 0;
    if (__syncthreads_or(threadIdx.x == 0 && idle)) {
        return;
    }
    if (args.tree->scale != 0) {
        hybrid_scatter_by<TREE_SCALED_ROOT, K, Shape, counts>(args, memory);
    } else {
        hybrid_scatter_by<TREE_LINEAR_ROOT, K, Shape, counts>(args, memory);
    }
}

#endif
