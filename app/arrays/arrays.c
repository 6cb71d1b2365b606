/* arrays.c - reading and writing arrays for the verbs, with a sentence for all that can go wrong.
 */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "io/npy.h"
#include "io/numbers.h"
#include "io/parallel.h"
#include "io/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *app_input_name(const app_common *common)
{
    return io_input_name(common->operand_count == 0 ? "-" : common->operands[0]);
}

int app_check_input(const app_common *common, const io_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (io_source_is_packed(&parts[i], common->output)) {
            return app_fail("%s: is compressed, and the output would not be: give -o another name",
                            common->output);
        }
    }
    return APP_OK;
}

int app_input_format(const app_common *common, io_format *from)
{
    static const char *const names[] = {"raw", "npy", "text"};
    *from = 0;
    for (size_t i = 0; i < 3 && common->from != NULL; i++) {
        if (strcmp(common->from, names[i]) == 0) {
            *from = (io_format)(IO_RAW + i);
        }
    }
    if (common->from != NULL && *from == 0) {
        return app_fail("--from takes raw, npy or text, not '%s'", common->from);
    }
    if (*from == IO_RAW && (common->type == 0 || common->text)) {
        return app_fail(common->text ? "--from raw and --text exclude each other"
                                     : "--from raw needs --type: raw elements do not say theirs");
    }
    return APP_OK;
}

static unsigned io_threads(const app_common *common)
{
    return common->threads == 0 || common->threads > IO_LANES_MAX ? io_processors()
                                                                  : (unsigned)common->threads;
}

static int read_names(const app_common *common, const char *const *names, size_t count,
                      const io_array_wish *wish, io_array *a)
{
    io_error error;
    if (!io_array_read(a, names, count, wish, &error)) {
        return app_fail("%s", error.text);
    }
    return app_check_input(common, a->input.parts, a->input.part_count);
}

static int read_input(const app_common *common, const char *const *names, size_t count, io_array *a)
{
    io_array_wish wish = {.type = common->type,
                          .text = common->text,
                          .threads = io_threads(common),
                          .otherwise = common->type == 0 || common->text
                                           ? "--from text takes its bytes as they are"
                                           : "--from raw takes its bytes as they are"};
    *a = (io_array){.data = NULL};
    return app_input_format(common, &wish.from) == APP_OK
               ? read_names(common, names, count, &wish, a)
               : APP_ERROR;
}

int app_read_array(const app_common *common, io_array *a)
{
    return read_input(common, (const char *const *)common->operands, common->operand_count, a);
}

int app_read_file(const app_common *common, const char *name, io_array *a)
{
    return read_input(common, &name, 1, a);
}

int app_read_beside(const app_common *common, const char *name, upsweep_type type, bool text,
                    io_array *a)
{
    io_array_wish wish = {.type = type, .text = text, .threads = io_threads(common)};
    return read_names(common, &name, 1, &wish, a);
}

int app_check_one_axis(const char *name, const io_array *a)
{
    char shape[IO_NPY_SHAPE_MAX];
    return a->npy.axes == 1 ? APP_OK
                            : app_fail("%s: has the shape %s, and this takes arrays of one axis",
                                       name, io_npy_shape(&a->npy, shape));
}

int app_output_format(const app_common *common, io_format *format)
{
    static const char *const names[] = {"raw", "npy", "text"};
    if (common->as == NULL) {
        return APP_OK;
    }
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(common->as, names[i]) == 0) {
            *format = (io_format)(IO_RAW + i);
            return APP_OK;
        }
    }
    return app_fail("--as takes raw, npy or text, not '%s'", common->as);
}

/* What io_output_open is not asked for. */
static int check_output(app_output *out, const app_common *common, io_format format,
                        const io_npy *like)
{
    char header[IO_NPY_FORMAT_MAX];
    out->format = format;
    out->like = *like;
    out->type = like->type;
    if (app_output_format(common, &out->format) != APP_OK) {
        return APP_ERROR;
    }
    if (out->format == IO_NPY && io_npy_format(header, like) == 0) {
        return app_fail("NumPy has no type %s: use --as raw", upsweep_type_name(like->type));
    }
    bool to_stdout = common->output == NULL || strcmp(common->output, "-") == 0;
    if (to_stdout && out->format != IO_TEXT && isatty(STDOUT_FILENO)) {
        return app_fail("these are bytes, not text for a terminal: use -o FILE, or --as text");
    }
    return APP_OK;
}

