/* part_hybrid_alone.cuh - one block sorts a part whose keys agree in all but their last 16 bits: it
 * counts them in shared memory, and writes them by their counts. */
#ifndef USW_PART_HYBRID_ALONE_CUH
#define USW_PART_HYBRID_ALONE_CUH

#include "part_hybrid_count.cuh"

/* Shared memory: counters of 16 bits, two to a word; of each warp some keys on their way; the warps'
 * sums, and which counters were handed on. */
struct hybrid_alone_shape {
    static constexpr unsigned threads = 1024, warps = 32, batch = 8, staged = 512;
    static constexpr unsigned words = 1u << 15, handed_max = 64;
    static constexpr unsigned keys_max = handed_max << 15;
    static constexpr size_t shared = words * 4 + warps * staged * 2 + (warps + 1 + handed_max) * 4;
};

/* A counter that has reached 2^15 hands them on, once. */
static __device__ __noinline__ void hybrid_alone_hand_on(unsigned *bins, unsigned *handed,
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

template <typename K> struct hybrid_alone {
    using shape = hybrid_alone_shape;
    const usw_gpu_keymap<K> &map, &unmap;
    unsigned *bins, *sums, *handed; /* handed[0]: how many; then which */
    uint16_t *stage;                /* this warp's */
    unsigned each;                  /* words of a warp */
    K base;

    __device__ __forceinline__ hybrid_alone(const usw_gpu_keymap<K> &m, const usw_gpu_keymap<K> &u,
                                            unsigned char *room, unsigned left)
        : map(m), unmap(u), bins(reinterpret_cast<unsigned *>(room)), sums(bins + shape::words),
          handed(sums + shape::warps), each(left > 11 ? 1u << (left - 6) : 32), base(0)
    {
        stage = reinterpret_cast<uint16_t *>(handed + 1 + shape::handed_max) +
                threadIdx.x / 32 * shape::staged;
    }

    /* ---- count ---- */

    __device__ __forceinline__ void add(unsigned d, unsigned c)
    {
        unsigned old = atomicAdd(&bins[d / 2], c << d % 2 * 16) >> d % 2 * 16;
        if (((old ^ (old + c)) & 0x8000) != 0) {
            hybrid_alone_hand_on(bins, handed, d);
        }
    }
    __device__ __forceinline__ void count(const K *keys, unsigned m, unsigned mask)
    {
        constexpr unsigned U = shape::batch, T = shape::threads;
        const unsigned lane = threadIdx.x % 32;
        unsigned most = ~0u, since = 0;
        for (unsigned at = 0; at < m; at += U * T) {
            K k[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                const unsigned p = at + u * T + threadIdx.x;
                k[u] = p < m ? keys[p] : K(0);
            }
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                const bool here = at + u * T + threadIdx.x < m;
                const unsigned d = static_cast<unsigned>(map.map(k[u])) & mask;
                unsigned alike = __ballot_sync(~0u, here && d == most);
                if (__popc(alike) < 8) {
                    most = __shfl_sync(~0u, d, 0);
                    alike = __ballot_sync(~0u, here && d == most);
                }
                if (here && (d != most || lane == __ffs(static_cast<int>(alike)) - 1u)) {
                    add(d, d != most ? 1 : __popc(alike));
                }
            }
            /* Between two barriers no counter can grow by more than 2^15. */
            since += U * T;
            if (since == 0x8000) {
                since = 0;
                __syncthreads();
            }
        }
        __syncthreads();
    }

    /* ---- write ---- */

    /* The keys that this warp's counters counted, and all before. */
    __device__ __forceinline__ unsigned keys_before()
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned total = 0, before = 0;
        for (unsigned w = warp * each + lane; w < (warp + 1) * each; w += 32) {
            total += (bins[w] & 0xffff) + (bins[w] >> 16);
        }
        for (unsigned h = lane; h < handed[0]; h += 32) {
            total += handed[1 + h] / 2 / each == warp ? 0x8000 : 0;
        }
        total = __reduce_add_sync(~0u, total);
        if (lane == 0) {
            sums[warp] = total;
        }
        __syncthreads();
        for (unsigned w = 0; w < warp; w++) {
            before += sums[w];
        }
        return before;
    }
    __device__ __forceinline__ void counts_at(unsigned w, unsigned &even, unsigned &odd) const
    {
        even = bins[w] & 0xffff;
        odd = bins[w] >> 16;
        for (unsigned h = 0; h < handed[0]; h++) {
            even += handed[1 + h] == 2 * w ? 0x8000 : 0;
            odd += handed[1 + h] == 2 * w + 1 ? 0x8000 : 0;
        }
    }
    __device__ __forceinline__ K key_of(unsigned digit) const
    {
        return unmap.unmap(static_cast<K>(base | K(digit)));
    }
    /* The staged keys to `to`. */
    __device__ __forceinline__ void flush(K *to, unsigned held) const
    {
        const unsigned skew =
            static_cast<unsigned>(reinterpret_cast<uintptr_t>(to) / sizeof(K)) % 32;
        __syncwarp();
        for (unsigned i = threadIdx.x % 32; i < held + skew; i += 32) {
            if (i >= skew) {
                to[i - skew] = key_of(stage[i - skew]);
            }
        }
        __syncwarp();
    }
    /* Calls put(first, digit, copies) for each lane's word, all lanes at once, for those of more
     * than `few` keys; first: keys before it in the chunk. */
    template <typename Put>
    __device__ __forceinline__ void each_of(unsigned w, unsigned first, unsigned even, unsigned odd,
                                            unsigned few, Put put) const
    {
        for (unsigned many = __ballot_sync(~0u, even + odd > few); many != 0; many &= many - 1) {
            const int from = __ffs(static_cast<int>(many)) - 1;
            const unsigned f = __shfl_sync(~0u, first, from), e = __shfl_sync(~0u, even, from);
            const unsigned o = __shfl_sync(~0u, odd, from), v = 2 * __shfl_sync(~0u, w, from);
            for (unsigned c = threadIdx.x % 32; c < e + o; c += 32) {
                put(f + c, v + (c >= e));
            }
        }
    }
    __device__ __forceinline__ void write(K *to)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned held = 0;
        to += keys_before();
        for (unsigned w = warp * each + lane; w < (warp + 1) * each; w += 32) {
            unsigned even, odd;
            counts_at(w, even, odd);
            if (!__any_sync(~0u, (even | odd) != 0)) {
                continue;
            }
            const unsigned both = even + odd;
            unsigned sum = both;
            for (unsigned o = 1; o < 32; o <<= 1) {
                unsigned up = __shfl_up_sync(~0u, sum, o);
                sum += lane >= o ? up : 0;
            }
            const unsigned total = __shfl_sync(~0u, sum, 31);
            if (held + total > shape::staged) {
                flush(to, held);
                to += held;
                held = 0;
            }
            if (total > shape::staged) { /* not by the stage */
                each_of(w, sum - both, even, odd, 0,
                        [&](unsigned p, unsigned digit) { to[p] = key_of(digit); });
                to += total;
                continue;
            }
            const unsigned first = held + sum - both;
            for (unsigned c = 0; c < both && both <= 16; c++) {
                stage[first + c] = static_cast<uint16_t>(2 * w + (c >= even));
            }
            each_of(w, first, even, odd, 16,
                    [&](unsigned p, unsigned digit) { stage[p] = static_cast<uint16_t>(digit); });
            held += total;
        }
        flush(to, held);
    }

    /* All threads of the block call. keys may be to. */
    __device__ __forceinline__ void sort(const K *keys, K *to, unsigned m, unsigned left)
    {
        base = static_cast<K>(map.map(keys[0]) >> left << left);
        __syncthreads();
        for (unsigned w = threadIdx.x; w < each * shape::warps / 4; w += shape::threads) {
            reinterpret_cast<uint4 *>(bins)[w] = make_uint4(0, 0, 0, 0);
        }
        if (threadIdx.x == 0) {
            handed[0] = 0;
        }
        __syncthreads();
        count(keys, m, (1u << left) - 1);
        write(to);
        __syncthreads();
    }
};

#endif
