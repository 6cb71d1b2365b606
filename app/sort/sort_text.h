/* sort_text.h - the sort of lines, and what its steps share.
 *
 * Every line becomes a pair of 64-bit words: a key, made of the line's first sort key so that
 * unsigned order agrees with the order asked for, and an item, which says where the line is. The
 * library sorts the pairs. Lines whose keys are equal are then put in order among themselves: small
 * runs by comparing, large ones by the same step again with the next bytes or the next sort key.
 * Last, the lines are gathered in order into blocks and written.
 *
 * Memory: the input, 16 bytes a line, and what the library needs to sort n pairs of 16 bytes; of
 * whole lines by their bytes 18 in all; of numbers that are written again from their keys 16, and
 * the input until there are keys. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_TEXT_H
#define USW_APP_SORT_SORT_TEXT_H

#include <stdint.h>

#include "app/app.h"
#include "io/array.h"
#include "io/input.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/output.h"
#include "app/sort/sort_order.h"

struct sort_weights;

typedef enum sort_mode { SORT_SORT, SORT_CHECK, SORT_CHECK_QUIETLY } sort_mode;

/* What the command line asks for. */
typedef struct sort_task {
    app_common common;
    sort_order order;
    sort_mode mode;
    bool merge; /* -m, which -c and -C set aside */
    bool strict, debug;
    size_t memory_limit;    /* -S, in bytes; 0: none */
    size_t batch;           /* --batch-size; 0: not given */
    const char **temporary; /* -T, each of them */
    size_t temporary_count;
    const char *files_from, *random_source, *compressor;
    const char *locale;        /* --locale; "": the environment's; NULL: C */
    sort_locale locale_tables; /* of that */
    io_format from;            /* --from; 0: the first bytes tell */
    bool keyed;                /* -k was given */
    size_t record_bytes;       /* --record; 0: not given */
    upsweep_field *fields;     /* --key A:B */
    size_t field_count;
    const char *packed; /* --compress-output */
    io_packing packing; /* of the output; sort_packing.c */
    int packing_level;
    char **names; /* of --files0-from, in name_bytes */
    io_input name_bytes;
} sort_task;

enum { SORT_PHASES = 12 };

typedef struct sort_job {
    const sort_task *task;
    const sort_order *order;
    unsigned threads;
    upsweep *u;
    io_input in;
    io_lines lines;
    size_t n;
    bool whole;                   /* lines are sorted by all their bytes: items alone, no keys */
    bool numbers;                 /* keys alone, which lines are written from */
    bool fields;                  /* the first sort key is sorted as a string, and has no keys */
    uint64_t *keys, *items;       /* n each */
    size_t held;                  /* bytes of both */
    io_number_plan *plans;        /* one for each of order->keys */
    struct sort_weights *weights; /* of the locale's order, or NULL: no keys are made of it */
    unsigned bits;                /* IO_NUMBER_... of all keys made of the first sort key */
    /* for --stats */
    const char *phase[SORT_PHASES];
    double seconds[SORT_PHASES];
    size_t phases;
    double begin;
    char algorithm[64], reason[256];
    bool remade;         /* some keys are no longer those of the first stage */
    size_t ties;         /* lines in runs of equal keys */
    bool show;           /* progress */
    double shown;        /* when it was last */
    size_t limit;        /* bytes of memory; sort_limit.c */
    size_t most;         /* bytes that may be read first, by sort_most_bytes */
    off_t stdin_at;      /* where standard input stood, if it is a file */
    uint64_t read_bytes; /* of the input, where others are pushed beyond memory; 0: the same */
    bool dropped;        /* some lines have gone, and places are no longer those in the input */
} sort_job;

/* An item: where the line begins, and its length without the end; LONG_LINE: so long or longer. */
#define SORT_LONG_LINE ((UINT64_C(1) << 24) - 1)
#define SORT_ITEM_PLACES (UINT64_C(1) << 40)

