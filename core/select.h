/* select.h - finding the k-th key, for use inside public calls. */
#ifndef USW_SELECT_H
#define USW_SELECT_H

#include "parts.h"

enum { USW_SELECT_BLOCK = 1 << 14, USW_SAMPLE_MAX = 4096 }; /* keys */

typedef struct usw_select_scratch {
    void *spare;         /* n keys; NULL: none, a slower method is used */
    size_t (*counts)[2]; /* one for each block of n */
} usw_select_scratch;

/* Both pointers are NULL when there is not enough scratch. */
usw_select_scratch usw_select_take(upsweep *u, size_t n, size_t key_bytes);

/* Rearranges keys so that keys[k] stands where a sort by the mapped keys would put it, nothing
 * before it is greater and nothing after it less. k < n. The outcome depends on keys, n and k
 * alone. */
void usw_select(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map,
                usw_select_scratch scratch);

/* Fills sample with up to USW_SAMPLE_MAX mapped keys in ascending order, taken from all over the n
 * keys, and returns how many. n > 0. */
size_t usw_sample_keys(const upsweep *u, const void *keys, size_t n, const usw_keymap *map,
                       uint64_t sample[USW_SAMPLE_MAX]);

#endif
