/* sort_record.h - `upsweep sort --record N`: records of N bytes, and fields of them as keys. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_RECORD_H
#define USW_APP_SORT_SORT_RECORD_H

#include "app/sort/sort_text.h"

/* Adds the field that `--key A:B` (bytes A to B - 1) or `--key A:TYPE` (an element at byte A) tells
 * of, with r behind it for descending order. APP_OK or APP_ERROR. */
int sort_add_field(sort_task *task, const char *spec);
/* After all options: fields lie in the record, and what is for lines is refused. Without a field
 * the whole record is the key. */
int sort_check_records(sort_task *task);

/* < 0, 0, > 0 as the records come in the order asked for, -r included. */
int sort_compare_records(const sort_task *task, const unsigned char *a, const unsigned char *b);

/* Sorts, or checks, the records in job->in, and writes them; commits out or discards it, where it
 * is not a check. The exit status. */
int sort_records(sort_job *job, io_output *out);
/* Says on stderr, unless -C, which record is out of order; APP_NO. */
int sort_say_record(const sort_task *task, const char *name, uint64_t number);

#endif
