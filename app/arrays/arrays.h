/* arrays.h - how verbs read an array of numbers and write one. The order is: read, open the output
 * (which fails early), compute, write. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_ARRAYS_ARRAYS_H
#define USW_APP_ARRAYS_ARRAYS_H

#include "app/app.h"
#include "io/array.h"
#include "io/output.h"

/* Reads the operands, or standard input if there are none. Returns APP_OK or APP_ERROR after the
 * sentence; *a can be freed in both cases. */
int app_read_array(const app_common *common, io_array *a);
/* The same for one file by name. */
int app_read_file(const app_common *common, const char *name, io_array *a);
/* The same for a file that is not the input, of which --from and --text say nothing. text: what is
 * not .npy is numbers as text. */
int app_read_beside(const app_common *common, const char *name, upsweep_type type, bool text,
                    io_array *a);
/* --from, 0 if it is not given; APP_ERROR for a word that is no format. */
int app_input_format(const app_common *common, io_format *from);
/* Refuses -o onto a compressed input, which the output would not be; called by the above. */
int app_check_input(const app_common *common, const io_part *parts, size_t count);
/* Refuses arrays of several axes, and of none. */
int app_check_one_axis(const char *name, const io_array *a);
/* "standard input" or the name of the first operand, for sentences. */
const char *app_input_name(const app_common *common);
/* --as, or else `format`; APP_ERROR for a word that is no format. */
int app_output_format(const app_common *common, io_format *format);

typedef struct app_output {
    io_output file;
    io_format format;
    upsweep_type type;
    io_npy like; /* of .npy: type and shape; another number of elements is one axis */
} app_output;

/* Opens -o or standard output for an array of this type and format. Raw bytes and .npy are not sent
 * to a terminal. No thread may run yet. */
int app_output_open(app_output *out, const app_common *common, io_format format, upsweep_type type);
/* The same for an array like this one: truth values stay truth values, and as many elements keep
 * their shape. */
int app_output_open_like(app_output *out, const app_common *common, const io_array *a);
/* The same into a file that is open; the caller drops it after APP_ERROR. */
int app_output_use(app_output *out, const app_common *common, const io_array *a,
                   const io_output *file);
/* Writes the whole array and puts the file in place. */
int app_output_array(app_output *out, const void *data, size_t n);
/* The same in pieces: begin, some of the n elements, ..., end. After a failure there is nothing to
 * drop any more. */
int app_output_begin(app_output *out, size_t n);
int app_output_some(app_output *out, const void *data, size_t n);
int app_output_end(app_output *out);
/* Gives up; returns status, so that `return app_output_drop(&out, APP_ERROR)` reads well. */
int app_output_drop(app_output *out, int status);

/* Verbs that write an array can print JSON beside it only if the array goes to a file. */
int app_check_json(const app_common *common);

/* One element as text, and as JSON, where NaN and infinities are strings. */
void app_print_number(FILE *f, upsweep_type type, const void *element);
void app_print_json_number(FILE *f, upsweep_type type, const void *element);
bool app_is_float(upsweep_type type);

/* Says on stderr what is being done, if that is a terminal and `bytes` are so many that it takes a
 * while; NULL clears the line. */
void app_progress(const char *what, size_t bytes);

#endif
