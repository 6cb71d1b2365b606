/* patterns_avx512.h - counting few values, and taking keys out of a nearly sorted array, in
 * AVX-512; included for keys of 32 and 64 bits. */
/* SPDX-License-Identifier: MIT */

#undef LANES
#undef LANE
#undef UNSIGNED_MASK
#define LANES (512 / KEY_BITS)
#undef SIGNED
#if KEY_BITS == 32
#define LANE(name) _mm512_##name##_epi32
#define UNSIGNED_MASK(name) _mm512_##name##_epu32_mask
#define SIGNED int
#else
#define LANE(name) _mm512_##name##_epi64
#define UNSIGNED_MASK(name) _mm512_##name##_epu64_mask
#define SIGNED long long
#endif

/* ---- few values ---- */

enum {
    FN(VALUE_TURNS) = 15,                   /* vectors that a field of four bits can count */
    FN(VALUE_BLOCK) = 17 * FN(VALUE_TURNS), /* vectors that a byte can count */
    FN(VALUE_FIELDS) = KEY_BITS / 4,        /* in a lane */
    FN(VALUE_TABLES) = USW_VALUES_MAX / FN(VALUE_FIELDS),
    FN(VALUE_VECTORS) = USW_VALUES_MAX / LANES
};

typedef struct FN(slots) {
    __m512i value[FN(VALUE_VECTORS)], id; /* byte s of id: which value slot s has */
    __m256i multiplier;
} FN(slots);

/* The number of the value that each key has, if it has any. Two multiplications of 256 bits: on
 * Intel one of 512 bits after a pause waits 2 us for more voltage. */
static inline __m512i FN(id_of)(const KEY *k, const FN(slots) * s)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)k);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(k + LANES / 2));
#if KEY_BITS == 32
    low = _mm256_mullo_epi32(low, s->multiplier), high = _mm256_mullo_epi32(high, s->multiplier);
#else
    low = _mm256_mullo_epi64(low, s->multiplier), high = _mm256_mullo_epi64(high, s->multiplier);
#endif
    __m512i hash = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    __mmask64 lowest = KEY_BITS == 32 ? 0x1111111111111111 : 0x0101010101010101; /* of a lane */
    return _mm512_maskz_permutexvar_epi8(lowest, LANE(srli)(hash, KEY_BITS - USW_VALUE_SLOT_BITS),
                                         s->id);
}

static inline __m512i FN(value_of)(const FN(slots) * s, __m512i id)
{
#if KEY_BITS == 32
    return _mm512_permutexvar_epi32(id, s->value[0]);
#else
    return _mm512_permutex2var_epi64(s->value[0], id, s->value[1]);
#endif
}

/* Counts at most VALUE_BLOCK vectors of keys: value 8 t + 2 j + odd (16 t with 64 bits) is counted
 * in byte j of the lanes of bytes[2 t + odd]. False if a key has none of the values. */
static inline bool FN(count_values_block)(const KEY *k, size_t vectors, const FN(slots) * s,
                                          __m512i bytes[2 * FN(VALUE_TABLES)])
{
    __m512i nibbles = _mm512_set1_epi8(0x0f), one = LANE(set1)(1);
    __m512i field = LANE(set1)(KEY_BITS), differ = _mm512_setzero_si512();
    for (unsigned b = 0; b < 2 * FN(VALUE_TABLES); b++) {
        bytes[b] = _mm512_setzero_si512();
    }
    while (vectors > 0 && _mm512_test_epi32_mask(differ, differ) == 0) {
        size_t turns = usw_min(vectors, FN(VALUE_TURNS));
        __m512i table[FN(VALUE_TABLES)];
        for (unsigned f = 0; f < FN(VALUE_TABLES); f++) {
            table[f] = _mm512_setzero_si512();
        }
        vectors -= turns;
        USW_UNROLL_4
        for (size_t i = 0; i < turns; i++, k += LANES) {
            __m512i id = FN(id_of)(k, s), x = _mm512_loadu_si512(k);
            differ = _mm512_ternarylogic_epi64(differ, x, FN(value_of)(s, id), 0xf6);
            __m512i place = LANE(slli)(id, 2);
            for (unsigned f = 0; f < FN(VALUE_TABLES); f++) {
                table[f] = LANE(add)(table[f], LANE(sllv)(one, place)); /* 0 beyond a lane */
                place = LANE(sub)(place, field);
            }
        }
        for (unsigned f = 0; f < FN(VALUE_TABLES); f++) {
            __m512i even = _mm512_and_si512(table[f], nibbles);
            __m512i odd = _mm512_and_si512(_mm512_srli_epi16(table[f], 4), nibbles);
            bytes[2 * f] = _mm512_add_epi8(bytes[2 * f], even);
            bytes[2 * f + 1] = _mm512_add_epi8(bytes[2 * f + 1], odd);
        }
    }
    return _mm512_test_epi32_mask(differ, differ) == 0;
}

