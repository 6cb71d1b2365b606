/* CPU form of the split by flags.
 *
 * Same as the explained form: an element with flag 0 goes where as many zeros are before it
 * (I_down), one with flag 1 to the number of all zeros and the ones before it (I_up). Differs: both
 * scans run over blocks of 65,536 elements only; inside a block two cursors do their work, and no
 * index is ever stored. With AVX-512 a register's zeros and ones are compressed and stored whole,
 * as long as that stays inside the block's own part of the result; with AVX2 likewise, by a table
 * (cpu/selection/split_avx2.h); elsewhere the cursor is chosen without a branch, since flags are
 * as a rule not to be guessed. Elements need no alignment. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/order.h"

#ifndef USW_SPLIT_FLAGS_ONCE
#define USW_SPLIT_FLAGS_ONCE

enum { SPLIT_BLOCK = 16 * USW_TILE };

/* Where a block's elements go: [at, end) for flag 0 and for flag 1. A NULL at drops them. */
typedef struct targets {
    unsigned char *at[2], *end[2];
} targets;
typedef void (*permute_fn)(const unsigned char *in, const uint8_t *flags, size_t n, size_t bytes,
                           targets *to);

#if USW_LEVEL == 2
/* Bit j: flags[j] is not 0, j < n <= 64. */
static inline uint64_t flag_bits(const uint8_t *flags, size_t n)
{
    __mmask64 valid = n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    __m512i f = _mm512_maskz_loadu_epi8(valid, flags);
    return _mm512_test_epi8_mask(f, f);
}

/* The first `count` elements of width bytes, packed in v, to the cursor. */
static inline __attribute__((always_inline)) void push(targets *to, int side, __m512i v,
                                                       size_t count, size_t bytes)
{
    if ((size_t)(to->end[side] - to->at[side]) >= 64) {
        _mm512_storeu_si512(to->at[side], v);
    } else {
        __mmask64 valid = count * bytes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count * bytes) - 1;
        _mm512_mask_storeu_epi8(to->at[side], valid, v);
    }
    to->at[side] += count * bytes;
}
#elif USW_LEVEL == 1
#include "cpu/cache_sort/compress_table.h"
#endif
#endif

/* ---- one element width ---- */

#if USW_LEVEL == 2 && KEY_BITS <= 64
#define COMPRESS_(bits) _mm512_maskz_compress_epi##bits
#define COMPRESS(bits) COMPRESS_(bits)

static inline __attribute__((always_inline)) void FN(permute_vectors)(const unsigned char *in,
                                                                      const uint8_t *flags,
                                                                      size_t n, targets *to,
                                                                      bool zeros)
{
    enum { PER = 64 / sizeof(KEY) };
    targets t = *to;
    for (size_t i = 0; i < n; i += 64) {
        size_t here = usw_min(64, n - i);
        uint64_t ones = flag_bits(flags + i, here);
        for (size_t j = 0; j < here; j += PER) {
            size_t lanes = usw_min(PER, here - j);
            uint64_t valid = lanes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
            uint64_t up = (ones >> j) & valid, down = ~(ones >> j) & valid;
            __m512i v;
            if (lanes == PER) {
                v = _mm512_loadu_si512(in + (i + j) * sizeof(KEY));
            } else {
                __mmask64 some = (UINT64_C(1) << lanes * sizeof(KEY)) - 1;
                v = _mm512_maskz_loadu_epi8(some, in + (i + j) * sizeof(KEY));
            }
            if (zeros) {
                push(&t, 0, COMPRESS(KEY_BITS)((USW_LANE_MASK)down, v),
                     (size_t)__builtin_popcountll(down), sizeof(KEY));
            }
            push(&t, 1, COMPRESS(KEY_BITS)((USW_LANE_MASK)up, v), (size_t)__builtin_popcountll(up),
                 sizeof(KEY));
        }
    }
    *to = t;
}
#undef COMPRESS
#undef COMPRESS_
#elif USW_LEVEL == 1 && KEY_BITS <= 64
#include "cpu/selection/split_avx2.h"
#endif

#if USW_LEVEL < 2 || KEY_BITS > 64
/* One by one, without a branch. */
static void FN(permute_each)(const unsigned char *in, const uint8_t *flags, size_t n, targets *to)
{
    KEY dropped;
    uintptr_t zero = (uintptr_t)to->at[0], one = (uintptr_t)to->at[1];
    size_t step = zero == 0 ? 0 : sizeof(KEY);
    zero = zero == 0 ? (uintptr_t)&dropped : zero;
    for (size_t i = 0; i < n; i++) {
        KEY x;
        uintptr_t up = 0 - (uintptr_t)(flags[i] != 0); /* all bits */
        memcpy(&x, in + i * sizeof x, sizeof x);
        memcpy((void *)(zero ^ ((zero ^ one) & up)), &x, sizeof x);
        one += sizeof x & up;
        zero += step & ~up;
    }
}
#endif

static void FN(permute)(const unsigned char *in, const uint8_t *flags, size_t n, size_t bytes,
                        targets *to)
{
    USW_ROUTE_OF("elements of this size", USW_NO_TYPES);
    (void)bytes;
#if USW_LEVEL == 2 && KEY_BITS <= 64
    if (to->at[0] != NULL) {
        FN(permute_vectors)(in, flags, n, to, true);
    } else {
        FN(permute_vectors)(in, flags, n, to, false);
    }
#else
    size_t i = 0;
#if USW_LEVEL == 1 && KEY_BITS <= 64
    i = to->at[0] != NULL ? FN(permute_vectors)(in, flags, n, to, true)
                          : FN(permute_vectors)(in, flags, n, to, false);
#endif
    FN(permute_each)(in + i * sizeof(KEY), flags + i, n - i, to);
#endif
}

