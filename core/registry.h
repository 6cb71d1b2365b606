/* registry.h - the table of algorithms: one row each, which closes the explained file, algo/STEM.c.
 * algo/algos.def lists the stems and says which rows are standard; nothing else in core/ and calls/
 * knows an algorithm by name, but for calls/sort_choice.c. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_REGISTRY_H
#define USW_REGISTRY_H

#include "core/forms.h"

typedef struct usw_explain usw_explain; /* explain.h */

/* Reads in[0 .. n) and leaves the outcome in out, which has room for max(n, 1) values. */
typedef void (*usw_explain_fn)(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out);

typedef struct usw_row {
    upsweep_algorithm info;
    uint64_t (*rounds)(size_t n); /* NULL: depends on the data */
    uint64_t (*work)(size_t n);   /* compares, adds or moves, as info.work says; NULL likewise */
    usw_explain_fn explain;
} usw_row;

typedef struct usw_entry {
    const usw_row *row;
    const void *cpu[USW_ISA_COUNT]; /* a usw_sort_form for sorts; NULL: no CPU form here */
    bool has_cpu, has_cuda;
} usw_entry;

/* The calls that have a standard row. USW_MATRIX_PATHS are the calls of the operation "path" on a
 * matrix, all others are named like their operation. */
typedef enum usw_operation {
    USW_SORTS,
    USW_REDUCES,
    USW_SCANS,
    USW_SPLITS,
    USW_PATHS,
    USW_MATRIX_PATHS,
    USW_OPERATIONS
} usw_operation;

/* The entry at place i of algos.def, or NULL past the end; the entry of a row's name, or NULL. */
const usw_entry *usw_entry_at(size_t i);
const usw_entry *usw_entry_find(const char *name);

/* The rows that algos.def marks as standard, by usw_operation. */
extern const usw_entry usw_standard[USW_OPERATIONS];
/* The CPU form, for this handle, of the row that the calls take when none is asked for by name. */
static inline const void *usw_standard_form(const upsweep *u, usw_operation operation)
{
    return usw_standard[operation].cpu[u->isa];
}
/* The name, which is static, of the row `asked`, or of the standard row where asked is NULL. asked
 * is the name of a row, as the functions below check. */
static inline const char *usw_row_name(usw_operation operation, const char *asked)
{
    const usw_entry *e = asked == NULL ? &usw_standard[operation] : usw_entry_find(asked);
    return e == NULL ? "" : e->row->info.name;
}

/* The CPU form of the row `name`, which must do the operation, for this handle, or NULL with
 * usw_fail called and *status set. */
const void *usw_form_find(upsweep *u, usw_operation operation, const char *name,
                          upsweep_status *status);
/* The same for a call with options.algorithm = name: NULL is the standard row. */
static inline const void *usw_form_for(upsweep *u, usw_operation operation, const char *name,
                                       upsweep_status *status)
{
    return name == NULL ? usw_standard_form(u, operation)
                        : usw_form_find(u, operation, name, status);
}

#endif
