/* verb_tune.c - `upsweep tune`: from which size on is each way to sort the fastest on this machine?
 *
 * For each number of upsweep_tuning, random keys of growing size are sorted with it at 0 (always)
 * and at SIZE_MAX (never), turn by turn. The number becomes the least size from which "always" won
 * at every larger size as well, by more than the noise. What is found goes to a file that handles
 * read when they are opened. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "io/output.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct settings {
    app_common common;
    bool show;
} settings;

static const app_option options[] = {
    {0, "show", NULL, "measure nothing; print the numbers that are used now", APP_FLAG,
     offsetof(settings, show), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_tune = {
    "",
    "Measures, in about ten seconds, from which size of array on each way to sort is the fastest\n"
    "on this machine, and writes the numbers to a file that later runs of the program, and of all\n"
    "programs with the library, honour: $UPSWEEP_TUNING, else $XDG_CONFIG_HOME/upsweep/tuning,\n"
    "else ~/.config/upsweep/tuning. Let the machine be otherwise idle. To go back to the defaults\n"
    "remove the file. The numbers change how long a sort takes, never what it gives.\n"
    "--output names another file, - standard output.",
    APP_DEVICE | APP_OUTPUT | APP_JSON, options, "upsweep tune\nupsweep tune --show --json"};

enum { ROUNDS = 7, NAMES = 5 };

static const char *const names[NAMES] = {"thread_bytes", "scatter_bytes_32", "scatter_bytes_64",
                                         "digit_keys_32", "digit_keys_64"};

static size_t *number_at(upsweep_tuning *t, size_t i)
{
    return i == 0 ? &t->thread_bytes : i < 3 ? &t->scatter_bytes[i - 1] : &t->digit_keys[i - 3];
}

/* ---- measuring ---- */

typedef struct bench {
    upsweep *u;
    unsigned char *input, *work;
    size_t room;
} bench;

static void fill_random(uint64_t *words, size_t n) /* splitmix64, Steele, Lea and Flood 2014 */
{
    for (size_t i = 0; i < n; i++) {
        uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        words[i] = z ^ z >> 31;
    }
}

/* Seconds for `bytes` of keys under t; short arrays are sorted several at a time. */
static int time_sort(const bench *b, const upsweep_tuning *t, upsweep_type type, size_t bytes,
                     double *seconds)
{
    size_t batch = bytes < (1 << 20) ? (1 << 20) / bytes : 1;
    memcpy(b->work, b->input, batch * bytes);
    if (upsweep_set_tuning(b->u, t) != UPSWEEP_OK) {
        return app_fail_call(b->u);
    }
    double begin = app_seconds();
    for (size_t i = 0; i < batch; i++) {
        if (upsweep_sort(b->u, b->work + i * bytes, bytes / upsweep_type_bytes(type), type, NULL) !=
            UPSWEEP_OK) {
            return app_fail_call(b->u);
        }
    }
    *seconds = (app_seconds() - begin) / (double)batch;
    return APP_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of turns with number i of t at 0 and at SIZE_MAX. */
static int compare(const bench *b, const upsweep_tuning *t, size_t i, upsweep_type type,
                   size_t bytes, double median[2])
{
    double seconds[2][ROUNDS];
    upsweep_tuning side[2] = {*t, *t};
    *number_at(&side[0], i) = 0;
    *number_at(&side[1], i) = SIZE_MAX;
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        for (int s = 0; s < 2; s++) {
            double *at = &seconds[s][round < 0 ? 0 : round];
            if (time_sort(b, &side[s], type, bytes, at) != APP_OK) {
                return APP_ERROR;
            }
        }
    }
    for (int s = 0; s < 2; s++) {
        qsort(seconds[s], ROUNDS, sizeof seconds[s][0], ascending);
        median[s] = seconds[s][ROUNDS / 2];
    }
    return APP_OK;
}

/* Sets number i of t to the size from which it pays. */
static int find_number(const bench *b, upsweep_tuning *t, size_t i, bool tell)
{
    upsweep_type type = i == 2 || i == 4 ? UPSWEEP_U64 : UPSWEEP_U32;
    size_t from = SIZE_MAX, unit = i >= 3 ? upsweep_type_bytes(type) : 1;
    for (size_t bytes = 1 << 15; bytes <= b->room; bytes *= 4) {
        double median[2];
        if (compare(b, t, i, type, bytes, median) != APP_OK) {
            return APP_ERROR;
        }
        bool pays = median[0] < 0.97 * median[1];
        from = pays && from == SIZE_MAX ? bytes : pays ? from : SIZE_MAX;
        if (tell) {
            size_t keys = bytes / upsweep_type_bytes(type);
            fprintf(stderr, "%-16s %9zu KB: with it %6.2f ns a key, without %6.2f\n", names[i],
                    bytes / 1024, 1e9 * median[0] / (double)keys, 1e9 * median[1] / (double)keys);
        }
    }
    *number_at(t, i) = from == SIZE_MAX ? SIZE_MAX : from / unit;
    return APP_OK;
}

