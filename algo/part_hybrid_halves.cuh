/* part_hybrid_halves.cuh - the hybrid sort's last step for keys that have slots: the 16 bits of
 * each that are undecided are sorted, and written as whole keys.
 *
 * The sort is that of part_hybrid_local.cuh, but of two keys to a word. */
#ifndef USW_PART_HYBRID_HALVES_CUH
#define USW_PART_HYBRID_HALVES_CUH

#include "part_hybrid_local.cuh"
#include "part_hybrid_paired.cuh"
#include "part_hybrid_slots.cuh"

/* A thread takes I pairs. Zeros, the tile, ones: so that rounds need not ask for its ends. */
template <int NT, int I> struct hybrid_halves_room {
    static constexpr unsigned edge = 8, words = NT * I + 2 * edge; /* of the tile */
};

/* Shared memory: 64 words for sums, the tile, the bins. */
constexpr size_t hybrid_halves_shared(int threads, int pairs, int b)
{
    return (64 + 16 + size_t(threads) * pairs) * 4 + (size_t(2) << b);
}

/* R rounds of odd-even transposition over the thread's 2 I halves and R on either side. */
template <int NT, int I, int R>
__device__ __forceinline__ void hybrid_half_rounds(unsigned *tile, unsigned m)
{
    constexpr int side = (R + 3) / 4 * 2, N = 2 * I, W = N + 2 * R; /* side: words */
    static_assert(N >= R && I % 2 == 0 && side <= 8, "neighbours hold what lies outside");
    const unsigned tid = threadIdx.x;
    const bool awake = tid / 32 * 32 * N < m;
    uint2 *own = reinterpret_cast<uint2 *>(tile) + tid * (I / 2);
    unsigned x[W];
    if (awake) {
#pragma unroll
        for (int q = -side / 2; q < (I + side) / 2; q++) {
            const uint2 v = own[q];
            const int j = q * 4 + R;
            const unsigned h[4] = {v.x & 0xffff, v.x >> 16, v.y & 0xffff, v.y >> 16};
#pragma unroll
            for (int u = 0; u < 4; u++) {
                if (j + u >= 0 && j + u < W) {
                    x[j + u] = h[u];
                }
            }
        }
#pragma unroll
        for (int round = 0; round < R; round++) {
#pragma unroll
            for (int j = round; j + 1 < W - round; j += 2) {
                const unsigned a = x[j], b = x[j + 1];
                x[j] = a < b ? a : b;
                x[j + 1] = a < b ? b : a;
            }
        }
    }
    __syncthreads();
    if (awake) {
#pragma unroll
        for (int q = 0; q < I / 2; q++) {
            const unsigned *h = x + R + q * 4;
            own[q] = make_uint2(__byte_perm(h[0], h[1], 0x5410), __byte_perm(h[2], h[3], 0x5410));
        }
    }
}

/* Sorts m halves, 2 NT I at most, from bucket b's slot to the array tile, by their last `left`
 * bits, 16 at most. All threads call it. */
