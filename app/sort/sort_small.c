/* sort_small.c - the serial sort of a few lines. Keys of 64 bits are sorted first; runs of equal
 * ones are parted by the keys of the next stage, and so on, until a handful is left that is
 * compared. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_small.h"

#include <string.h>

enum { STRETCH = 8, AHEAD = 16, DEEP = 256 };

typedef struct pair {
    uint64_t key, item;
} pair;

typedef struct small {
    const sort_job *job;
    pair *pairs, *spare; /* of the whole run */
    bool compare;        /* texts, where keys are equal, from sort key `from` on */
    size_t from;
} small;

bool sort_is_plain(const sort_job *job, sort_stage stage)
{
    const sort_key *key = &job->order->keys[stage.key];
    return key->kind == SORT_BYTES && !key->fold && key->ignore == NULL;
}

sort_step sort_next_step(const sort_job *job, sort_stage stage, uint64_t key, unsigned bits,
                         sort_stage *next)
{
    const sort_key *k = &job->order->keys[stage.key];
    key = k->reverse ? ~key : key;
    if (k->kind >= SORT_HUMAN) {
        return sort_kind_step(job->order, stage, key, bits, next);
    }
    *next = (sort_stage){stage.key + 1, 0};
    if (k->kind == SORT_BYTES) {
        if ((key & 0xff) == 0xff) {
            if (stage.depth > DEEP && !sort_is_plain(job, stage)) {
                *next = (sort_stage){stage.key, 0};
                return SORT_COMPARE; /* each key would be looked for from the text's begin */
            }
            *next = (sort_stage){stage.key, stage.depth + 7};
        }
    } else {
        if ((bits & IO_NUMBER_CUT) || !io_number_key_exact(&job->plans[stage.key], key)) {
            *next = (sort_stage){stage.key, 0};
            return SORT_COMPARE;
        }
        if (k->whole && !(bits & IO_NUMBER_ODD)) {
            return SORT_DONE; /* a number written in one way only: the lines are the same bytes */
        }
    }
    return next->key < job->order->count ? SORT_KEYS : SORT_DONE;
}

size_t sort_shared_with(const sort_job *job, sort_stage stage, sort_text first, uint64_t item,
                        size_t shared)
{
    sort_text text = sort_field(job->order, &job->order->keys[stage.key], sort_line(job, item));
    size_t bytes = (size_t)(text.end - text.p), same = 0;
    if (bytes < stage.depth + shared) {
        shared = bytes > stage.depth ? bytes - stage.depth : 0;
    }
    if (shared == 0) {
        return 0;
    }
    const unsigned char *a = first.p + stage.depth, *b = text.p + stage.depth;
    if (memcmp(a, b, shared) == 0) {
        return shared;
    }
    while (a[same] == b[same]) {
        same++;
    }
    return same;
}

static inline bool is_less(const small *s, const pair *a, const pair *b)
{
    if (a->key != b->key || !s->compare) {
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

static void merge_sort(const small *s, size_t begin, size_t n)
{
    pair *pairs = s->pairs + begin, *spare = s->spare + begin;
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
    if (pairs != s->pairs + begin) {
        memcpy(s->pairs + begin, pairs, n * sizeof *pairs);
    }
}

static void sort_by_comparing(small *s, size_t begin, size_t n, size_t from)
{
    for (size_t i = begin; i < begin + n; i++) {
        s->pairs[i].key = 0;
    }
    s->compare = true;
    s->from = from;
    merge_sort(s, begin, n);
    s->compare = false;
}

static size_t shared_bytes(const small *s, size_t begin, size_t n, sort_stage stage)
{
    sort_text first = sort_line(s->job, s->pairs[begin].item);
    first = sort_field(s->job->order, &s->job->order->keys[stage.key], first);
    size_t bytes = (size_t)(first.end - first.p);
    size_t shared = bytes > stage.depth ? bytes - stage.depth : 0;
    for (size_t i = begin + 1; i < begin + n && shared > 0; i++) {
        if (i + AHEAD < begin + n) {
            __builtin_prefetch(s->job->in.bytes + (s->pairs[i + AHEAD].item >> 24) + stage.depth);
        }
        shared = sort_shared_with(s->job, stage, first, s->pairs[i].item, shared);
    }
    return shared;
}

/* Sorts pairs [begin, begin + n) by the stage's keys and what follows. A stage that skips what all
 * lines share parts them, or ends its sort key: the depth of the recursion is bounded by n. */
static void part(small *s, size_t begin, size_t n, sort_stage stage)
{
    const sort_job *job = s->job;
    unsigned bits = 0;
    if (n <= STRETCH) {
        sort_by_comparing(s, begin, n, stage.key);
        return;
    }
    if (sort_is_plain(job, stage)) {
        stage.depth += shared_bytes(s, begin, n, stage);
    }
    pair *pairs = s->pairs + begin;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) {
            __builtin_prefetch(job->in.bytes + (pairs[i + AHEAD].item >> 24));
        }
        pairs[i].key = sort_stage_key(job, stage, sort_line(job, pairs[i].item), &bits);
    }
    if (bits & IO_NUMBER_LONG) {
        sort_by_comparing(s, begin, n, stage.key);
        return;
    }
    merge_sort(s, begin, n);
    for (size_t i = 0; i < n;) {
        size_t from = i++;
        while (i < n && pairs[i].key == pairs[from].key) {
            i++;
        }
        sort_stage next;
        sort_step step =
            i - from == 1 ? SORT_DONE : sort_next_step(job, stage, pairs[from].key, bits, &next);
        if (step == SORT_COMPARE) {
            sort_by_comparing(s, begin + from, i - from, next.key);
        } else if (step == SORT_KEYS) {
            part(s, begin + from, i - from, next);
        }
    }
}

void sort_small(const sort_job *job, uint64_t *items, size_t n, sort_stage stage, bool compare)
{
    pair pairs[SORT_SMALL], spare[SORT_SMALL];
    small s = {.job = job, .pairs = pairs, .spare = spare};
    if (n == 2) {
        sort_text a = sort_line(job, items[0]), b = sort_line(job, items[1]);
        if (sort_compare(job->order, stage.key, b, a) < 0) {
            uint64_t first = items[0];
            items[0] = items[1];
            items[1] = first;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        pairs[i].item = items[i];
    }
    if (compare) {
        sort_by_comparing(&s, 0, n, stage.key);
    } else {
        part(&s, 0, n, stage);
    }
    for (size_t i = 0; i < n; i++) {
        items[i] = pairs[i].item;
    }
}
