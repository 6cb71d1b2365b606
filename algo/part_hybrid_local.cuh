/* part_hybrid_local.cuh - the hybrid sort's last step: each bucket is sorted in shared memory by
 * the bits that the scatters left undecided.
 *
 * A block takes a bucket. split: a counting split by the next bits, about as many bins as keys; the
 * returned atomic is a key's rank in its bin. Then rounds of odd-even transposition, in registers:
 * a thread takes its keys and R more on either side, so R rounds put right every bin of up to R
 * keys. A bucket with a bin of more (its keys are spread unevenly) is sorted by digits instead. */
#ifndef USW_PART_HYBRID_LOCAL_CUH
#define USW_PART_HYBRID_LOCAL_CUH

#include "part_hybrid_count.cuh"

/* ---- by digits: any distribution, a few times slower ---- */

/* The stable ranks of a warp's keys within its digits; mine: 256 counters of the warp. */
template <typename K, int I>
__device__ __forceinline__ void hybrid_digit_ranks(const K (&k)[I], uint16_t (&r)[I],
                                                   unsigned shift, unsigned first, unsigned m,
                                                   uint16_t *mine)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned i = lane; i < 256; i += 32) {
        mine[i] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < I; i++) {
        bool here = first + i * 32 < m;
        unsigned d = static_cast<unsigned>(k[i] >> shift) & 255;
        unsigned peers = __ballot_sync(~0u, here);
#pragma unroll
        for (int bit = 0; bit < 8; bit++) {
            unsigned ones = __ballot_sync(~0u, (d >> bit & 1) != 0);
            peers &= (d >> bit & 1) != 0 ? ones : ~ones;
        }
        unsigned below = __popc(peers & ((1u << lane) - 1));
        unsigned had = here ? mine[d] : 0;
        __syncwarp();
        if (here && below == 0) {
            mine[d] = static_cast<uint16_t>(had + __popc(peers));
        }
        __syncwarp();
        r[i] = static_cast<uint16_t>(had + below);
    }
}

/* The warps' counters become the places where their digits begin. All threads call it. */
template <int NT>
__device__ __forceinline__ void hybrid_digit_places(uint16_t *counts, unsigned *sums)
{
    static_assert(NT >= 256, "a thread a digit");
    constexpr unsigned warps = NT / 32;
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    unsigned total = 0, in = 0;
    __syncthreads();
    if (tid < 256) {
        for (unsigned w = 0; w < warps; w++) {
            unsigned c = counts[w * 256 + tid];
            counts[w * 256 + tid] = static_cast<uint16_t>(total);
            total += c;
        }
        in = total;
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[warp] = in;
        }
    }
    __syncthreads();
    if (tid < 256) {
        unsigned before = in - total;
        for (unsigned w = 0; w < warp; w++) {
            before += sums[w];
        }
        for (unsigned w = 0; w < warps; w++) {
            counts[w * 256 + tid] = static_cast<uint16_t>(counts[w * 256 + tid] + before);
        }
    }
    __syncthreads();
}

/* The bits in which m keys differ. sums: 4 words. */
template <typename K, int NT>
__device__ __forceinline__ K hybrid_differ(const K *data, unsigned m, unsigned *sums)
{
    if (threadIdx.x < 4) {
        sums[threadIdx.x] = threadIdx.x < 2 ? 0 : ~0u;
    }
    __syncthreads();
    K any = 0, all = static_cast<K>(~K(0));
    for (unsigned p = threadIdx.x; p < m; p += NT) {
        any |= data[p];
        all &= data[p];
    }
    for (unsigned w = 0; w < sizeof(K) / 4; w++) {
        atomicOr(&sums[w], static_cast<unsigned>(any >> (32 * w)));
        atomicAnd(&sums[2 + w], static_cast<unsigned>(all >> (32 * w)));
    }
    __syncthreads();
    K differ = static_cast<K>(sums[0] ^ sums[2]);
    if constexpr (sizeof(K) == 8) {
        differ |= static_cast<K>(sums[1] ^ sums[3]) << 32;
    }
    __syncthreads();
    return differ;
}

/* Sorts m keys, from data to tile, by the digits of 8 bits in which they differ, from bit begin on,
 * stably. counts: 256 counters a warp. */
