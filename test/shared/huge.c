/* huge.c - see huge.h. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/huge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/device.h"
#include "test/shared/inputs.h"

enum { SPARE = 1 << 30 };

struct huge huge;

/* ---- memory ---- */

static size_t device_bytes_left(void)
{
    int (*info)(size_t *, size_t *) = NULL;
    void *symbol = device_symbol("cudaMemGetInfo");
    size_t left = 0, all = 0;
    memcpy(&info, &symbol, sizeof info);
    return device_is_emulated() ? SIZE_MAX : info != NULL && info(&left, &all) == 0 ? left : 0;
}

/* Skips the test where the device lacks memory for the arrays and for the scratch of the call just
 * planned. */
void huge_need(const char *what, size_t array_bytes)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(huge.plan, &report);
    device_reset();
    device_trim();
    upsweep_trim(gpu);
    size_t wanted = array_bytes + report.scratch_bytes + SPARE, left = device_bytes_left();
    if (left < wanted) {
        printf("%s: left out: it needs %zu MB of device memory, %zu are there\n", what,
               wanted >> 20, left >> 20);
        skip();
    }
    printf("%s: %zu elements, %zu MB of arrays, %zu MB of scratch\n", what, huge.n,
           array_bytes >> 20, report.scratch_bytes >> 20);
}
void huge_must(upsweep *u, upsweep_status status, const char *call)
{
    if (status != UPSWEEP_OK) {
        fail_msg("%s: %s", call, upsweep_error(u));
    }
}
/* Element i of an input of elements of `bytes` bytes: the low bytes of the huge.pattern. */
uint64_t huge_element(size_t i, size_t bytes)
{
    return huge.pattern[i % huge.block] & (UINT64_MAX >> (64 - 8 * bytes));
}

/* An array of huge.n elements that repeats the low bytes of list[0 .. huge.block). */
void *huge_repeated(const uint32_t *list, size_t bytes)
{
    size_t all = huge.n * bytes, done = huge.block * bytes;
    unsigned char *at = device_take(all, 0), *first = malloc(done);
    for (size_t i = 0; i < huge.block; i++) {
        memcpy(first + i * bytes, &list[i], bytes);
    }
    device_put(at, first, done);
    free(first);
    while (done < all) {
        size_t some = done < all - done ? done : all - done;
        device_copy(at + done, at, some);
        done += some;
    }
    return at;
}

/* A list of the huge.block's length, of what of() makes of the huge.pattern. */
uint32_t *huge_list_of(uint32_t (*of)(uint32_t))
{
    uint32_t *list = malloc(huge.block * sizeof *list);
    for (size_t i = 0; i < huge.block; i++) {
        list[i] = of(huge.pattern[i]);
    }
    return list;
}

/* ---- outcomes ---- */

/* Whether there are `count` elements of one value at p. */
static bool all_are(const unsigned char *p, size_t count, uint64_t value, size_t bytes)
{
    uint64_t wrong = 0;
    switch (bytes) {
    case 1: return count == 0 || (*p == value && memcmp(p, p + 1, count - 1) == 0);
    case 2:
        for (size_t i = 0; i < count; i++) {
            wrong |= ((const uint16_t *)(const void *)p)[i] ^ value;
        }
        return wrong == 0;
    default:
        for (size_t i = 0; i < count; i++) {
            wrong |= ((const uint32_t *)(const void *)p)[i] ^ value;
        }
        return wrong == 0;
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = ((const run *)a)->value, y = ((const run *)b)->value;
    return (x > y) - (x < y);
}

/* The sorted input as runs of equal elements, one for each element of the huge.block. */
run *huge_sorted_runs(size_t bytes)
{
    run *r = malloc(huge.block * sizeof *r);
    for (size_t i = 0; i < huge.block; i++) {
        r[i] = (run){huge_element(i, bytes), huge.n / huge.block + (i < huge.n % huge.block)};
    }
    qsort(r, huge.block, sizeof *r, by_value);
    return r;
}

/* Looks at all elements of the device's array: they are those runs. */
void huge_check_runs(const void *array, const run *r, size_t bytes)
{
    size_t at = 0, k = 0, used = 0, step = HUGE_CHUNK / bytes;
    for (; at < huge.n; at += step) {
        size_t here = huge.n - at < step ? huge.n - at : step;
        device_get(huge.chunk, (const char *)array + at * bytes, here * bytes);
        for (size_t i = 0; i < here;) {
            size_t some = r[k].count - used < here - i ? r[k].count - used : here - i;
            if (!all_are(huge.chunk + i * bytes, some, r[k].value, bytes)) {
                fail_msg("from %zu on there should be %zu times %llu", at + i, some,
                         (unsigned long long)r[k].value);
            }
            i += some;
            used += some;
            if (used == r[k].count) {
                k++;
                used = 0;
            }
        }
    }
}

/* Looks at `count` elements from `first` on: they repeat `period` elements of `list`, to which
 * `add` is added once more at each turn (modulo their width). */
void huge_check_repeats(const void *array, size_t first, size_t count, const uint32_t *list,
                        size_t period, uint32_t add, size_t bytes)
{
    size_t step = HUGE_CHUNK / bytes;
    for (size_t at = 0; at < count; at += step) {
        size_t here = count - at < step ? count - at : step, place = at % period;
        uint32_t sum = (uint32_t)(at / period) * add, wrong = 0;
        device_get(huge.chunk, (const char *)array + (first + at) * bytes, here * bytes);
        for (size_t i = 0; i < here; sum += add, place = 0) {
            size_t some = period - place < here - i ? period - place : here - i;
            for (size_t e = 0; e < some && bytes == 1; e++) {
                wrong |= (uint8_t)(list[place + e] + sum) ^ huge.chunk[i + e];
            }
            for (size_t e = 0; e < some && bytes == 4; e++) {
                wrong |= (list[place + e] + sum) ^ ((uint32_t *)(void *)huge.chunk)[i + e];
            }
            i += some;
        }
        if (wrong != 0) {
            fail_msg("wrong between %zu and %zu", first + at, first + at + here);
        }
    }
}

/* ---- start and end ---- */

int huge_start(void **state)
{
    const char *why;
    uint64_t random = 32;
    (void)state;
    int failed = device_group_start(1 << 20);
    huge.n = ((size_t)1 << (device_is_emulated() ? 16 : 32)) + 7;
    huge.beyond = huge.n - 4;
    huge.block = device_is_emulated() ? 1021 : HUGE_BLOCK;
    for (size_t i = 0; i < huge.block; i++) {
        huge.pattern[i] = (uint32_t)input_random(&random);
    }
    huge.chunk = malloc(HUGE_CHUNK);
    return failed != 0 || huge.chunk == NULL ||
           upsweep_open_why(&huge.plan, "cuda:plan", NULL, &why) != UPSWEEP_OK;
}

int huge_end(void **state)
{
    free(huge.chunk);
    upsweep_close(huge.plan);
    return device_group_end(state);
}
