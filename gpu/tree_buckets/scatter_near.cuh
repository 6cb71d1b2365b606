/* scatter_near.cuh - step 4 of the bucket sort for keys that go by a prefix tree and lie near their
 * places, as those of a log with late lines, of a walk, or of files in order one behind the other:
 * a tile has keys of few neighbouring buckets, so one scatter takes them there, to tmp.
 *
 * A tile's digits are its buckets less the least of them. They may be a handful, and atomic
 * additions to one counter are served one by one: so a digit has as many counters as there is room
 * for, and neighbouring lanes add to different ones. Keys of buckets far from those of the rest of
 * the tile are written one by one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_SCATTER_NEAR_CUH
#define USW_GPU_TREE_BUCKETS_SCATTER_NEAR_CUH

#include "gpu/tree_buckets/scatter_args.cuh"

template <typename K, typename Shape, tree_root kind> struct hybrid_near_block {
    static constexpr int NT = Shape::threads, I = Shape::keys, U = Shape::batch;
    static constexpr unsigned T = NT * I, D = NEAR_DIGITS, NOWHERE = ~0u;
    static constexpr unsigned E = D > NT ? D / NT : 1; /* counters of a thread */
    const hybrid_near_args<K> &a;
    unsigned long long *to;    /* where each digit's keys of the tile go, less where they are */
    unsigned *counts, *begins; /* of each counter; where its keys begin, and the end of all */
    unsigned *sums, *found;    /* of warps; three buckets of the tile, the least and the last */
    K *tile;
    uint16_t *digits; /* of the keys in the tile */
    hybrid_window<K, kind> window;
    unsigned least, spread, turns; /* of the tile: a digit has 1 << spread counters, turns + 1 */

    __device__ __forceinline__ hybrid_near_block(const hybrid_near_args<K> &from,
                                                 unsigned char *memory)
        : a(from), to(reinterpret_cast<unsigned long long *>(memory + TREE_TABLE_BYTES)),
          counts(reinterpret_cast<unsigned *>(to + D)), begins(counts + D + 32),
          sums(begins + D + 36), found(sums + 32), tile(reinterpret_cast<K *>(found + 28)),
          digits(reinterpret_cast<uint16_t *>(tile + T)),
          window(reinterpret_cast<unsigned *>(memory), from.tree), least(0), spread(0), turns(0)
    {
        static_assert(T < 1 << 16 && D <= 1 << 16 && D % NT % 32 == 0, "halves of a word");
        hybrid_copy_slots<NT>(from.tree, reinterpret_cast<unsigned *>(memory));
        for (unsigned w = threadIdx.x; w < D; w += NT) {
            counts[w] = 0;
        }
    }
    /* The keys of tile `number`, of which there are m. */
    __device__ __forceinline__ void fetch(K (&k)[I], unsigned long long number, unsigned &m) const
    {
        const unsigned long long at = number * T, left = a.n - at;
        const K *in = a.in + at + threadIdx.x;
        m = left < T ? static_cast<unsigned>(left) : T;
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = m == T || threadIdx.x + i * NT < m ? in[i * NT] : K(0);
        }
    }
    /* Maps the keys and looks up their buckets, U at a time. Those that are all of their bucket
     * stay: their number is all that the last step asks for. */
    __device__ __forceinline__ void look_up(K (&k)[I], unsigned (&r)[I], unsigned m) const
    {
        a.map.map_all(k);
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            K some[U];
            unsigned buckets[U], alike;
#pragma unroll
            for (int i = 0; i < U; i++) {
                some[i] = k[i0 + i < I ? i0 + i : I - 1];
            }
            window.buckets(some, buckets, alike);
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                const bool here = threadIdx.x + (i0 + i) * NT < m && (alike >> i & 1) == 0;
                r[i0 + i] = here ? buckets[i] : NOWHERE;
            }
        }
    }
    /* Chooses the tile's digits about the middle one of three keys, so that a stray one does not
     * matter. Keys that have none are written, and are NOWHERE from now on. */
    __device__ __forceinline__ void choose_digits(const K (&k)[I], unsigned (&r)[I])
    {
        const unsigned tid = threadIdx.x;
        if (tid == 0) {
            found[0] = r[0];
            found[3] = NOWHERE;
            found[4] = 0;
        } else if (tid == NT / 2) {
            found[1] = r[I / 2];
        } else if (tid == NT - 1) {
            found[2] = r[I - 1];
        }
        __syncthreads();
        const unsigned x = found[0], y = found[1], z = found[2];
        const unsigned low = x < y ? x : y, high = x < y ? y : x;
        unsigned middle = z < low ? low : z < high ? z : high;
        middle = middle == NOWHERE ? (low == NOWHERE ? 0 : low) : middle;
        const unsigned from = middle > D / 2 ? middle - D / 2 : 0;
        unsigned first = NOWHERE, last = 0;
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (r[i] - from < D) {
                first = r[i] < first ? r[i] : first;
                last = r[i] > last ? r[i] : last;
            } else if (r[i] != NOWHERE) {
                TREE_WAY(TREE_ALONE, true)
                a.out[atomicAdd(&a.ends[r[i]], 1ull)] = k[i];
                r[i] = NOWHERE;
            }
        }
        first = __reduce_min_sync(~0u, first);
        last = __reduce_max_sync(~0u, last);
        if (tid % 32 == 0) {
            atomicMin(&found[3], first);
            atomicMax(&found[4], last);
        }
        __syncthreads();
        least = found[3] != NOWHERE ? found[3] : 0;
        spread = 31 - static_cast<unsigned>(__clz(static_cast<int>(D / (found[4] - least + 1))));
        spread = spread < 5 ? spread : 5;
        turns = (1u << spread) - 1;
    }
    /* Ranks the keys within their counters, U at a time: r becomes the counter, and below it the
     * rank. Keys without a digit have counters of their own behind all others. */
    __device__ __forceinline__ void rank(unsigned (&r)[I]) const
    {
#pragma unroll
        for (int i = 0; i < I; i++) {
            const unsigned own = threadIdx.x & turns, none = D + threadIdx.x % 32;
            r[i] = (r[i] != NOWHERE ? (r[i] - least) << spread | own : none) << 16;
        }
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned ranks[U];
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                ranks[i] = atomicAdd(&counts[r[i0 + i] >> 16], 1u);
            }
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                r[i0 + i] |= ranks[i] & 0xffff;
            }
        }
    }
    /* Where the keys of each counter begin in the tile. */
    __device__ __forceinline__ void place() const
    {
        const unsigned tid = threadIdx.x, lane = tid % 32;
        const bool here = tid * E < D;
        unsigned sum = 0, c[E];
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            c[e] = here ? counts[tid * E + e] : 0;
            sum += c[e];
        }
        unsigned in = sum;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            const unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[tid / 32] = in;
        }
        __syncthreads();
        unsigned before = in - sum;
        before += __reduce_add_sync(~0u, lane < tid / 32 ? sums[lane] : 0);
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            if (here) {
                begins[tid * E + e] = before;
                counts[tid * E + e] = 0;
                before += c[e];
            }
        }
        if (tid * E + E == D) {
            begins[D] = before;
        }
        __syncthreads();
    }
    /* Puts the keys close together, and says where those of each digit go in tmp. */
    __device__ __forceinline__ void fill(const K (&k)[I], const unsigned (&r)[I]) const
    {
        unsigned long long at[E];
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const unsigned d = threadIdx.x + e * NT;
            const unsigned first = d < D >> spread ? begins[d << spread] : 0;
            const unsigned keys = d < D >> spread ? begins[(d + 1) << spread] - first : 0;
            at[e] =
                keys == 0
                    ? 0
                    : atomicAdd(&a.ends[least + d], static_cast<unsigned long long>(keys)) - first;
        }
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned q[U];
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                q[i] = begins[r[i0 + i] >> 16] + (r[i0 + i] & 0xffff);
            }
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                if (r[i0 + i] >> 16 < D) {
                    tile[q[i]] = k[i0 + i];
                    digits[q[i]] = static_cast<uint16_t>(r[i0 + i] >> 16 >> spread);
                }
            }
        }
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            if (threadIdx.x + e * NT < D) {
                to[threadIdx.x + e * NT] = at[e];
            }
        }
    }
    __device__ __forceinline__ void empty() const
    {
        const unsigned m = begins[D];
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned long long at[U];
            K some[U];
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                const unsigned q = threadIdx.x + (i0 + i) * NT;
                at[i] = q < m ? to[digits[q]] + q : 0;
                some[i] = tile[q];
            }
