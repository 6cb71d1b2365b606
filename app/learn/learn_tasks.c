/* learn_tasks.c - the tasks: their cases, and what must come of them, by serial code that shares
 * nothing with the solutions; their texts lie in site/tasks/tasks.txt. */
/* SPDX-License-Identifier: MIT */
#include "app/learn/learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/page/page_parts.h"

/* ---- cases ---- */

static uint32_t random_number(uint32_t *seed, uint32_t most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % most;
}

/* n numbers below most, the same for each k. */
static bool fill(learn_case *c, size_t k, size_t n, uint32_t most)
{
    static const uint32_t worked[] = {3, 1, 7, 0, 4, 1, 6, 3};
    uint32_t seed = (uint32_t)(17 * k + n);
    c->n = n;
    for (size_t i = 0; i < n; i++) {
        c->values[i] = k == 0 && n == 8 && most > 7 ? worked[i] : random_number(&seed, most);
    }
    return n > 0;
}

static size_t size_of(const size_t *sizes, size_t k)
{
    size_t i = 0;
    while (i < k && sizes[i] != 0) {
        i++;
    }
    return sizes[i];
}

/* Telling ones first: the first case that fails is what the reader sees. */
static const size_t any_sizes[] = {8, 7, 12, 16, 3, 2, 1, 33, 64, 0};
static const size_t two_sizes[] = {8, 4, 16, 2, 1, 32, 64, 0};

static bool any(size_t k, learn_case *c)
{
    return fill(c, k, size_of(any_sizes, k), 100);
}

/* Every second case runs downwards: what takes sorts by neighbours longest. */
static bool downwards(size_t k, learn_case *c)
{
    bool made = any(k, c);
    for (size_t i = 0; i < c->n && k % 2 == 1; i++) {
        c->values[i] = (uint32_t)(3 * (c->n - i));
    }
    return made;
}

/* Many of them equal. */
static bool few(size_t k, learn_case *c)
{
    return fill(c, k, size_of(any_sizes, k), 5);
}

static bool powers(size_t k, learn_case *c)
{
    return fill(c, k, size_of(two_sizes, k), 100);
}

static bool eight(size_t k, learn_case *c)
{
    return fill(c, k, k < 4 ? 8 : 0, 100);
}

static bool flags(size_t k, learn_case *c)
{
    static const uint32_t worked[] = {1, 1, 1, 1, 0, 0, 1, 0};
    bool made = fill(c, k, size_of(any_sizes, k), 2);
    if (k == 0) {
        memcpy(c->values, worked, sizeof worked);
    }
    return made;
}

/* Keys of four bits, above them the place in the input. */
static bool tagged(size_t k, learn_case *c)
{
    bool made = fill(c, k, size_of(any_sizes, k), k % 2 == 0 ? 16 : 3);
    for (size_t i = 0; i < c->n; i++) {
        c->values[i] = c->values[i] % 16 + 16 * (uint32_t)(i + 1);
    }
    return made;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool halves(size_t k, learn_case *c)
{
    static const size_t sizes[] = {8, 4, 16, 2, 32, 64, 0};
    bool made = fill(c, k, size_of(sizes, k), 100);
    qsort(c->values, c->n / 2, sizeof *c->values, by_value);
    qsort(c->values + c->n / 2, c->n / 2, sizeof *c->values, by_value);
    return made;
}

/* Different keys in no order, most of them small. */
static bool different(size_t k, learn_case *c)
{
    uint32_t seed = (uint32_t)k + 5;
    c->n = k < 4 ? 64 << k % 2 : 0;
    for (size_t i = 0; i < c->n; i++) {
        c->values[i] = (uint32_t)(k < 2 ? 3 * i + 1 : i * i + 1);
    }
    for (size_t i = c->n; i > 1; i--) {
        size_t j = random_number(&seed, (uint32_t)i);
        uint32_t was = c->values[i - 1];
        c->values[i - 1] = c->values[j];
        c->values[j] = was;
    }
    return c->n > 0;
}

/* ---- outcomes ---- */

/* The first of count places that is not as wanted. */
static void same(const uint32_t *want, const uint32_t *result, size_t count, char *text,
                 size_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        if (result[i] != want[i]) {
            snprintf(text, bytes, "a[%zu] is %u in the end and should be %u", i, result[i],
                     want[i]);
            return;
        }
    }
}

#define CHECK(name)                                                                                \
    static void name(const learn_case *c, const uint32_t *result, char *text, size_t bytes)

CHECK(doubled)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = c->values[i] + c->values[i];
    }
    same(want, result, c->n, text, bytes);
}

CHECK(shifted)
{
    uint32_t want[LEARN_MOST] = {0};
    memcpy(want + 1, c->values, (c->n - 1) * sizeof *want);
    same(want, result, c->n, text, bytes);
}

static uint32_t sum_of(const learn_case *c, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += c->values[i];
    }
    return sum;
}

CHECK(summed)
{
    same(&(uint32_t){sum_of(c, c->n)}, result, 1, text, bytes);
}

CHECK(everywhere)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = sum_of(c, c->n);
    }
    same(want, result, c->n, text, bytes);
}

