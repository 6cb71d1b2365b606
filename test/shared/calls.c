/* calls.c - what all jobs share. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

const call *call_at(size_t i)
{
    const call *const tables[] = {calls_of_sorts,   calls_of_rows,   calls_of_keys,
                                  calls_of_folds,   calls_of_moves,  calls_of_row_results,
                                  calls_of_strings, calls_of_reverse};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (const call *c = tables[t]; c->name != NULL; c++) {
            if (i-- == 0) {
                return c;
            }
        }
    }
    return NULL;
}

const call *call_of_operation(const char *operation)
{
    for (size_t i = 0; call_at(i) != NULL; i++) {
        if (strncmp(call_at(i)->name, "upsweep_", 8) == 0 &&
            strcmp(call_at(i)->name + 8, operation) == 0) {
            return call_at(i);
        }
    }
    return NULL;
}

bool call_has_function(const call *c)
{
    return strstr(c->name, "_by") != NULL && strstr(c->name, "_by_key") == NULL &&
           strstr(c->name, "sort by bits") == NULL;
}

static void copy_here(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

bool job_start(job *j, const call *c, unsigned variant, size_t n, upsweep_type type,
               unsigned pattern, uint64_t seed)
{
    *j = (job){
        .call = c, .variant = variant, .n = n, .type = type, .pattern = pattern, .seed = seed};
    j->copy = copy_here;
    if (!c->prepare(j)) {
        job_free(j);
        return false;
    }
    for (unsigned i = 0; i < j->arrays; i++) {
        job_array *a = &j->array[i];
        a->before = malloc(a->g.bytes + 1);
        memcpy(a->before, a->g.at, a->g.bytes);
    }
    return true;
}

void job_free(job *j)
{
    for (unsigned i = 0; i < j->arrays; i++) {
        guard_free(&j->array[i].g);
        free(j->array[i].before);
    }
    j->arrays = 0;
}

void *job_add(job *j, size_t bytes, bool output)
{
    job_array *a = &j->array[j->arrays++];
    *a = (job_array){.g = guard_new(bytes, (j->seed + j->arrays) % 3 == 0), .output = output};
    if (output) {
        input_fill_bytes(a->g.at, bytes, j->seed + 99);
    }
    return a->g.at;
}

const char *job_wrong(job *j)
{
    for (unsigned i = 0; i < j->arrays; i++) {
        if (!guard_intact(&j->array[i].g)) {
            return "something was written outside an array";
        }
    }
    return j->call->wrong(j);
}

bool job_untouched(const job *j)
{
    for (unsigned i = 0; i < j->arrays; i++) {
        const job_array *a = &j->array[i];
        if (!guard_intact(&a->g) || (!a->output && memcmp(a->g.at, a->before, a->g.bytes) != 0)) {
            return false;
        }
    }
    return true;
}

bool job_same(const job *a, const job *b)
{
    if (a->kth_only) {
        size_t bytes = upsweep_type_bytes(a->type), at = a->k * bytes;
        return memcmp((char *)job_at(a, 0) + at, (char *)job_at(b, 0) + at, bytes) == 0;
    }
    for (unsigned i = 0; i < a->arrays; i++) {
        if (memcmp(job_at(a, i), job_at(b, i), a->array[i].g.bytes) != 0) {
            return false;
        }
    }
    return a->out == b->out;
}

upsweep_options job_options(const job *j, unsigned flags)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.algorithm = j->algorithm;
    o.flags = flags;
    return o;
}

const char *moved_by(const void *got, const void *from, const size_t *index, size_t n, size_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp((const char *)got + i * bytes, (const char *)from + index[i] * bytes, bytes) !=
            0) {
            return "an element is not the one that belongs there";
        }
    }
    return NULL;
}
