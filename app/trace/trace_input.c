/* trace_input.c - the numbers for an explained form, from the command line or a file, and where
 * what is told of it goes. */
/* SPDX-License-Identifier: MIT */
#include "app/trace/trace_input.h"

#include "io/output.h"
#include "io/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int app_trace_input_add(app_trace_input *in, uint32_t value)
{
    if (in->most > 0 && in->count == in->most) {
        return app_fail("more than %zu numbers are too many to watch", in->most);
    }
    if (in->count == in->room) {
        in->room = in->room == 0 ? 64 : 2 * in->room;
        uint32_t *values = realloc(in->values, in->room * sizeof *values);
        if (values == NULL) {
            return app_fail("out of memory");
        }
        in->values = values;
    }
    in->values[in->count++] = value;
    return APP_OK;
}

void app_trace_input_free(app_trace_input *in)
{
    free(in->values);
    *in = (app_trace_input){0};
}

/* where: "" or "FILE: ". */
static int add_word(app_trace_input *in, const char *where, const char *text)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && value <= UINT32_MAX; p++) {
        value = 10 * value + (uint64_t)(*p - '0');
    }
    if (p == text || *p != '\0' || value > UINT32_MAX) {
        return app_fail("%s'%s' is no whole number from 0 to 4294967295", where, text);
    }
    return app_trace_input_add(in, (uint32_t)value);
}

/* name NULL: the words need no place. */
static int add_text(app_trace_input *in, const char *text, size_t bytes, const char *name)
{
    char word[40], where[4200] = "";
    size_t length = 0, line = 1;
    int status = APP_OK;
    for (size_t i = 0; i <= bytes && status == APP_OK; i++) {
        int c = i < bytes ? (unsigned char)text[i] : '\n';
        bool between = c != 0 && strchr(" \t\r\n,", c) != NULL;
        if (!between) {
            word[length] = (char)(c < ' ' || c > '~' ? '?' : c);
            length += length + 1 < sizeof word;
        } else if (length > 0) {
            word[length] = '\0';
            length = 0;
            if (name != NULL) {
                snprintf(where, sizeof where, "%.4000s: line %zu: ", name, line);
            }
            status = add_word(in, where, word);
        }
        line += c == '\n';
    }
    return status;
}

int app_trace_input_file(app_trace_input *in, const char *file)
{
    io_input bytes;
    io_error error;
    io_reading how = {.last = -1, .threads = 1};
    bool done =
        io_source_read(&bytes, &file, 1, &how, &error) && io_source_take_marks(&bytes, &error);
    const char *name = strcmp(file, "-") == 0 ? NULL : file;
    int status = done ? add_text(in, (const char *)bytes.bytes, bytes.size, name)
                      : app_fail("%s", error.text);
    io_input_free(&bytes);
    return status;
}

int app_trace_input_read(app_trace_input *in, const upsweep_algorithm *a, char **words,
                         size_t word_count)
{
    int status = APP_OK;
    for (size_t i = 0; i < word_count && status == APP_OK; i++) {
        status =
            strcmp(words[i], "-") == 0 ? app_trace_input_file(in, "-") : add_word(in, "", words[i]);
    }
    return word_count > 0 ? status : add_text(in, a->example, strlen(a->example), NULL);
}

int app_stream_write(const char *name, int (*write)(void *context, FILE *f), void *context)
{
    io_output out;
    io_error error;
    if (name == NULL) {
        return write(context, stdout);
    }
    if (io_output_open(&out, name, &error) != 0) {
        return app_fail("%s", error.text);
    }
    int fd = dup(out.fd), status = APP_OK;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (f == NULL) {
        status = app_fail("%s: %s", name, strerror(errno));
    } else {
        status = write(context, f);
        bool failed = ferror(f) != 0;
        if ((fclose(f) != 0 || failed) && status == APP_OK) {
            status = app_fail("%s: cannot be written: %s", name, strerror(errno));
        }
    }
    if (status != APP_OK) {
        io_output_discard(&out);
        return status;
    }
    return io_output_commit(&out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}

int app_trace_fail(const upsweep_algorithm *a, upsweep_status status)
{
    if (status == UPSWEEP_ERROR_ARGUMENT || status == UPSWEEP_ERROR_RANGE) {
        return app_fail("%s does not take these numbers; it takes %s", a->name, a->input);
    }
    return app_fail("%s",
                    status == UPSWEEP_ERROR_MEMORY ? "out of memory" : upsweep_status_name(status));
}
