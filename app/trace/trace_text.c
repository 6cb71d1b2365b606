/* trace_text.c - a trace for people: what the arrays hold after each round, one row a round, and
 * at the end how often what was done.
 *
 * Arrays shown inside a round make a row "ROUND LABEL values"; the first round is round 1, as in
 * views. Arrays shown between rounds make a row for their phase. In a row of several arrays each is
 * named, and what the step made of the others stands behind an arrow. A row that is too wide for a
 * line becomes one line an array. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/trace/trace_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 100, PER_ROUND_MAX = 256 };

static void set_label(char to[TRACE_LABEL], const char *from)
{
    snprintf(to, TRACE_LABEL, "%s", from);
}

/* "1 2 3", or "[1 2 3 4][5 6 7 ~]" for vectors, where ~ is the greatest key, which fills the last
 * vector up. Of distances - is one that is not reached. */
static void print_values(FILE *f, const upsweep_event *e)
{
    bool distances = e->text != NULL && strcmp(e->text, "distances") == 0;
    for (size_t k = 0; k < e->count; k++) {
        bool begins = e->i > 0 && k % e->i == 0, ends = e->i > 0 && (k + 1) % e->i == 0;
        fputs(begins ? "[" : k > 0 ? " " : "", f);
        if (e->values[k] == UINT32_MAX && (distances || e->i > 0)) {
            fputc(distances ? '-' : '~', f);
        } else {
            fprintf(f, "%" PRIu32, e->values[k]);
        }
        fputs(ends ? "]" : "", f);
    }
}

/* The array with its name or, for a result, an arrow. */
static char *cell_of(const trace_text *t, const upsweep_event *e)
{
    char *cell = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&cell, &length);
    if (f == NULL) {
        return NULL;
    }
    if (e->text != NULL && strcmp(e->text, "result") == 0) {
        fputs("-> ", f);
    } else if (e->text != NULL && strcmp(e->text, "scan") == 0) {
        fputs("scan ", f);
    } else if (strcmp(e->array, t->first) != 0) {
        fprintf(f, "%s ", e->array);
    }
    print_values(f, e);
    if (fclose(f) != 0) {
        free(cell);
        return NULL;
    }
    return cell;
}

static void end_row(trace_text *t)
{
    size_t width = t->head_width + 1;
    for (size_t c = 0; c < t->cell_count; c++) {
        width += strlen(t->cells[c]) + 2;
    }
    for (size_t c = 0; c < t->cell_count; c++) {
        bool head = c == 0, own_line = head || width > LINE + 2;
        if (own_line) {
            fprintf(t->f, "%s%-*s%s", head ? "" : "\n", (int)t->head_width, head ? t->head : "",
                    *t->cells[c] != '\0' ? " " : "");
        } else {
            fputs("  ", t->f);
        }
        fputs(t->cells[c], t->f);
        free(t->cells[c]);
    }
    if (t->cell_count > 0) {
        fputc('\n', t->f);
    }
    t->cell_count = 0;
}

static void add_array(trace_text *t, const upsweep_event *e)
{
    char head[TRACE_HEAD];
    if (t->in_round) {
        snprintf(head, sizeof head, "%" PRIu64 " %s", e->round + 1, t->label);
    } else {
        snprintf(head, sizeof head, "%s", t->phase);
    }
    if (t->first[0] == '\0') {
        snprintf(t->first, sizeof t->first, "%s", e->array);
    }
    if (t->measure) {
        size_t width = strlen(head);
        t->head_width = width > t->head_width ? width : t->head_width;
        return;
    }
    if (t->row_in_round != t->in_round || t->cell_count == TRACE_CELLS) {
        end_row(t);
    }
    if (t->cell_count == 0) {
        memcpy(t->head, head, sizeof head);
        t->row_in_round = t->in_round;
    }
    char *cell = cell_of(t, e);
    if (cell == NULL) {
        t->failed = true;
        return;
    }
    t->cells[t->cell_count++] = cell;
}

