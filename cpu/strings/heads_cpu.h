/* heads_cpu.h - between which splitters strings lie, by 64 bytes of each at once.
 *
 * A step of the search compares 64 bytes in one go and takes no branch, and eight strings are
 * searched side by side, so that no step waits for the one before it. What 64 bytes do not decide
 * is left to the tree of splitters.h. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/strings/splitters.h"

#if USW_LEVEL > 0

#if USW_LEVEL == 2
typedef __m512i head;

static inline head load_head(const unsigned char *p)
{
    return _mm512_loadu_si512(p);
}

/* Bytes behind the string count as 0; none of them is read. */
static inline head load_string(usw_string s, const unsigned char *end)
{
    (void)end;
    uint64_t mask = s.bytes >= USW_HEAD ? ~UINT64_C(0) : ((UINT64_C(1) << s.bytes) - 1);
    return _mm512_maskz_loadu_epi8(mask, s.at);
}

static inline bool is_less(head splitter, head string)
{
    uint64_t differ = _mm512_cmpneq_epu8_mask(splitter, string);
    uint64_t less = _mm512_cmplt_epu8_mask(splitter, string);
    return (less & differ & (0 - differ)) != 0;
}

static inline bool is_same(head splitter, head string)
{
    return _mm512_cmpneq_epu8_mask(splitter, string) == 0;
}
#else
typedef struct head {
    __m256i half[2];
} head;

static inline head load_head(const unsigned char *p)
{
    return (head){{_mm256_loadu_si256((const __m256i *)(const void *)p),
                   _mm256_loadu_si256((const __m256i *)(const void *)(p + 32))}};
}

static inline head load_string(usw_string s, const unsigned char *end)
{
    static const unsigned char ones_then_zeros[2 * USW_HEAD] = {
#define EIGHT 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
        EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT};
    if (s.bytes >= USW_HEAD) {
        return load_head(s.at);
    }
    if ((size_t)(end - s.at) < USW_HEAD) {
        unsigned char copy[USW_HEAD] = {0};
        memcpy(copy, s.at, s.bytes);
        return load_head(copy);
    }
    head h = load_head(s.at), mask = load_head(ones_then_zeros + USW_HEAD - s.bytes);
    return (head){
        {_mm256_and_si256(h.half[0], mask.half[0]), _mm256_and_si256(h.half[1], mask.half[1])}};
}

static inline uint64_t bits_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

static inline uint64_t same_bytes(head a, head b)
{
    return bits_of(_mm256_cmpeq_epi8(a.half[0], b.half[0]),
                   _mm256_cmpeq_epi8(a.half[1], b.half[1]));
}

static inline bool is_less(head splitter, head string)
{
    head most = {{_mm256_max_epu8(splitter.half[0], string.half[0]),
                  _mm256_max_epu8(splitter.half[1], string.half[1])}};
    uint64_t differ = ~same_bytes(splitter, string), less = same_bytes(most, string);
    return (less & differ & (0 - differ)) != 0;
}

static inline bool is_same(head splitter, head string)
{
    return same_bytes(splitter, string) == ~UINT64_C(0);
}
#endif

/* Whether all strings lie between the splitters of one bucket, without being like either. */
static bool lie_in(const usw_splitters *s, const head *heads, uint32_t bucket)
{
    uint32_t b = bucket / 2;
    if (bucket % 2 != 0 || b == 0 || b >= s->count) {
        return false;
    }
    head low = load_head(s->heads[b - 1]), high = load_head(s->heads[b]);
    for (unsigned i = 0; i < USW_HEADS_AT_ONCE; i++) {
        if (!is_less(low, heads[i]) || !is_less(heads[i], high)) {
            return false;
        }
    }
    return true;
}

/* Strings that come in order, as of sorted files, are mostly in the bucket of those before. */
static void find(const usw_splitters *s, const usw_string *strings, uint32_t *buckets)
{
    head heads[USW_HEADS_AT_ONCE];
    uint32_t at[USW_HEADS_AT_ONCE];
    for (unsigned i = 0; i < USW_HEADS_AT_ONCE; i++) {
        heads[i] = load_string(strings[i], s->strings->end);
        at[i] = 0;
    }
    uint32_t guess = buckets[USW_HEADS_AT_ONCE - 1];
    if (lie_in(s, heads, guess)) {
        USW_ROUTE_OF("strings in the bucket of those before", USW_NO_TYPES);
        for (unsigned i = 0; i < USW_HEADS_AT_ONCE; i++) {
            buckets[i] = guess;
        }
        return;
    }
    for (uint32_t n = s->count; n > 1;) {
        uint32_t half = n / 2;
#pragma GCC unroll 8
        for (unsigned i = 0; i < USW_HEADS_AT_ONCE; i++) {
            bool less = is_less(load_head(s->heads[at[i] + half - 1]), heads[i]);
            at[i] += half & (0u - (uint32_t)less);
        }
        n -= half;
    }
    for (unsigned i = 0; i < USW_HEADS_AT_ONCE; i++) {
        uint32_t b = at[i] + is_less(load_head(s->heads[at[i]]), heads[i]);
        buckets[i] = 2 * b;
        if (b < s->count && is_same(load_head(s->heads[b]), heads[i])) {
            size_t bytes = s->splitters[b].bytes - s->nodes[0].depth;
            bool equal = bytes <= USW_HEAD && bytes == strings[i].bytes;
            buckets[i] = equal ? 2 * b + 1 : USW_NO_BUCKET + b;
        }
    }
}

static uint32_t find_next(const usw_splitters *s, unsigned char (*heads)[USW_HEAD], uint32_t n,
                          usw_string string, bool *same)
{
    head h = load_string(string, s->strings->end);
    uint32_t at = 0, count = n;
    while (n > 1) {
        uint32_t half = n / 2;
        at += half & (0u - (uint32_t)is_less(load_head(heads[at + half - 1]), h));
        n -= half;
    }
    at += is_less(load_head(heads[at]), h);
    *same = at < count && is_same(load_head(heads[at]), h);
    return at;
}

const usw_heads_steps USW_SYMBOL(usw_heads_steps) = {.find = find, .find_next = find_next};

#else
/* Without such vectors the tree is faster. */
const usw_heads_steps USW_SYMBOL(usw_heads_steps) = {.find = NULL};
#endif
