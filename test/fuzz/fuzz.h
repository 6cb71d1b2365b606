/* fuzz.h - differential fuzzing of every call of upsweep.h: a case is one number, from which follow
 * a handle, its allocator and limits, one to four calls on it, their arrays and options; each
 * outcome is compared with what plain serial code gives.
 *
 * A file of this folder has the calls of one kind. The function of a call draws its arguments,
 * makes its arrays, calls once, and compares. It ends at the first thing that is wrong. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

/* The flag of select and top-k for the greatest. */
#define FUZZ_LARGEST UPSWEEP_LARGEST

enum { FUZZ_ARRAYS = 8, FUZZ_STEPS = 4 };

typedef enum fuzz_use {
    FUZZ_INPUT,    /* never changes */
    FUZZ_IN_PLACE, /* changes when the call succeeds */
    FUZZ_OUTPUT    /* holds something only after success */
} fuzz_use;

typedef struct fuzz_array {
    unsigned char *at, *before;
    size_t bytes;
    fuzz_use use;
    bool may_be_null;              /* the call takes NULL for it */
    unsigned char *block;          /* with the edges around it */
    size_t block_bytes, map_bytes; /* map_bytes > 0: pages, the outer ones closed */
    void *device;                  /* NULL, or where it lies in a GPU's memory */
} fuzz_array;

/* One wrong argument, if the call has such a one. */
typedef enum fuzz_twist {
    TWIST_NONE,
    TWIST_FLAG,      /* a flag that the call does not take */
    TWIST_NULL,      /* an array that is NULL */
    TWIST_TYPE,      /* a type that is none */
    TWIST_HUGE,      /* a length whose bytes overflow */
    TWIST_ALGORITHM, /* a name that no algorithm has */
    TWIST_RANGE,     /* a range of bits that is none, an index out of range, ... */
    TWIST_KINDS
} fuzz_twist;

struct fuzz_call;

/* One case. */
typedef struct fuzz {
    uint64_t number, random;
    size_t most; /* no length is greater: to make a failing case shorter */
    bool device; /* the handle is on a GPU, or its emulator */
    bool small;  /* which is slow */
    /* The handle. */
    upsweep *u;
    unsigned isa, threads;
    size_t limit; /* of scratch; 0: none */
    bool scarce;  /* memory may run out */
    struct fuzz_books *books;
    /* The call. */
    const struct fuzz_call *call;
    unsigned step;
    size_t n;
    upsweep_type type;
    const char *pattern;
    upsweep_options options;
    const upsweep_options *o; /* NULL or &options */
    fuzz_twist twist;
    unsigned twist_at;     /* which array, ... */
    upsweep_status expect; /* what the call must return */
    bool may_refuse;       /* UPSWEEP_ERROR_UNSUPPORTED is as good */
    bool may_be_far;       /* UPSWEEP_ERROR_RANGE is as good */
    bool partial;          /* after ERROR_MEMORY the arrays may have changed */
    bool on_device;        /* arrays of this call lie in device memory */
    bool edges_guarded;    /* and this one's between closed pages */
    fuzz_array array[FUZZ_ARRAYS];
    unsigned arrays;
    char detail[240]; /* further arguments, for the reader */
    char wrong[400];  /* "" as long as nothing is */
    bool succeeded;
    /* Sums over cases. */
    uint64_t calls;
    uint64_t *good; /* outcomes that were compared, of each call of the table */
} fuzz;

typedef struct fuzz_call {
    const char *name; /* of the function in upsweep.h */
    unsigned weight;  /* how often it is drawn */
    void (*run)(fuzz *f);
    bool host_only; /* takes no device memory */
} fuzz_call;

/* ---- main.c's list ---- */
extern const fuzz_call fuzz_sorts[], fuzz_pairs[], fuzz_records[], fuzz_rows[], fuzz_merges[],
    fuzz_selects[], fuzz_folds[], fuzz_scans[], fuzz_splits[], fuzz_buckets[], fuzz_moves[],
    fuzz_graphs[], fuzz_paths[], fuzz_batches[], fuzz_handles[], fuzz_traces[], fuzz_rows_results[],
    fuzz_axes[], fuzz_strings[], fuzz_externals[], fuzz_searches[];
/* Call number i of all, or NULL past the end. */
const fuzz_call *fuzz_call_at(size_t i);
size_t fuzz_call_count(void);
/* NULL, or one sentence: calls of upsweep.h in the folder `source` that no case makes. */
const char *fuzz_missing(const char *source);

/* ---- case.c ---- */

