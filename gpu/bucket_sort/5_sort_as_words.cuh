/* 5_sort_as_words.cuh - step 5 of the bucket sort for keys of 64 bits: a bucket is sorted as words
 * of 32 bits.
 *
 * A word is the first undecided bits of a key above the key's number in the bucket. The words are
 * split into bins and sorted by rounds as keys are in gpu/bucket_sort/5_sort.cuh; a comparison of
 * words takes two instructions, of keys six. Then each key is put together: its low half is loaded
 * by the number, and its high half is the bucket's bits and the word's. Where a few words agree in
 * all bits of the key, their keys are compared. NB is the bits of the number: 64 - NB bits at most
 * may be undecided. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_SORT_AS_WORDS_CUH
#define USW_GPU_BUCKET_SORT_5_SORT_AS_WORDS_CUH

#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/block/row_loads.cuh"

/* Tuning, for buckets of 2^(12 + size) keys on average, which have 16 rows of a key a thread. */
template <int size> struct hybrid_words_shape {
    static constexpr int number = size == 3 ? 13 : 13 + size; /* bits of a key's number */
    static constexpr int rounds = 8, blocks = size < 0    ? 7
                                              : size == 3 ? 3
                                                          : 4 >> (size < 0 ? 0 : size);
    static constexpr int batch = 3; /* rows that are loaded at a time */
    /* The keys of buckets to come are loaded into the second-level cache for a quarter of the
     * blocks that run at once; for all of them they would not stay there. */
    static unsigned ahead(unsigned sms)
    {
        return (sms * blocks + 3) / 4;
    }
};
enum { HYBRID_ROWS_SURE = 15 }; /* rows that nearly all buckets of even keys fill */

/* Shared memory: 64 words for sums, the keys' low halves, the words, the bins. */
constexpr size_t hybrid_words_shared(int threads, int keys, int b)
{
    return 256 + size_t(threads) * keys * 8 + (size_t(2) << b);
}

/* ---- words that agree in all bits of their keys ---- */

/* Does R rounds of odd-even transposition over the thread's I words and R + 1 on either side.
 * Returns the ties: bit j says that word j - 1 and word j of the thread agree above the number. */
template <int NT, int I, int R, int NB>
__device__ __forceinline__ unsigned hybrid_word_rounds(unsigned *words, unsigned m)
{
    constexpr int H = R + 1, W = I + 2 * H;
    static_assert(I >= H && I < 32, "neighbours hold what lies outside; a bit a word");
    const unsigned tid = threadIdx.x;
    const bool active = tid / 32 * 32 * I < m;
    unsigned ties = 0, x[W];
    const unsigned *from = words + static_cast<int>(tid * I) - H;
    if (active) {
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j < H) {
                x[j] = tid > 0 ? from[j] : 0;
            } else if (j >= I + H) {
                x[j] = tid < NT - 1 ? from[j] : ~0u;
            } else {
                x[j] = from[j];
            }
        }
#pragma unroll
        for (int round = 0; round < R; round++) {
#pragma unroll
            for (int j = round; j + 1 < W - round; j += 2) {
                unsigned a = x[j], b = x[j + 1];
                x[j] = a < b ? a : b;
                x[j + 1] = a < b ? b : a;
            }
        }
#pragma unroll
        for (int j = 0; j <= I; j++) {
            ties |= (x[R + j] ^ x[H + j]) >> NB == 0 ? 1u << j : 0;
        }
    }
    if (R > 0) {
        __syncthreads();
        if (active) {
#pragma unroll
            for (int j = 0; j < I; j++) {
                words[tid * I + j] = x[H + j];
            }
        }
    }
    return tid > 0 ? ties : ties & ~1u;
}

/* Sorts the runs of ties that begin among the thread's words by the low halves of their keys.
 * masks: what hybrid_word_rounds returned to each thread. */
