/* split_avx2.h - splits elements by their flags with AVX2: of eight elements (of 64 bits four)
 * those with flag 0 and those with flag 1 are each brought to the front of a vector by a table of
 * shuffles, and whole vectors are stored as long as they stay inside the block's own range of the
 * result. Included once per key width by algo/split_flags_cpu.h. */
/* SPDX-License-Identifier: MIT */
#if KEY_BITS == 8
#define VECTOR __m128i
#define LOAD(at) _mm_loadl_epi64((const __m128i *)(const void *)(at))
#define STORE(at, v) _mm_storel_epi64((__m128i *)(void *)(at), v)
#elif KEY_BITS == 16
#define VECTOR __m128i
#define LOAD(at) _mm_loadu_si128((const __m128i *)(const void *)(at))
#define STORE(at, v) _mm_storeu_si128((__m128i *)(void *)(at), v)
#else
#define VECTOR __m256i
#define LOAD(at) _mm256_loadu_si256((const __m256i *)(const void *)(at))
#define STORE(at, v) _mm256_storeu_si256((__m256i *)(void *)(at), v)
#endif

enum { FN(LANES) = KEY_BITS == 64 ? 4 : 8, FN(GROUP) = FN(LANES) * (int)sizeof(KEY) };

/* The elements whose bit in m is 0, then the others. */
static inline VECTOR FN(split_group)(VECTOR v, unsigned m)
{
    const uint64_t *entry = FN(LANES) == 4 ? split_4 + m : split_8 + m;
    __m128i from = _mm_loadl_epi64((const __m128i *)(const void *)entry);
#if KEY_BITS == 8
    return _mm_shuffle_epi8(v, from);
#elif KEY_BITS == 16
    from = _mm_unpacklo_epi8(from, from);
    from = _mm_add_epi8(_mm_add_epi8(from, from), _mm_set1_epi16(0x0100));
    return _mm_shuffle_epi8(v, from);
#else
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(from));
#endif
}

static inline __attribute__((always_inline)) void FN(push_group)(targets *to, int side, VECTOR v,
                                                                 size_t count)
{
    unsigned char *at = to->at[side];
    if (to->end[side] - at >= FN(GROUP)) {
        STORE(at, v);
    } else {
        unsigned char group[FN(GROUP)];
        STORE(group, v);
        memcpy(at, group, count * sizeof(KEY));
    }
    to->at[side] = at + count * sizeof(KEY);
}

/* Returns how many elements were split: all but less than 8. */
static inline __attribute__((always_inline)) size_t FN(permute_vectors)(const unsigned char *in,
                                                                        const uint8_t *flags,
                                                                        size_t n, targets *to,
                                                                        bool zeros)
{
    const unsigned all = (1u << FN(LANES)) - 1;
    targets t = *to;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(flags + i));
        eight = _mm_cmpeq_epi8(eight, _mm_setzero_si128());
        unsigned down = (unsigned)_mm_movemask_epi8(eight);
        for (unsigned j = 0; j < 8; j += FN(LANES), down >>= FN(LANES)) {
            unsigned m = down & all;
            size_t count = (size_t)__builtin_popcount(m);
            VECTOR v = LOAD(in + (i + j) * sizeof(KEY));
            if (zeros) {
                FN(push_group)(&t, 0, FN(split_group)(v, m ^ all), count);
            }
            FN(push_group)(&t, 1, FN(split_group)(v, m), (size_t)FN(LANES) - count);
        }
    }
    *to = t;
    return i;
}
#undef VECTOR
#undef LOAD
#undef STORE
