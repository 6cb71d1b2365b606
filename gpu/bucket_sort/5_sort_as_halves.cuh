/* 5_sort_as_halves.cuh - step 5 of the bucket sort where 16 bits of a key of 32, or up to two more,
 * are undecided: a bucket is sorted as halves of words.
 *
 * As in gpu/bucket_sort/5_sort.cuh there is a counting split by the next bits, then rounds of
 * odd-even transposition. A key waits in one register, its rank above its last 16 bits, so that
 * more warps fit. In shared memory the bucket's first half of keys lies in the low halves of words
 * and its second half in the high ones: a thread takes a stretch of words, and one minimum and one
 * maximum of two halves each compare two pairs of keys.
 *
 * Where more than 16 bits are undecided, the values of the first of them make ranges of the bucket.
 * It is known where a range begins, so halves are enough. Between two ranges lie R halves that are
 * the most a half can be, and R that are the least: in R rounds no key gets past them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_SORT_AS_HALVES_CUH
#define USW_GPU_BUCKET_SORT_5_SORT_AS_HALVES_CUH

#include "gpu/block/rounds.cuh"
#include "gpu/bucket_sort/5_halves.cuh"
#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/block/row_loads.cuh"
#include "gpu/bucket_sort/tuning.cuh"

/* Shared memory: 64 words for sums; the words and the bins, or whole keys and digits' counters. */
constexpr size_t hybrid_halves_shared(int threads, int keys, int b)
{
    const size_t t = size_t(threads) * keys;
    const size_t halves = t * 2 + 512 + (size_t(2) << b), whole = t * 4 + size_t(threads) * 16;
    return HALVES_SURE ? 256 + (halves > whole ? halves : whole)
                       : hybrid_local_shared<uint32_t>(threads, keys, b);
}

/* Tuning: rows of keys that are loaded at a time (2, 3 and 5 rows: 788, 784 and 883 us for 2^28
 * keys); words of a thread in the rounds (11 to 23 words: 794 to 829 us). */
enum { HYBRID_HALVES_ROWS = 3, HYBRID_HALVES_WORDS = 17 };

/* A block of NT threads, its bucket of up to NT * I - 32 keys, and its bins of B bits. ranges: 1,
 * or 4 of 16 bits each, where two more bits may be left. Places and ranks are counted in units of
 * 4, the bytes of a word, so that a rank shifted by 16 lies above 18 bits. Bits are those of a key
 * less the bucket's least one; with others above them (hybrid_coded), which nobody looks at. */
