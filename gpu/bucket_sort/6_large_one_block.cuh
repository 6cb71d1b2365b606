/* 6_large_one_block.cuh - one block sorts a range whose keys agree in all but their last 16 bits:
 * it counts them in shared memory, and writes them by their counts.
 *
 * A tile of positions is written at a time: each value marks where it begins, then every position
 * takes the greatest value that began before (a scan by maximum). So it does not matter how many
 * keys a value has. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_6_LARGE_ONE_BLOCK_CUH
#define USW_GPU_BUCKET_SORT_6_LARGE_ONE_BLOCK_CUH

#include "gpu/bucket_sort/2_count.cuh"

/* Shared memory: counters of 16 bits, two to a word; a tile of values; where each chunk of 32 words
 * begins; sums of the warps; which counters were handed on. */
struct hybrid_one_block_shape {
    static constexpr unsigned threads = 1024, warps = 32, batch = 8;
    static constexpr unsigned own = 8, tile = threads * own; /* positions of a thread, of a tile */
    static constexpr unsigned words = 1u << 15, chunks = words / 32, handed_max = 64;
    static constexpr unsigned keys_max = handed_max << 15;
    static constexpr size_t shared =
        words * 4 + tile * 2 + (chunks + 1 + warps + 1 + handed_max) * 4;
};

/* Reduces a counter that has reached 2^15 by that, and notes it once. */
static __device__ __noinline__ void hybrid_one_block_hand_on(unsigned *bins, unsigned *handed,
                                                             unsigned d)
{
    unsigned top = 0x8000u << d % 2 * 16, was = atomicAdd(&bins[d / 2], 0);
    while ((was & top) != 0) {
        unsigned now = atomicCAS(&bins[d / 2], was, was - top);
        if (now == was) {
            handed[1 + atomicAdd(&handed[0], 1u)] = d;
            return;
        }
        was = now;
    }
}