#if KEY_BITS == 128
static void permute_any(const unsigned char *in, const uint8_t *flags, size_t n, size_t bytes,
                        targets *to)
{
    USW_ROUTE_OF("elements of any size", USW_NO_TYPES);
    for (size_t i = 0; i < n; i++) {
        int side = flags[i] != 0;
        if (to->at[side] != NULL) {
            memmove(to->at[side], in + i * bytes, bytes);
            to->at[side] += bytes;
        }
    }
}

static permute_fn permute_of(size_t bytes)
{
    switch (bytes) {
    case 1: return permute_u8;
    case 2: return permute_u16;
    case 4: return permute_u32;
    case 8: return permute_u64;
    case 16: return permute_u128;
    default: return permute_any;
    }
}

/* ---- the whole: counts of blocks, their scan, then every block on its own ---- */

typedef struct job {
    const unsigned char *in;
    const uint8_t *flags;
    unsigned char *out;
    size_t n, bytes, zeros;
    size_t *ones; /* of each block; then of all blocks before it */
    bool keep;    /* drop the zeros */
    permute_fn permute;
} job;

/* How many of n flags are not 0; eight at a time, in fields of 16 bits that hold a block of
 * words. */
static size_t count_ones(const uint8_t *flags, size_t n)
{
    const uint64_t low = UINT64_MAX / 0xff * 0x7f, one = UINT64_MAX / 0xff,
                   even = UINT64_MAX / 0xffff * 0xff;
    size_t count = 0, i = 0;
    while (n - i >= 8) {
        size_t words = usw_min((n - i) / 8, 16384);
        uint64_t fields = 0;
        for (size_t w = 0; w < words; w++) {
            uint64_t f;
            memcpy(&f, flags + i + 8 * w, sizeof f);
            f = ((((f & low) + low) | f) >> 7) & one;
            fields += (f & even) + ((f >> 8) & even);
        }
        for (int shift = 0; shift < 64; shift += 16) {
            count += (fields >> shift) & 0xffff;
        }
        i += 8 * words;
    }
    for (; i < n; i++) {
        count += flags[i] != 0;
    }
    return count;
}

static void count_task(void *context, size_t b, unsigned thread)
{
    const job *j = context;
    size_t begin = b * SPLIT_BLOCK;
    (void)thread;
    j->ones[b] = count_ones(j->flags + begin, usw_min(SPLIT_BLOCK, j->n - begin));
}

static void permute_task(void *context, size_t b, unsigned thread)
{
    const job *j = context;
    size_t begin = b * SPLIT_BLOCK, n = usw_min(SPLIT_BLOCK, j->n - begin);
    size_t down = begin - j->ones[b], up = j->ones[b], ups = j->ones[b + 1] - up;
    targets to = {{NULL, NULL}, {NULL, NULL}};
    (void)thread;
    if (!j->keep) {
        to.at[0] = j->out + down * j->bytes;
        to.end[0] = to.at[0] + (n - ups) * j->bytes;
        up += j->zeros;
    }
    to.at[1] = j->out + up * j->bytes;
    to.end[1] = to.at[1] + ups * j->bytes;
    j->permute(j->in + begin * j->bytes, j->flags + begin, n, j->bytes, &to);
}

/* Counts every block's ones and scans the counts; *ones gets the sum. */
static upsweep_status count_blocks(upsweep *u, job *j, size_t *ones)
{
    size_t blocks = usw_div_up(j->n, SPLIT_BLOCK), sum = 0;
    j->ones = usw_scratch(u, (blocks + 1) * sizeof *j->ones);
    if (j->ones == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu counts", blocks + 1);
    }
    usw_parallel(u, blocks, count_task, j);
    for (size_t b = 0; b < blocks; b++) {
        size_t here = j->ones[b];
        j->ones[b] = sum;
        sum += here;
    }
    j->ones[blocks] = *ones = sum;
    return UPSWEEP_OK;
}

static upsweep_status split(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                            size_t bytes, size_t *zeros)
{
    job j = {.in = in, .flags = flags, .out = out, .n = n, .bytes = bytes};
    size_t ones = 0;
    upsweep_status status = count_blocks(u, &j, &ones);
    if (status == UPSWEEP_OK) {
        *zeros = j.zeros = n - ones;
        j.permute = permute_of(bytes);
        usw_parallel(u, usw_div_up(n, SPLIT_BLOCK), permute_task, &j);
    }
    return status;
}

/* In place the blocks go one after the other: what is written never passes what is read. */
static upsweep_status compact(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                              size_t bytes, size_t *kept)
{
    job j = {.in = in, .flags = flags, .out = out, .n = n, .bytes = bytes, .keep = true};
    upsweep_status status = count_blocks(u, &j, kept);
    if (status == UPSWEEP_OK) {
        size_t blocks = usw_div_up(n, SPLIT_BLOCK);
        j.permute = permute_of(bytes);
        USW_ROUTE_IF(in == out, "compact in place", USW_NO_TYPES);
        USW_ROUTE_IF(in != out, "compact elsewhere", USW_NO_TYPES);
        if (in == out) {
            for (size_t b = 0; b < blocks; b++) {
                permute_task(&j, b, 0);
            }
        } else {
            usw_parallel(u, blocks, permute_task, &j);
        }
    }
    return status;
}

const usw_split_form USW_SYMBOL(usw_split_flags_cpu) = {split, compact};
#endif
