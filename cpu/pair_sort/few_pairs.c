/* few_pairs.c - sorts pairs that are too few for buckets: each key is a word with its position
 * below it, words are sorted in registers, and what keys carry is gathered; keys of 64 bits are
 * ranked. All is on the stack, since to take scratch and to look for patterns would take longer. */
/* SPDX-License-Identifier: MIT */
#include "cpu/pair_sort/pair_sort.h"

/* words[i]: the bits of key i that count above i. */
static void make_words(const usw_pair_sort *p, size_t key_bytes, uint64_t *words)
{
    uint64_t bits = UINT64_MAX >> (64 - (p->bit_end - p->bit_begin));
#define WORDS(TYPE)                                                                                \
    for (size_t i = 0; i < p->n; i++) {                                                            \
        TYPE key;                                                                                  \
        memcpy(&key, (const char *)p->keys + i * sizeof key, sizeof key);                          \
        words[i] = (usw_map_key(&p->map, key) >> p->bit_begin & bits) << 32 | i;                   \
    }
    switch (key_bytes) {
    case 1: WORDS(uint8_t) break;
    case 2: WORDS(uint16_t) break;
    default: WORDS(uint32_t) break;
    }
#undef WORDS
}

/* Keys of 64 bits, which no word holds beside a position, are compared each with each, without a
 * branch. from[r]: the position of the r-th. Returns whether they are in order. */
static bool rank_keys(const usw_pair_sort *p, uint32_t *from)
{
    uint64_t bits = UINT64_MAX >> (64 - (p->bit_end - p->bit_begin)), keys[USW_FEW_WIDE_PAIRS];
    uint32_t rank[USW_FEW_WIDE_PAIRS];
    uint64_t turned = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t key;
        memcpy(&key, (const char *)p->keys + i * sizeof key, sizeof key);
        keys[i] = usw_map_key(&p->map, key) >> p->bit_begin & bits;
        uint32_t here = i;
        for (uint32_t j = 0; j < i; j++) {
            uint32_t less = keys[i] < keys[j];
            rank[j] += less;
            here -= less;
        }
        rank[i] = here;
        turned |= here ^ i;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        from[rank[i]] = i;
    }
    return turned == 0;
}

/* Element i of `to` becomes element from[i] of what `to` was. */
static void put(upsweep *u, void *to, size_t bytes, const uint32_t *from, size_t n)
{
    char copy[USW_FEW_PAIRS * 16];
    memcpy(copy, to, n * bytes);
    USW_PICK(u->isa, usw_pack_steps)
        ->gather(from, sizeof *from, sizeof *from, copy, to, bytes, 0, n);
}

void usw_sort_few_pairs(upsweep *u, const usw_pair_sort *p, size_t key_bytes)
{
    const usw_cache_sort_steps *steps = USW_PICK(u->isa, usw_cache_sort_steps);
    uint64_t words[USW_FEW_PAIRS];
    uint32_t from[USW_FEW_PAIRS];
    size_t n = p->n;
    bool in_order;
    if (key_bytes == 8) {
        USW_ROUTE_OF("few pairs by ranks", USW_TYPES_OF_64_BITS);
        in_order = rank_keys(p, from);
    } else {
        USW_ROUTE_OF("few pairs as words", USW_ALL_TYPES & ~USW_TYPES_OF_64_BITS);
        make_words(p, key_bytes, words);
        in_order = steps->sort_small[3](words, n, NULL) == USW_RISING;
        for (size_t i = 0; i < n; i++) {
            from[i] = (uint32_t)words[i];
        }
    }
    *p->found = in_order ? USW_IN_ORDER : USW_NO_PATTERN;
    for (uint64_t i = 0; p->payloads == NULL && i < n; i++) {
        uint64_t position = from[i]; /* little-endian */
        memcpy((char *)p->out_payloads + i * p->payload_bytes, &position,
               p->payload_bytes == 8 ? 8 : sizeof *from);
    }
    if (!in_order && p->payloads != NULL) {
        put(u, p->out_payloads, p->payload_bytes, from, n);
    }
    if (!in_order && p->out_keys != NULL) {
        put(u, p->out_keys, key_bytes, from, n);
    }
}