template <int NT, int I, int B, int R>
__device__ __forceinline__ void hybrid_sort_halves(const hybrid_slots &slots, unsigned b,
                                                   unsigned m, unsigned left, unsigned *sums,
                                                   unsigned *tile, unsigned *bins)
{
    constexpr unsigned edge = hybrid_halves_room<NT, I>::edge, crowd = 32;
    static_assert(B <= 15, "an uneven bin has several values");
    const unsigned own = threadIdx.x, turn = 16 - (left > 0 ? left : 1);
    const uint32_t *in = reinterpret_cast<const uint32_t *>(hybrid_slot(slots, b)) + own;
    uint16_t *halves = reinterpret_cast<uint16_t *>(tile);
    unsigned k[I], r[I], most = 0; /* pairs of keys, and of their ranks */
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = own + i * NT < (m + 1) / 2 ? in[i * NT] : 0;
    }
    hybrid_clear_paired<NT, B>(bins);
    if (own < 2 * edge) { /* before the tile and after it */
        tile[own < edge ? static_cast<int>(own) - int(edge) : int(NT * I + own - edge)] =
            own < edge ? 0 : ~0u;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        const unsigned p = (own + i * NT) * 2;
        r[i] = 0;
        if (own + i * NT < (m + 1) / 2) {
            r[i] = hybrid_paired_bin<B>(k[i] << turn << 16).count(bins);
            most = most > r[i] ? most : r[i];
            if (p + 1 < m) {
                const unsigned high = hybrid_paired_bin<B>(k[i] << turn).count(bins);
                most = most > high ? most : high;
                r[i] |= high << 16;
            }
        }
    }
    const bool uneven = __syncthreads_or(most >= R && left > B);
    if (uneven && __syncthreads_or(most >= crowd)) {
        hybrid_by_digits<uint16_t, NT, 2 * I>(
            reinterpret_cast<const uint16_t *>(hybrid_slot(slots, b)), m, halves,
            reinterpret_cast<uint16_t *>(bins), sums);
        if (own == 0) {
            hybrid_slot_loaded(slots, b);
        }
        return;
    }
    if (own == 0) {
        hybrid_slot_loaded(slots, b);
    }
    hybrid_scan_paired<NT, B>(bins, sums);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        const unsigned p = (own + i * NT) * 2;
        if (own + i * NT < (m + 1) / 2) {
            const hybrid_paired_bin<B> low(k[i] << turn << 16), high(k[i] << turn);
            halves[low.read(bins) + (r[i] & 0xffff)] = static_cast<uint16_t>(k[i]);
            if (p + 1 < m) {
                halves[high.read(bins) + (r[i] >> 16)] = static_cast<uint16_t>(k[i] >> 16);
            }
        }
    }
    for (unsigned p = m + own; p < NT * I * 2; p += NT) {
        halves[p] = 0xffff;
    }
    __syncthreads();
    if (uneven) {
        hybrid_more_rounds<uint16_t, NT>(halves, m);
    } else if (left > B) {
        hybrid_half_rounds<NT, I, R>(tile, m);
    }
}

struct hybrid_halves_args {
    uint32_t *keys;
    const unsigned long long *ends; /* of the buckets */
    usw_gpu_keymap<uint32_t> map;
    hybrid_plan *plan;
    hybrid_slots slots;
};

/* A block a bucket, by tickets: in this order they wait for each other. */
template <int NT, int I, int B, int R, int MB, bool identity>
__global__ __launch_bounds__(NT, MB) void hybrid_local_halves(hybrid_halves_args a)
{
    USW_DYNAMIC_SHARED(unsigned char, room);
    unsigned *sums = reinterpret_cast<unsigned *>(room);
    unsigned *tile = sums + 64 + hybrid_halves_room<NT, I>::edge;
    unsigned *bins = sums + 64 + hybrid_halves_room<NT, I>::words;
    if (threadIdx.x == 0) { /* asked for before anything else, for it takes its time */
        sums[0] = atomicAdd(&a.plan->given, 1u);
    }
    if (!a.plan->slots || *a.slots.lost) {
        return;
    }
    const unsigned left = a.plan->shift;
    __syncthreads();
    const unsigned b = sums[0], own = threadIdx.x;
    const unsigned long long begin = b > 0 ? a.ends[b - 1] : 0, end = a.ends[b];
    const unsigned m = static_cast<unsigned>(end - begin);
    const uint32_t base = hybrid_slot_base(a.plan, b);
    hybrid_sort_halves<NT, I, B, R>(a.slots, b, m, left, sums, tile, bins);
    hybrid_await_slots(a.slots, b, a.keys + begin, a.keys + end);
    __syncthreads();
    /* The warps write whole lines: positions p + i * NT, from -31 on. */
    uint32_t *to = a.keys + begin;
    const unsigned p = own - unsigned(reinterpret_cast<uintptr_t>(to) / 4) % 32;
    const uint16_t *halves = reinterpret_cast<const uint16_t *>(tile);
#pragma unroll
    for (int i = 0; i < 2 * I; i++) {
        if (p + i * NT < m) {
            const uint32_t key = base | halves[static_cast<int>(p) + i * NT];
            to[static_cast<int>(p) + i * NT] = identity ? key : a.map.unmap(key);
        }
    }
}

#endif