template <typename K, int NT, int I>
__device__ __noinline__ void hybrid_by_digits(const K *data, unsigned m, K *tile, uint16_t *counts,
                                              unsigned *sums, unsigned begin = 0)
{
    const K differ = hybrid_differ<K, NT>(data, m, sums);
    const unsigned warp = threadIdx.x / 32, first = warp * 32 * I + threadIdx.x % 32;
    uint16_t *mine = counts + warp * 256, r[I];
    K k[I];
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = first + i * 32 < m ? data[first + i * 32] : K(0);
    }
    for (unsigned shift = begin; shift < sizeof(K) * 8; shift += 8) {
        if ((static_cast<unsigned>(differ >> shift) & 255) == 0) {
            continue;
        }
        hybrid_digit_ranks<K, I>(k, r, shift, first, m, mine);
        hybrid_digit_places<NT>(counts, sums);
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (first + i * 32 < m) {
                tile[mine[static_cast<unsigned>(k[i] >> shift) & 255] + r[i]] = k[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = first + i * 32 < m ? tile[first + i * 32] : K(0);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (first + i * 32 < m) {
            tile[first + i * 32] = k[i];
        }
    }
    __syncthreads();
}

/* ---- split and rounds ---- */

/* The counts of bins, in place, become the sums of all before. Vector w of a thread is in the w-th
 * stretch of bins; the sums of two stretches, each less than 2^16, are scanned at once. */
template <int NT, int words>
__device__ __forceinline__ void hybrid_scan_bins(unsigned *bins, unsigned *sums)
{
    constexpr int own = words / NT, vectors = own / 4, packs = (vectors + 1) / 2, warps = NT / 32;
    static_assert(own >= 4 && words % (4 * NT) == 0, "a thread scans whole vectors of words");
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    uint4 *v = reinterpret_cast<uint4 *>(bins);
    uint4 c[vectors];
    unsigned pack[packs], in_scan[packs];
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        c[w] = v[tid + w * NT];
        unsigned sum = c[w].x + c[w].y + c[w].z + c[w].w;
        pack[w / 2] = w % 2 == 0 ? sum : pack[w / 2] + (sum << 16);
    }
#pragma unroll
    for (int q = 0; q < packs; q++) {
        in_scan[q] = pack[q];
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in_scan[q], o);
            in_scan[q] += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[q * warps + warp] = in_scan[q];
        }
    }
    __syncthreads();
    unsigned stretch = 0;
#pragma unroll
    for (int q = 0; q < packs; q++) {
        unsigned before = in_scan[q] - pack[q], total = 0;
#pragma unroll
        for (unsigned w = 0; w < warps; w += 4) {
            uint4 s = *reinterpret_cast<const uint4 *>(sums + q * warps + w);
            before += (w < warp ? s.x : 0) + (w + 1 < warp ? s.y : 0) + (w + 2 < warp ? s.z : 0) +
                      (w + 3 < warp ? s.w : 0);
            total += s.x + s.y + s.z + s.w;
        }
#pragma unroll
        for (int h = 0; h < 2 && 2 * q + h < vectors; h++) {
            uint4 n = c[2 * q + h], o;
            o.x = stretch + (before >> (16 * h) & 0xffff);
            o.y = o.x + n.x;
            o.z = o.y + n.y;
            o.w = o.z + n.z;
            v[tid + (2 * q + h) * NT] = o;
            stretch += total >> (16 * h) & 0xffff;
        }
    }
}

/* R rounds of odd-even transposition over the thread's I keys and R on either side. */
template <typename K, int NT, int I, int R>
__device__ __forceinline__ void hybrid_rounds(K *tile, unsigned m)
{
    constexpr int W = I + 2 * R;
    static_assert(I >= R, "neighbours hold what lies outside");
    const unsigned tid = threadIdx.x;
    const bool awake = tid / 32 * 32 * I < m;
    K x[W];
    const K *from = tile + static_cast<int>(tid * I) - R;
    if (awake) {
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j < R) {
                x[j] = tid > 0 ? from[j] : K(0);
            } else if (j >= I + R) {
                x[j] = tid < NT - 1 ? from[j] : static_cast<K>(~K(0));
            } else {
                x[j] = from[j];
            }
        }
#pragma unroll
        for (int round = 0; round < R; round++) {
#pragma unroll
            for (int j = round; j + 1 < W - round; j += 2) {
                K a = x[j], b = x[j + 1];
                x[j] = a < b ? a : b;
                x[j + 1] = a < b ? b : a;
            }
        }
    }
    __syncthreads();
    if (awake) {
#pragma unroll
        for (int j = 0; j < I; j++) {
            tile[tid * I + j] = x[R + j];
        }
    }
}