template <typename K> struct hybrid_one_block {
    using shape = hybrid_one_block_shape;
    const usw_gpu_keymap<K> &map, &unmap;
    unsigned *bins;
    uint16_t *tile;
    unsigned *starts, *sums,
        *handed;    /* handed[0]: number of entries, then counters that were reduced */
    unsigned words; /* words of bins that are in use */
    K base;

    __device__ __forceinline__ hybrid_one_block(const usw_gpu_keymap<K> &m,
                                                const usw_gpu_keymap<K> &u, unsigned char *buffer,
                                                unsigned left)
        : map(m), unmap(u), bins(reinterpret_cast<unsigned *>(buffer)),
          tile(reinterpret_cast<uint16_t *>(bins + shape::words)),
          starts(reinterpret_cast<unsigned *>(tile + shape::tile)),
          sums(starts + shape::chunks + 1), handed(sums + shape::warps),
          words(left > 6 ? 1u << (left - 1) : 32), base(0)
    {
    }

    /* ---- count ---- */

    /* Counts a batch of digits. most: a digit that many lanes may have, whose keys are added at
     * once. There is no branch: a lane with nothing to add adds 0 to a counter of its own. */
    __device__ __forceinline__ void add(const unsigned (&d)[shape::batch], unsigned here,
                                        unsigned &most)
    {
        const unsigned lane = threadIdx.x % 32;
        const bool crowd = hybrid_crowd(d[0], most) >= 3;
        unsigned crossed = 0, same = 0;
#pragma unroll
        for (unsigned u = 0; u < shape::batch; u++) {
            const bool alike = crowd && d[u] == most, is = (here >> u & 1) != 0;
            const unsigned inc = is && !alike ? 1u << d[u] % 2 * 16 : 0;
            const unsigned old = atomicAdd(&bins[inc == 0 ? lane : d[u] / 2], inc);
            crossed |= old ^ (old + inc);
            same += is && alike;
        }
        same = crowd ? __reduce_add_sync(~0u, same) : 0;
        if (lane == 0 && same != 0) {
            const unsigned inc = same << most % 2 * 16, old = atomicAdd(&bins[most / 2], inc);
            if (((old ^ (old + inc)) & 0x80008000) != 0) {
                hybrid_one_block_hand_on(bins, handed, most);
            }
        }
        if ((crossed & 0x80008000) != 0) {
#pragma unroll
            for (unsigned u = 0; u < shape::batch; u++) {
                hybrid_one_block_hand_on(bins, handed, d[u]);
            }
        }
    }
    /* Loads a batch of keys, from `at` on; returns a bit for each key that there is. */
    __device__ __forceinline__ static unsigned fetch(K (&k)[shape::batch], const K *keys,
                                                     unsigned at, unsigned m)
    {
        unsigned here = 0;
#pragma unroll
        for (unsigned u = 0; u < shape::batch; u++) {
            const unsigned p = at + u * shape::threads + threadIdx.x;
            k[u] = p < m ? keys[p] : K(0);
            here |= static_cast<unsigned>(p < m) << u;
        }
        return here;
    }
    __device__ __forceinline__ void count(const K *keys, unsigned m, unsigned mask)
    {
        constexpr unsigned U = shape::batch, T = shape::threads;
        unsigned most = ~0u, since = 0;
        K next[U];
        unsigned some = fetch(next, keys, 0, m);
        for (unsigned at = 0; at < m; at += U * T) {
            const unsigned here = some;
            unsigned d[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                d[u] = static_cast<unsigned>(map.map(next[u])) & mask;
            }
            some = fetch(next, keys, at + U * T, m);
            add(d, here, most);
            /* No counter can grow by more than 2^15 between two barriers. */
            since += U * T;
            if (since == 0x8000) {
                since = 0;
                __syncthreads();
            }
        }
        __syncthreads();
    }

    /* ---- write ---- */

    __device__ __forceinline__ void counts_at(unsigned w, unsigned &even, unsigned &odd) const
    {
        even = bins[w] & 0xffff;
        odd = bins[w] >> 16;
        for (unsigned h = 0; h < handed[0]; h++) {
            even += handed[1 + h] == 2 * w ? 0x8000 : 0;
            odd += handed[1 + h] == 2 * w + 1 ? 0x8000 : 0;
        }
    }
    /* Sums where each chunk begins; a thread a chunk. */
    __device__ __forceinline__ void scan_chunks()
    {
        const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
        unsigned total = 0;
        for (unsigned j = 0; j < 32 && t < words / 32; j++) {
            const unsigned w = bins[32 * t + (j + lane) % 32];
            total += (w & 0xffff) + (w >> 16);
        }
        for (unsigned h = 0; h < handed[0]; h++) {
            total += handed[1 + h] / 64 == t ? 0x8000 : 0;
        }
        unsigned sum = total, before = 0;
        for (unsigned o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, sum, o);
            sum += lane >= o ? up : 0;
        }
        if (lane == 31) {
            sums[warp] = sum;
        }
        __syncthreads();
        before = __reduce_add_sync(~0u, lane < warp ? sums[lane] : 0);
        starts[t] = before + sum - total;
        __syncthreads();
    }
    /* The last chunk, from c on, that begins at p or before. */
    __device__ __forceinline__ unsigned chunk_at(unsigned c, unsigned p) const
    {
        unsigned hi = words / 32 - 1;
        while (c < hi) {
            unsigned mid = (c + hi + 1) / 2;
            if (starts[mid] <= p) {
                c = mid;
            } else {
                hi = mid - 1;
            }
        }
        return c;
    }
    /* Marks in the tile of the positions [from, end) where the values of a warp's chunk begin. The
     * tile is written from position `first` on. */
    __device__ __forceinline__ void mark(unsigned c, int first, unsigned from, unsigned end)
    {
        const unsigned lane = threadIdx.x % 32, w = 32 * c + lane;
        unsigned even, odd;
        counts_at(w, even, odd);
        unsigned sum = even + odd;
        for (unsigned o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, sum, o);
            sum += lane >= o ? up : 0;
        }
        const unsigned stop = starts[c] + sum, mid = stop - odd, begin = mid - even;
        if (even != 0 && begin < end && mid > from) {
            tile[static_cast<int>(begin > from ? begin : from) - first] =
                static_cast<uint16_t>(2 * w);
        }
        if (odd != 0 && mid < end && stop > from) {
            tile[static_cast<int>(mid > from ? mid : from) - first] =
                static_cast<uint16_t>(2 * w + 1);
        }
    }
    /* Writes the tile's positions in [from, end) to `to`, and clears the tile. */
    __device__ __forceinline__ void write_tile(K *to, int first, unsigned from, unsigned end)
    {
        constexpr unsigned I = shape::own, V = 16 / sizeof(K);
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        union {
            uint4 v;
            uint16_t d[I];
        } x;
        uint4 *mine = reinterpret_cast<uint4 *>(tile) + threadIdx.x;
        x.v = *mine;
        *mine = make_uint4(0, 0, 0, 0);
        unsigned most = 0;
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            most = most > x.d[i] ? most : x.d[i];
        }
        for (unsigned o = 1; o < 32; o <<= 1) {
            const unsigned up = __shfl_up_sync(~0u, most, o);
            most = lane >= o && up > most ? up : most;
        }
        if (lane == 31) {
            sums[warp] = most;
        }
        const unsigned left = __shfl_up_sync(~0u, most, 1);
        __syncthreads();
        unsigned now = __reduce_max_sync(~0u, lane < warp ? sums[lane] : 0);
        now = lane > 0 && left > now ? left : now;
        K k[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            now = now > x.d[i] ? now : x.d[i];
            k[i] = unmap.unmap(static_cast<K>(base | K(now)));
        }
        const int p = first + static_cast<int>(threadIdx.x * I);
        const int begin = static_cast<int>(from), stop = static_cast<int>(end);
        if (p >= begin && p + static_cast<int>(I) <= stop) {
#pragma unroll
            for (unsigned i = 0; i < I; i += V) {
                hybrid_vector<K> v;
#pragma unroll
                for (unsigned j = 0; j < V; j++) {
                    v.k[j] = k[i + j];
                }
                *reinterpret_cast<uint4 *>(to + p + i) = v.v;
            }
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (p + static_cast<int>(i) >= begin && p + static_cast<int>(i) < stop) {
                to[p + static_cast<int>(i)] = k[i];
            }
        }
    }
    __device__ __forceinline__ void write(K *to, unsigned m)
    {
        const unsigned skew =
            static_cast<unsigned>(reinterpret_cast<uintptr_t>(to) / sizeof(K)) % (16 / sizeof(K));
        reinterpret_cast<uint4 *>(tile)[threadIdx.x] = make_uint4(0, 0, 0, 0);
        scan_chunks();
        unsigned chunk = 0;
        for (unsigned at = 0; at < m + skew; at += shape::tile) {
            const unsigned from = at == 0 ? 0 : at - skew;
            const unsigned end = m + skew - at < shape::tile ? m : at + shape::tile - skew;
            const unsigned last = chunk_at(chunk, end - 1);
            for (unsigned c = chunk + threadIdx.x / 32; c <= last; c += shape::warps) {
                mark(c, static_cast<int>(at) - static_cast<int>(skew), from, end);
            }
            chunk = last;
            __syncthreads();
            write_tile(to, static_cast<int>(at) - static_cast<int>(skew), from, end);
        }
    }

    /* Sorts m keys that agree in all but the last `left` bits. keys may be to. A block calls. */
    __device__ __forceinline__ void sort(const K *keys, K *to, unsigned m, unsigned left)
    {
        base = static_cast<K>(map.map(keys[0]) >> left << left);
        __syncthreads();
        for (unsigned w = threadIdx.x; w < words / 4; w += shape::threads) {
            reinterpret_cast<uint4 *>(bins)[w] = make_uint4(0, 0, 0, 0);
        }
        if (threadIdx.x == 0) {
            handed[0] = 0;
        }
        __syncthreads();
        count(keys, m, (1u << left) - 1);
        write(to, m);
        __syncthreads();
    }
};

#endif