CHECK(inclusive)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = sum_of(c, i + 1);
    }
    same(want, result, c->n, text, bytes);
}

CHECK(exclusive)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = sum_of(c, i);
    }
    same(want, result, c->n, text, bytes);
}

CHECK(zeros_before)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = (uint32_t)i - sum_of(c, i);
    }
    same(want, result, c->n, text, bytes);
}

CHECK(ones_behind)
{
    uint32_t want[LEARN_MOST];
    for (size_t i = 0; i < c->n; i++) {
        want[i] = (uint32_t)c->n - (sum_of(c, c->n) - sum_of(c, i));
    }
    same(want, result, c->n, text, bytes);
}

/* By the keys value & mask, equal ones in their old order. */
static void sort_by(const learn_case *c, uint32_t mask, uint32_t *want)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t j = i;
        for (; j > 0 && (want[j - 1] & mask) > (c->values[i] & mask); j--) {
            want[j] = want[j - 1];
        }
        want[j] = c->values[i];
    }
}

CHECK(by_last_bit)
{
    uint32_t want[LEARN_MOST];
    sort_by(c, 1, want);
    same(want, result, c->n, text, bytes);
}

CHECK(by_four_bits)
{
    uint32_t want[LEARN_MOST];
    sort_by(c, 15, want);
    same(want, result, c->n, text, bytes);
}

CHECK(sorted)
{
    uint32_t want[LEARN_MOST];
    sort_by(c, UINT32_MAX, want);
    same(want, result, c->n, text, bytes);
}

CHECK(nearest)
{
    size_t least = 0;
    for (size_t v = 1; v < c->n; v++) {
        least = c->values[v] < c->values[least] ? v : least;
    }
    same(&(uint32_t){(uint32_t)least}, result, 1, text, bytes);
}

CHECK(even_buckets)
{
    size_t size[8] = {0};
    for (size_t i = 0; i < c->n; i++) {
        if (result[i] > 7) {
            snprintf(text, bytes, "a[%zu] is %u in the end; buckets are 0 to 7", i, result[i]);
            return;
        }
        size[result[i]]++;
        for (size_t j = 0; j < c->n; j++) {
            if (c->values[i] < c->values[j] && result[i] > result[j]) {
                snprintf(text, bytes, "key %u is in bucket %u and the greater key %u in bucket %u",
                         c->values[i], result[i], c->values[j], result[j]);
                return;
            }
        }
    }
    for (size_t b = 0; b < 8; b++) {
        if (size[b] > c->n / 4) {
            snprintf(text, bytes, "bucket %zu has %zu of %zu keys, more than a quarter", b, size[b],
                     c->n);
        }
    }
}

/* ---- the table ---- */

#define TASK(name, stem, make, check, slack, may_copy) void usw_task_##stem(struct array *a);
#include "app/learn/tasks.def"
#undef TASK

static const learn_task tasks[] = {
#define TASK(name, stem, make, check, slack, may_copy)                                             \
    {name, usw_task_##stem, make, check, slack, may_copy},
#include "app/learn/tasks.def"
#undef TASK
};

const learn_task *learn_task_at(size_t i)
{
    return i < sizeof tasks / sizeof *tasks ? &tasks[i] : NULL;
}

const learn_task *learn_task_find(const char *name)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (strcmp(tasks[i].name, name) == 0) {
            return &tasks[i];
        }
    }
    return NULL;
}

/* ---- texts ---- */

enum { LEARN_OTHER = LEARN_SKELETON + 1 }; /* the skeleton of the other language */

/* Goes past "C: " or "Python: " before *from; false: the line is for the other language. */
static bool of_language(const char **from, learn_language language)
{
    static const char *const heads[] = {"C: ", "Python: "}; /* learn_language */
    for (size_t k = 0; k < 2; k++) {
        if (strncmp(*from, heads[k], strlen(heads[k])) == 0) {
            *from += strlen(heads[k]);
            return k == (size_t)language;
        }
    }
    return true;
}

bool learn_text(const char *name, int which, learn_language language, char *text, size_t bytes)
{
    const char *line = (const char *)page_part_tasks;
    const char skeleton = language == LEARN_PYTHON ? 'p' : 's'; /* its head's first letter */
    int part = -2, hints = 0; /* -2: not in this task; else the part that the line is of */
    size_t size = 0;
    bool found = false;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *from = line;
        if (strncmp(line, "== ", 3) == 0) {
            size_t length = strlen(name);
            bool mine = strncmp(line + 3, name, length) == 0 && line[3 + length] == ':';
            from = line + 3 + length + 2;
            part = mine ? LEARN_TITLE : -2;
        } else if (part >= LEARN_TITLE && strncmp(line, "-- ", 3) == 0) {
            part = line[3] == 'h' ? ++hints : line[3] == skeleton ? LEARN_SKELETON : LEARN_OTHER;
            continue;
        }
        if (part == which && of_language(&from, language) &&
            size + (size_t)(end - from) + 2 < bytes) {
            memcpy(text + size, from, (size_t)(end - from) + 1);
            size += (size_t)(end - from) + 1;
            found = true;
        }
        part = part == LEARN_TITLE ? LEARN_TEXT : part;
    }
    text[size] = '\0';
    return found;
}
