/* verb_trace.c - `upsweep trace NAME NUMBER...`: runs an explained form and prints every step. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"
#include "app/page/page.h"
#include "app/trace/trace_input.h"
#include "app/trace/trace_print.h"
#include "app/watch/watch.h"

#include <string.h>

typedef struct settings {
    app_common common;
    const char *format;
    size_t limit; /* steps */
    bool every;   /* text: a row for each round */
    bool watch;   /* on the terminal */
    bool plain;   /* as pictures, one below the other */
    double speed; /* pictures a second; 0: not given */
} settings;

static int take_watch(void *target, const char *word)
{
    settings *s = target;
    s->watch = word == NULL;
    s->plain = word != NULL && strcmp(word, "plain") == 0;
    return s->watch || s->plain ? APP_OK
                                : app_fail("--watch takes nothing or plain, not '%s'", word);
}

static int take_speed(void *target, const char *text)
{
    settings *s = target;
    int status = app_parse_number("--speed", text, &s->speed);
    if (status == APP_OK && !(s->speed >= 0.1 && s->speed <= 10000)) {
        return app_fail("--speed is from 0.1 to 10000 rounds a second, not %s", text);
    }
    return status;
}

static int take_limit(void *target, const char *text)
{
    settings *s = target;
    if (strcmp(text, "0") == 0) {
        s->limit = SIZE_MAX;
        return APP_OK;
    }
    return app_parse_elements(text, &s->limit);
}

/* Rows of n elements for each round, and the work, by the formulas; 0 where they know nothing. */
static double steps(const upsweep_algorithm *a, size_t n)
{
    return (double)upsweep_rounds(a, n) * (double)n + (double)upsweep_work(a, n);
}

/* Nobody reads a trace that takes minutes to print, and it is easily asked for. */
static int check_length(const upsweep_algorithm *a, size_t n, size_t limit)
{
    size_t low = 1, high = n;
    if (limit == SIZE_MAX || steps(a, n) <= (double)limit) {
        return APP_OK;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(steps(a, middle) <= (double)limit ? &low : &high) = middle;
    }
    return app_fail(
        "%s of %zu numbers makes a trace of %.3g steps; %zu numbers are the most within "
        "--limit %zu (0: no limit)",
        a->name, n, steps(a, n), low, limit);
}

static const app_option options[] = {
    {0, "as", "text|jsonl|html",
     "rows for people (if not given), a JSON object for each step, or a page that plays it",
     APP_TEXT, offsetof(settings, format), NULL},
    {0, "format", "FORMAT", NULL, APP_TEXT, offsetof(settings, format), NULL},
    {0, "every", NULL, "in the text, a row for each round, with all arrays that it wrote", APP_FLAG,
     offsetof(settings, every), NULL},
    {0, "watch", "[=plain]", "play the rounds on the terminal; plain prints them as pictures",
     APP_CALL, 0, take_watch},
    {0, "limit", "STEPS", "refuse a trace of more steps than this; 2^28 if not given, 0: none is",
     APP_CALL, 0, take_limit},
    {0, "speed", "ROUNDS", "with --watch, rounds a second; else it fits their number", APP_CALL, 0,
     take_speed},
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
    "Rounds that work on inner arrays have no row, and a line says how many; with --every all "
    "have\n"
    "one. Below the rows stand the rounds and the steps counted in the trace, beside the formulas "
    "that\n"
    "the algorithm states for them. docs/trace.md describes the formats.\n"
    "\n"
    "With --watch every round is a picture: a bar for each element, those that the lanes of the\n"
    "round compare or read in blue, those that they write in orange, and lines that join the\n"
    "pairs. Keys: space pauses and goes on, right and left step forward and back, + and - change\n"
    "the speed, Home and End go to the start and the end, q quits.",
    APP_OUTPUT, options,
    "upsweep trace sort/oddeven 3 7 11 10 4 20 2 8 12 1\n"
    "seq 20 -1 1 | upsweep trace sort/hybrid --as jsonl -\n"
    "seq 32 | shuf | upsweep trace sort/bitonic --watch -"};

static upsweep_status run_text(trace_text *text, const app_trace_input *in, bool every)
{
    const char *name = text->algorithm->name;
    trace_every t = {.text = text};
    upsweep_sink sink = every ? trace_every_sink : trace_text_sink;
    void *context = every ? (void *)&t : (void *)text;
    upsweep_status status = upsweep_trace(name, in->values, in->count, NULL, sink, context);
    watch_free(&t.state);
    trace_text_free(text);
    return status;
}

/* A write error ends the trace as UPSWEEP_STOPPED; who closes f says why. */
static int run(const upsweep_algorithm *a, const app_trace_input *in, const settings *s, FILE *f)
{
    upsweep_status status;
    if (s->plain) {
        return watch_print(a, in->values, in->count, f);
    }
    if (strcmp(s->format, "html") == 0) {
        return page_write(f, a, NULL, in->values, in->count);
    }
    if (strcmp(s->format, "jsonl") == 0) {
        status = upsweep_trace(a->name, in->values, in->count, NULL, trace_jsonl_sink, f);
    } else {
        trace_text text = {.f = f, .algorithm = a, .measure = true};
        status = run_text(&text, in, s->every);
        if (status == UPSWEEP_OK) {
            text = (trace_text){.f = f, .algorithm = a, .head_width = text.head_width};
            status = run_text(&text, in, s->every);
        }
        if (text.failed) {
            return app_fail("out of memory");
        }
    }
    return status == UPSWEEP_OK || status == UPSWEEP_STOPPED ? APP_OK : app_trace_fail(a, status);
}

typedef struct job {
    const upsweep_algorithm *algorithm;
    const app_trace_input *in;
    const settings *s;
} job;

static int write_job(void *context, FILE *f)
{
    const job *j = context;
    return run(j->algorithm, j->in, j->s, f);
}

int verb_trace(int argc, char **argv)
{
    settings s = {.format = "text", .limit = (size_t)1 << 28};
    int status = app_parse(&usage_trace, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (strcmp(s.format, "jsonl") != 0 && strcmp(s.format, "text") != 0 &&
        strcmp(s.format, "html") != 0) {
        return app_fail("there is no format '%s'; there are text, jsonl and html", s.format);
    }
    if (s.watch && s.common.output != NULL) {
        return app_fail("--watch plays on the terminal and writes no file; --watch=plain does");
    }
    if (s.speed > 0 && !s.watch) {
        return app_fail("--speed is of use with --watch only");
    }
    if (s.common.operand_count == 0) {
        return app_fail("which algorithm? `upsweep list` shows all");
    }
    const upsweep_algorithm *a = app_algorithm(s.common.operands[0]);
    if (a == NULL) {
        return APP_ERROR;
    }
    app_trace_input in = {0};
    status = app_trace_input_read(&in, a, s.common.operands + 1, s.common.operand_count - 1);
    status = status == APP_OK ? check_length(a, in.count, s.limit) : status;
    if (status == APP_OK && s.watch) {
        status = watch_play(a, in.values, in.count, s.speed);
    } else if (status == APP_OK) {
        status = app_stream_write(s.common.output, write_job, &(job){a, &in, &s});
    }
    app_trace_input_free(&in);
    return status != APP_OK ? status : app_finish_stdout();
}
