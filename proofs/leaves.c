/* leaves.c - zeros and ones through the compiled leaves of cache_sort, for every instruction set
 * that this machine has and every width: all 2^n inputs of up to 14 keys, and inputs made of two
 * sorted halves: all of up to 64 keys, some of up to 1024. proof_networks proves the networks from
 * their source; here the same inputs go through the loads, shuffles and stores that it cannot see.
 * Zero and one stand for two keys, least and greatest or others, mapped to unsigned order. */
/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ALL_KEYS = 14, HALVES_ALL = 64, KEYS_MAX = 1024, BEHIND = 64 };

/* A sort of the table, and the keys it takes, as bit patterns. */
typedef struct leaf {
    const char *name;
    unsigned bytes;
    void (*sort)(void *keys, size_t n);
    uint64_t pair[3][2]; /* zero and one; of 128 bits the upper half, above a half that tells */
} leaf;

static size_t cases, failed;

static void put(const leaf *l, unsigned char *keys, size_t i, uint64_t key)
{
    uint64_t wide[2] = {0, key};
    memcpy(keys + i * l->bytes, l->bytes == 16 ? wide : &key, l->bytes);
}

/* ones: bit i % 64 of word i / 64 says whether key i is a one. */
static void try_input(const leaf *l, unsigned isa, size_t n, const uint64_t *ones, unsigned pair)
{
    static unsigned char keys[(KEYS_MAX + BEHIND) * 16], want[sizeof keys];
    size_t zeros = 0;
    memset(keys, 0xa5, (n + BEHIND) * l->bytes);
    memset(want, 0xa5, (n + BEHIND) * l->bytes);
    for (size_t i = 0; i < n; i++) {
        bool one = (ones[i / 64] >> i % 64 & 1) != 0;
        put(l, keys, i, l->pair[pair][one]);
        zeros += !one;
    }
    for (size_t i = 0; i < n; i++) {
        put(l, want, i, l->pair[pair][i >= zeros]);
    }
    l->sort(keys, n);
    cases++;
    if (memcmp(keys, want, (n + BEHIND) * l->bytes) != 0 && failed++ < 8) {
        printf("  %s %s, %zu keys: FAILS: not sorted, or written behind, for ", l->name,
               usw_isa_name((usw_isa)isa), n);
        for (size_t i = 0; i < n; i++) {
            putchar((ones[i / 64] >> i % 64 & 1) != 0 ? '1' : '0');
        }
        putchar('\n');
    }
}

static void try_halves(const leaf *l, unsigned isa, size_t n, size_t low_ones, size_t high_ones,
                       unsigned pair)
{
    uint64_t ones[KEYS_MAX / 64] = {0};
    for (size_t i = 0; i < n; i++) {
        bool one = i < n / 2 ? i >= n / 2 - low_ones : i >= n - high_ones;
        ones[i / 64] |= (uint64_t)one << i % 64;
    }
    try_input(l, isa, n, ones, pair);
}

static void try_leaf(const leaf *l, unsigned isa)
{
    uint64_t state = 1;
    for (size_t n = 1; n <= ALL_KEYS; n++) {
        for (uint64_t ones = 0; ones >> n == 0; ones++) {
            try_input(l, isa, n, &ones, (unsigned)(ones % 3));
        }
    }
    for (size_t n = ALL_KEYS + 1; n <= HALVES_ALL; n++) {
        for (size_t k = 0; k < (n / 2 + 1) * (n - n / 2 + 1); k++) {
            try_halves(l, isa, n, k % (n / 2 + 1), k / (n / 2 + 1), (unsigned)(k % 3));
        }
    }
    for (size_t n = HALVES_ALL + 1; n <= KEYS_MAX; n++) {
        for (unsigned turn = 0; turn < 24; turn++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t low = (size_t)(state >> 33) % (n / 2 + 1);
            size_t high = (size_t)(state >> 13 & 0xfffff) % (n - n / 2 + 1);
            try_halves(l, isa, n, low, high, turn % 3);
        }
    }
}

int main(void)
{
    static const uint64_t one = 0x3ff0000000000000, minus = 0xbff0000000000000; /* doubles */
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        const usw_cache_sort_steps *part = USW_PICK((usw_isa)isa, usw_cache_sort_steps);
        const leaf leaves[] = {
            {"u16", 2, part->sort[1], {{0, UINT16_MAX}, {0x7fff, 0x8000}, {255, 256}}},
            {"u32", 4, part->sort[2], {{0, UINT32_MAX}, {INT32_MAX, 1u << 31}, {255, 65536}}},
            {"u64",
             8,
             part->sort[3],
             {{0, UINT64_MAX}, {INT64_MAX, UINT64_C(1) << 63}, {9, 1u << 31}}},
            {"u128", 16, part->sort[4], {{0, UINT64_MAX}, {INT64_MAX, UINT64_C(1) << 63}, {9, 10}}},
            {"i32",
             4,
             part->sort_signed[2],
             {{1u << 31, INT32_MAX}, {UINT32_MAX, 0}, {255, 65536}}},
            {"i64",
             8,
             part->sort_signed[3],
             {{UINT64_C(1) << 63, INT64_MAX}, {UINT64_MAX, 0}, {9, 1u << 31}}},
            {"f64",
             8,
             part->sort_doubles,
             {{0xfff0000000000000, 0x7ff0000000000000}, {minus, one}, {minus, 0}}},
        };
        for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
            if (leaves[i].sort != NULL) {
                try_leaf(&leaves[i], isa);
            }
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("proof: leaves: %s (%zu cases, %.1f s)\n", failed == 0 ? "holds" : "FAILED", cases,
           seconds);
    return failed == 0 ? 0 : 1;
}
