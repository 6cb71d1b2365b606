/* row_set.c - what the calls on rows check of their rows, and how rows go to threads: tasks take
 * the rows that begin within equal stretches of the array. */
/* SPDX-License-Identifier: MIT */
#include "calls/row_set.h"

enum { TASK_ELEMENTS = 32 * 1024 };

upsweep_status usw_rows_check(upsweep *u, usw_row_set *s)
{
    upsweep_status status = UPSWEEP_OK;
    if (s->begin != NULL) {
        status = s->rows == SIZE_MAX
                     ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu rows cannot be", s->rows)
                     : usw_check_array(u, s->begin, s->rows + 1, sizeof *s->begin, "begin");
    } else if ((s->rows == 0 ? s->n : s->n % s->rows) != 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu elements are not %zu rows of one length",
                          s->n, s->rows);
    }
    s->row_length = s->rows == 0 ? 0 : s->n / s->rows;
    return status;
}

upsweep_status usw_rows_check_length(upsweep *u, size_t longest, unsigned index_bits)
{
    return index_bits == 32 && longest > (size_t)UINT32_MAX + 1
               ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a row of %zu keys needs 64-bit indices",
                          longest)
               : UPSWEEP_OK;
}

upsweep_status usw_rows_check_index(upsweep *u, const usw_row_set *s, const void *index,
                                    size_t count, unsigned index_bits)
{
    if (index == NULL) {
        return UPSWEEP_OK;
    }
    if (index_bits != 32 && index_bits != 64) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "index_bits is 32 or 64, not %u", index_bits);
    }
    upsweep_status status = usw_check_array(u, index, count, index_bits / 8, "index");
    return status != UPSWEEP_OK || s->begin != NULL
               ? status
               : usw_rows_check_length(u, s->row_length, index_bits);
}

upsweep_status usw_rows_measure(upsweep *u, const usw_row_set *s, size_t most, size_t *longest,
                                size_t *longest_short)
{
    *longest = *longest_short = 0;
    for (size_t r = 0; r < (s->begin == NULL ? usw_min(s->rows, 1) : s->rows); r++) {
        size_t at = usw_row_begin(s, r), end = usw_row_begin(s, r + 1);
        if (at > end || end > s->n) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_ROW, r);
        }
        *longest = usw_max(*longest, end - at);
        if (end - at <= most) {
            *longest_short = usw_max(*longest_short, end - at);
        }
    }
    return UPSWEEP_OK;
}

/* The first row that begins at element `at` or behind. */
static size_t first_row_at(const usw_row_set *s, size_t at)
{
    size_t low = 0, high = s->rows;
    if (s->begin == NULL) {
        return at == 0 ? 0 : usw_min(high, usw_div_up(at, s->row_length));
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (usw_row_begin(s, middle) < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

typedef struct stretch_job {
    const usw_row_set *set;
    size_t tasks;
    usw_row_stretch stretch;
    void *context;
} stretch_job;

static void stretch_task(void *context, size_t t, unsigned lane)
{
    const stretch_job *j = context;
    size_t end = t + 1 == j->tasks ? j->set->rows : first_row_at(j->set, (t + 1) * TASK_ELEMENTS);
    j->stretch(j->context, first_row_at(j->set, t * TASK_ELEMENTS), end, lane);
}

void usw_rows_stretches(upsweep *u, const usw_row_set *s, usw_row_stretch stretch, void *context)
{
    stretch_job j = {.set = s, .stretch = stretch, .context = context};
    j.tasks = usw_max(1, usw_div_up(s->n, TASK_ELEMENTS));
    usw_parallel(u, j.tasks, stretch_task, &j);
}

typedef struct each_job {
    const usw_row_set *set;
    size_t most;
    usw_row_task row;
    void *context;
} each_job;

static void each_row(void *context, size_t first, size_t end, unsigned lane)
{
    const each_job *j = context;
    for (size_t r = first; r < end; r++) {
        size_t at = usw_row_begin(j->set, r), n = usw_row_begin(j->set, r + 1) - at;
        if (n <= j->most) {
            j->row(j->context, r, at, n, lane);
        }
    }
}

void usw_rows_each(upsweep *u, const usw_row_set *s, size_t most, usw_row_task row, void *context)
{
    each_job j = {.set = s, .most = most, .row = row, .context = context};
    usw_rows_stretches(u, s, each_row, &j);
}