#pragma unroll
            for (int i = 0; i < U && i0 + i < I; i++) {
                if (threadIdx.x + (i0 + i) * NT < m) {
                    a.out[at[i]] = some[i];
                }
            }
        }
    }
    /* Scatters this block's tiles, and loads the next one while one is written. */
    __device__ __forceinline__ void scatter_all()
    {
        const unsigned long long tiles = (a.n + T - 1) / T;
        K k[I];
        unsigned r[I], m = 0;
        TREE_WAY(TREE_SCATTERS_ONCE, threadIdx.x == 0)
        if (blockIdx.x < tiles) {
            fetch(k, blockIdx.x, m);
        }
        __syncthreads();
        for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
            look_up(k, r, m);
            choose_digits(k, r);
            rank(r);
            __syncthreads();
            place();
            fill(k, r);
            __syncthreads();
            if (t + gridDim.x < tiles) {
                fetch(k, t + gridDim.x, m);
            }
            empty();
        }
    }
};

template <typename K, typename Shape>
__global__ __launch_bounds__(Shape::threads,
                             Shape::blocks) void hybrid_scatter_near(hybrid_near_args<K> args)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    if (args.plan->tree_buckets != TREE_IN_TMP) {
        return;
    }
    if (args.tree->scale != 0) {
        hybrid_near_block<K, Shape, TREE_SCALED_ROOT>(args, memory).scatter_all();
    } else {
        hybrid_near_block<K, Shape, TREE_LINEAR_ROOT>(args, memory).scatter_all();
    }
}

#endif
