/* select_avx2.h - the vector operations of cpu/selection/select_cpu.h in AVX2: compares keys with
 * the limit, and brings those up to it to the front of a vector by a table of shuffles. Included
 * once for keys of 32 and of 64 bits. */
/* SPDX-License-Identifier: MIT */
enum { FN(LANES) = 256 / KEY_BITS, FN(STEP) = 4, FN(TAKE_KEYS) = FN(STEP) * FN(LANES) };

typedef struct FN(band) {
    __m256i neg, pos, add, high;
} FN(band);

#if KEY_BITS == 32
#define SET1(x) _mm256_set1_epi32((int)(x))
#define ADD _mm256_add_epi32
#define GREATER _mm256_cmpgt_epi32
#define BITS(v) (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(v))
#else
#define SET1(x) _mm256_set1_epi64x((long long)(x))
#define ADD _mm256_add_epi64
#define GREATER _mm256_cmpgt_epi64
#define BITS(v) (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(v))
#endif

/* AVX2 compares signed integers, so keys are compared with their highest bit flipped. */
static inline FN(band) FN(band_of)(const usw_keymap *map, KEY limit)
{
    KEY sign = (KEY)1 << (KEY_BITS - 1);
    return (FN(band)){SET1(map->neg), SET1(map->pos), SET1(map->add), SET1(limit ^ sign)};
}

static inline __m256i FN(map_vector)(__m256i raw, const FN(band) * b)
{
    __m256i below = _mm256_and_si256(GREATER(_mm256_setzero_si256(), raw), b->neg);
    return ADD(_mm256_xor_si256(_mm256_xor_si256(raw, below), b->pos), b->add);
}

/* Bit i is set where key i is at most the limit. */
static inline unsigned FN(hits_of)(__m256i key, const FN(band) * b)
{
    __m256i sign = SET1((KEY)1 << (KEY_BITS - 1));
    unsigned above = BITS(GREATER(_mm256_xor_si256(key, sign), b->high));
    return above ^ ((1u << FN(LANES)) - 1);
}

static inline __m256i FN(load_vector)(const KEY *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Takes keys alone, by whole steps of vectors; steps without a key up to the limit are skipped. */
static inline __attribute__((always_inline)) size_t
FN(take_vectors)(const KEY *k, size_t n, const usw_keymap *map, KEY limit, KEY *out, size_t space,
                 size_t *count, bool plain)
{
    const unsigned all = (1u << FN(LANES)) - 1;
    const uint64_t *table = KEY_BITS == 64 ? split_4 : split_8;
    FN(band) b = FN(band_of)(map, limit);
    size_t at = 0, i = 0;
    for (; i + FN(TAKE_KEYS) <= n && at + FN(TAKE_KEYS) <= space; i += FN(TAKE_KEYS)) {
        __m256i key[FN(STEP)];
        unsigned hits[FN(STEP)], any = 0;
        for (size_t v = 0; v < FN(STEP); v++) {
            key[v] = FN(load_vector)(k + i + v * FN(LANES));
            key[v] = plain ? key[v] : FN(map_vector)(key[v], &b);
            any |= hits[v] = FN(hits_of)(key[v], &b);
        }
        for (size_t v = 0; any != 0 && v < FN(STEP); v++) {
            const uint64_t *entry = table + (hits[v] ^ all);
            __m128i from = _mm_loadl_epi64((const __m128i *)(const void *)entry);
            key[v] = _mm256_permutevar8x32_epi32(key[v], _mm256_cvtepu8_epi32(from));
            _mm256_storeu_si256((__m256i *)(void *)(out + at), key[v]);
            at += (size_t)__builtin_popcount(hits[v]);
        }
    }
    *count = at;
    return i;
}
#undef SET1
#undef ADD
#undef GREATER
#undef BITS
