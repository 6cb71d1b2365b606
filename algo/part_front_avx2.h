/* part_front_avx2.h - part_front in AVX2, included for keys of 32 and 64 bits. */
#include "part_vsort_table.h"

#if KEY_BITS == 32
/* ---- few values ---- */

/* Every key is compared with every value, four of these at a time: no hash, and no waiting for a
 * counter in memory, so 16 values take half the time that they take one key after the other. */
static size_t FN(count_four)(const KEY *k, size_t n, const usw_few *few, unsigned first,
                             size_t *count)
{
    enum { FOUR = 4, LANES_32 = 8 };
    __m256i value[FOUR], found[FOUR];
    size_t all = 0, i = 0;
    for (unsigned v = 0; v < FOUR; v++) {
        value[v] = _mm256_set1_epi32((int)few->value[first + v]);
        found[v] = _mm256_setzero_si256();
    }
    for (; i + LANES_32 <= n; i += LANES_32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(k + i));
        for (unsigned v = 0; v < FOUR; v++) {
            found[v] = _mm256_sub_epi32(found[v], _mm256_cmpeq_epi32(x, value[v]));
        }
    }
    for (unsigned v = 0; v < FOUR && first + v < few->values; v++) {
        uint32_t lane[LANES_32];
        size_t sum = 0;
        _mm256_storeu_si256((__m256i *)(void *)lane, found[v]);
        for (unsigned j = 0; j < LANES_32; j++) {
            sum += lane[j];
        }
        for (size_t j = i; j < n; j++) {
            sum += k[j] == (KEY)few->value[first + v];
        }
        count[first + v] += sum;
        all += sum;
    }
    return all;
}

static bool FN(count_few)(const void *keys, size_t n, const usw_few *few, size_t *count)
{
    enum { AT_ONCE = 2048 }; /* keys that stay in the first cache */
    const KEY *k = keys;
    for (size_t at = 0, m, found = 0; at < n; at += m, found = 0) {
        m = usw_min(AT_ONCE, n - at);
        for (unsigned v = 0; v < few->values; v += 4) {
            found += FN(count_four)(k + at, m, few, v, count);
        }
        if (found != m) {
            return false;
        }
    }
    return true;
}
#endif

/* ---- almost in order ---- */

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

/* The whole vectors of k[i .. end), with keys behind them: see drop. *before: the key before i. */
static size_t FN(drop_vectors)(KEY *k, size_t i, size_t end, size_t kept, KEY *out, KEY *before)
{
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
