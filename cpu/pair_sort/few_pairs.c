/* few_pairs.c - sorts pairs that are too few for buckets: words of key and position are sorted, and
 * what keys carry is gathered, on the stack; to take scratch would take longer. */
/* SPDX-License-Identifier: MIT */
#include "cpu/pair_sort/pair_sort.h"
#include "cpu/patterns/patterns.h"

/* The bits of each key that count. */
static void map_keys(const usw_pair_sort *p, size_t key_bytes, uint64_t *keys)
{
    uint64_t bits = UINT64_MAX >> (64 - (p->bit_end - p->bit_begin));
#define KEYS(TYPE)                                                                                 \
    for (size_t i = 0; i < p->n; i++) {                                                            \
        TYPE key;                                                                                  \
        memcpy(&key, (const char *)p->keys + i * sizeof key, sizeof key);                          \
        keys[i] = usw_map_key(&p->map, key) >> p->bit_begin & bits;                                \
    }
    switch (key_bytes) {
    case 1: KEYS(uint8_t) break;
    case 2: KEYS(uint16_t) break;
    case 4: KEYS(uint32_t) break;
    default: KEYS(uint64_t) break;
    }
#undef KEYS
}

bool usw_order_keys(const upsweep *u, const uint64_t *keys, uint64_t *words, size_t n, void *room)
{
    uint64_t mask = (UINT64_C(1) << usw_log2_up(n)) - 1, differ = 0;
    for (size_t i = 1; i < n; i++) {
        differ |= keys[i] ^ keys[0];
    }
    unsigned same = differ == 0 ? 0 : (unsigned)__builtin_clzll(differ);
    for (size_t i = 0; i < n; i++) {
        words[i] = (keys[i] << same & ~mask) | i;
    }
    if (room == NULL || !usw_sort_by_dropping(u, words, n, 3, room)) {
        USW_PICK(u->isa, usw_cache_sort_steps)->sort[3](words, n);
    }
    size_t moves = 0, most = 8 * n + 256; /* any order of USW_FEW_PAIRS takes fewer */
    for (size_t i = 1; i < n && mask >> same != 0 && moves <= most; i++) {
        uint64_t word = words[i], key = keys[word & mask];
        size_t at = i;
        for (; at > 0 && (words[at - 1] ^ word) <= mask && keys[words[at - 1] & mask] > key; at--) {
            words[at] = words[at - 1];
        }
        words[at] = word;
        moves += i - at;
    }
    return moves <= most;
}

/* Element i of `to`, which may be old, becomes element from[i] of old. */
static void put(upsweep *u, void *to, const void *old, size_t bytes, const uint32_t *from, size_t n)
{
    char copy[USW_FEW_PAIRS * 16];
    memcpy(copy, old, n * bytes);
    USW_PICK(u->isa, usw_pack_steps)->gather(from, 4, 4, copy, to, bytes, 0, n);
}

void usw_sort_few_pairs(upsweep *u, const usw_pair_sort *p, size_t key_bytes)
{
    uint32_t from[USW_FEW_PAIRS];
    uint64_t keys[USW_FEW_PAIRS] = {0}, words[USW_FEW_PAIRS];
    size_t n = p->n, bytes = p->payload_bytes, mask = ((size_t)1 << usw_log2_up(n)) - 1;
    bool in_order = true;
    USW_ROUTE_PAIRS("few pairs");
    map_keys(p, key_bytes, keys);
    (void)usw_order_keys(u, keys, words, n, NULL);
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)(words[i] & mask);
        in_order &= from[i] == i;
    }
    *p->found = in_order ? USW_IN_ORDER : USW_NO_PATTERN;
    for (uint64_t i = 0; p->payloads == NULL && i < n; i++) {
        uint64_t position = from[i]; /* little-endian */
        memcpy((char *)p->out_payloads + i * bytes, &position, bytes == 8 ? 8 : 4);
    }
    if (p->payloads != NULL) {
        put(u, p->out_payloads, p->payloads, bytes, from, n);
    }
    if (p->out_keys != NULL) {
        put(u, p->out_keys, p->keys, key_bytes, from, n);
    }
}
