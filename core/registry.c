/* registry.c - the table of all algorithms, made from algo/algos.def. A row, or a form that a line
 * claims, which does not exist is a link error that names it. */
#include "core/registry.h"

/* A line's form is declared and named only where its column says yes. */
#define DECLARE_yes(stem, operation) USW_DECLARE_PER_ISA(usw_##operation##_form, usw_##stem##_cpu);
#define DECLARE_no(stem, operation)
#define FORMS_yes(stem) USW_ALL_ISAS(usw_##stem##_cpu), true
#define FORMS_no(stem) {NULL, NULL, NULL}, false
#define IS_yes true
#define IS_no false

#define ALGO(stem, operation, cpu, cuda)                                                           \
    extern const usw_row usw_##stem##_row;                                                         \
    DECLARE_##cpu(stem, operation)
#include "algo/algos.def"
#undef ALGO

#define ALGO(stem, operation, cpu, cuda) {&usw_##stem##_row, FORMS_##cpu(stem), IS_##cuda},
static const usw_entry entries[] = {
#include "algo/algos.def"
};
#undef ALGO
enum { ENTRIES = sizeof entries / sizeof entries[0] };

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

const void *usw_form_find(upsweep *u, const char *operation, const char *name)
{
    const usw_entry *e = usw_entry_find(name);
    if (e == NULL || strcmp(e->row->info.operation, operation) != 0) {
        usw_fail(u, UPSWEEP_ERROR_ALGORITHM, "no %s is called '%.60s'; 'upsweep list' shows all",
                 operation, name);
        return NULL;
    }
    if (!e->has_cpu && e->has_cuda && u->device == USW_CUDA) {
        /* The call goes to the GPU, which finds its own form; this only is not NULL. */
        static const usw_sort_form elsewhere = {.n_max = 0};
        return &elsewhere;
    }
    if (!e->has_cpu) {
        usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "%s has no CPU form", name);
        return NULL;
    }
    return e->cpu[u->isa];
}

const usw_sort_form *usw_sort_form_find(upsweep *u, const char *name)
{
    return usw_form_find(u, "sort", name);
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