static inline uint64_t sort_item(size_t at, size_t bytes)
{
    return (uint64_t)at << 24 | (bytes < SORT_LONG_LINE ? bytes : SORT_LONG_LINE);
}

sort_text sort_long_line(const sort_job *job, uint64_t item);

static inline sort_text sort_line(const sort_job *job, uint64_t item)
{
    if ((item & SORT_LONG_LINE) == SORT_LONG_LINE) {
        return sort_long_line(job, item);
    }
    const unsigned char *p = job->in.bytes + (item >> 24);
    return (sort_text){p, p + (item & SORT_LONG_LINE)};
}

/* What a 64-bit key is made of: sort key `key`, and for bytes from byte `depth` of it on. */
typedef struct sort_stage {
    size_t key, depth;
} sort_stage;

/* sort_options.c: the table, for the verb's usage; and without what GNU sort has not. */
extern const app_option sort_options[];
const app_option *sort_tool_options(void);

/* sort_packing.c: by what the output is compressed: --compress-output, else its name; memory that
 * this takes; and out is opened. */
int sort_settle_packing(sort_task *task);
size_t sort_packing_bytes(const sort_job *job);
int sort_open_output(const sort_job *job, io_output *out);
/* Says why out could not be written, as GNU sort does; APP_ERROR. */
int sort_fail_output(const io_output *out, const io_error *error);

/* sort_names.c: the names that --files0-from lists become the operands; whether all operands can be
 * read; frees what options have taken. */
int sort_take_names(sort_task *task);
int sort_check_names(const sort_task *task);
void sort_free_names(sort_task *task);

/* What parts lines whose keys at a stage are equal; see sort_next_step (sort_small.h). */
typedef enum sort_step { SORT_DONE, SORT_COMPARE, SORT_KEYS } sort_step;
/* sort_kinds.c: the key of a stage, and what follows it, for kinds from SORT_HUMAN on. */
uint64_t sort_kind_key(const sort_job *job, sort_stage stage, sort_text text, unsigned *bits);
sort_step sort_kind_step(const sort_order *order, sort_stage stage, uint64_t key, unsigned bits,
                         sort_stage *next);

static inline bool sort_is_merge(const sort_job *job)
{
    return job->task->merge && job->task->mode == SORT_SORT;
}

/* What else there is for a kind of file that is refused (io/source.h). */
const char *sort_otherwise(const sort_task *task);
/* The whole of `upsweep sort`: opens the output, reads the input, and sorts lines here, or arrays
 * by sort_array.c. Returns the exit status. */
int sort_run(const sort_task *task);
/* What a step says whose job does not fit into memory: sort_external.c takes it over. */
enum {
    SORT_BEYOND = 100,
    SORT_LINE_BYTES = 64,   /* of memory for a line, besides its own, with what the library takes */
    SORT_ITEM_BYTES = 20,   /* the same where whole lines are sorted */
    SORT_NUMBER_BYTES = 16, /* the same where numbers are written from keys, and no input is held */
    SORT_OWN_BYTES = 7 << 20 /* of the limit, what the program takes without any input */
};

/* sort_limit.c: how much memory the sort may take; and bytes that may be read before it is known
 * whether all fits: 0 where it will, for all that one can see, 1 where it will not. */
size_t sort_memory_limit(const sort_task *task);
size_t sort_most_bytes(const sort_job *job);

/* sort_beyond.c: the whole of a sort, or check, under job->limit, from what job->in has read on. It
 * commits or discards out. `seen`: --strict has looked at all lines. */
int sort_beyond(sort_job *job, io_output *out, bool seen);

/* verb_sort.c: refuses what is for lines only. */
int sort_check_array_options(const sort_task *task);

/* sort_text_keys.c: plans for numbers, then the pairs. */
int sort_make_plans(sort_job *job);
void sort_make_keys(sort_job *job);
/* The key of one line at a stage; *bits as by io_number_key. */
uint64_t sort_stage_key(const sort_job *job, sort_stage stage, sort_text line, unsigned *bits);
/* Keys at a stage for items [begin, end), into job->keys there. Returns the bits of all. */
unsigned sort_remake_keys(sort_job *job, sort_stage stage, size_t begin, size_t end);

