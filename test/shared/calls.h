/* calls.h - every public call that works on arrays, as a table: how to set it up for a size, a type
 * and a pattern, how to run it, and how to tell by the oracle whether the outcome is right. Tests
 * of bad memory, of threads, of guard pages and of instruction sets walk this one table. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_CALLS_H
#define USW_TEST_SHARED_CALLS_H

#include "test/shared/guard.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"
#include "upsweep.h"

enum { JOB_ARRAYS = 6 };

typedef struct job_array {
    guarded g;
    void *before; /* a copy from before the call */
    bool output;  /* holds something only after the call */
} job_array;

/* One run of one call. */
typedef struct job {
    const struct call *call;
    unsigned variant;
    size_t n;
    upsweep_type type;
    unsigned pattern;
    uint64_t seed;
    const char *algorithm;
    job_array array[JOB_ARRAYS];
    unsigned arrays;
    size_t out;     /* what the call returned through a pointer to size_t */
    size_t *result; /* where that pointer points; NULL: to out */
    size_t element; /* bytes of what is moved along */
    size_t k;       /* runs, buckets, rank */
    bool kth_only;  /* of the keys only the k-th is the same on all instruction sets */
    upsweep_op op;
    /* memcpy for the arrays, wherever they are. */
    void (*copy)(void *to, const void *from, size_t bytes);
} job;

typedef struct call {
    const char *name;
    unsigned variants;
    /* Makes the arrays; false: the call is not for this type or size. */
    bool (*prepare)(job *j);
    upsweep_status (*run)(upsweep *u, job *j);
    /* NULL or a sentence. */
    const char *(*wrong)(job *j);
} call;

/* The variant of upsweep_sort that asks for little scratch. */
enum { SORT_IN_PLACE = 4 };

/* All calls; NULL past the end. */
const call *call_at(size_t i);

/* The call that an operation's algorithms can be asked for by, or NULL. */
const call *call_of_operation(const char *operation);
/* Whether the call takes a function of the caller's: such work on the CPU. */
bool call_has_function(const call *c);

/* Makes the job ready; false: the call does not take this type or size. End it with job_free. */
bool job_start(job *j, const call *c, unsigned variant, size_t n, upsweep_type type,
               unsigned pattern, uint64_t seed);
void job_free(job *j);
/* NULL, or what is wrong with the outcome, by the oracle and by the guards. */
const char *job_wrong(job *j);
/* True if every array that is no pure output holds what it held before. */
bool job_untouched(const job *j);
/* True if two runs of the same job gave the same bytes, as far as the call promises that. */
bool job_same(const job *a, const job *b);

/* ---- for the files with calls ---- */
extern const call calls_of_sorts[], calls_of_rows[], calls_of_keys[], calls_of_folds[],
    calls_of_moves[], calls_of_row_results[], calls_of_strings[], calls_of_reverse[];
void *job_add(job *j, size_t bytes, bool output);
/* Adds n elements of one of these sizes, by variant, in which a type plays no part: true for jobs
 * of one type only. */
enum { JOB_SIZES = 6 };
bool job_add_elements(job *j);
/* Of reductions, whose variants are the operators and then sums and products that are rounded to
 * the type of the elements: the flags, and the type of results. */
unsigned job_reduce_flags(const job *j);
upsweep_type job_result_type(const job *j);
/* Adds offsets of rows of 0 to 40 elements and, now and then, of many; the first and the last
 * element are in none. j->k becomes the number of rows. */
void job_add_offsets(job *j);
/* Called when the arrays are filled; `before` holds their contents from then on. */
static inline void *job_at(const job *j, unsigned i)
{
    return j->array[i].g.at;
}
static inline const void *job_before(const job *j, unsigned i)
{
    return j->array[i].before;
}
static inline size_t *job_out(job *j)
{
    return j->result != NULL ? j->result : &j->out;
}
/* Options with the job's algorithm. */
upsweep_options job_options(const job *j, unsigned flags);
/* NULL if element number i of `got` is element index[i] of `from` for all i < n. */
const char *moved_by(const void *got, const void *from, const size_t *index, size_t n,
                     size_t bytes);

#endif
