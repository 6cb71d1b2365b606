/* trace_input.h - the numbers that an explained form is run on, as people type them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_TRACE_TRACE_INPUT_H
#define USW_APP_TRACE_TRACE_INPUT_H

#include "app/app.h"

typedef struct app_trace_input {
    uint32_t *values;
    size_t count, room;
    size_t most; /* more are refused; 0: no limit */
} app_trace_input;

/* Reads the words: each a number from 0 to 4294967295, or "-" for those on standard input, parted
 * by blanks, commas or new lines. Without a word a's own example is taken. Returns APP_OK or
 * APP_ERROR after the sentence; *in, which was zero, can be freed in both cases. */
int app_trace_input_read(app_trace_input *in, const upsweep_algorithm *a, char **words,
                         size_t word_count);
/* The numbers of a file; "-" is standard input. */
int app_trace_input_file(app_trace_input *in, const char *file);
/* One more number. */
int app_trace_input_add(app_trace_input *in, uint32_t value);
void app_trace_input_free(app_trace_input *in);

/* Has `write` print to a stream of its own into the file `name`, which appears when it is whole, or
 * to standard output where name is NULL. Returns write's status, or APP_ERROR after a sentence. */
int app_stream_write(const char *name, int (*write)(void *context, FILE *f), void *context);

/* Says why upsweep_trace failed and returns APP_ERROR. */
int app_trace_fail(const upsweep_algorithm *a, upsweep_status status);

#endif