/* sort_text_ties.c: puts runs of equal keys in order. */
int sort_resolve_ties(sort_job *job);

/* sort_text_whole.c: lines by all their bytes, which the library sorts as strings. */
bool sort_is_whole(const sort_job *job);
/* The items of all lines, or of a field of each. Returns false if one is too long for an item to
 * say so. */
bool sort_make_slices(sort_job *job, bool fields);
/* The order of the items; and -u. */
int sort_whole_lines(sort_job *job);

/* sort_text_numbers.c: numbers that are each written in one way, so that lines need not be kept.
 * Whether lines look so, by a plan of their own; whether they may be, by job->plans; the keys of
 * all, and whether they are; their order, without the input, and -u. The keys of whole lines,
 * *count of them, unless one is otherwise; lines from keys, for which `to` has 24 bytes each, and
 * IO_NUMBER_ROOM more: returns their bytes. */
#define SORT_NUMBER_KEY "key        the number, from which its line is written again\n"
bool sort_look_like_numbers(const sort_job *job, const unsigned char *lines, size_t bytes);
bool sort_may_be_numbers(const sort_job *job);
bool sort_make_numbers(sort_job *job);
int sort_numbers(sort_job *job);
bool sort_number_keys(const sort_job *job, const unsigned char *lines, size_t bytes, uint64_t *to,
                      size_t *count);
size_t sort_number_lines(const sort_job *job, const uint64_t *keys, size_t count,
                         unsigned char *to);

/* sort_text_fields.c: a field by all its bytes, which the library sorts as strings: whether that is
 * better than keys of seven bytes; their order, and that of lines whose fields are equal. */
bool sort_is_fields(const sort_job *job);
int sort_fields(sort_job *job);

/* sort_text_merge.c: the order of -m. */
int sort_merge(sort_job *job);

/* sort_text_check.c: -c and -C, and --strict. */
int sort_check(sort_job *job);
int sort_check_strictly(sort_job *job);
/* Whether all keys of a line that are to be numbers are. */
bool sort_is_strict(const sort_job *job, sort_text line);
/* What a line is instead, of `bytes` bytes with its end. */
const char *sort_why_loose(const unsigned char *line, size_t bytes);
/* Whether the order made is the one asked for: each line before the next by the comparison, and of
 * equal ones the earlier first. */
bool sort_is_in_order(const sort_job *job);

/* sort_text_write.c: -u, and the output. */
int sort_drop_equal(sort_job *job);
int sort_write(sort_job *job, io_output *out);

/* sort_debug.c: what --debug warns of before the sort, `alone` where no -k was given; and what it
 * prints in place of the output. */
void sort_debug_warnings(const sort_task *task, bool alone);
int sort_debug_lines(const sort_job *job);
/* All lines of `bytes` bytes, the same way. */
/* Flushes what was printed; APP_ERROR after a sentence. */
int sort_finish_debug(void);
void sort_debug_text(const sort_order *order, const unsigned char *lines, size_t bytes);

/* sort_text_stats.c: the time of a phase begins, and what --stats and progress say. */
void sort_phase(sort_job *job, const char *name);
void sort_note_report(sort_job *job); /* on the library's last call */
void sort_progress(sort_job *job, unsigned lane, size_t done, size_t all);
/* In bytes, with the time that is left; all 0: not known. One thread at a time. */
void sort_progress_bytes(sort_job *job, uint64_t done, uint64_t all);
void sort_print_stats(sort_job *job);
/* The phases and their seconds: as words on stderr behind "time", or in JSON. */
void sort_print_phases(FILE *f, const sort_job *job, bool json);
/* Whether --json can be had, which prints what --stats tells to standard output. */
int sort_check_json(const sort_task *task);

#endif
