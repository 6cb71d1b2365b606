/* part_hybrid_halves.cuh - the hybrid sort's last step where 16 bits of a key of 32, or fewer, are
 * undecided: a bucket is sorted as halves of words.
 *
 * As part_hybrid_local.cuh: a counting split by the next bits, then rounds of odd-even
 * transposition. A key waits in one register, its rank above its last 16 bits, so that more warps
 * fit. In shared memory the bucket's first half lies in the low halves of words and its second in
 * the high ones: a thread takes a stretch of words, and one minimum and one maximum of two halves
 * each compare two pairs of keys. */
#ifndef USW_PART_HYBRID_HALVES_CUH
#define USW_PART_HYBRID_HALVES_CUH

#include "part_hybrid_local.cuh"
#include "part_hybrid_paired.cuh"
#include "part_hybrid_rows.cuh"
#include "part_hybrid_shapes.cuh"

/* Shared memory: 64 words for sums; the words and the bins, or whole keys and digits' counters. */
constexpr size_t hybrid_halves_shared(int threads, int keys, int b)
{
    const size_t t = size_t(threads) * keys;
    const size_t halves = t * 2 + 256 + (size_t(2) << b), whole = t * 4 + size_t(threads) * 16;
    return HALVES_SURE ? 256 + (halves > whole ? halves : whole)
                       : hybrid_local_shared<uint32_t>(threads, keys, b);
}

/* The least and the most of two words' halves. */
#ifdef USW_EMULATE
static inline unsigned hybrid_least_halves(unsigned a, unsigned b)
{
    const unsigned low = (a & 0xffff) < (b & 0xffff) ? a : b, high = a >> 16 < b >> 16 ? a : b;
    return (high & 0xffff0000) | (low & 0xffff);
}
static inline unsigned hybrid_most_halves(unsigned a, unsigned b)
{
    const unsigned low = (a & 0xffff) < (b & 0xffff) ? b : a, high = a >> 16 < b >> 16 ? b : a;
    return (high & 0xffff0000) | (low & 0xffff);
}
#else
__device__ __forceinline__ unsigned hybrid_least_halves(unsigned a, unsigned b)
{
    return __vminu2(a, b);
}
__device__ __forceinline__ unsigned hybrid_most_halves(unsigned a, unsigned b)
{
    return __vmaxu2(a, b);
}
#endif

/* Tuning: rows of keys on their way at a time; words of a thread in the rounds. */
enum { HYBRID_HALVES_ROWS = 3, HYBRID_HALVES_WORDS = 17 };

