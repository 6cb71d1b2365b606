/* registry.c - the table of all algorithms and of the standard rows, made from algo/algos.def. A
 * row, or a form that a line claims, which does not exist is a link error that names it. */
/* SPDX-License-Identifier: MIT */
#include "core/registry.h"

/* A line's form is declared and named only where its column says yes. */
#define DECLARE_yes(stem, operation) USW_DECLARE_PER_ISA(usw_##operation##_form, usw_##stem##_cpu);
#define DECLARE_no(stem, operation)
#define FORMS_yes(stem) USW_ALL_ISAS(usw_##stem##_cpu), true
#define FORMS_no(stem) {NULL, NULL, NULL}, false
#define IS_yes true
#define IS_no false

#define ALGO(stem, operation, cpu, cuda, taken)                                                    \
    extern const usw_row usw_##stem##_row;                                                         \
    DECLARE_##cpu(stem, operation)
#include "algo/algos.def"
#undef ALGO

#define ALGO(stem, operation, cpu, cuda, taken) {&usw_##stem##_row, FORMS_##cpu(stem), IS_##cuda},
static const usw_entry entries[] = {
#include "algo/algos.def"
};
#undef ALGO
enum { ENTRIES = sizeof entries / sizeof entries[0] };

/* Compilers warn of an operation with two standard rows. */
#define CALLS_sort USW_SORTS
#define CALLS_reduce USW_REDUCES
#define CALLS_scan USW_SCANS
#define CALLS_split USW_SPLITS
#define CALLS_path USW_PATHS
#define STANDARD_standard(operation, ...) [CALLS_##operation] = {__VA_ARGS__},
#define STANDARD_matrices(operation, ...) [USW_MATRIX_PATHS] = {__VA_ARGS__},
#define STANDARD_named(operation, ...)
#define ALGO(stem, operation, cpu, cuda, taken)                                                    \
    STANDARD_##taken(operation, &usw_##stem##_row, FORMS_##cpu(stem), IS_##cuda)
const usw_entry usw_standard[USW_OPERATIONS] = {
#include "algo/algos.def"
};
#undef ALGO

#define COUNT_standard +1
#define COUNT_matrices +1
#define COUNT_named
#define ALGO(stem, operation, cpu, cuda, taken) COUNT_##taken
enum {
    STANDARD_ROWS = 0
#include "algo/algos.def"
};
#undef ALGO
_Static_assert((int)STANDARD_ROWS == (int)USW_OPERATIONS, "an operation has no standard row");

static const char *const operation_names[USW_OPERATIONS] = {"sort",  "reduce", "scan",
                                                            "split", "path",   "path"};

const usw_entry *usw_entry_at(size_t i)
{
    return i < ENTRIES ? &entries[i] : NULL;
}

const usw_entry *usw_entry_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < ENTRIES; i++) {
        if (strcmp(entries[i].row->info.name, name) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

const void *usw_form_find(upsweep *u, usw_operation operation, const char *name,
                          upsweep_status *status)
{
    const usw_entry *e = usw_entry_find(name);
    if (e == NULL || strcmp(e->row->info.operation, operation_names[operation]) != 0) {
        *status = usw_fail(u, UPSWEEP_ERROR_ALGORITHM,
                           "no %s is called '%.60s'; 'upsweep list' shows all",
                           operation_names[operation], name);
        return NULL;
    }
    if (!e->has_cpu && e->has_cuda && u->device == USW_CUDA) {
        /* The call will run on the GPU, whose form calls/on_gpu/ looks up by the row's name. NULL
         * would mean failure here, so the caller gets an empty CPU form, which is never run. */
        static const usw_sort_form never_run = {.n_max = 0};
        return &never_run;
    }
    if (!e->has_cpu) {
        *status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "%s has no CPU form", name);
        return NULL;
    }
    return e->cpu[u->isa];
}

size_t upsweep_algorithm_count(void)
{
    return ENTRIES;
}

const upsweep_algorithm *upsweep_algorithm_at(size_t i)
{
    return i < ENTRIES ? &entries[i].row->info : NULL;
}

const upsweep_algorithm *upsweep_find(const char *name)
{
    const usw_entry *e = usw_entry_find(name);
    return e == NULL ? NULL : &e->row->info;
}

unsigned upsweep_forms(const upsweep_algorithm *a)
{
    const usw_entry *e = a == NULL ? NULL : usw_entry_find(a->name);
    return e == NULL ? 0
                     : UPSWEEP_FORM_EXPLAINED | (e->has_cpu ? UPSWEEP_FORM_CPU : 0) |
                           (e->has_cuda ? UPSWEEP_FORM_CUDA : 0);
}

uint64_t upsweep_rounds(const upsweep_algorithm *a, size_t n)
{
    const usw_entry *e = a == NULL ? NULL : usw_entry_find(a->name);
    return e == NULL || e->row->rounds == NULL ? 0 : e->row->rounds(n);
}

uint64_t upsweep_work(const upsweep_algorithm *a, size_t n)
{
    const usw_entry *e = a == NULL ? NULL : usw_entry_find(a->name);
    return e == NULL || e->row->work == NULL ? 0 : e->row->work(n);
}
