/* sort_by_tags.h - the stable sort, inside the cache, of words with 32 bits of a key above and 32
 * bits of anything below.
 *
 * Vectors sort 32-bit integers three times as fast as words. So the words are split by the highest
 * bits in which their keys differ into groups of about a hundred, and in its group each word is
 * represented by a tag of 32 bits: the bits of its key below the split, and below them its place in
 * the group. Tags are distinct, so sorting them is stable. In a large group the place leaves fewer
 * bits for the key, so that tags may be tied, that is, agree above the place; tied words are sorted
 * again by the bits of the key that their tags lost. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    GROUP_KEYS = 128,    /* words wanted in a group */
    GROUP_LARGE = 1024,  /* words; up to here sorting is faster than a split */
    GROUP_DIGIT_MAX = 9, /* bits, so that counts and the ends of groups stay in the first cache */
    GROUPS_MAX = 1 << GROUP_DIGIT_MAX
};

/* Up to TIES_FEW + n / TIES_FEW of n words whose tags are tied though their keys differ are sorted
 * run by run; with more, all words are sorted by 64 bits. */
enum { TIES_FEW = 16 };

/* A processor does not load a counter while the address of an earlier store is unknown. So a
 * scatter takes places for AT_ONCE words first, and then writes the words, which saves a third of
 * its time. */
enum { AT_ONCE = 8 };
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* The split of words that differ in the bits [low, high): into groups by the bits [shift, high). */
typedef struct word_plan {
    unsigned low, shift, high;
    uint32_t groups;
} word_plan;

/* Plans the split of n words that differ in the bits `differ`, which are one or more of the upper
 * half. */
static inline word_plan plan_words(size_t n, uint64_t differ)
{
    unsigned high = 64 - (unsigned)__builtin_clzll(differ), low = (unsigned)__builtin_ctzll(differ);
    unsigned digit = n <= GROUP_LARGE ? 0 : usw_log2_up(usw_div_up(n, GROUP_KEYS));
    digit = (unsigned)usw_min(usw_min(digit, high - low), GROUP_DIGIT_MAX);
    return (word_plan){low, high - digit, high, UINT32_C(1) << digit};
}

/* Splits n < 2^32 words into groups, stable; ends[g] becomes the end of group g. */
static inline void split_words(const word_plan *plan, const uint64_t *from, uint64_t *to, size_t n,
                               uint32_t ends[GROUPS_MAX])
{
    uint32_t mask = plan->groups - 1, odd[GROUPS_MAX];
    unsigned shift = plan->shift;
    if (plan->groups == 1) {
        memcpy(to, from, n * sizeof *to);
        ends[0] = (uint32_t)n;
        return;
    }
    memset(ends, 0, plan->groups * sizeof *ends);
    memset(odd, 0, plan->groups * sizeof *odd); /* so neighbours do not wait for one counter */
    for (size_t i = 0; i + 2 <= n; i += 2) {
        ends[(uint32_t)(from[i] >> shift) & mask]++;
        odd[(uint32_t)(from[i + 1] >> shift) & mask]++;
    }
    ends[(uint32_t)(from[n - 1] >> shift) & mask] += n % 2;
    for (uint32_t g = 0, sum = 0; g < plan->groups; g++) {
        uint32_t count = ends[g] + odd[g];
        ends[g] = sum;
        sum += count;
    }
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        uint32_t at[AT_ONCE];
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
        {
            at[k] = ends[(uint32_t)(from[i + k] >> shift) & mask]++;
        }
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++) to[at[k]] = from[i + k];
    }
    for (; i < n; i++) {
        to[ends[(uint32_t)(from[i] >> shift) & mask]++] = from[i];
    }
}

static void sort_group(uint64_t *from, uint64_t *out, size_t n, unsigned low, unsigned high);

