/* rival.h - what one contestant of the bench offers. A rival is one source file in bench/rivals/
 * and one program (worker.c linked with it), so that rivals share no heap, threads or code. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_type {
    BENCH_U32,
    BENCH_U64,
    BENCH_I32,
    BENCH_I64,
    BENCH_F32,
    BENCH_F64,
    BENCH_F16, /* for reduce alone */
    BENCH_TYPES
};

typedef struct bench_record { /* sorted by key, stable where the rival can */
    uint64_t key, payload;
} bench_record;

/* What the operations from `merge` on work on; nothing overlaps. in is not to be changed. */
typedef struct bench_call {
    enum bench_type type;
    size_t n, k;                                  /* k: rank (nth), how many (top) */
    unsigned threads;                             /* at most */
    const void *in;                               /* n keys; merge: two sorted halves */
    void *work;                                   /* a copy of in */
    void *out;                                    /* room for n keys */
    uint64_t *counts;                             /* room for n */
    const uint8_t *flags;                         /* n, of which half are 1, at random */
    int (*compare)(const void *a, const void *b); /* an order of keys that no compiler sees into */
    bench_record *records;
    size_t result; /* how many keys there are in out or work at the end */
} bench_call;

/* Every function returns 0 when done and 1 for what the rival does not offer; NULL: none of it.
 * threads: at most that many; a rival that knows only one thread runs with one. */
typedef struct bench_rival {
    const char *name;
    int (*open)(unsigned threads); /* called once a process; NULL: nothing to do */
    int (*keys)(enum bench_type type, void *keys, size_t n, unsigned threads);
    int (*stable)(enum bench_type type, void *keys, size_t n, unsigned threads);
    int (*pairs)(enum bench_type type, void *keys, void *values, size_t n, unsigned threads);
    int (*argsort)(enum bench_type type, const void *keys, uint32_t *index, size_t n,
                   unsigned threads);
    int (*reduce)(enum bench_type type, const void *keys, size_t n, unsigned threads);
    int (*scan)(enum bench_type type, const void *in, void *out, size_t n, unsigned threads);
    int (*merge)(bench_call *c);     /* the halves of in, to out */
    int (*nth)(bench_call *c);       /* work: the key of rank k at its place */
    int (*top)(bench_call *c);       /* the k least of in, sorted, to out */
    int (*unique)(bench_call *c);    /* work: the first key of each run of equals; result */
    int (*runs)(bench_call *c);      /* likewise to out, and how long each is to counts; result */
    int (*by)(bench_call *c);        /* work, sorted by compare */
    int (*records)(bench_call *c);   /* records, sorted by their keys */
    int (*split)(bench_call *c);     /* in to out: flag 0 first, order kept */
    int (*compact)(bench_call *c);   /* in to out: those with flag 1, order kept; result */
    int (*histogram)(bench_call *c); /* counts of the lowest 8 bits of in, 256 of them */
} bench_rival;

extern const bench_rival rival;

#ifdef __cplusplus
}
#endif
#endif