template <int NT, int I, int B, int ranges> struct hybrid_halves_block {
    static constexpr unsigned T = NT * I, few_keys = NT < 256 ? NT - 8 : 248;
    static constexpr int R = 8, J = HYBRID_HALVES_WORDS, U = HYBRID_HALVES_ROWS;
    static constexpr unsigned unit = 4, spacing = 2 * R;
    static constexpr int sure = I * 4 / 5; /* rows that nearly all buckets of even keys fill */
    unsigned *sums, *words, *bins;
    uint32_t *tile; /* whole keys, where words and bins are otherwise */

    __device__ __forceinline__ explicit hybrid_halves_block(unsigned char *buffer)
        : sums(reinterpret_cast<unsigned *>(buffer)), words(sums + 64), bins(words + T / 2 + 128),
          tile(words)
    {
        static_assert(2 * J >= I && J >= R && J % 2 == 1,
                      "all keys; no two threads meet in a bank");
        static_assert(NT >= few_keys + 4 && NT >= 4 * J + 4,
                      "a thread a key, and a place behind them");
        static_assert((T + spacing * ranges) * unit < 1u << 16, "a place is a half");
        static_assert(NT >= spacing * (ranges - 1), "a thread a half between parts");
    }
    /* The half of the key at place p, given p * 4; wrap: 4 * H - 2 for 2 * H halves. */
    __device__ __forceinline__ uint16_t *half(unsigned p4, unsigned wrap) const
    {
        const unsigned other = p4 - wrap;
        return hybrid_byte<uint16_t>(words, p4 < other ? p4 : other);
    }
    /* The word that holds the count of a digit; is_high says in which half. */
    __device__ __forceinline__ unsigned *count_of(unsigned digit) const
    {
        return hybrid_byte<unsigned>(bins, digit & ((2u << B) - 4));
    }
    __device__ __forceinline__ static bool is_high(unsigned digit)
    {
        return (digit & (2u << B)) != 0;
    }
    __device__ __forceinline__ static void load(unsigned (&x)[I], const uint32_t *data,
                                                const hybrid_rows<NT> &row, uint32_t least)
    {
#pragma unroll
        for (int i = 0; i < I; i++) {
            x[i] = 0;
        }
        hybrid_batches<NT, I, 5, sure>(row, [&](int i0, int rows, bool whole) {
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                x[i] = row.here(i, whole) ? data[row(i)] - least : 0;
            }
        });
    }
    /* The key's last bits below its rank, the count before it was added. */
    __device__ __forceinline__ static unsigned with_rank(unsigned x, unsigned was, bool high)
    {
        if constexpr (ranges > 1) {
            const unsigned rank = __byte_perm(was, 0, high ? 0x3244 : 0x1044);
            return (x & ((ranges << 16) - 1)) | rank;
        } else {
            return __byte_perm(x, was, high ? 0x7610 : 0x5410);
        }
    }
    /* The place of a key whose bin begins at `at`. */
    __device__ __forceinline__ static unsigned place_of(unsigned at, unsigned x)
    {
        return ranges > 1 ? (at + (x >> 16)) & ~(unit - 1) : at + (x >> 16);
    }
    /* Counts keys in their bins, and puts their ranks above their last bits. Returns the ranks'
     * OR. */
    __device__ __forceinline__ unsigned rank(unsigned (&x)[I], const hybrid_rows<NT> &row,
                                             const hybrid_turned &digit)
    {
        unsigned most = 0;
        hybrid_batches<NT, I, U, sure>(row, [&](int i0, int rows, bool whole) {
            unsigned was[U];
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                const unsigned d = digit(x[i]);
                if (row.here(i, whole)) {
                    was[i - i0] = atomicAdd(count_of(d), is_high(d) ? unit << 16 : unit);
                }
            }
#pragma unroll
            for (int i = i0; i < i0 + rows; i++) {
                if (row.here(i, whole)) {
                    x[i] = with_rank(x[i], was[i - i0], is_high(digit(x[i])));
                    most |= x[i];
                }
            }
        });
        return most >> 16;
    }
    __device__ __forceinline__ void place(const unsigned (&x)[I], const hybrid_rows<NT> &row,
                                          const hybrid_turned &digit, unsigned wrap)
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
                uint16_t *to = half(place_of(at[i - i0], x[i]), wrap);
                if (row.here(i, whole)) {
                    *to = static_cast<uint16_t>(x[i]);
                }
            }
        });
    }
    /* Turns the counts of bins into places. extra: the bits that choose a range. */
    __device__ __forceinline__ void place_bins(unsigned extra)
    {
        if constexpr (ranges > 1) {
            /* Bins w and w + 2^(B - 1) share a word; each range begins 2 * R halves later. */
            const unsigned turn = B - extra, upper = extra != 0 ? 1u << (extra - 1) : 0;
            hybrid_scan_paired<NT, B>(bins, sums, [&](unsigned w) {
                return spacing * unit * ((w >> turn) * 0x10001 + (upper << 16));
            });
        } else {
            hybrid_scan_paired<NT, B>(bins, sums);
        }
    }
    /* Writes the halves between ranges, and to sums where the next range begins. */
    __device__ __forceinline__ void separate_ranges(unsigned extra, unsigned wrap)
    {
        const unsigned t = threadIdx.x, next = t / spacing + 1;
        if (next >> extra == 0) {
            const unsigned d = next << (B - extra), word = bins[d & ((1u << (B - 1)) - 1)];
            const unsigned place = (d >> (B - 1) != 0 ? word >> 16 : word & 0xffff) / unit;
            *half((place - spacing + t % spacing) * unit, wrap) = t % spacing < R ? 0xffff : 0;
            if (t % spacing == 0) {
                sums[next - 1] = place - spacing * next;
            }
        } else if (t % spacing == 0 && next < ranges) {
            sums[next - 1] = T;
        }
    }
    /* Puts full bins in order that have few values, as hybrid_settle_words. all: halves. */
    __device__ __noinline__ static bool settle(unsigned char *buffer, unsigned left, unsigned extra,
                                               unsigned all, unsigned wrap)
    {
        const hybrid_halves_block b(buffer);
        const hybrid_half_bins<hybrid_halves_block, B, ranges> some = {b, wrap, all, left - B,
                                                                       extra};
        return usw_sort_bins_by_warps<NT>(all, b.sums + ranges - 1, some);
    }
    /* Does as many rounds as the largest bin needs, R at a time. Their pairs must then be the same
     * for all threads, so that each has an even number of words, though threads then meet in
     * banks. most: see rank; buffer: of the block. */
    __device__ __noinline__ static void more_rounds(unsigned char *buffer, unsigned most,
                                                    unsigned extra, unsigned H, unsigned wrap)
    {
        hybrid_halves_block b(buffer);
        static_assert(J % 2 == 1 && HYBRID_CROWD == 4 * R, "R to 4 * R keys of a bin");
        const int one = __syncthreads_or((most & unit * R) != 0);
        const int two = __syncthreads_or((most & 2 * unit * R) != 0);
        for (int more = (one != 0) + 2 * (two != 0); more >= 0; more--) {
            hybrid_half_rounds<J + 1, R>(b.words, H);
            __syncthreads();
            if (ranges > 1 && more > 0) { /* they have been sorted, too */
                b.separate_ranges(extra, wrap);
                __syncthreads();
            }
        }
    }
    /* Sorts the bucket. Returns false, with nothing written, if some bin is crowded. least: of the
     * bucket. */
    __device__ __forceinline__ bool sort(const uint32_t *data, uint32_t *to, unsigned m,
                                         unsigned left, const usw_gpu_keymap<uint32_t> &map,
                                         uint32_t least)
    {
        const hybrid_turned digit(left > B ? left - B : 0);
        hybrid_rows<NT> row(to, m);
        unsigned x[I];
        load(x, data, row, least);
        hybrid_clear_paired<NT, B>(bins);
        __syncthreads();
        const unsigned most = rank(x, row, digit);
        const bool uneven = __syncthreads_or(most >= unit * R && left > B);
        const bool crowded = uneven && __syncthreads_or(most >= unit * HYBRID_CROWD);
        const unsigned extra = ranges > 1 && left > 16 ? left - 16 : 0;
        const unsigned all = ranges > 1 ? m + spacing * ((1u << extra) - 1) : m;
        place_bins(extra);
        __syncthreads();
        const auto words_for = [&](unsigned own) {
            return (all + 4 * own - 1) / (4 * own) * 2 * own;
        };
        const unsigned H = uneven ? words_for(J + 1) : words_for(J), wrap = 4 * H - 2;
        place(x, row, digit, wrap);
        if constexpr (ranges > 1) {
            separate_ranges(extra, wrap);
        }
        if (threadIdx.x < 2 * H - all) {
            *half(unit * (all + threadIdx.x), wrap) = 0xffff;
        }
        __syncthreads();
        auto *buffer = reinterpret_cast<unsigned char *>(sums);
#ifdef USW_EMULATE
        if (threadIdx.x == 0) {
            emulated_choice("halves", "crowded bins", 4, crowded);
            emulated_choice("halves", "fuller bins", 4, uneven && !crowded);
        }
#endif
        if (crowded && settle(buffer, left, extra, all, wrap)) {
            /* many keys are equal */
        } else if (crowded) {
            return false;
        } else if (uneven) {
            more_rounds(buffer, most, extra, H, wrap);
        } else if (left > B) {
            hybrid_half_rounds<J, R>(words, H);
            __syncthreads();
        }
        write(to, row, map, wrap, least);
        return true;
    }
    /* The mapped key at place p; above: its range, above a half. */
    __device__ __forceinline__ uint32_t key_at(unsigned p, unsigned wrap, uint32_t above,
                                               uint32_t least)
    {
        return __byte_perm(*half(unit * p, wrap), above, 0x7610) + least;
    }
    /* Writes all keys. */
    __device__ __forceinline__ void write(uint32_t *to, const hybrid_rows<NT> &row,
                                          const usw_gpu_keymap<uint32_t> &map, unsigned wrap,
                                          uint32_t least)
    {
        unsigned above = 0, steps = 0, twice = 0,
                 gap = 0; /* rows in which a next range begins, and in which two do */
        if constexpr (ranges > 1) {
#pragma unroll
            for (unsigned q = 0; q + 1 < ranges; q++) {
                const unsigned row_of = 1u << (sums[q] - row.at + NT - 1) / NT;
                twice |= steps & row_of;
                steps |= row_of;
            }
        }
        if ((twice & ((1u << I) - 1)) != 0) {
            write_slowly(to, row, map, wrap, least);
            return;
        }
        map.unmapping([&](auto back) {
#pragma unroll
            for (int i = 0; i < I; i++) {
                if (ranges > 1 && (steps & 1u << i) != 0) {
                    above += 1u << 16;
                    gap += spacing;
                }
                if (row.here(i, false)) {
                    to[row(i)] = back(key_at(row.at + i * NT + gap, wrap, above, least));
                }
            }
        });
    }
    /* Writes all keys where ranges are small. */
    __device__ __forceinline__ void write_slowly(uint32_t *to, const hybrid_rows<NT> &row,
                                                 const usw_gpu_keymap<uint32_t> &map, unsigned wrap,
                                                 uint32_t least)
    {
        unsigned number = 0;
#pragma unroll 1
        for (int i = 0; i < I; i++) {
            if (row.here(i, false)) {
                const unsigned p = row.at + i * NT;
                while (number + 1 < ranges && p >= sums[number]) {
                    number++;
                }
                to[row(i)] = map.unmap(key_at(p + spacing * number, wrap, number << 16, least));
            }
        }
    }
    /* Sorts a bucket with crowded bins as whole keys. */
    __device__ __forceinline__ void sort_crowded(const uint32_t *data, uint32_t *to, unsigned m,
                                                 const usw_gpu_keymap<uint32_t> &map,
                                                 const hybrid_decoder<uint32_t> &decoder)
    {
        data = hybrid_decode<uint32_t, NT>(data, m, decoder, tile);
        if constexpr (NT >= 256) { /* a thread a digit; the keys differ in two digits at most */
            auto *counts = reinterpret_cast<uint16_t *>(tile + T);
            hybrid_by_digits<uint32_t, NT, I>(data, m, tile, counts, sums);
        } else {
            hybrid_by_merging<uint32_t, NT, I>(data, m, tile);
        }
        const hybrid_rows<NT> row(to, m);
        for (int i = 0; i < I; i++) {
            if (row.here(i, false)) {
                to[row(i)] = map.unmap(tile[row(i)] + decoder.least);
            }
        }
    }
};

#endif
