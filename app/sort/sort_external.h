/* sort_external.h - what the sorts of lines, records and arrays beyond memory share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_EXTERNAL_H
#define USW_APP_SORT_SORT_EXTERNAL_H

#include "io/stream.h"
#include "app/sort/sort_text.h"

/* Bytes of memory that the library may take, of job->limit and what the program has now. */
size_t sort_external_room(const sort_job *job);
/* The size of all inputs that are regular files. */
uint64_t sort_external_bytes(const sort_job *job);
/* Where temporary files go: -T, else $TMPDIR or /tmp, for which *one is used. */
const char *const *sort_external_directories(const sort_job *job, const char **one, size_t *count);
/* Whether they have room for the input; APP_ERROR after a sentence. */
int sort_external_check_room(const sort_job *job, const char *const *directories, size_t count);
/* Puts a failure of x into words, a line that is too long with its file and number if s is not
 * NULL; APP_ERROR. */
int sort_external_fail(const sort_job *job, upsweep_external *x, const io_stream *s,
                       upsweep_status status);
/* Writes what is sorted, and commits the output or discards it. */
int sort_external_write(sort_job *job, upsweep_external *x, io_output *out);
/* What the sort in memory took is given back; the input that it read, or NULL where that can be
 * read again. */
io_input *sort_external_begun(sort_job *job);
io_reading sort_external_reading(const sort_job *job);
/* sort_external_stats.c: --stats. */
void sort_external_stats(const sort_job *job, upsweep_external *x);

#endif