/* Sorts the few words in out that agree in the bits [shift, high) by the bits [low, shift). */
static void sort_ties(uint64_t *from, uint64_t *out, size_t n, unsigned low, unsigned shift,
                      unsigned high)
{
    USW_ROUTE_OF("ties by more of their bits", USW_NO_TYPES);
    enum { STRIP = 64 }; /* words that are searched for a tie without a branch */
    uint64_t bits = (UINT64_MAX >> (64 - (high - shift))) << shift;
    for (size_t i = 0, end; i + 1 < n;) {
        size_t stop = usw_min(i + STRIP, n - 1);
        uint64_t tie = 0;
        for (size_t k = i; k < stop; k++) {
            tie |= ((out[k] ^ out[k + 1]) & bits) == 0;
        }
        if (tie == 0) {
            i = stop;
            continue;
        }
        while (((out[i] ^ out[i + 1]) & bits) != 0) {
            i++;
        }
        for (end = i + 2; end < n && ((out[end] ^ out[i]) & bits) == 0; end++) {
        }
        memcpy(from + i, out + i, (end - i) * sizeof *from);
        sort_group(from + i, out + i, end - i, low, shift);
        i = end;
    }
}

/* The place in a tag, hidden from the compiler, which would compute places by vectors and extract
 * each of them again for the lookup, which takes half as long again. */
static inline uint32_t place_of(uint32_t tag, uint32_t places)
{
    uint32_t place = tag & places;
    __asm__("" : "+r"(place));
    return place;
}

/* How many neighbours agree in the bits [shift, high) but not in [low, shift). */
static size_t count_close(const uint64_t *words, size_t n, unsigned low, unsigned shift,
                          unsigned high)
{
    uint64_t bits = UINT64_MAX >> (64 - (high - low)), below = UINT64_MAX >> (64 - (shift - low));
    size_t close = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        uint64_t differ = (words[i] ^ words[i + 1]) >> low & bits;
        close += differ - 1 < below; /* not 0, and below the bit `shift` */
    }
    return close;
}

/* Sorts from[0 .. n) to out by the bits `keys` of the upper halves, stable: as words of those bits
 * and the place, which takes twice as long as tags but has no ties. */
static void sort_places(const uint64_t *restrict from, uint64_t *restrict out, size_t n,
                        uint64_t keys)
{
    USW_ROUTE_OF("keys and places in 64 bits", USW_NO_TYPES);
    for (size_t i = 0; i < n; i++) {
        out[i] = (from[i] & keys) | i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[3](out, n);
    for (size_t i = 0; i < n; i++) {
        out[i] = from[(uint32_t)out[i]];
    }
}

/* Sorts from[0 .. n) to out, which does not overlap it, by the bits [low, high) of the words,
 * stable; from is overwritten. The tags lie in the second half of out, where a written word never
 * reaches a tag before that is read. */
static void sort_group(uint64_t *from, uint64_t *out, size_t n, unsigned low, unsigned high)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        differ |= from[i] ^ from[0];
    }
    differ = low == high ? 0 : differ << (64 - high) >> (64 - high) >> low;
    if (differ == 0) {
        memcpy(out, from, n * sizeof *out);
        return;
    }
    high = low + 64 - (unsigned)__builtin_clzll(differ);
    unsigned place_bits = usw_log2_up(n);
    unsigned key_bits = (unsigned)usw_min(high - low, 32 - place_bits), shift = high - key_bits;
    uint64_t mask = (UINT64_C(1) << key_bits) - 1;
    uint32_t *tags = (uint32_t *)(void *)out + n, places = (UINT32_C(1) << place_bits) - 1;
    for (size_t i = 0; i < n; i++) {
        tags[i] = (uint32_t)((from[i] >> shift & mask) << place_bits) | (uint32_t)i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](tags, n);
    uint32_t ties = 0;
    for (size_t i = 0; shift > low && i + 1 < n; i++) {
        ties |= (tags[i] ^ tags[i + 1]) <= places;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = from[place_of(tags[i], places)];
    }
    size_t close = ties == 0 ? 0 : count_close(out, n, low, shift, high);
    if (close > TIES_FEW + n / TIES_FEW) {
        sort_places(from, out, n, (UINT64_MAX >> (64 - (high - low))) << low);
    } else if (close != 0) { /* words whose keys are equal are in order */
        sort_ties(from, out, n, low, shift, high);
    }
}
