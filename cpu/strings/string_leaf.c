/* string_leaf.c - the sort of a few thousand strings by one thread, in its cache.
 *
 * Each string is a word of 64 bits: five of its bytes, how many it still has (6: more than five), and
 * its place among the strings of the leaf. The sort of integers by vectors puts the words in order;
 * places make it stable. A run of words that agree above the place is sorted again by the next five
 * bytes, behind what all its strings share. So a round costs a load and a step of a vector sort for
 * each string that is not yet parted from the others, and no string is compared with another but
 * where two are left (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings",
 * 1997, with five bytes as one character; the words are the caches of Sinha and Wirth, "Engineering
 * burstsort", 2010). */
/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/strings/strings.h"

enum {
    WORD_BYTES = 5,
    REST_AT = 21, /* bit */
    MORE = WORD_BYTES + 1,
    AHEAD = 24,
    NEAR = 8,
    INSERTION = 12 /* words, at most, that are sorted by insertion */
};
#define PLACE_MASK ((UINT64_C(1) << REST_AT) - 1)

static inline size_t place_of(uint64_t word)
{
    return (size_t)(word & PLACE_MASK);
}

/* The word of the string at a place, of its bytes from `depth` on; it has so many. */
static inline uint64_t make_word(const usw_string_leaf *l, size_t place, size_t depth)
{
    static const uint64_t masks[MORE + 1] = {0,
                                             UINT64_C(0xff) << 56,
                                             UINT64_C(0xffff) << 48,
                                             UINT64_C(0xffffff) << 40,
                                             UINT64_C(0xffffffff) << 32,
                                             UINT64_C(0xffffffffff) << 24,
                                             UINT64_C(0xffffffffff) << 24};
    usw_string s = l->strings[place];
    size_t rest = usw_min(s.bytes - depth, MORE);
    uint64_t bytes = usw_load_word(s.at + depth, l->sort->strings.end) & masks[rest];
    uint64_t word = bytes | (uint64_t)rest << REST_AT;
    return (l->sort->descending ? word ^ ~PLACE_MASK : word) | place;
}

/* Whether strings whose words agree have more bytes than the words tell. */
static inline bool has_more(const usw_string_leaf *l, uint64_t word)
{
    uint64_t rest = l->sort->descending ? ~word : word;
    return (rest >> REST_AT & 7) == MORE;
}

static void drop(const usw_string_leaf *l, const uint64_t *words, size_t n)
{
    for (size_t i = 1; l->dropped != NULL && i < n; i++) {
        l->dropped[place_of(words[i])] = 1;
    }
}

/* Makes the words of n places anew. Returns whether any differs from the first. */
static bool make_words(const usw_string_leaf *l, uint64_t *words, size_t n, size_t depth)
{
    uint64_t first = words[0] = make_word(l, place_of(words[0]), depth), differ = 0;
    for (size_t i = 1; i < n; i++) {
        if (i + NEAR < n) {
            __builtin_prefetch(l->strings[place_of(words[i + NEAR])].at + depth);
        }
        words[i] = make_word(l, place_of(words[i]), depth);
        differ |= words[i] ^ first;
    }
    return (differ & ~PLACE_MASK) != 0;
}

/* How many bytes behind `depth` all n strings share. */
static size_t shared_by_all(const usw_string_leaf *l, const uint64_t *words, size_t n, size_t depth)
{
    usw_string first = l->strings[place_of(words[0])];
    size_t shared = first.bytes - depth;
    for (size_t i = 1; i < n && shared > 0; i++) {
        shared = usw_shared(first, l->strings[place_of(words[i])], depth, shared);
    }
    return shared;
}

static void insert(uint64_t *words, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t moving = words[i];
        size_t j = i;
        for (; j > 0 && moving < words[j - 1]; j--) {
            words[j] = words[j - 1];
        }
        words[j] = moving;
    }
}

