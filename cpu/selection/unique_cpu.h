/* unique_cpu.h - runs of equal neighbours: counts them, keeps one key of each, and finds where they
 * begin. A key that differs from the one before it is a head.
 *
 * With AVX-512 a vector is compared with the same vector loaded one key earlier, and the heads are
 * compressed; elsewhere every key is written, and only a head moves the place of the next store. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#if KEY_BITS != 128

#if USW_LEVEL == 2
#undef UNIQUE_LANES
#undef V
#define UNIQUE_LANES (512 / KEY_BITS)
#define UNIQUE_CAT_(a, b, c) a##b##c
#define UNIQUE_CAT(a, b, c) UNIQUE_CAT_(a, b, c)
#define V(name) UNIQUE_CAT(_mm512_##name##_epi, KEY_BITS, )

static inline USW_LANE_MASK FN(lanes)(size_t left)
{
    return (USW_LANE_MASK)(left >= UNIQUE_LANES ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1);
}

/* The heads among k[0 .. n), k[-1] being a key too; *keys gets the vector. */
static inline USW_LANE_MASK FN(heads_at)(const KEY *k, size_t n, __m512i *keys)
{
    USW_LANE_MASK lanes = FN(lanes)(n);
    *keys = V(maskz_loadu)(lanes, k);
    __m512i before = V(maskz_loadu)(lanes, k - 1);
    return UNIQUE_CAT(_mm512_cmpneq_epi, KEY_BITS, _mask)(*keys, before) & lanes;
}
#endif

static size_t FN(heads)(const void *keys, size_t n, bool head, size_t *first)
{
    USW_ROUTE("heads");
    const KEY *k = keys;
    size_t count = 0, i = 1;
    *first = head ? 0 : n;
#if USW_LEVEL == 2
    for (; i < n; i += UNIQUE_LANES) {
        __m512i v;
        USW_LANE_MASK m = FN(heads_at)(k + i, n - i, &v);
        if (*first == n && m != 0) {
            *first = i + (size_t)__builtin_ctzll(m);
        }
        count += (size_t)__builtin_popcountll(m);
    }
#else
    while (i < n) { /* 255 at a time, so that a counter as wide as a key suffices */
        size_t begin = i, end = usw_min(n, i + 255);
        KEY heads = 0;
        for (; i < end; i++) {
            heads = (KEY)(heads + (k[i] != k[i - 1]));
        }
        for (size_t j = begin; *first == n && heads != 0; j++) {
            *first = k[j] != k[j - 1] ? j : n;
        }
        count += heads;
    }
#endif
    return count + head;
}

/* In place, a store never changes a key that is still to be read; and `out` behind the last head is
 * never written. */
static size_t FN(compact)(const void *keys, size_t n, bool head, void *out)
{
    USW_ROUTE("compact");
    const KEY *k = keys;
    KEY *to = out;
    size_t kept = head && n > 0;
    if (kept != 0) {
        to[0] = k[0];
    }
#if USW_LEVEL == 2
    for (size_t i = 1; i < n; i += UNIQUE_LANES) {
        __m512i v;
        USW_LANE_MASK m = FN(heads_at)(k + i, n - i, &v);
        size_t count = (size_t)__builtin_popcountll(m);
        if (count < UNIQUE_LANES || to + kept != k + i) { /* else all stay where they are */
            V(mask_storeu)(to + kept, FN(lanes)(count), V(mask_compress)(v, m, v));
        }
        kept += count;
    }
#else
    enum {
        BLOCK = 4096
    }; /* keys whose heads are counted first, so that the end of the stores is known */
    for (size_t i = 1, first; i < n; i += BLOCK) {
        const KEY *at = k + i;
        KEY before = at[-1];
        size_t count = kept + FN(heads)(at, usw_min(BLOCK, n - i), at[0] != before, &first);
        for (; kept < count; at++) {
            KEY key = *at;
            to[kept] = key;
            kept += key != before;
            before = key;
        }
    }
#endif
    return kept;
}

/* `count` is the result of heads: no more keys are written. */
static void FN(runs)(const void *keys, size_t n, bool head, size_t count, uint64_t position,
                     void *out_keys, uint64_t *out_positions)
{
    USW_ROUTE("runs");
    const KEY *k = keys;
    KEY *to = out_keys;
    size_t at = head, i = 1;
    if (head) {
        to[0] = k[0];
        out_positions[0] = position;
    }
#if USW_LEVEL == 2
    __m512i ramp = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (; at < count; i += UNIQUE_LANES) {
        __m512i v;
        USW_LANE_MASK m = FN(heads_at)(k + i, n - i, &v);
        size_t heads = (size_t)__builtin_popcountll(m);
        V(mask_storeu)(to + at, FN(lanes)(heads), V(mask_compress)(v, m, v));
        for (unsigned lane = 0; lane < UNIQUE_LANES; lane += 8) {
            __mmask8 eight = (__mmask8)((uint64_t)m >> lane);
            unsigned more = (unsigned)__builtin_popcount(eight);
            __m512i here =
                _mm512_add_epi64(ramp, _mm512_set1_epi64((long long)(position + i + lane)));
            _mm512_mask_storeu_epi64(out_positions + at, (__mmask8)((1u << more) - 1),
                                     _mm512_maskz_compress_epi64(eight, here));
            at += more;
        }
    }
    (void)n;
#else
    (void)n;
    for (; at < count; i++) {
        to[at] = k[i];
        out_positions[at] = position + i;
        at += k[i] != k[i - 1];
    }
#endif
}

#else

const usw_unique_steps USW_SYMBOL(usw_unique_steps) = {
    .heads = {heads_u8, heads_u16, heads_u32, heads_u64},
    .compact = {compact_u8, compact_u16, compact_u32, compact_u64},
    .runs = {runs_u8, runs_u16, runs_u32, runs_u64},
};

#endif
