/* verb_trace.c - `upsweep trace NAME NUMBER...`: runs an explained form and prints every step. */
#include "algorithm.h"
#include "app.h"
#include "output.h"
#include "trace_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    app_common common;
    const char *format;
} settings;

static const app_option options[] = {
    {0, "format", "FORMAT", "text (rows for people) or jsonl (one JSON object for each step)",
     APP_TEXT, offsetof(settings, format), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_trace = {
    "NAME [NUMBER...|-]",
    "Runs the explained form of an algorithm (see `upsweep list` and `upsweep explain NAME`) on "
    "the\n"
    "numbers, each from 0 to 4294967295, and prints what the arrays hold after every round. With "
    "-\n"
    "the numbers are read from standard input, parted by blanks, commas or new lines; without any\n"
    "number the algorithm's own example is taken.\n"
    "\n"
    "Below the rows stand the rounds and the steps counted in the trace, beside the formulas that\n"
    "the algorithm states for them. docs/trace.md describes both formats.",
    APP_OUTPUT, options,
    "upsweep trace sort/oddeven 3 7 11 10 4 20 2 8 12 1\n"
    "seq 20 -1 1 | upsweep trace sort/hybrid --format jsonl -"};

typedef struct numbers {
    uint32_t *values;
    size_t count, room;
} numbers;

static int add(numbers *all, const char *text)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && value <= UINT32_MAX; p++) {
        value = 10 * value + (uint64_t)(*p - '0');
    }
    if (p == text || *p != '\0' || value > UINT32_MAX) {
        return app_fail("'%s' is no whole number from 0 to 4294967295", text);
    }
    if (all->count == all->room) {
        all->room = all->room == 0 ? 64 : 2 * all->room;
        uint32_t *values = realloc(all->values, all->room * sizeof *values);
        if (values == NULL) {
            return app_fail("out of memory");
        }
        all->values = values;
    }
    all->values[all->count++] = (uint32_t)value;
    return APP_OK;
}

/* Words of f: what stands between blanks, commas and new lines. */
static int add_words(numbers *all, FILE *f)
{
    char word[40];
    size_t length = 0;
    int c, status = APP_OK;
    do {
        c = getc(f);
        bool between = c == EOF || (c != 0 && strchr(" \t\r\n,", c) != NULL);
        if (!between) {
            word[length] = (char)c;
            length += length + 1 < sizeof word;
        } else if (length > 0) {
            word[length] = '\0';
            length = 0;
            status = add(all, word);
        }
    } while (c != EOF && status == APP_OK);
    if (status == APP_OK && ferror(f)) {
        return app_fail("standard input: %s", strerror(errno));
    }
    return status;
}

static int read_numbers(numbers *all, const upsweep_algorithm *a, const app_common *common)
{
    int status = APP_OK;
    for (size_t i = 1; i < common->operand_count && status == APP_OK; i++) {
        const char *word = common->operands[i];
        status = strcmp(word, "-") == 0 ? add_words(all, stdin) : add(all, word);
    }
    if (common->operand_count == 1) {
        FILE *f = fmemopen((void *)(uintptr_t)a->example, strlen(a->example), "r");
        status = f == NULL ? app_fail("out of memory") : add_words(all, f);
        if (f != NULL) {
            fclose(f);
        }
    }
    return status;
}

static int say_why(const upsweep_algorithm *a, upsweep_status status)
{
    if (status == UPSWEEP_ERROR_ARGUMENT || status == UPSWEEP_ERROR_RANGE) {
        return app_fail("%s does not take these numbers; it takes %s", a->name, a->input);
    }
    return app_fail("%s",
                    status == UPSWEEP_ERROR_MEMORY ? "out of memory" : upsweep_status_name(status));
}

/* A write error ends the trace as UPSWEEP_STOPPED; who closes f says why. */
static int run(const upsweep_algorithm *a, const numbers *in, bool jsonl, FILE *f)
{
    upsweep_status status;
    if (jsonl) {
        status = upsweep_trace(a->name, in->values, in->count, NULL, trace_jsonl_sink, f);
    } else {
        trace_text text = {.f = f, .algorithm = a, .measure = true};
        status = upsweep_trace(a->name, in->values, in->count, NULL, trace_text_sink, &text);
        trace_text_free(&text);
        if (status == UPSWEEP_OK) {
            text = (trace_text){.f = f, .algorithm = a, .head_width = text.head_width};
            status = upsweep_trace(a->name, in->values, in->count, NULL, trace_text_sink, &text);
            trace_text_free(&text);
        }
        if (text.failed) {
            return app_fail("out of memory");
        }
    }
    return status == UPSWEEP_OK || status == UPSWEEP_STOPPED ? APP_OK : say_why(a, status);
}

/* Through a stream of its own into a file that appears when it is whole. */
static int run_to_file(const upsweep_algorithm *a, const numbers *in, bool jsonl, const char *name)
{
    io_output out;
    io_error error;
    if (io_output_open(&out, name, &error) != 0) {
        return app_fail("%s", error.text);
    }
    int fd = dup(out.fd), status = APP_OK;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (f == NULL) {
        status = app_fail("%s: %s", name, strerror(errno));
    } else {
        status = run(a, in, jsonl, f);
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

int verb_trace(int argc, char **argv)
{
    settings s = {.format = "text"};
    int status = app_parse(&usage_trace, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    bool jsonl = strcmp(s.format, "jsonl") == 0;
    if (!jsonl && strcmp(s.format, "text") != 0) {
        return app_fail("there is no format '%s'; there are text and jsonl", s.format);
    }
    if (s.common.operand_count == 0) {
        return app_fail("which algorithm? `upsweep list` shows all");
    }
    const upsweep_algorithm *a = app_algorithm(s.common.operands[0]);
    if (a == NULL) {
        return APP_ERROR;
    }
    numbers in = {NULL, 0, 0};
    status = read_numbers(&in, a, &s.common);
    if (status == APP_OK) {
        const char *output = s.common.output;
        status = output == NULL ? run(a, &in, jsonl, stdout) : run_to_file(a, &in, jsonl, output);
    }
    free(in.values);
    return status != APP_OK ? status : app_finish_stdout();
}