static bool FN(count_values_vectors)(const KEY *k, size_t vectors, const FN(slots) * s,
                                     size_t *count)
{
    for (size_t block; vectors > 0; vectors -= block, k += block * LANES) {
        __m512i bytes[2 * FN(VALUE_TABLES)];
        block = usw_min(vectors, FN(VALUE_BLOCK));
        if (!FN(count_values_block)(k, block, s, bytes)) {
            return false;
        }
        for (unsigned b = 0; b < 2 * FN(VALUE_TABLES); b++) {
            uint8_t byte[64];
            uint16_t sum[sizeof(KEY)] = {0};
            _mm512_storeu_si512(byte, bytes[b]);
            for (unsigned j = 0; j < 64; j++) {
                sum[j % sizeof(KEY)] = (uint16_t)(sum[j % sizeof(KEY)] + byte[j]);
            }
            for (unsigned j = 0; j < sizeof(KEY); j++) {
                count[b / 2 * FN(VALUE_FIELDS) + 2 * j + b % 2] += sum[j];
            }
        }
    }
    return true;
}

static bool FN(count_values)(const void *keys, size_t n, const usw_value_set *few, size_t *count)
{
    USW_ROUTE("few values");
    const KEY *k = keys;
    size_t whole = n / LANES, rest = n % LANES;
    FN(slots) s = {.id = _mm512_loadu_si512(few->id)};
    KEY value[USW_VALUES_MAX] = {0}, last[LANES];
    for (unsigned v = 0; v < few->values; v++) {
        value[v] = (KEY)few->value[v];
    }
    for (unsigned v = 0; v < FN(VALUE_VECTORS); v++) {
        s.value[v] = _mm512_loadu_si512(value + v * LANES);
    }
#if KEY_BITS == 32
    s.multiplier = _mm256_set1_epi32((int)few->multiplier);
#else
    s.multiplier = _mm256_set1_epi64x((long long)few->multiplier);
#endif
    if (!FN(count_values_vectors)(k, whole, &s, count)) {
        return false;
    }
    if (rest == 0) {
        return true;
    }
    for (size_t i = 0; i < LANES;
         i++) { /* free lanes get the first value, which is subtracted below */
        last[i] = i < rest ? k[whole * LANES + i] : value[0];
    }
    count[0] -= LANES - rest;
    return FN(count_values_vectors)(last, 1, &s, count);
}

/* ---- nearly sorted ---- */

enum { FN(DROP_LANES) = LANES };

/* drop (cpu/patterns/patterns_cpu.h) for the whole vectors of k[i .. end), which have keys behind
 * them. *before: the key before i. */
static size_t FN(drop_vectors)(KEY *k, size_t i, size_t end, size_t kept, KEY *out, KEY *before)
{
    USW_ROUTE("drop by vectors");
    __m512i last = LANE(set1)((SIGNED)*before), x = last;
    for (; i + LANES <= end; i += LANES) {
        x = _mm512_loadu_si512(k + i);
        __m512i after = _mm512_loadu_si512(k + i + 1);
        __m512i earlier = LANE(alignr)(x, last, LANES - 1);
        USW_LANE_MASK wrong =
            (USW_LANE_MASK)(UNSIGNED_MASK(cmpgt)(earlier, x) | UNSIGNED_MASK(cmpgt)(x, after));
        if (wrong == 0) {
            _mm512_storeu_si512(k + kept, x);
            kept += LANES;
        } else {
            size_t gone = (size_t)__builtin_popcount(wrong);
            _mm512_storeu_si512(out + (i - kept), LANE(mask_compress)(x, wrong, x));
            _mm512_storeu_si512(k + kept, LANE(mask_compress)(x, (USW_LANE_MASK)~wrong, x));
            kept += LANES - gone;
        }
        last = x;
    }
    KEY lanes[LANES];
    _mm512_storeu_si512(lanes, x);
    *before = lanes[LANES - 1];
    return kept;
}
