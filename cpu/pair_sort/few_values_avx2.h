/* few_values_avx2.h - the lookup and the count of few_values.h by vectors, for up to 16 values.
 *
 * A hash table of 32 slots without collisions, whose values lie in registers, numbers 32 keys at a
 * time; numbers are counted by comparing them with each number in turn. Vectors have 256 bits even
 * with AVX-512, since multiplications of 512 bits slow some processors down for a while. Included
 * once per key width. */
/* SPDX-License-Identifier: MIT */

#if USW_LEVEL >= 1 && KEY_BITS >= 32

#ifndef USW_CPU_PAIR_SORT_FEW_VALUES_AVX2_H
#define USW_CPU_PAIR_SORT_FEW_VALUES_AVX2_H
enum { SMALL_TRIES = 1024 /* multipliers; about one in 90 gives 16 values slots of their own */ };

static inline __m256i load_256(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

/* Looks the slots of eight lanes up in the table. */
static inline __m256i look_up_32(const uint32_t table[SMALL_SLOTS], __m256i slot)
{
#if USW_LEVEL == 2
    __m256i low = _mm256_permutex2var_epi32(load_256(table), slot, load_256(table + 8));
    __m256i high = _mm256_permutex2var_epi32(load_256(table + 16), slot, load_256(table + 24));
    return _mm256_mask_blend_epi32(_mm256_test_epi32_mask(slot, _mm256_set1_epi32(16)), low, high);
#else
    __m256i found[4];
    UNROLL for (unsigned k = 0; k < 4; k++)
    {
        found[k] = _mm256_permutevar8x32_epi32(load_256(table + 8 * k), slot);
    }
    __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28));
    __m256 high = _mm256_castsi256_ps(_mm256_slli_epi32(slot, 27));
    __m256 first =
        _mm256_blendv_ps(_mm256_castsi256_ps(found[0]), _mm256_castsi256_ps(found[1]), odd);
    __m256 last =
        _mm256_blendv_ps(_mm256_castsi256_ps(found[2]), _mm256_castsi256_ps(found[3]), odd);
    return _mm256_castps_si256(_mm256_blendv_ps(first, last, high));
#endif
}
#endif

/* The slots of eight keys, given by their low and high halves; keys of 32 bits have no high
 * half. */
static inline __m256i FN(small_slots_of)(const FN(values) * v, __m256i low, __m256i high)
{
    __m256i hash = _mm256_mullo_epi32(low, _mm256_set1_epi32((int)v->small.multiplier[0]));
    if (KEY_BITS == 64) {
        __m256i other = _mm256_set1_epi32((int)v->small.multiplier[1]);
        hash = _mm256_add_epi32(hash, _mm256_mullo_epi32(high, other));
    }
    return _mm256_srli_epi32(hash, 27);
}

/* Finds multipliers under which no two values share a slot, and fills the small table; false if
 * none of SMALL_TRIES does. */
static bool FN(build_small_hash)(FN(values) * v)
{
    FN(small_hash) *s = &v->small;
    uint32_t low[16], high[16], slot[16];
    __m256i one = _mm256_set1_epi32(1), at[2];
    unsigned taken = 0;
    for (unsigned i = 0; i < 16; i++) {
        KEY value = v->value[i < v->count ? i : 0];
        low[i] = (uint32_t)value;
        high[i] = (uint32_t)((uint64_t)value >> 32);
    }
    for (unsigned tries = 0; tries < SMALL_TRIES; tries++) {
        for (unsigned k = 0; k < 2; k++) {
            at[k] = FN(small_slots_of)(v, load_256(low + 8 * k), load_256(high + 8 * k));
        }
        __m256i all = _mm256_or_si256(_mm256_sllv_epi32(one, at[0]), _mm256_sllv_epi32(one, at[1]));
        __m128i half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        uint64_t bits = (uint64_t)(_mm_cvtsi128_si64(half) | _mm_extract_epi64(half, 1));
        taken = (unsigned)(bits | bits >> 32);
        if ((unsigned)__builtin_popcount(taken) == v->count) {
            break;
        }
        s->multiplier[0] = s->multiplier[0] * 1664525 + 1013904222; /* odd */
        s->multiplier[1] = s->multiplier[1] * 22695477 + 1013904222;
    }
    for (unsigned i = 0; i < SMALL_SLOTS; i++) {
        s->low[i] = low[0]; /* so an empty slot holds value[0], as in few_values.h */
        s->high[i] = high[0];
    }
    _mm256_storeu_si256((__m256i *)(void *)slot, at[0]);
    _mm256_storeu_si256((__m256i *)(void *)(slot + 8), at[1]);
    for (unsigned i = 0; i < v->count; i++) {
        s->low[slot[i]] = low[i];
        s->high[slot[i]] = high[i];
        s->number[slot[i]] = (uint8_t)i;
    }
    return (unsigned)__builtin_popcount(taken) == v->count;
}

