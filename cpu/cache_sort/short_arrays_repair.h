/* short_arrays_repair.h - repairs a short array that is nearly sorted: keys out of order are taken
 * out and inserted where they belong. Included by cpu/cache_sort/short_arrays_order.h, once per
 * width and order that AVX2 compares.
 *
 * Where a key is less than the key before it, both are taken out, as in
 * cpu/patterns/patterns_cpu.h; the other keys must be in order. An array without order falls among
 * its first LANES keys already, and costs no more than that comparison. Source: the idea of V.
 * Estivill-Castro and D. Wood, A survey of adaptive sorting algorithms (1992). */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_CACHE_SORT_SHORT_ARRAYS_REPAIR_H
#define USW_CPU_CACHE_SORT_SHORT_ARRAYS_REPAIR_H
enum {
    REPAIR_FROM = 96, /* fewer keys are sorted in less time */
    FALLS_MAX = 4
};
#endif

/* Writes the places i where k[i + 1] < k[i] to falls, and returns how many they are: SIZE_MAX if
 * more than FALLS_MAX, or if one is among the first LANES. n > LANES. */
static size_t FN(find_falls)(const KEY *k, size_t n, size_t *falls)
{
    size_t found = 0, pairs = n - 1;
    for (size_t i = 0; i < pairs; i += LANES) {
        size_t from = usw_min(i, pairs - LANES);
        M less = FN(vgreater)(FN(vload)(k + from), FN(vload)(k + from + 1));
        if (!FN(vany)(less)) {
            continue;
        }
        for (size_t j = usw_max(i, from); j < from + LANES; j++) {
            if (KEY_LESS(k[j + 1], k[j])) {
                if (i == 0 || found == FALLS_MAX) {
                    return SIZE_MAX;
                }
                falls[found++] = j;
            }
        }
    }
    return found;
}

/* How many of n keys in order are not greater than x: no branch depends on a key. */
static size_t FN(count_not_above)(const KEY *k, size_t n, KEY x)
{
    size_t at = 0;
    while (n > 1) {
        size_t half = n / 2;
        at += KEY_LESS(x, k[at + half - 1]) ? 0 : half;
        n -= half;
    }
    return n == 0 ? 0 : at + !KEY_LESS(x, k[at]);
}

static void FN(put_in)(KEY *out, size_t n, KEY x)
{
    for (; n > 0 && KEY_LESS(x, out[n - 1]); n--) {
        out[n] = out[n - 1];
    }
    out[n] = x;
}

/* Sorts n >= REPAIR_FROM keys; false, with the keys as they were, if more than a few are in the
 * wrong place. */
static bool FN(repair)(KEY *k, size_t n)
{
    size_t falls[FALLS_MAX], begin[FALLS_MAX + 2] = {0}, end[FALLS_MAX + 2], runs = 0;
    size_t count = FN(find_falls)(k, n, falls), kept = 0, gone = 0;
    if (count == SIZE_MAX) {
        return false;
    }
    for (size_t f = 0; f <= count; f++) { /* run f ends before fall f */
        end[f] = f < count ? usw_max(begin[f], falls[f]) : n;
        begin[f + 1] = f < count ? falls[f] + 2 : n;
    }
    for (size_t f = 0; f <= count; f++) {
        if (begin[f] >= end[f]) {
            continue;
        }
        if (runs > 0 && KEY_LESS(k[begin[f]], k[end[runs - 1] - 1])) {
            return false;
        }
        runs = f + 1;
    }
    USW_ROUTE("a few keys in the wrong place");
    KEY out[2 * FALLS_MAX];
    for (size_t f = 0; f <= count; f++) {
        size_t run = begin[f] < end[f] ? end[f] - begin[f] : 0;
        for (size_t i = usw_max(begin[f], end[f]); i < begin[f + 1]; i++) {
            FN(put_in)(out, gone++, k[i]);
        }
        memmove(k + kept, k + begin[f], run * sizeof(KEY));
        kept += run;
    }
    while (gone > 0) {
        KEY x = out[--gone];
        size_t at = FN(count_not_above)(k, kept, x);
        memmove(k + at + gone + 1, k + at, (kept - at) * sizeof(KEY));
        k[at + gone] = x;
        kept = at;
    }
    return true;
}
