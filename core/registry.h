/* registry.h - one row per algorithm. A row closes its explained file (algo/STEM.c); algos.def
 * lists the stems; nothing else in the frame knows an algorithm by name. */
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

/* NULL past the end / for a name that is none. */
const usw_entry *usw_entry_at(size_t i);
const usw_entry *usw_entry_find(const char *name);
/* The CPU form of `name`, which must do `operation`, for this handle, or NULL with usw_fail
 * called. */
const void *usw_form_find(upsweep *u, const char *operation, const char *name);
/* The CPU form of the sort `name` for this handle, or NULL with usw_fail called. */
const usw_sort_form *usw_sort_form_find(upsweep *u, const char *name);

#endif