static void sort_two(const usw_string_leaf *l, uint64_t *words, size_t depth)
{
    usw_string a = l->strings[place_of(words[0])], b = l->strings[place_of(words[1])];
    int order = usw_compare_strings(a, b, depth);
    if (order == 0) {
        drop(l, words, 2);
    } else if ((order > 0) != l->sort->descending) {
        uint64_t first = words[0];
        words[0] = words[1];
        words[1] = first;
    }
}

static size_t run_end(const uint64_t *words, size_t begin, size_t n)
{
    size_t end = begin + 1;
    while (end < n && ((words[end] ^ words[begin]) & ~PLACE_MASK) == 0) {
        end++;
    }
    return end;
}

/* Puts n strings that share `depth` bytes, and stand in order of their places, in order. The
 * longest run of words that agree is left to the loop, so that the recursion is at most log2 n
 * deep. */
static void sort_words(const usw_string_leaf *l, uint64_t *words, size_t n, size_t depth, bool made)
{
    while (n > 2) {
        for (; !made && !make_words(l, words, n, depth);) {
            if (!has_more(l, words[0])) {
                drop(l, words, n);
                return;
            }
            size_t shared = shared_by_all(l, words, n, depth);
            depth += shared;
        }
        if (n <= INSERTION) {
            insert(words, n);
        } else {
            USW_PICK(l->isa, usw_cache_sort_steps)->sort[3](words, n);
        }
        size_t longest = 0, longest_n = 1;
        for (size_t i = 0, end; i < n; i = end) {
            end = run_end(words, i, n);
            if (end - i == 1) {
                continue;
            }
            if (!has_more(l, words[i])) {
                drop(l, words + i, end - i);
            } else if (end - i == 2) {
                sort_two(l, words + i, depth + WORD_BYTES);
            } else if (end - i <= longest_n) {
                sort_words(l, words + i, end - i, depth + WORD_BYTES, false);
            } else {
                if (longest_n > 1) {
                    sort_words(l, words + longest, longest_n, depth + WORD_BYTES, false);
                }
                longest = i;
                longest_n = end - i;
            }
        }
        words += longest;
        n = longest_n;
        depth += WORD_BYTES;
        made = false;
    }
    if (n == 2) {
        sort_two(l, words, depth);
    }
}

/* Finds the strings of n items, whose texts lie anywhere in memory, and keeps the items. */
static void find_strings(usw_string_leaf *l, const usw_string_items *from, size_t at, size_t n,
                         size_t depth)
{
    const usw_string_sort *s = l->sort;
    for (size_t i = 0; i < n; i++) {
        if (i + 2 * AHEAD < n) {
            usw_fetch_offset(&s->strings, usw_item(from->items, s->item_bytes, at + i + 2 * AHEAD));
        }
        if (i + AHEAD < n) {
            usw_fetch_string(&s->strings, usw_item(from->items, s->item_bytes, at + i + AHEAD),
                             depth);
        }
        l->items[i] = usw_item(from->items, s->item_bytes, at + i);
        l->strings[i] = usw_string_of(&s->strings, l->items[i]);
        l->words[i] = make_word(l, i, depth);
    }
    if (s->values != NULL) {
        memcpy(l->values, from->values + at, n * sizeof *l->values);
    }
    if (l->dropped != NULL) {
        memset(l->dropped, 0, n);
    }
}

void usw_sort_string_leaf(usw_string_leaf *l, const usw_string_items *from,
                          const usw_string_items *to, size_t at, size_t n, size_t depth)
{
    const usw_string_sort *s = l->sort;
    find_strings(l, from, at, n, depth);
    sort_words(l, l->words, n, depth, true);
    for (size_t i = 0; i < n; i++) {
        size_t place = place_of(l->words[i]);
        bool dropped = l->dropped != NULL && l->dropped[place];
        usw_set_item(to->items, s->item_bytes, at + i, dropped ? USW_DROPPED : l->items[place]);
    }
    for (size_t i = 0; s->values != NULL && i < n; i++) {
        to->values[at + i] = l->values[place_of(l->words[i])];
    }
}
