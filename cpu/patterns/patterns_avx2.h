/* patterns_avx2.h - counting few values, and taking keys out of a nearly sorted array, in AVX2;
 * included for keys of 32 and 64 bits. */
/* SPDX-License-Identifier: MIT */
#include "cpu/cache_sort/compress_table.h"

#if KEY_BITS == 32
/* ---- few values ----
 *
 * Counts 32 keys at a time, with tables that are read by shuffles of bytes. A key times an odd
 * number is a word that no other key has; 32 words become four vectors, one for each of their
 * bytes. The highest six bits of a word, the slot, give the number of a value, and the number gives
 * what all four bytes must be. Numbers are counted in fields of four bits, at most 15 times 32
 * keys, and the sums of these in fields of eight. */

enum { KEYS_AT_ONCE = 32, ROUNDS_OF_4_BITS = 15, ROUNDS_OF_8_BITS = 16, WORD_BYTES = 4 };

typedef struct value_tables {
    __m256i id[USW_VALUE_SLOTS / 16];  /* the numbers of the slots */
    __m256i byte[WORD_BYTES];          /* of the words, by number */
    __m256i field[USW_VALUES_MAX / 2]; /* 1 for number 2 i, 16 for 2 i + 1, of all others nothing */
    __m256i multiplier;
} value_tables;

static inline __m256i table_of(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

static void make_tables(const usw_value_set *few, value_tables *t)
{
    uint8_t byte[WORD_BYTES][USW_VALUES_MAX];
    for (unsigned v = 0; v < USW_VALUES_MAX; v++) {
        uint64_t word = few->value[v < few->values ? v : 0] * few->multiplier;
        uint8_t field[USW_VALUES_MAX] = {0};
        for (unsigned i = 0; i < WORD_BYTES; i++) {
            byte[i][v] = (uint8_t)(word >> 8 * i);
        }
        if (v % 2 == 0) {
            field[v] = 1;
            field[v + 1] = 16;
            t->field[v / 2] = table_of(field);
        }
    }
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        t->byte[i] = table_of(byte[i]);
        t->id[i] = table_of(few->id + 16 * i);
    }
    t->multiplier = _mm256_set1_epi32((int)few->multiplier);
}

/* The numbers of 32 keys, in some order; a key with none of the values sets bits in *other. */
static inline __m256i numbers_of(const uint32_t *k, const value_tables *t, __m256i *other)
{
    const __m256i by_place = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m256i word[4], two[4], byte[WORD_BYTES];
    for (unsigned i = 0; i < 4; i++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(k + 8 * i));
        word[i] = _mm256_shuffle_epi8(_mm256_mullo_epi32(x, t->multiplier), by_place);
    }
    for (unsigned i = 0; i < 4; i += 2) {
        two[i] = _mm256_unpacklo_epi32(word[i], word[i + 1]);
        two[i + 1] = _mm256_unpackhi_epi32(word[i], word[i + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        byte[2 * i] = _mm256_unpacklo_epi64(two[i], two[i + 2]);
        byte[2 * i + 1] = _mm256_unpackhi_epi64(two[i], two[i + 2]);
    }
    __m256i top = byte[WORD_BYTES - 1], next = _mm256_add_epi8(top, top), half[2];
    __m256i place = _mm256_and_si256(_mm256_srli_epi16(top, 2), _mm256_set1_epi8(15));
    for (unsigned i = 0; i < 2; i++) {
        half[i] = _mm256_blendv_epi8(_mm256_shuffle_epi8(t->id[2 * i], place),
                                     _mm256_shuffle_epi8(t->id[2 * i + 1], place), next);
    }
    __m256i number = _mm256_blendv_epi8(half[0], half[1], top);
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        __m256i due = _mm256_shuffle_epi8(t->byte[i], number);
        *other = _mm256_or_si256(*other, _mm256_xor_si256(byte[i], due));
    }
    return number;
}

/* Counts the numbers of n keys, 32 to 480 by steps of 32, in fields of 8 bits. */
static inline void count_round(const uint32_t *k, size_t n, const value_tables *t, __m256i *found,
                               __m256i *other)
{
    const __m256i low = _mm256_set1_epi8(15);
    __m256i two[USW_VALUES_MAX / 2];
    for (unsigned i = 0; i < USW_VALUES_MAX / 2; i++) {
        two[i] = _mm256_setzero_si256();
    }
    for (size_t at = 0; at < n; at += KEYS_AT_ONCE) {
        __m256i number = numbers_of(k + at, t, other);
        for (unsigned i = 0; i < USW_VALUES_MAX / 2; i++) {
            two[i] = _mm256_add_epi8(two[i], _mm256_shuffle_epi8(t->field[i], number));
        }
    }
    for (unsigned i = 0; i < USW_VALUES_MAX / 2; i++) {
        __m256i odd = _mm256_and_si256(_mm256_srli_epi16(two[i], 4), low);
        found[2 * i] = _mm256_add_epi8(found[2 * i], _mm256_and_si256(two[i], low));
        found[2 * i + 1] = _mm256_add_epi8(found[2 * i + 1], odd);
    }
}