static int measure(upsweep *u, upsweep_tuning *t)
{
    bench b = {.u = u, .room = (size_t)32 << 20};
    b.input = malloc(b.room);
    b.work = malloc(b.room);
    int status = APP_OK;
    if (b.input == NULL || b.work == NULL) {
        status = app_fail("no memory to measure with");
    } else {
        fill_random((uint64_t *)(void *)b.input, b.room / 8);
        memset(b.work, 0, b.room);
        for (size_t i = 0; i < NAMES; i++) { /* as if there were nothing but partition */
            *number_at(t, i) = SIZE_MAX;
        }
        for (size_t i = 0; i < NAMES && status == APP_OK; i++) {
            status = find_number(&b, t, i, true);
        }
    }
    free(b.input);
    free(b.work);
    return status;
}

/* ---- telling ---- */

static size_t print_numbers(char *text, size_t room, upsweep_tuning *t, const char *isa, bool json)
{
    size_t at = 0;
    at += (size_t)snprintf(text, room,
                           json ? "{\"isa\": \"%s\"" : "# written by upsweep tune\nisa %s\n", isa);
    for (size_t i = 0; i < NAMES; i++) {
        char number[32];
        size_t value = *number_at(t, i);
        snprintf(number, sizeof number, "%zu", value);
        at += (size_t)snprintf(text + at, room - at, json ? ", \"%s\": %s" : "%s %s\n", names[i],
                               value != SIZE_MAX ? number
                               : json            ? "null"
                                                 : "never");
    }
    return at;
}

static int show(upsweep *u, bool json)
{
    upsweep_tuning t = UPSWEEP_TUNING_INIT;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    char path[PATH_MAX], text[512];
    size_t length = upsweep_tuning_path(path, sizeof path);
    if (upsweep_get_tuning(u, &t) != UPSWEEP_OK) {
        return app_fail_call(u);
    }
    upsweep_last_report(u, &report);
    print_numbers(text, sizeof text, &t, report.isa, json);
    if (json) {
        printf("%s, \"measured\": %s, \"file\": ", text, t.measured ? "true" : "false");
        app_print_json_text(stdout, length < sizeof path ? path : "");
        puts("}");
    } else {
        printf("# %s %s\n%s", t.measured ? "from" : "defaults; no such measurement in",
               length > 0 && length < sizeof path ? path : "any file", strchr(text, '\n') + 1);
    }
    return app_finish_stdout();
}

/* Makes the directories that lead to path. */
static int make_way(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0777);
        int error = errno;
        if (made != 0 && error != EEXIST) {
            return app_fail("cannot make the directory %s: %s", path, strerror(error));
        }
        *slash = '/';
    }
    return APP_OK;
}

static int tune(const settings *s)
{
    char path[PATH_MAX], text[512];
    const char *name = s->common.output;
    io_output out;
    io_error error;
    upsweep *u;
    upsweep_tuning t = {.size = sizeof t};
    upsweep_report report = UPSWEEP_REPORT_INIT;
    if (name == NULL) {
        size_t length = upsweep_tuning_path(path, sizeof path);
        if (length == 0 || length >= sizeof path) {
            return app_fail("there is no place for the file: set HOME or UPSWEEP_TUNING, or say "
                            "--output FILE");
        }
        if (make_way(path) != APP_OK) {
            return APP_ERROR;
        }
        name = path;
    }
    if (io_output_open(&out, name, &error) != 0) {
        return app_fail("%s", error.text);
    }
    int status = app_open(&s->common, &u);
    if (status == APP_OK) {
        status = measure(u, &t);
        upsweep_last_report(u, &report);
        size_t length = print_numbers(text, sizeof text, &t, report.isa, false);
        if (status == APP_OK && io_output_write(&out, text, length, &error) != 0) {
            status = app_fail("%s", error.text);
        }
    }
    upsweep_close(u);
    if (status != APP_OK) {
        io_output_discard(&out);
        return status;
    }
    if (io_output_commit(&out, &error) != 0) {
        return app_fail("%s", error.text);
    }
    if (strcmp(name, "-") != 0) {
        printf("%swritten to %s\n", text, name);
    }
    return app_finish_stdout();
}

int verb_tune(int argc, char **argv)
{
    settings s = {.common = {.device = "cpu"}};
    int status = app_parse(&usage_tune, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (s.common.operand_count > 0) {
        return app_fail("takes no operand, not '%s'", s.common.operands[0]);
    }
    if (!s.show && s.common.json) {
        return app_fail("--json goes with --show");
    }
    if (!s.show) {
        return tune(&s);
    }
    upsweep *u;
    status = app_open(&s.common, &u);
    if (status == APP_OK) {
        status = show(u, s.common.json);
    }
    upsweep_close(u);
    return status;
}