/* The same over shared memory, until nothing moves: for a bucket with a few larger bins. */
template <typename K, int NT> __device__ __noinline__ void hybrid_more_rounds(K *tile, unsigned m)
{
    unsigned still = 0;
    for (unsigned round = 0; still < 2; round++) {
        bool moved = false;
        for (unsigned p = threadIdx.x * 2 + (round & 1); p + 1 < m; p += 2 * NT) {
            K a = tile[p], b = tile[p + 1];
            if (a > b) {
                tile[p] = b;
                tile[p + 1] = a;
                moved = true;
            }
        }
        still = __syncthreads_or(moved) ? 0 : still + 1;
    }
}

/* ---- a bucket ---- */

/* Shared memory: 64 words, the keys, and the bins or the digits' counters. */
template <typename K> constexpr size_t hybrid_local_shared(int threads, int keys, int b)
{
    size_t bins = size_t(4) << b, digits = size_t(threads) / 32 * 512;
    return 256 + size_t(threads) * keys * sizeof(K) + (bins > digits ? bins : digits);
}

enum { HYBRID_EVEN, HYBRID_UNEVEN, HYBRID_CROWDED, HYBRID_CROWD = 32 };

/* The counting split of m keys to tile. HYBRID_UNEVEN: some bin has more than R keys. HYBRID_
 * CROWDED, with nothing done to tile: some bin has more than HYBRID_CROWD. own: where this thread's
 * first key is; the next ones NT behind each other. */
template <typename K, int NT, int I, int B, int R>
__device__ __forceinline__ int hybrid_split(const K (&k)[I], unsigned own, unsigned m, K *tile,
                                            unsigned *bins, unsigned *sums,
                                            const hybrid_digit &digit)
{
    constexpr unsigned unit = NT * I * sizeof(K) < 65536 ? sizeof(K) : 1;
    unsigned r[I], most = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (own + i * NT < m) {
            r[i] = atomicAdd(hybrid_byte<unsigned>(bins, digit(k[i])), unit);
            most = most > r[i] ? most : r[i];
        }
    }
    const bool uneven = __syncthreads_or(most >= R * unit);
    if (uneven && __syncthreads_or(most >= HYBRID_CROWD * unit)) {
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
    return uneven ? HYBRID_UNEVEN : HYBRID_EVEN;
}

template <typename K> struct hybrid_local_args {
    const K *in;
    K *out;                         /* may be in */
    const unsigned long long *ends; /* of the buckets */
    usw_gpu_keymap<K> map;          /* the scatters have mapped the keys */
    const hybrid_plan *plan;
};

/* A block of NT threads a bucket of up to NT * I - 32 keys; bins of the next B bits. */
template <typename K, int NT, int I, int B, int R, int MB, bool identity>
__global__ __launch_bounds__(NT, MB) void hybrid_local(hybrid_local_args<K> a)
{
    constexpr unsigned T = NT * I, S = sizeof(K);
    USW_DYNAMIC_SHARED(unsigned char, room);
    unsigned *sums = reinterpret_cast<unsigned *>(room);
    K *tile = reinterpret_cast<K *>(sums + 64);
    unsigned *bins = reinterpret_cast<unsigned *>(tile + T);
    if (!a.plan->msd) {
        return;
    }
    const unsigned long long begin = blockIdx.x > 0 ? a.ends[blockIdx.x - 1] : 0;
    const unsigned long long size = a.ends[blockIdx.x] - begin;
    if (size == 0 || size > T - 32) {
        return;
    }
    const unsigned m = static_cast<unsigned>(size), left = a.plan->shift;
    const hybrid_digit digit(left > B ? left - B : 0, 1u << (left < B ? left : B), S * 8);
    const K *data = a.in + begin;
    K *to = a.out + begin;
    /* The warps read and write whole lines: positions own + i * NT, from -31 on. */
    const unsigned own =
        threadIdx.x - static_cast<unsigned>(reinterpret_cast<uintptr_t>(to) / S) % 32;
    K k[I];
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = own + i * NT < m ? data[static_cast<int>(own) + i * NT] : K(0);
    }
#pragma unroll
    for (int w = 0; w < (1 << B) / NT / 4; w++) {
        reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    int found = hybrid_split<K, NT, I, B, R>(k, own, m, tile, bins, sums, digit);
    if (found == HYBRID_EVEN) {
        hybrid_rounds<K, NT, I, R>(tile, m);
        __syncthreads();
    } else if (found == HYBRID_UNEVEN) {
        hybrid_more_rounds<K, NT>(tile, m);
    } else {
        hybrid_by_digits<K, NT, I>(data, m, tile, reinterpret_cast<uint16_t *>(bins), sums);
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (own + i * NT < m) {
            int p = static_cast<int>(own) + i * NT;
            to[p] = identity ? tile[p] : a.map.unmap(tile[p]);
        }
    }
}

#endif