/* A block of NT threads, its bucket of up to NT * I - 32 keys, and its bins of B bits. */
template <int NT, int I, int B, bool identity> struct hybrid_halves_block {
    static constexpr unsigned T = NT * I, few = NT < 256 ? NT - 8 : 248;
    static constexpr int R = 8, J = HYBRID_HALVES_WORDS, U = HYBRID_HALVES_ROWS;
    static constexpr int sure = I * 4 / 5; /* nearly all buckets of even keys have so many rows */
    unsigned *sums, *words, *bins;
    uint32_t *tile; /* where words and bins are */

    __device__ __forceinline__ explicit hybrid_halves_block(unsigned char *room)
        : sums(reinterpret_cast<unsigned *>(room)), words(sums + 64), bins(words + T / 2 + 64),
          tile(words)
    {
        static_assert(2 * J >= I && J >= R && J % 2 == 1,
                      "all keys; no two threads meet in a bank");
        static_assert(NT >= few + 4 && NT >= 4 * J, "a thread a key, and a place behind them");
        static_assert(T * 4 < 1u << 16, "four times a rank is a half");
    }
    /* The half that is the key at p, of p times 4; wrap: of 2 * H keys, 4 * H - 2. */
    __device__ __forceinline__ uint16_t *half(unsigned p4, unsigned wrap) const
    {
        const unsigned other = p4 - wrap;
        return hybrid_byte<uint16_t>(words, p4 < other ? p4 : other);
    }
    /* The word of a digit's count, and whether its high half is that. */
    __device__ __forceinline__ unsigned *count_of(unsigned digit) const
    {
        return hybrid_byte<unsigned>(bins, digit & ((2u << B) - 4));
    }
    __device__ __forceinline__ static bool is_high(unsigned digit)
    {
        return (digit & (2u << B)) != 0;
    }
    /* Counts keys in their bins; four times their ranks are put above their last 16 bits. An OR of
     * these is returned. */
    __device__ __forceinline__ unsigned rank(unsigned (&x)[I], const hybrid_rows<NT> &row,
                                             const hybrid_digit &digit)
    {
        unsigned most = 0;
        hybrid_batches<NT, I, U, sure>(row, [&](int i0, int rows, bool whole) {
            unsigned was[U];
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                const unsigned d = digit(x[i]);
                if (row.here(i, whole)) {
                    was[i - i0] = atomicAdd(count_of(d), is_high(d) ? 4u << 16 : 4u);
                }
            }
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                if (row.here(i, whole)) {
                    x[i] = __byte_perm(x[i], was[i - i0], is_high(digit(x[i])) ? 0x7610 : 0x5410);
                    most |= x[i];
                }
            }
        });
        return most >> 16;
    }
    __device__ __forceinline__ void place(const unsigned (&x)[I], const hybrid_rows<NT> &row,
                                          const hybrid_digit &digit, unsigned wrap)
    {
        hybrid_batches<NT, I, U, sure>(row, [&](int i0, int rows, bool whole) {
            unsigned at[U];
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                const unsigned d = digit(x[i]);
                at[i - i0] = *count_of(d);
                at[i - i0] = is_high(d) ? at[i - i0] >> 16 : at[i - i0] & 0xffff;
            }
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                uint16_t *to = half(at[i - i0] + (x[i] >> 16), wrap);
                if (row.here(i, whole)) {
                    *to = static_cast<uint16_t>(x[i]);
                }
            }
        });
    }
    /* R rounds over H words, J of a thread and R on either side. */
    __device__ __forceinline__ void rounds(unsigned H)
    {
        constexpr int W = J + 2 * R;
        const unsigned tid = threadIdx.x;
        const bool awake = tid / 32 * 32 * J < H;
        unsigned x[W], *mine = words + tid * J;
        if (awake) {
#pragma unroll
            for (int j = 0; j < W; j++) {
                x[j] = mine[j - R];
            }
            if (tid == 0) { /* what lies before the high halves is the low halves' last */
#pragma unroll
                for (int j = 0; j < R; j++) {
                    x[j] = words[static_cast<int>(H) - R + j] << 16;
                }
            }
            if (tid * J + J == H) {
#pragma unroll
                for (int j = 0; j < R; j++) {
                    x[J + R + j] = words[j] >> 16 | 0xffff0000;
                }
            }
#pragma unroll
            for (int round = 0; round < R; round++) {
#pragma unroll
                for (int j = round; j + 1 < W - round; j += 2) {
                    const unsigned a = x[j], b = x[j + 1];
                    x[j] = hybrid_least_halves(a, b);
                    x[j + 1] = hybrid_most_halves(a, b);
                }
            }
        }
        __syncthreads();
        if (awake && tid * J < H) {
#pragma unroll
            for (int j = 0; j < J; j++) {
                mine[j] = x[R + j];
            }
        }
    }
    /* The same, H even, until nothing moves: for a bucket with a few larger bins. */
    __device__ __noinline__ void more_rounds(unsigned H)
    {
        uint16_t *last = reinterpret_cast<uint16_t *>(words + H - 1);
        uint16_t *next = reinterpret_cast<uint16_t *>(words) + 1; /* behind it */
        unsigned still = 0;
        for (unsigned round = 0; still < 2; round++) {
            bool moved = false;
            for (unsigned w = threadIdx.x * 2 + (round & 1); w + 1 < H; w += 2 * NT) {
                const unsigned a = words[w], b = words[w + 1], least = hybrid_least_halves(a, b);
                if (a != least) {
                    words[w] = least;
                    words[w + 1] = hybrid_most_halves(a, b);
                    moved = true;
                }
            }
            if ((round & 1) != 0 && threadIdx.x == NT - 1 && *last > *next) {
                const uint16_t a = *last;
                *last = *next;
                *next = a;
                moved = true;
            }
            still = __syncthreads_or(moved) ? 0 : still + 1;
        }
    }
    /* False: some bin is crowded, nothing is done. */
    __device__ __forceinline__ bool sort(const uint32_t *data, uint32_t *to, unsigned m,
                                         unsigned left, const usw_gpu_keymap<uint32_t> &map)
    {
        const hybrid_digit digit(left > B ? left - B : 0, 1u << (left < B ? left : B), 32);
        hybrid_rows<NT> row(to, m);
        const uint32_t above = data[0];
        unsigned x[I];
#pragma unroll
        for (int i = 0; i < I; i++) {
            x[i] = row.here(i, false) ? data[row(i)] : 0;
        }
        hybrid_clear_paired<NT, B>(bins);
        __syncthreads();
        const unsigned most = rank(x, row, digit);
        const bool uneven = __syncthreads_or(most >= 4 * R && left > B);
        if (uneven && __syncthreads_or(most >= 4 * HYBRID_CROWD)) {
            return false;
        }
        hybrid_scan_paired<NT, B>(bins, sums);
        __syncthreads();
        const unsigned H = (m + 4 * J - 1) / (4 * J) * (2 * J), wrap = 4 * H - 2;
        place(x, row, digit, wrap);
        if (threadIdx.x < 2 * H - m) {
            *half(4 * (m + threadIdx.x), wrap) = 0xffff;
        }
        __syncthreads();
        if (uneven) {
            more_rounds(H);
        } else if (left > B) {
            rounds(H);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (row.here(i, false)) {
                const unsigned p = row.at + i * NT;
                const uint32_t key = __byte_perm(*half(4 * p, wrap), above, 0x7610);
                to[row(i)] = identity ? key : map.unmap(key);
            }
        }
        return true;
    }
    /* The same of whole keys. */
    __device__ __forceinline__ void sort_crowded(const uint32_t *data, uint32_t *to, unsigned m,
                                                 const usw_gpu_keymap<uint32_t> &map)
    {
        if constexpr (NT >= 256) { /* two digits at most */
            auto *counts = reinterpret_cast<uint16_t *>(tile + T);
            hybrid_by_digits<uint32_t, NT, I>(data, m, tile, counts, sums);
        } else {
            hybrid_by_merging<uint32_t, NT, I>(data, m, tile);
        }
        const hybrid_rows<NT> row(to, m);
        for (int i = 0; i < I; i++) {
            if (row.here(i, false)) {
                to[row(i)] = identity ? tile[row(i)] : map.unmap(tile[row(i)]);
            }
        }
    }
};