template <int NT, int I, int NB>
__device__ __forceinline__ void hybrid_settle_ties(unsigned *words, const unsigned *lo, unsigned m,
                                                   unsigned ties, const unsigned *masks)
{
    constexpr unsigned low = (1u << NB) - 1;
    ties &= ties + 1; /* a run that began before belongs to another thread */
    while (ties != 0) {
        const unsigned j = static_cast<unsigned>(__ffs(static_cast<int>(ties))) - 1;
        unsigned more = static_cast<unsigned>(__ffs(static_cast<int>(~(ties >> j)))) - 1;
        const unsigned begin = threadIdx.x * I + j - 1;
        ties &= ~(((1u << more) - 1) << j);
        if (j + more == I + 1) {
            for (unsigned t = threadIdx.x + 1, c = I; c == I && t < NT && begin + more + 1 < m;
                 t++) {
                c = static_cast<unsigned>(__ffs(static_cast<int>(~(masks[t] >> 1)))) - 1;
                more += c;
            }
        }
        const unsigned end = begin + more + 1 < m ? begin + more + 1 : m;
        for (unsigned p = begin + 1; p < end; p++) {
            const unsigned word = words[p], key = lo[word & low];
            unsigned q = p;
            for (; q > begin; q--) {
                const unsigned other = words[q - 1];
                if (lo[other & low] <= key) {
                    break;
                }
                words[q] = other;
            }
            words[q] = word;
        }
    }
}

/* ---- a bucket ---- */

/* Makes words of the rows' keys, and splits them into bins. Returns what hybrid_split does. */
template <int NT, int I, int B, int R, int NB, int U>
__device__ __forceinline__ int
hybrid_split_words(const uint64_t *data, hybrid_rows<NT> row, unsigned left,
                   const hybrid_decoder<uint64_t> &decoder, unsigned *lo, unsigned *words,
                   unsigned *bins, unsigned *sums)
{
    static_assert((R & (R - 1)) == 0, "an OR of ranks shows whether one is as large");
    constexpr unsigned low = (1u << NB) - 1;
    const unsigned turn = 64 - left, lane = threadIdx.x % 32, m = row.m;
    uint64_t k[I];
    unsigned x[I], most = 0;
    hybrid_batches<NT, I, U, HYBRID_ROWS_SURE>(row, [&](int i0, int rows, bool whole) {
#pragma unroll
        for (int i = i0; i < i0 + rows; i++) {
            k[i] = row.here(i, whole) ? decoder.above(data[row(i)]) : 0;
        }
    });
    hybrid_clear_paired<NT, B>(bins);
    __syncthreads();
    row.anew();
    /* No branch, so that no addition waits: a row without a key adds 0 to its lane's count. */
    hybrid_batches<NT, I, U, HYBRID_ROWS_SURE>(row, [&](int i0, int rows, bool whole) {
        unsigned r[U];
#pragma unroll
        for (int i = i0; i < i0 + rows; i++) {
            const bool here = row.here(i, whole);
            x[i] = here ? static_cast<unsigned>(k[i] << turn >> 32) : lane << (32 - B);
            if (here) {
                lo[row.at + i * NT] = static_cast<unsigned>(k[i]);
            }
            const hybrid_paired_bin<B> bin(x[i]);
            r[i - i0] = bin.count(bins, here);
        }
#pragma unroll
        for (int i = i0; i < i0 + rows; i++) {
            const unsigned rank = r[i - i0] >> hybrid_paired_bin<B>(x[i]).turn;
            x[i] = hybrid_anew((x[i] & ~low) | (rank & low));
            most |= x[i] & low;
        }
    });
    row.anew();
    most = left > B ? most : 0;
    const bool uneven = __syncthreads_or(most >= R);
    const bool crowded = uneven && __syncthreads_or(most >= HYBRID_CROWD);
    hybrid_scan_paired<NT, B>(bins, sums);
    __syncthreads();
    hybrid_batches<NT, I, U, HYBRID_ROWS_SURE>(row, [&](int i0, int rows, bool whole) {
        unsigned to[U];
#pragma unroll
        for (int i = i0; i < i0 + rows; i++) {
            to[i - i0] = hybrid_paired_bin<B>(x[i]).read(bins);
        }
#pragma unroll
        for (int i = i0; i < i0 + rows; i++) {
            if (row.here(i, whole)) {
                words[to[i - i0] + (x[i] & low)] = (x[i] & ~low) | (row.at + i * NT);
            }
        }
    });
    for (unsigned p = m + threadIdx.x; p < NT * I; p += NT) {
        words[p] = ~0u;
    }
    __syncthreads();
    return crowded                           ? HYBRID_CROWDED
           : !uneven                         ? HYBRID_EVEN
           : __syncthreads_or(most >= 2 * R) ? HYBRID_FULL
                                             : HYBRID_UNEVEN;
}