static bool FN(count_values)(const void *keys, size_t n, const usw_value_set *few, size_t *count)
{
    USW_ROUTE("few values");
    const KEY *k = keys, *end = k + n / KEYS_AT_ONCE * KEYS_AT_ONCE;
    value_tables t;
    make_tables(few, &t);
    while (k < end) {
        __m256i found[USW_VALUES_MAX] = {_mm256_setzero_si256()}, other = _mm256_setzero_si256();
        for (unsigned round = 0; round < ROUNDS_OF_8_BITS && k < end; round++) {
            size_t some = usw_min((size_t)(end - k), ROUNDS_OF_4_BITS * KEYS_AT_ONCE);
            count_round(k, some, &t, found, &other);
            k += some;
        }
        if (!_mm256_testz_si256(other, other)) {
            return false;
        }
        for (unsigned v = 0; v < USW_VALUES_MAX; v++) {
            __m256i sum = _mm256_sad_epu8(found[v], _mm256_setzero_si256());
            __m128i half =
                _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            count[v] += (size_t)(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
        }
    }
    KEY differ = 0;
    for (size_t i = 0; i < n % KEYS_AT_ONCE; i++) {
        unsigned v =
            few->id[(KEY)(k[i] * (KEY)few->multiplier) >> (KEY_BITS - USW_VALUE_SLOT_BITS)];
        differ |= k[i] ^ (KEY)few->value[v];
        count[v]++;
    }
    return differ == 0;
}
#endif

/* ---- nearly sorted ---- */

enum { FN(DROP_LANES) = 256 / KEY_BITS };

static inline __m256i FN(permuted)(__m256i x, unsigned wrong)
{
    uint64_t from = KEY_BITS == 64 ? split_4[wrong] : split_8[wrong];
    __m256i index = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)from));
    return _mm256_permutevar8x32_epi32(x, index);
}

/* The lanes of x that are less than earlier or greater than after. */
static inline unsigned FN(wrong_lanes)(__m256i earlier, __m256i x, __m256i after)
{
#if KEY_BITS == 64
    __m256i sign = _mm256_set1_epi64x(INT64_MIN), at = _mm256_xor_si256(x, sign);
    __m256i wrong = _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_xor_si256(earlier, sign), at),
                                    _mm256_cmpgt_epi64(at, _mm256_xor_si256(after, sign)));
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(wrong));
#else
    __m256i right = _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_max_epu32(earlier, x), x),
                                     _mm256_cmpeq_epi32(_mm256_min_epu32(x, after), x));
    return 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(right));
#endif
}

/* drop (cpu/patterns/patterns_cpu.h) for the whole vectors of k[i .. end), which have keys behind
 * them. *before: the key before i. */
static size_t FN(drop_vectors)(KEY *k, size_t i, size_t end, size_t kept, KEY *out, KEY *before)
{
    USW_ROUTE("drop by vectors");
    enum { LANES_HERE = FN(DROP_LANES), ALL = (1 << LANES_HERE) - 1 };
    KEY keys[LANES_HERE] = {0};
    keys[LANES_HERE - 1] = *before;
    __m256i x, last = _mm256_loadu_si256((const __m256i *)(const void *)keys);
    for (; i + LANES_HERE <= end; i += LANES_HERE) {
        x = _mm256_loadu_si256((const __m256i *)(const void *)(k + i));
        __m256i after = _mm256_loadu_si256((const __m256i *)(const void *)(k + i + 1));
        __m256i earlier =
            _mm256_alignr_epi8(x, _mm256_permute2x128_si256(last, x, 0x21), 16 - KEY_BITS / 8);
        unsigned wrong = FN(wrong_lanes)(earlier, x, after);
        __m256i stay = x;
        if (wrong != 0) {
            stay = FN(permuted)(x, wrong);
            _mm256_storeu_si256((__m256i *)(void *)(out + (i - kept)),
                                FN(permuted)(x, ALL ^ wrong));
        }
        _mm256_storeu_si256((__m256i *)(void *)(k + kept), stay);
        kept += LANES_HERE - (size_t)__builtin_popcount(wrong);
        last = x;
    }
    _mm256_storeu_si256((__m256i *)(void *)keys, last);
    *before = keys[LANES_HERE - 1];
    return kept;
}