static void begin_round(trace_text *t, const char *label)
{
    t->in_round = true;
    set_label(t->label, label);
    if (t->round_count == t->round_room) {
        size_t room = t->round_room == 0 ? 64 : 2 * t->round_room;
        uint64_t *swaps = realloc(t->swaps, room * sizeof *swaps);
        if (swaps == NULL) {
            t->failed = true;
            return;
        }
        t->swaps = swaps;
        t->round_room = room;
    }
    t->swaps[t->round_count++] = 0;
}

/* "compares 45; formula: 45 = n (n - 1) / 2 compares". Without a number where it depends on more
 * than n. */
static void print_formula(const trace_text *t, const char *what, uint64_t count, const char *words,
                          uint64_t formula)
{
    fprintf(t->f, "%s %" PRIu64 "; formula: ", what, count);
    if (formula != 0) {
        fprintf(t->f, "%" PRIu64 " = ", formula);
    }
    fprintf(t->f, "%s\n", words);
}

static void print_count(const trace_text *t, const char *unit, uint64_t count)
{
    const char *work = t->algorithm->work, *last = strrchr(work, ' ');
    if (last != NULL && strcmp(last + 1, unit) == 0) {
        print_formula(t, unit, count, work, upsweep_work(t->algorithm, t->n));
    } else if (count > 0) {
        fprintf(t->f, "%s %" PRIu64 "\n", unit, count);
    }
}

/* Which rounds the rows above leave out, and why. */
static void print_left_out(const trace_text *t)
{
    size_t left = t->round_count - t->round_rows;
    if (left > 0) {
        fprintf(t->f,
                "(%zu of %zu rounds %s no row: what they change is shown after their phase, if at "
                "all; --every shows each)\n",
                left, t->round_count, left == 1 ? "has" : "have");
    }
}

static void print_totals(const trace_text *t)
{
    print_left_out(t);
    print_formula(t, "rounds", t->round_count, t->algorithm->depth,
                  upsweep_rounds(t->algorithm, t->n));
    print_count(t, "compares", t->counts[UPSWEEP_EVENT_COMPARE]);
    print_count(t, "swaps", t->counts[UPSWEEP_EVENT_SWAP]);
    print_count(t, "moves", t->counts[UPSWEEP_EVENT_MOVE]);
    print_count(t, "combines", t->counts[UPSWEEP_EVENT_COMBINE]);
    print_count(t, "sets", t->counts[UPSWEEP_EVENT_SET]);
    bool in_place = (t->algorithm->claims & UPSWEEP_CLAIM_IN_PLACE) != 0;
    if (t->counts[UPSWEEP_EVENT_SWAP] > 0 && in_place && t->round_count <= PER_ROUND_MAX) {
        fputs("swaps per round", t->f);
        for (size_t r = 0; r < t->round_count; r++) {
            fprintf(t->f, " %" PRIu64, t->swaps[r]);
        }
        fputc('\n', t->f);
    }
}

int trace_text_sink(void *text, const upsweep_event *e)
{
    trace_text *t = text;
    t->counts[e->kind]++;
    switch (e->kind) {
    case UPSWEEP_EVENT_BEGIN:
        t->n = e->count;
        set_label(t->phase, "start");
        break;
    case UPSWEEP_EVENT_PHASE:
        end_row(t);
        set_label(t->phase, e->text);
        break;
    case UPSWEEP_EVENT_ROUND: begin_round(t, e->text); break;
    case UPSWEEP_EVENT_END_ROUND:
        if (t->row_in_round) {
            t->round_rows += t->cell_count > 0;
            end_row(t);
        }
        t->in_round = false;
        break;
    case UPSWEEP_EVENT_SWAP: t->swaps[t->round_count - 1]++; break;
    case UPSWEEP_EVENT_ARRAY: add_array(t, e); break;
    case UPSWEEP_EVENT_NOTE:
        end_row(t);
        if (!t->measure) {
            fprintf(t->f, "%-*s (%s)\n", (int)t->head_width, "", e->text);
        }
        break;
    case UPSWEEP_EVENT_END:
        end_row(t);
        if (!t->measure) {
            print_totals(t);
        }
        break;
    default: break;
    }
    return t->failed || (!t->measure && ferror(t->f));
}

void trace_text_free(trace_text *t)
{
    while (t->cell_count > 0) {
        free(t->cells[--t->cell_count]);
    }
    free(t->swaps);
    t->swaps = NULL;
}
