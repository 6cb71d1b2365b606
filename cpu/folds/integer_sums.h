/* integer_sums.h - running sums of integers of one width, a vector at a time.
 *
 * In each quarter of 128 bits (AVX2: half), adding copies shifted by 1, 2, 4 .. elements gives
 * every lane the sum up to itself (Hillis and Steele, "Data parallel algorithms", 1986); then each
 * quarter adds the last elements of the quarters before it, and all add the carry. Included by
 * scan_integers.h for each width. */
/* SPDX-License-Identifier: MIT */
#if USW_LEVEL >= 1 && KEY_BITS <= 64

#undef VEC
#undef OP
#define OP_(prefix, name, bits) prefix##_##name##_epi##bits
#if USW_LEVEL == 2
#define VEC __m512i
#define OP_BITS(name, bits) OP_(_mm512, name, bits)
#define SHIFT(v, bytes) _mm512_bslli_epi128(v, bytes)
#define STREAM(to, v) _mm512_stream_si512(to, v)
#else
#define VEC __m256i
#define OP_BITS(name, bits) OP_(_mm256, name, bits)
#define SHIFT(v, bytes) _mm256_slli_si256(v, bytes)
#define STREAM(to, v) _mm256_stream_si256(to, v)
#endif
#define OP(name) OP_BITS(name, KEY_BITS)

/* The last element of each quarter, in all lanes of it. */
static inline VEC FN(quarter_ends)(VEC v)
{
#if KEY_BITS == 64
    return OP_BITS(unpackhi, 64)(v, v);
#elif KEY_BITS == 32
    return OP_BITS(shuffle, 32)(v, (_MM_PERM_ENUM)0xff);
#elif KEY_BITS == 16
    return OP_BITS(shuffle, 8)(v, OP_BITS(set1, 16)(0x0f0e));
#else
    return OP_BITS(shuffle, 8)(v, OP_BITS(set1, 8)(15));
#endif
}

/* Sums up to each lane; *all gets the sum of all lanes, in every lane. */
static inline VEC FN(lane_sums)(VEC v, VEC *all)
{
#if KEY_BITS == 8
    v = OP(add)(v, SHIFT(v, 1));
#endif
#if KEY_BITS <= 16
    v = OP(add)(v, SHIFT(v, 2));
#endif
#if KEY_BITS <= 32
    v = OP(add)(v, SHIFT(v, 4));
#endif
    v = OP(add)(v, SHIFT(v, 8));
    VEC ends = FN(quarter_ends)(v);
#if USW_LEVEL == 2
    VEC zero = _mm512_setzero_si512(), shifted = _mm512_alignr_epi64(ends, zero, 6);
    v = OP(add)(v, shifted);
    ends = OP(add)(ends, shifted);
    shifted = _mm512_alignr_epi64(ends, zero, 4);
    ends = OP(add)(ends, shifted);
    *all = _mm512_shuffle_i64x2(ends, ends, 0xff);
#else
    VEC shifted = _mm256_permute2x128_si256(ends, ends, 0x08);
    ends = OP(add)(ends, shifted);
    *all = _mm256_permute2x128_si256(ends, ends, 0x11);
#endif
    return OP(add)(v, shifted);
}

/* Sums up as many elements as fill whole vectors, from *value on; returns how many. stream: stores
 * go past the caches, and out is aligned to a vector. Such stores disturb the hardware's own
 * prefetches, so the input ahead_bytes later is prefetched, which need not be in the array. */
static inline __attribute__((always_inline)) size_t FN(run_sums)(const KEY *in, KEY *out, size_t n,
                                                                 bool exclusive, bool stream,
                                                                 size_t ahead_bytes, KEY *value)
{
    enum { PER = sizeof(VEC) / sizeof(KEY), WRITTEN_AHEAD = 4096 };
    KEY start[PER];
    VEC carry, all;
    size_t i = 0;
    for (int j = 0; j < PER; j++) {
        start[j] = *value;
    }
    memcpy(&carry, start, sizeof carry);
    for (; i + PER <= n; i += PER) {
        VEC x, v;
        memcpy(&x, in + i, sizeof x);
        if (stream) {
            _mm_prefetch((const char *)((uintptr_t)(in + i) + ahead_bytes), _MM_HINT_T0);
        } else {
            _mm_prefetch((const char *)((uintptr_t)(out + i) + WRITTEN_AHEAD), _MM_HINT_T1);
        }
        v = OP(add)(FN(lane_sums)(x, &all), carry);
        v = exclusive ? OP(sub)(v, x) : v;
        if (stream) {
            STREAM((VEC *)(void *)(out + i), v);
        } else {
            memcpy(out + i, &v, sizeof v);
        }
        carry = OP(add)(carry, all);
    }
    memcpy(start, &carry, sizeof carry);
    *value = start[0];
    return i;
}

#undef STREAM
#undef SHIFT
#undef OP_BITS
#undef OP_
#endif
