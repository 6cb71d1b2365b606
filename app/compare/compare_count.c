/* compare_count.c - depth and work of the explained forms, counted from their traces, as far as
 * that is a matter of a second; and the passes of the vector merge sort one by one. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t steps_most = UINT64_C(1) << 25;

typedef struct counter {
    upsweep_event_kind unit; /* of the row's work */
    compare_count of;
    uint64_t steps;
    uint64_t lanes, lane; /* that acted, of all rounds; the last one of this, counted from 1 */
} counter;

/* Lanes of a round are told in order, and one that comes again later in it counts once. */
static void count_lane(counter *c, const upsweep_event *e)
{
    if (e->kind == UPSWEEP_EVENT_ROUND) {
        c->lane = 0;
    } else if (e->kind >= UPSWEEP_EVENT_COMPARE && e->kind <= UPSWEEP_EVENT_SET &&
               e->lane + 1 > c->lane) {
        c->lane = e->lane + 1;
        c->lanes++;
    }
}

static int count_step(void *context, const upsweep_event *e)
{
    /* Elements that a step reads and writes. A swap has been read by the compare before it. */
    static const unsigned touches[UPSWEEP_EVENT_END + 1] = {[UPSWEEP_EVENT_COMPARE] = 2,
                                                            [UPSWEEP_EVENT_SWAP] = 2,
                                                            [UPSWEEP_EVENT_MOVE] = 2,
                                                            [UPSWEEP_EVENT_COMBINE] = 3,
                                                            [UPSWEEP_EVENT_SET] = 1};
    counter *c = context;
    count_lane(c, e);
    c->of.touches += touches[e->kind];
    c->of.rounds += e->kind == UPSWEEP_EVENT_ROUND;
    c->of.work += e->kind == c->unit;
    c->steps += touches[e->kind] > 0;
    return c->steps > steps_most;
}

/* The kind of step that the row's work counts is the last word of its formula. */
static upsweep_event_kind unit_of(const upsweep_algorithm *a)
{
    static const struct {
        const char *word;
        upsweep_event_kind kind;
    } units[] = {{"compares", UPSWEEP_EVENT_COMPARE},
                 {"swaps", UPSWEEP_EVENT_SWAP},
                 {"moves", UPSWEEP_EVENT_MOVE},
                 {"combines", UPSWEEP_EVENT_COMBINE},
                 {"sets", UPSWEEP_EVENT_SET}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        if (strstr(a->work, units[k].word) != NULL) {
            return units[k].kind;
        }
    }
    return UPSWEEP_EVENT_COMPARE;
}

static bool agrees(uint64_t formula, uint64_t counted)
{
    return formula == 0 || formula == counted;
}

static int count_row(compare *c, size_t row)
{
    const upsweep_algorithm *a = c->rows[row];
    bool affordable = a != NULL;
    for (size_t s = 0; s < c->settings->size_count && affordable; s++) {
        size_t n = c->settings->sizes[s], count;
        counter counted = {.unit = unit_of(a)};
        if (n > steps_most) {
            break;
        }
        uint32_t *values = compare_numbers(c, n, &count);
        if (values == NULL) {
            return app_fail("out of memory");
        }
        upsweep_status status = upsweep_trace(a->name, values, count, NULL, count_step, &counted);
        free(values);
        if (status == UPSWEEP_ERROR_MEMORY) {
            return app_fail("out of memory");
        }
        affordable = status == UPSWEEP_OK;
        if (affordable) {
            counted.of.counted = true;
            counted.of.lanes = counted.of.rounds == 0 ? 0 : counted.lanes / counted.of.rounds;
            c->counts[row][s] = counted.of;
            bool exact = strcmp(c->operation, "path") != 0; /* there n are vertices */
            c->counts_differ =
                c->counts_differ || (exact && (!agrees(upsweep_rounds(a, n), counted.of.rounds) ||
                                               !agrees(upsweep_work(a, n), counted.of.work)));
        }
    }
    return APP_OK;
}

/* ---- the passes of sort/vmerge ---- */

typedef struct pass_counter {
    compare *c;
    compare_counted_pass *now;
    bool acted; /* a lane of this round; it counts once */
    uint64_t lane;
} pass_counter;

static int count_pass(void *context, const upsweep_event *e)
{
    pass_counter *p = context;
    compare *c = p->c;
    size_t list;
    if (e->kind == UPSWEEP_EVENT_PHASE && sscanf(e->text, "lists %zu", &list) == 1 &&
        c->counted_pass_count < COMPARE_PASSES) {
        p->now = &c->counted_passes[c->counted_pass_count++];
        p->now->list = list;
    }
    if (p->now == NULL) {
        return 0;
    }
    if (e->kind == UPSWEEP_EVENT_ROUND) {
        p->now->rounds++;
        p->acted = false;
    } else if (e->kind >= UPSWEEP_EVENT_COMPARE && e->kind <= UPSWEEP_EVENT_SET &&
               (!p->acted || e->lane != p->lane)) {
        p->acted = true;
        p->lane = e->lane;
        p->now->lanes++;
    }
    return 0;
}

static bool compares_vmerge(const compare *c)
{
    for (size_t r = 0; r < c->row_count; r++) {
        if (c->rows[r] != NULL && strcmp(c->rows[r]->name, "sort/vmerge") == 0) {
            return true;
        }
    }
    return false;
}

static int count_passes(compare *c)
{
    size_t n = 1024, count;
    pass_counter p = {.c = c};
    uint32_t *values = compare_numbers(c, n, &count);
    if (values == NULL) {
        return app_fail("out of memory");
    }
    upsweep_status status = upsweep_trace("sort/vmerge", values, n, NULL, count_pass, &p);
    free(values);
    c->counted_pass_keys = n;
    return status == UPSWEEP_OK ? APP_OK : app_fail("out of memory");
}

int compare_count_all(compare *c)
{
    int status = APP_OK;
    for (size_t r = 0; r < c->row_count && status == APP_OK; r++) {
        status = count_row(c, r);
    }
    return status == APP_OK && compares_vmerge(c) ? count_passes(c) : status;
}
