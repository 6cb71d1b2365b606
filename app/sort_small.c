/* sort_small.c - insertion sort of short stretches, then merging them two by two. Each line carries
 * its 64-bit key, so that most comparisons do not touch the text. */
#include "sort_small.h"

#include <string.h>

enum { STRETCH = 8 };

typedef struct pair {
    uint64_t key, item;
} pair;

typedef struct small {
    const sort_job *job;
    size_t from; /* sort key to compare from when keys are equal */
} small;

static inline bool is_less(const small *s, const pair *a, const pair *b)
{
    if (a->key != b->key) {
        return a->key < b->key;
    }
    return sort_compare(s->job->order, s->from, sort_line(s->job, a->item),
                        sort_line(s->job, b->item)) < 0;
}

static void insert(const small *s, pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        pair moving = pairs[i];
        size_t j = i;
        for (; j > 0 && is_less(s, &moving, &pairs[j - 1]); j--) {
            pairs[j] = pairs[j - 1];
        }
        pairs[j] = moving;
    }
}

static void merge(const small *s, const pair *a, size_t na, const pair *b, size_t nb, pair *out)
{
    const pair *a_end = a + na, *b_end = b + nb;
    while (a < a_end && b < b_end) {
        *out++ = is_less(s, b, a) ? *b++ : *a++;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* Returns where the sorted pairs are: in pairs or in spare. */
static pair *merge_sort(const small *s, pair *pairs, pair *spare, size_t n)
{
    for (size_t i = 0; i < n; i += STRETCH) {
        insert(s, pairs + i, n - i < STRETCH ? n - i : STRETCH);
    }
    for (size_t width = STRETCH; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t na = n - i < width ? n - i : width, nb = n - i - na < width ? n - i - na : width;
            merge(s, pairs + i, na, pairs + i + na, nb, spare + i);
        }
        pair *sorted = spare;
        spare = pairs;
        pairs = sorted;
    }
    return pairs;
}

void sort_small(const sort_job *job, uint64_t *items, size_t n, sort_stage stage, bool by_keys)
{
    small s = {job, stage.key};
    pair pairs[SORT_SMALL], spare[SORT_SMALL];
    unsigned bits = 0;
    if (n == 2) {
        if (sort_compare(job->order, s.from, sort_line(job, items[1]), sort_line(job, items[0])) <
            0) {
            uint64_t first = items[0];
            items[0] = items[1];
            items[1] = first;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t key = by_keys ? sort_stage_key(job, stage, sort_line(job, items[i]), &bits) : 0;
        pairs[i] = (pair){key, items[i]};
    }
    if (bits & IO_NUMBER_LONG) {
        for (size_t i = 0; i < n; i++) {
            pairs[i].key = 0;
        }
    }
    const pair *sorted = merge_sort(&s, pairs, spare, n);
    for (size_t i = 0; i < n; i++) {
        items[i] = sorted[i].item;
    }
}
