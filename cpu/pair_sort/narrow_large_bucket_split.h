/* narrow_large_bucket_split.h - how narrow_keys.h takes words apart again into keys and
 * payloads. Included once. */

/* The loops of take_apart by themselves, for the compiler to see that nothing overlaps. */
ALWAYS void take_keys(usw_keymap map, const uint64_t *restrict words, size_t n,
                      uint32_t *restrict keys)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = unmapped_u32(&map, (uint32_t)(words[i] >> 32));
    }
}

ALWAYS void take_payloads(const uint64_t *restrict words, size_t n, char *restrict to)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t payload = (uint32_t)words[i];
        memcpy(to + 4 * i, &payload, 4); /* at any address */
    }
}

ALWAYS void take_positions(const uint64_t *restrict words, size_t n, char *restrict to)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t position = (uint32_t)words[i];
        memcpy(to + 8 * i, &position, 8);
    }
}

/* Takes n words apart, mapped keys to `keys` (raw: unmapped; NULL: dropped) and payloads. */
static inline void take_apart(const usw_pair_sort *p, const uint64_t *words, size_t n,
                              uint32_t *keys, void *payloads, bool raw)
{
    if (keys != NULL) {
        take_keys(raw ? p->map : (usw_keymap){.bits = 32}, words, n, keys);
    }
    if (p->payload_bytes == 4) {
        take_payloads(words, n, payloads);
    } else {
        take_positions(words, n, payloads);
    }
}

static void put_words(const usw_pair_sort *p, const uint64_t *words, size_t n, size_t at)
{
    take_apart(p, words, n, p->out_keys == NULL ? NULL : (uint32_t *)p->out_keys + at,
               (char *)p->out_payloads + at * p->payload_bytes, true);
}