/* A block a bucket of up to NT * I - 32 keys; larger ones are not its business. The keys of the
 * bucket so many ahead, which a block will soon take, are asked for. */
template <int NT, int I, int B, int MB, bool identity>
__global__ __launch_bounds__(NT, MB) void hybrid_local_halves(hybrid_local_args<uint32_t> a,
                                                              unsigned ahead)
{
    USW_DYNAMIC_SHARED(unsigned char, room);
    if (!a.plan->even) {
        return;
    }
    const unsigned group = a.plan->group, number = blockIdx.x;
    if (threadIdx.x == 0 && gridDim.x - number > ahead && group == 0) {
        const unsigned long long at = a.ends[number + ahead - 1];
        const unsigned long long n = a.ends[number + ahead] - at;
        hybrid_prefetch(a.in + at, n <= NT * I ? n : 0);
    }
    const size_t last = ((number + size_t(1)) << group) - 1, before = size_t(1) << group;
    const unsigned long long begin = number > 0 ? a.ends[last - before] : 0;
    const unsigned long long size = a.ends[last] - begin;
    if (size == 0 || size > NT * I - 32) {
        return;
    }
    using block = hybrid_halves_block<NT, I, B, identity>;
    block b(room);
    const unsigned m = static_cast<unsigned>(size), left = a.plan->shift + group;
    const uint32_t *data = a.in + begin;
    uint32_t *to = a.out + begin;
    if (!HALVES_SURE && left > 16) {
        hybrid_sort_bucket<uint32_t, NT, I, B, block::R, identity>(data, to, m, left, a.map, room);
    } else if (m <= block::few) {
        hybrid_sort_few<uint32_t, identity>(data, to, m, a.map, b.tile);
    } else if (!b.sort(data, to, m, left, a.map)) {
        b.sort_crowded(data, to, m, a.map);
    }
}

#endif