/* The bins of words for usw_sort_bins_by_warps, which have been placed. lo: the low halves of the
 * keys, by which words are sorted that agree above the number. */
template <int B, int NB> struct hybrid_word_bins {
    unsigned *words, *bins;
    const unsigned *lo;
    unsigned m;
    __device__ __forceinline__ unsigned &item(unsigned p) const
    {
        return words[p];
    }
    __device__ __forceinline__ uint64_t order(unsigned word) const
    {
        return static_cast<uint64_t>(word >> NB) << 32 | lo[word & ((1u << NB) - 1)];
    }
    __device__ __forceinline__ bool falls(unsigned p) const
    {
        return order(words[p]) < order(words[p - 1]);
    }
    __device__ __forceinline__ unsigned of(unsigned p) const
    {
        return words[p] >> (32 - B);
    }
    __device__ __forceinline__ unsigned begin(unsigned bin) const
    {
        return hybrid_paired_bin<B>(bin << (32 - B)).read(bins) & 0x7fff;
    }
    __device__ __forceinline__ unsigned end(unsigned bin) const
    {
        return bin + 1 == 1u << B ? m : begin(bin + 1);
    }
    __device__ __forceinline__ bool mark(unsigned bin) const
    {
        const hybrid_paired_bin<B> b(bin << (32 - B));
        const unsigned bit = 0x8000u << b.turn;
        return (atomicOr(hybrid_byte<unsigned>(bins, b.offset), bit) & bit) != 0;
    }
};

template <int NT, int B, int NB>
__device__ __noinline__ bool hybrid_settle_words(unsigned *words, const unsigned *lo, unsigned m,
                                                 unsigned *bins, unsigned *sums)
{
    return usw_sort_bins_by_warps<NT>(m, sums, hybrid_word_bins<B, NB>{words, bins, lo, m});
}

/* Sorts m keys, NT * I - 32 at most, from data to to, which may be data, by their last `left` bits,
 * 64 - NB at most, of what they are above their bucket's least. buffer: hybrid_words_shared bytes.
 * All threads call. */
