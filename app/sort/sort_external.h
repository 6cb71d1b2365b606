/* sort_external.h - what the sorts of lines, records and arrays beyond memory share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_EXTERNAL_H
#define USW_APP_SORT_SORT_EXTERNAL_H

#include "io/elements.h"
#include "io/stream.h"
#include "app/sort/sort_text.h"

enum { SORT_SAMPLE = 128 << 10 }; /* of the beginning of the input, and more than a .npy header */

/* ---- sort_external_room.c ---- */

/* Bytes of memory that the library may take, of job->limit and what the program has now. */
size_t sort_external_room(const sort_job *job);
/* The size of all inputs that are regular files. */
uint64_t sort_external_bytes(const sort_job *job);
/* Where temporary files go: -T, else $TMPDIR or /tmp, for which *one is used. */
const char *const *sort_external_directories(const sort_job *job, const char **one, size_t *count);
/* Sets limit, threads, directories and unique. APP_ERROR after a sentence where the disk has no
 * room for temporary files or the output. *one must last as long as config. */
int sort_external_config(const sort_job *job, upsweep_external_config *config, const char **one,
                         const io_output *out);

/* Says why no temporary file can be made there, by errno; APP_ERROR. */
int sort_fail_temporary(const char *directory);

/* Says that what is pushed next are the last `back` bytes of s, so that those in order need not be
 * written; not where the output may change them, as a pipe to who knows whom. */
void sort_external_source(upsweep_external *x, const io_stream *s, uint64_t back,
                          const io_output *out);

/* ---- sort_external.c: lines ---- */

/* The sort of lines of s, of which the first `held` bytes are in sample, which has SORT_SAMPLE +
 * IO_SLACK bytes of room. strict: as --strict says. Commits or discards out. */
int sort_external(sort_job *job, io_stream *s, unsigned char *sample, size_t held, bool strict,
                  io_output *out);
/* Puts a failure of x into words, a line that is too long with its file and number if s is not
 * NULL; APP_ERROR. */
int sort_external_fail(const sort_job *job, upsweep_external *x, const io_stream *s,
                       upsweep_status status);
/* The plans of numbers, of the lines in [p, end). */
int sort_external_plans(sort_job *job, const unsigned char *p, const unsigned char *end);
/* sort_external_merge.c: the whole of -m, in little memory. Commits or discards out. */
int sort_external_merge(sort_job *job, io_output *out);
/* sort_external_copy.c: writes lines to out as long as they stand in order. *copied: all do, and
 * that was the sort; else all that has been read is in x, and out is empty. sample is as above. */
int sort_external_copy(sort_job *job, upsweep_external *x, io_stream *s,
                       const unsigned char *sample, size_t sampled, io_output *out, bool *copied);
/* Reads on to `sample`, which is as above, and makes the plans of numbers of it. */
int sort_external_sample(sort_job *job, io_stream *s, unsigned char *sample, size_t *held);
/* sort_external_check.c: all lines to x, as --strict says; and -c and -C; first as sample. */
int sort_external_strict(sort_job *job, upsweep_external *x, io_stream *s,
                         const unsigned char *first, size_t held);
int sort_external_check(sort_job *job, io_stream *s, unsigned char *first, size_t held,
                        bool strict);
/* Whether lines seem to stand in order, so that this is worth a trial. */
bool sort_external_may_copy(const sort_job *job, const io_stream *s, const unsigned char *sample,
                            size_t sampled, const io_output *out);
/* sort_external_numbers.c: whether the sample's lines are numbers of which each is written in one
 * way, and memory is enough; then the whole sort, but where one is otherwise: what has been read is
 * in begin then, whose file and text the caller gives back, and out is open. */
typedef struct sort_begin {
    bool odd;
    int fd;              /* lines in order */
    unsigned char *text; /* of SORT_BEGIN_BYTES; its first `held` bytes come behind them */
    size_t held;
} sort_begin;
enum { SORT_BEGIN_BYTES = (1 << 20) + IO_SLACK };
bool sort_external_are_numbers(const sort_job *job, const unsigned char *sample, size_t sampled);
int sort_external_numbers(sort_job *job, io_stream *s, const unsigned char *sample, size_t sampled,
                          io_output *out, sort_begin *begin);
/* sort_external_write.c: writes what is sorted to out; commits out, or discards it if status says
 * so, and returns the status then. */
int sort_external_give(sort_job *job, upsweep_external *x, io_output *out);
int sort_external_end(sort_job *job, io_output *out, int status);
/* sort_external_stats.c: --stats. */
void sort_external_stats(const sort_job *job, upsweep_external *x);
void sort_external_copy_stats(const sort_job *job);

/* ---- elements and records ---- */

/* sort_external_elements.c; it commits or discards out. */
int sort_external_elements(sort_job *job, io_elements *e, io_output *out);
/* sort_external_order.c: -c and -C of them. */
int sort_external_order(sort_job *job, io_elements *e);

#endif