/* The call that a case begins with. */
const fuzz_call *fuzz_first_call(uint64_t number);
/* Runs a case; f->wrong says what is wrong. False: the device cannot be used (f->wrong: why). */
bool fuzz_run(fuzz *f, uint64_t number);
/* The case in one line. Safe in a handler of signals: takes no memory. */
void fuzz_describe(const fuzz *f, char *text, size_t bytes);
/* Keeps the first thing that is wrong. */
void fuzz_wrong(fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fuzz_detail(fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether a report may name this: a row, or words in small letters. */
bool fuzz_is_method(const char *name);

/* After the call: true if it succeeded, as it had to, and its outcome is to be compared. Else it
 * failed as it had to, or f->wrong says what is wrong. */
bool fuzz_settle(fuzz *f, upsweep_status got);
/* What the report of a call that succeeded must say; scratch: bytes it may have used at most, or
 * SIZE_MAX. */
void fuzz_report(fuzz *f, size_t scratch);

/* ---- draws.c: from the case's stream of numbers ---- */
uint64_t fuzz_mix(uint64_t a, uint64_t b);
uint64_t fuzz_random(fuzz *f);
uint64_t fuzz_draw(fuzz *f, uint64_t below);
bool fuzz_chance(fuzz *f, unsigned one_in);
/* Between low and high, every order of magnitude as likely. */
uint64_t fuzz_magnitude(fuzz *f, uint64_t low, uint64_t high);
/* A length: most are short, dense up to 5000, some near the lengths at which methods change. Sets
 * f->n. slow: how many times the usual this call's check takes. */
size_t fuzz_length(fuzz *f, unsigned slow);
/* A type into f->type; returns what the call is to be given, which is no type under TWIST_TYPE. */
upsweep_type fuzz_type(fuzz *f);
/* The length to be given: too great a one under TWIST_HUGE. bytes: of an element. */
size_t fuzz_count(fuzz *f, size_t n, size_t bytes);
/* Options into f->options and f->o, with flags among `takes`. */
void fuzz_options(fuzz *f, unsigned takes);
/* The same for calls that take a name of these algorithms ("sort/"). */
void fuzz_algorithm(fuzz *f, const char *prefix);
/* A range of bits of f->type, sometimes; and sometimes a wrong one. */
void fuzz_bits(fuzz *f);
static inline unsigned fuzz_flags(const fuzz *f)
{
    return f->o == NULL ? 0 : f->o->flags;
}

/* ---- fill.c ---- */

/* Fills n elements of a type by a pattern, which f->pattern then names. */
void fuzz_fill(fuzz *f, upsweep_type type, void *at, size_t n);
/* The same without NaN and infinities. */
void fuzz_fill_finite(fuzz *f, upsweep_type type, void *at, size_t n);
/* Small whole numbers: their sums, and products up to some length, are exact in any order. */
void fuzz_fill_whole(fuzz *f, upsweep_type type, void *at, size_t n, int64_t low, int64_t high);
void fuzz_fill_bytes(fuzz *f, void *at, size_t bytes);
/* The same keys in the order of the flags. */
void fuzz_sort_plainly(upsweep_type type, unsigned flags, void *keys, size_t n);

/* ---- arrays.c ---- */

/* An array of n elements of `bytes` bytes, at any address that is a multiple of align, between
 * edges that are looked at afterwards. Its number is f->arrays - 1. */
unsigned char *fuzz_array_new(fuzz *f, fuzz_use use, size_t n, size_t bytes, size_t align);
/* Remembers what the arrays hold; the last thing before the call. */
void fuzz_arrays_ready(fuzz *f);
/* What the call is given for array i. */
void *fuzz_at(fuzz *f, unsigned i);
/* What array i held before the call. */
static inline const unsigned char *fuzz_before(const fuzz *f, unsigned i)
{
    return f->array[i].before;
}
/* Brings arrays back from the device; says in f->wrong if an edge has changed, or an array that
 * must be as it was: inputs, and after most failures what the call works on, or all. */
typedef enum fuzz_kept { KEPT_INPUTS, KEPT_IN_PLACE, KEPT_ALL } fuzz_kept;
void fuzz_arrays_check(fuzz *f, fuzz_kept kept);
void fuzz_arrays_free(fuzz *f);

/* An allocator that keeps books, fails when told to, and has edges around its blocks. */
typedef struct fuzz_books {
    uint64_t calls, fail_from, fail_every; /* from that call on every so manyth fails; 0: none */
    size_t live, held;
    const char *wrong; /* NULL, or what is */
    bool guarded;      /* blocks end at closed pages */
    void *thread;
} fuzz_books;
void *fuzz_allocate(void *context, size_t bytes, size_t alignment);
void fuzz_release(void *context, void *pointer, size_t bytes);

/* ---- rank.c: the order of keys ---- */

/* A number that is greater for a key that comes later in the order of the flags, and the same for
 * equal keys only. */
uint64_t fuzz_rank(upsweep_type type, unsigned flags, uint64_t raw);
uint64_t fuzz_raw(const void *at, size_t i, size_t bytes);
/* The ranks of n keys; with a range of bits in o, of these bits alone. To be freed. */
uint64_t *fuzz_ranks(upsweep_type type, const upsweep_options *o, const void *keys, size_t n);
/* The stable order of 0 .. n-1 by their ranks. To be freed. */
uint32_t *fuzz_order(const uint64_t *rank, size_t n);
bool fuzz_is_float(upsweep_type type);
bool fuzz_is_signed(upsweep_type type);
bool fuzz_is_nan(upsweep_type type, uint64_t raw);
/* The value of an element of a floating-point type, or of an integer of up to 32 bits, exactly. */
double fuzz_value(upsweep_type type, uint64_t raw);
/* The element nearest to a value, ties to even; a NaN is the positive quiet one. */
uint64_t fuzz_nearest(upsweep_type type, double value);
void fuzz_store(void *at, size_t i, size_t bytes, uint64_t raw);
/* NULL, or how the ranks differ from the order of test/shared/oracle.h. */
const char *fuzz_rank_check(void);
/* A sum that is the same for the same elements in any order. */
uint64_t fuzz_sum_of_elements(const void *at, size_t n, size_t bytes);
/* Says in f->wrong where element i of got is not element from[i] of in. */
bool fuzz_moved(fuzz *f, const char *what, const void *got, const void *in, const uint32_t *from,
                size_t n, size_t bytes);

#endif
