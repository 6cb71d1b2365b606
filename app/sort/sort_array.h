/* sort_array.h - `upsweep sort` for arrays: raw binary elements (--type) and .npy files. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_ARRAY_H
#define USW_APP_SORT_SORT_ARRAY_H

#include "app/arrays/arrays.h"

/* What of the options of sort goes for arrays too. */
typedef struct sort_array_task {
    const app_common *common; /* operands, output, type (0: .npy), algorithm, device, stats */
    bool reverse;             /* -r */
    bool unique;              /* -u: of equal elements, the first only */
    bool check, quiet;        /* -c, -C: do not sort, tell whether it is sorted */
    double read_seconds;      /* what reading has taken, for --stats */
    size_t limit;             /* bytes of memory, with those of the array */
} sort_array_task;

/* Sorts an input that has been read (and takes it over) along its last axis, and writes it to out,
 * which is committed or discarded in any case; with `check` there is none. Returns the exit
 * status. */
int sort_array(const sort_array_task *task, io_input *in, const io_array_wish *wish,
               io_output *out);

/* --json of a sort in memory: n elements of a type, or records where type is NULL, of which `kept`
 * were written; what u's last report says was `report`. */
void sort_print_array_json(const upsweep_report *report, size_t n, const char *type, size_t bytes,
                           size_t kept, double read, double sort, double write);
/* Elements that are sorted together: those of the last axis; 1 where there is none. */
size_t sort_row_length(const io_array *a);
/* Refuses what has no axis to sort along, and -u for several. */
int sort_check_shape(const sort_array_task *task, const io_npy *npy);
/* *first gets the first element that is out of order in its row, or a->n. */
upsweep_status sort_find_disorder(upsweep *u, const io_array *a, unsigned flags, size_t *first);

#endif