static int open_output(app_output *out, const app_common *common, io_format format,
                       const io_npy *like)
{
    io_error error;
    if (check_output(out, common, format, like) != APP_OK) {
        return APP_ERROR;
    }
    if (io_output_open(&out->file, common->output, &error) != 0) {
        return app_fail("%s", error.text);
    }
    return APP_OK;
}

int app_output_open(app_output *out, const app_common *common, io_format format, upsweep_type type)
{
    io_npy like = {.type = type, .axes = 1};
    return open_output(out, common, format, &like);
}

int app_output_open_like(app_output *out, const app_common *common, const io_array *a)
{
    return open_output(out, common, a->format, &a->npy);
}

int app_output_use(app_output *out, const app_common *common, const io_array *a,
                   const io_output *file)
{
    out->file = *file;
    return check_output(out, common, a->format, &a->npy);
}

int app_output_drop(app_output *out, int status)
{
    io_output_discard(&out->file);
    return status;
}

static int write_text(app_output *out, const char *data, size_t n, io_error *error)
{
    enum { ROOM = 1 << 16 };
    static char text[ROOM + IO_NUMBER_MAX];
    size_t used = 0, step = upsweep_type_bytes(out->type);
    for (size_t i = 0; i < n; i++) {
        used += io_number_print(text + used, out->type, data + i * step);
        text[used++] = '\n';
        if (used >= ROOM) {
            if (io_output_write(&out->file, text, used, error) != 0) {
                return -1;
            }
            used = 0;
        }
    }
    return io_output_write(&out->file, text, used, error);
}

static int finish(app_output *out, int status, const io_error *error)
{
    if (status == 0) {
        return APP_OK;
    }
    io_output_discard(&out->file);
    return app_fail("%s", error->text);
}

int app_output_begin(app_output *out, size_t n)
{
    char header[IO_NPY_FORMAT_MAX];
    io_error error;
    int status = 0;
    if (n != out->like.n) { /* other elements than those of the shape: one axis */
        out->like.axes = 1;
        out->like.n = out->like.shape[0] = n;
    }
    if (out->format == IO_NPY) {
        status = io_output_write(&out->file, header, io_npy_format(header, &out->like), &error);
    }
    return finish(out, status, &error);
}

int app_output_some(app_output *out, const void *data, size_t n)
{
    io_error error;
    int status = out->format == IO_TEXT
                     ? write_text(out, data, n, &error)
                     : io_output_write(&out->file, data, n * upsweep_type_bytes(out->type), &error);
    return finish(out, status, &error);
}

int app_output_end(app_output *out)
{
    io_error error;
    return io_output_commit(&out->file, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}

int app_output_array(app_output *out, const void *data, size_t n)
{
    size_t bytes = n * upsweep_type_bytes(out->type);
    app_progress("writing", bytes);
    int status = app_output_begin(out, n);
    if (status == APP_OK) {
        status = app_output_some(out, data, n);
    }
    if (status == APP_OK) {
        status = app_output_end(out);
    }
    app_progress(NULL, bytes);
    return status;
}

int app_check_json(const app_common *common)
{
    bool to_stdout = common->output == NULL || strcmp(common->output, "-") == 0;
    return common->json && to_stdout ? app_fail("--json needs -o FILE for the array") : APP_OK;
}

bool app_is_float(upsweep_type type)
{
    return type == UPSWEEP_F16 || type == UPSWEEP_BF16 || type == UPSWEEP_F32 ||
           type == UPSWEEP_F64;
}

void app_print_number(FILE *f, upsweep_type type, const void *element)
{
    char text[IO_NUMBER_MAX];
    io_number_print(text, type, element);
    fputs(text, f);
}

void app_print_json_number(FILE *f, upsweep_type type, const void *element)
{
    char text[IO_NUMBER_MAX];
    io_number_print(text, type, element);
    bool is_name = strpbrk(text, "ai") != NULL; /* nan, inf */
    fprintf(f, is_name ? "\"%s\"" : "%s", text);
}

void app_progress(const char *what, size_t bytes)
{
    enum { LONG_BYTES = 256 << 20 };
    if (bytes < LONG_BYTES || !io_progress_wanted()) {
        return;
    }
    if (what == NULL) {
        fputs("\r                              \r", stderr);
    } else {
        fprintf(stderr, "\r%-10s %7.0f MB ...", what, 1e-6 * (double)bytes);
    }
    fflush(stderr);
}