template <int NT, int I, int B, int R, int NB, int U>
__device__ __forceinline__ void
hybrid_sort_words(const uint64_t *data, uint64_t *to, unsigned m, unsigned left,
                  const usw_gpu_keymap<uint64_t> &map, unsigned char *buffer,
                  const hybrid_decoder<uint64_t> &decoder)
{
    constexpr unsigned T = NT * I, few_keys = NT < 256 ? NT - 8 : 248;
    static_assert(T - 32 <= 1u << NB && NT >= few_keys + 2, "a number for each key");
    unsigned *sums = reinterpret_cast<unsigned *>(buffer), *lo = sums + 64, *words = lo + T;
    unsigned *bins = words + T;
    uint64_t *tile =
        reinterpret_cast<uint64_t *>(lo); /* low halves and words together: whole keys */
    if (m <= few_keys) {
        hybrid_sort_few_keys(data, to, m, map, tile, decoder);
        return;
    }
    left = left > 0 ? left : 1;
    hybrid_rows<NT> row(to, m);
    int found = HYBRID_CROWDED;
    if (left <= 64 - NB) {
        found =
            hybrid_split_words<NT, I, B, R, NB, U>(data, row, left, decoder, lo, words, bins, sums);
    }
    /* Where many keys are equal, bins are full and most of them in order. */
    const bool in_order = found > HYBRID_UNEVEN && left <= 64 - NB &&
                          hybrid_settle_words<NT, B, NB>(words, lo, m, bins, sums);
    if (found == HYBRID_CROWDED && !in_order) {
        hybrid_sort_crowded<uint64_t, NT, I>(hybrid_decode<uint64_t, NT>(data, m, decoder, tile), m,
                                             tile, bins, sums);
        for (unsigned p = threadIdx.x; p < m; p += NT) {
            to[p] = map.unmap(tile[p] + decoder.least);
        }
        return;
    }
    if (left > B && !in_order) {
        unsigned ties;
        if (found != HYBRID_EVEN) {
            hybrid_more_rounds<unsigned, NT>(words, m);
            ties = hybrid_word_rounds<NT, I, 0, NB>(words, m);
        } else {
            ties = hybrid_word_rounds<NT, I, R, NB>(words, m);
        }
        ties = left > 32 - NB ? ties : 0; /* with fewer bits left, keys of tied words are equal */
        bins[threadIdx.x] = ties;
        __syncthreads();
        hybrid_settle_ties<NT, I, NB>(words, lo, m, ties, bins);
        __syncthreads();
    }
    row.anew();
    map.unmapping([&](auto back) {
        hybrid_batches<NT, I, U, HYBRID_ROWS_SURE>(row, [&](int i0, int rows, bool whole) {
            unsigned word[U], half[U];
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                word[i - i0] = row.here(i, whole) ? words[row.at + i * NT] : 0;
            }
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                half[i - i0] = lo[word[i - i0] & ((1u << NB) - 1)];
            }
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                if (row.here(i, whole)) {
                    const unsigned high =
                        static_cast<unsigned>(static_cast<uint64_t>(word[i - i0]) >> (64 - left));
                    const uint64_t bits = static_cast<uint64_t>(high) << 32 | half[i - i0];
                    to[row(i)] = back(bits + decoder.least);
                }
            }
        });
    });
}

/* A block of NT threads sorts each bucket of NT * I - 32 keys or fewer, and has the keys of the
 * bucket `ahead` loaded into the cache, which a block will soon take. */
template <int NT, int I, int B, int R, int NB, int MB, int U>
__global__ __launch_bounds__(NT, MB) void hybrid_local_words(hybrid_local_args<uint64_t> a,
                                                             unsigned ahead)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    const unsigned next = gridDim.x - blockIdx.x > ahead ? blockIdx.x + ahead : 0;
    const hybrid_bucket b = a.bucket(blockIdx.x, next, NT * I);
    if (!a.once(b.plan) || !a.sorts(b, NT * I - 32)) {
        return;
    }
    const unsigned m = static_cast<unsigned>(b.size), left = b.extent.left;
    const uint64_t *data = a.from(b.plan) + b.begin;
    if (left <= HYBRID_FEW_LEFT || m > NT * I - 32) {
        hybrid_write_by_values<uint64_t, NT>(data, a.out + b.begin, m, left, b.extent.least, a.map,
                                             reinterpret_cast<unsigned *>(buffer));
    } else if (!b.by_tree || left <= 64 - NB) { /* others: gpu/tree_buckets/sort_rest.cuh */
        hybrid_sort_words<NT, I, B, R, NB, U>(data, a.out + b.begin, m, left, a.map, buffer,
                                              b.extent.decoder<uint64_t>());
    }
}

#endif
