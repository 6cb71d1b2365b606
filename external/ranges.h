/* ranges.h - a merge cut into ranges, and how one of them is read and merged. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_RANGES_H
#define USW_EXTERNAL_RANGES_H

#include "external/writer.h"

/* ---- ranges (plan.c) ---- */

/* The record that a range ends before: the first one of a block. */
typedef struct usw_ext_splitter {
    unsigned char *at; /* a copy of it, with room for the longest record */
    size_t bytes;      /* without its end */
    uint64_t key;
    size_t run; /* whose block it begins */
    bool any;   /* false: no record; the range begins with the first, or ends with the last */
} usw_ext_splitter;

/* Blocks [first, end) of one run. */
typedef struct usw_ext_stretch {
    size_t first, end;
} usw_ext_stretch;

/* Which blocks of k runs have been given to ranges. */
typedef struct usw_ext_plan {
    upsweep_external *x;
    usw_ext_run *runs;
    size_t k;
    size_t *first; /* by run: the first block of the next range */
    size_t *next;  /* by run: the first block that no range has had */
    size_t *heap;  /* runs by their next blocks */
    size_t heap_count;
    unsigned char *heads; /* USW_EXT_HEAD bytes of each run's next block */
    bool *head_there;
    unsigned char *long_head[2];
    unsigned char *packed_head; /* the begin of a packed block, as it is stored */
    size_t budget;              /* bytes of the blocks of a range, at most */
    uint64_t given;
    usw_ext_splitter last; /* where the range before ends */
    bool finished;
    bool tight; /* one thread has all; what records are compared in lies where ranges do */
} usw_ext_plan;

/* Room for the longest record. */
size_t usw_ext_record_room(const upsweep_external *x);
size_t usw_ext_plan_bytes(const upsweep_external *x, size_t k, bool tight);
upsweep_status usw_ext_plan_begin(usw_ext_plan *p, upsweep_external *x, usw_ext_run *runs, size_t k,
                                  size_t budget, bool tight);
/* The next range: its k stretches and the splitters at both ends. *none: there is none left. One
 * thread at a time; where it is tight, no range is at work. */
upsweep_status usw_ext_plan_range(usw_ext_plan *p, usw_ext_stretch *stretches,
                                  usw_ext_splitter *lower, usw_ext_splitter *upper, bool *none);
/* Bytes of a block of a run. */
size_t usw_ext_block_bytes(const usw_ext_run *run, size_t block);

/* ---- merging (range.c, merge.c) ---- */

/* One range in memory, of runs [0, k) of a plan. */
typedef struct usw_ext_range {
    upsweep_external *x;
    usw_ext_plan *plan;
    uint64_t number;
    usw_ext_stretch *stretches;
    usw_ext_splitter lower, upper;
    unsigned char *bytes;            /* room for the blocks */
    const unsigned char **at, **end; /* by run: what is left of it */
    size_t shared;                   /* bytes that all lines begin with, which keys leave out */
    uint64_t *keys;                  /* by run: of the record at `at`, */
    size_t *sizes;                   /* its bytes without the end, */
    bool *more;                      /* and whether equal keys leave it open */
    uint32_t *tree;
    uint64_t offset; /* of the range among all bytes */
    uint64_t raw;    /* bytes of the range */
} usw_ext_range;

typedef struct usw_ext_sink usw_ext_sink;
/* Takes the bytes that the sink holds. */
typedef upsweep_status (*usw_ext_take)(usw_ext_sink *sink);
/* Where merged records go: into a buffer, which `take` gets when it is full, record or not; without
 * take it has room for all of a range. Or to a writer. */
struct usw_ext_sink {
    unsigned char *buffer;
    size_t room, held;
    usw_ext_take take;
    void *context;
    bool whole; /* it gets whole records only, and has room for each */
    usw_ext_writer *writer;
};

size_t usw_ext_range_bytes(const upsweep_external *x, size_t k, bool tight);
void usw_ext_range_open(usw_ext_range *r, usw_ext_plan *plan, unsigned char *room);
/* Reads the blocks and finds where the range begins and ends in them. */
upsweep_status usw_ext_load(usw_ext_range *r);
upsweep_status usw_ext_merge_range(usw_ext_range *r, usw_ext_sink *sink);
/* Of elements: the range, whose blocks have been read, is sorted at `begin`, less than
 * USW_EXT_PAGE behind r->bytes, s->kept bytes of it; there is room up to `end`. */
upsweep_status usw_ext_sort_range(usw_ext_range *r, usw_ext_sorting *s, unsigned char *begin,
                                  unsigned char *end);

/* Bytes that all blocks of a range can have at most if `threads` threads merge k runs, each with an
 * output of `output` bytes (0: as many as the blocks); 0 where that is not enough. */
size_t usw_ext_budget(const upsweep_external *x, const usw_ext_run *runs, size_t k,
                      unsigned threads, size_t output);
/* The same for records so long that it is not enough: of one thread that has few copies of them,
 * with an output of usw_ext_tight_output. 0 where that is not enough, or they are not so long. */
size_t usw_ext_tight_budget(const upsweep_external *x, const usw_ext_run *runs, size_t k);
size_t usw_ext_tight_output(const upsweep_external *x);

#endif