/* The slots of eight keys; *other becomes not 0 in a lane whose key is none of the values. */
static inline __m256i FN(find_small_slots)(const FN(values) * v, const KEY *keys, __m256i *other)
{
#if KEY_BITS == 32
    __m256i low = load_256(keys), high = low;
#else
    __m256 a = _mm256_castsi256_ps(load_256(keys)), b = _mm256_castsi256_ps(load_256(keys + 4));
    __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)); /* 0 1 4 5, 2 3 6 7 */
    __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
#endif
    __m256i slot = FN(small_slots_of)(v, low, high);
    *other = _mm256_or_si256(*other, _mm256_xor_si256(low, look_up_32(v->small.low, slot)));
    if (KEY_BITS == 64) {
        *other = _mm256_or_si256(*other, _mm256_xor_si256(high, look_up_32(v->small.high, slot)));
    }
    return slot;
}

/* Looks up the numbers of whole vectors of 32 keys, up to the returned place; *known says whether
 * all of these keys have a value of the table. */
static inline size_t FN(number_by_vectors)(const FN(values) * v, const KEY *keys, size_t n,
                                           uint8_t *restrict numbers, bool *known)
{
    __m256i other = _mm256_setzero_si256(), in_turn = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m128i *numbers_of = (const void *)v->small.number;
    __m256i first = _mm256_broadcastsi128_si256(_mm_loadu_si128(numbers_of));
    __m256i last = _mm256_broadcastsi128_si256(_mm_loadu_si128(numbers_of + 1));
    size_t i = 0;
    for (; v->has_small && i + 32 <= n; i += 32) {
        __m256i slot[4];
        UNROLL for (unsigned k = 0; k < 4; k++)
        {
            slot[k] = FN(find_small_slots)(v, keys + i + 8 * k, &other);
        }
        __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(slot[0], slot[1]),
                                            _mm256_packus_epi32(slot[2], slot[3]));
        bytes = _mm256_permutevar8x32_epi32(bytes, in_turn);
        if (KEY_BITS == 64) {
            const long long even = 0x0706030205040100, odd = 0x0f0e0b0a0d0c0908;
            bytes = _mm256_shuffle_epi8(bytes, _mm256_setr_epi64x(even, odd, even, odd));
        }
        __m256i number =
            _mm256_blendv_epi8(_mm256_shuffle_epi8(first, bytes), _mm256_shuffle_epi8(last, bytes),
                               _mm256_slli_epi16(bytes, 3));
        _mm256_storeu_si256((__m256i *)(void *)(numbers + i), number);
    }
    *known = _mm256_testz_si256(other, other);
    return i;
}

/* Counts whole vectors of numbers, up to the returned place; n is at most VALUES_BLOCK. */
static inline size_t FN(count_by_vectors)(FN(values) * v, const uint8_t *numbers, size_t n)
{
    enum { FOUR = 4 };
    size_t whole = v->has_small ? n & ~(size_t)31 : 0;
    for (unsigned first = 0; v->has_small && first < v->count; first += FOUR) {
        __m256i found[FOUR], number[FOUR];
        UNROLL for (unsigned k = 0; k < FOUR; k++)
        {
            found[k] = _mm256_setzero_si256();
            number[k] = _mm256_set1_epi8((char)(first + k));
        }
        for (size_t i = 0; i < whole; i += 32) {
            __m256i x = load_256(numbers + i);
            UNROLL for (unsigned k = 0; k < FOUR; k++)
            {
                found[k] = _mm256_sub_epi8(found[k], _mm256_cmpeq_epi8(x, number[k]));
            }
        }
        for (unsigned k = 0; k < FOUR; k++) { /* no key has a number from v->count on */
            __m256i sum = _mm256_sad_epu8(found[k], _mm256_setzero_si256());
            __m128i half =
                _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            v->place[first + k] += (size_t)(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
        }
    }
    return whole;
}
#else
static bool FN(build_small_hash)(const FN(values) * v)
{
    (void)v;
    return false;
}

static inline size_t FN(number_by_vectors)(const FN(values) * v, const KEY *keys, size_t n,
                                           const uint8_t *numbers, const bool *known)
{
    (void)v, (void)keys, (void)n, (void)numbers, (void)known;
    return 0;
}

static inline size_t FN(count_by_vectors)(const FN(values) * v, const uint8_t *numbers, size_t n)
{
    (void)v, (void)numbers, (void)n;
    return 0;
}
#endif
