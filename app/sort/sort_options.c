/* sort_options.c - the options of `upsweep sort`: what each sets in the task. The names, letters
 * and refusals are those of GNU sort; the options that it has not come last in the table. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_record.h"
#include "app/quote.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define GLOBAL(letter, character)                                                                  \
    static int on_##letter(void *settings, const char *argument)                                   \
    {                                                                                              \
        (void)argument;                                                                            \
        sort_set_letter(&((sort_task *)settings)->order.global, character, true, true);            \
        return APP_OK;                                                                             \
    }
GLOBAL(b, 'b')
GLOBAL(d, 'd')
GLOBAL(f, 'f')
GLOBAL(g, 'g')
GLOBAL(h, 'h')
GLOBAL(i, 'i')
GLOBAL(M, 'M')
GLOBAL(n, 'n')
GLOBAL(r, 'r')
GLOBAL(R, 'R')
GLOBAL(V, 'V')

static int on_sort(void *settings, const char *argument)
{
    static const char *const words[] = {"general-numeric", "human-numeric", "month", "numeric",
                                        "random",          "version",       NULL};
    int word = app_word("--sort", argument, words);
    if (word < 0) {
        return APP_NO; /* the status of GNU sort, there and of --check */
    }
    sort_set_letter(&((sort_task *)settings)->order.global, "ghMnRV"[word], true, true);
    return APP_OK;
}

static int on_key(void *settings, const char *argument)
{
    return strchr(argument, ':') != NULL && !app_is_tool()
               ? sort_add_field(settings, argument)
               : sort_add_key(&((sort_task *)settings)->order, argument);
}

static int on_record(void *settings, const char *argument)
{
    char *end;
    errno = 0;
    unsigned long long bytes = strtoull(argument, &end, 10);
    if (*argument < '0' || *argument > '9' || *end != '\0' || errno != 0 || bytes == 0 ||
        bytes > SIZE_MAX / 4) {
        return app_fail("--record takes a number of bytes, not '%s'", argument);
    }
    ((sort_task *)settings)->record_bytes = (size_t)bytes;
    return APP_OK;
}

static int on_tab(void *settings, const char *argument)
{
    sort_order *order = &((sort_task *)settings)->order;
    int tab = (unsigned char)argument[0];
    if (argument[0] == '\0') {
        return app_fail("empty tab");
    }
    if (strcmp(argument, "\\0") == 0) {
        tab = '\0';
    } else if (argument[1] != '\0') {
        return app_fail("multi-character tab %s", app_quote_word(argument));
    }
    if (order->tab >= 0 && order->tab != tab) {
        return app_fail("incompatible tabs");
    }
    order->tab = tab;
    return APP_OK;
}

static int on_zero(void *settings, const char *argument)
{
    (void)argument;
    ((sort_task *)settings)->order.end = '\0';
    return APP_OK;
}

static int on_merge(void *settings, const char *argument)
{
    (void)argument;
    ((sort_task *)settings)->merge = true;
    return APP_OK;
}

static int set_check(void *settings, sort_mode mode)
{
    sort_task *task = settings;
    if (task->mode != SORT_SORT && task->mode != mode) {
        return app_fail("options '-cC' are incompatible");
    }
    task->mode = mode;
    return APP_OK;
}

static int on_check(void *settings, const char *argument)
{
    static const char *const words[] = {"quiet", "silent", "diagnose-first", NULL};
    int word = argument == NULL ? 2 : app_word("--check", argument, words);
    if (word < 0) {
        return APP_NO;
    }
    return set_check(settings, word == 2 ? SORT_CHECK : SORT_CHECK_QUIETLY);
}

static int on_check_quietly(void *settings, const char *argument)
{
    (void)argument;
    return set_check(settings, SORT_CHECK_QUIETLY);
}

/* The same twice is once. */
static int set_once(const char **member, const char *argument, const char *what)
{
    if (*member != NULL && strcmp(*member, argument) != 0) {
        return app_fail("multiple %s specified", what);
    }
    *member = argument;
    return APP_OK;
}

static int on_output(void *settings, const char *argument)
{
    return set_once(&((sort_task *)settings)->common.output, argument, "output files");
}

static int on_source(void *settings, const char *argument)
{
    return set_once(&((sort_task *)settings)->random_source, argument, "random sources");
}

static int on_compressor(void *settings, const char *argument)
{
    return set_once(&((sort_task *)settings)->compressor, argument, "compress programs");
}

/* A number in decimal, as strtoul reads it; *text gets where its digits begin, *behind what follows
 * them. False: it is too large. */
static bool read_size(const char **text, uint64_t *value, const char **behind)
{
    bool fits = true;
    *value = 0;
    *text += strspn(*text, " \t\n\v\f\r");
    *text += **text == '+';
    for (*behind = *text; **behind >= '0' && **behind <= '9'; (*behind)++) {
        fits = fits && !__builtin_mul_overflow(*value, (uint64_t)10, value) &&
               !__builtin_add_overflow(*value, (uint64_t)(**behind - '0'), value);
    }
    return fits;
}

/* Multiplies by 1024 as often as the letter says. */
static bool scale(uint64_t *value, unsigned times)
{
    for (; times > 0; times--) {
        if (__builtin_mul_overflow(*value, (uint64_t)1024, value)) {
            return false;
        }
    }
    return true;
}

/* As GNU sort: KiB without a letter, b for bytes, % of the memory; of several the greatest. */
static int on_size(void *settings, const char *argument)
{
    static const char letters[] = "KMGTPEZYRQ";
    sort_task *task = settings;
    const char *behind;
    uint64_t size;
    const char *digits = argument;
    bool fits = read_size(&digits, &size, &behind), any = behind > digits;
    behind = any ? behind : argument;
    char letter = *behind;
    const char *unit = letter == 'k' || letter == 'm' || letter == 'g' || letter == 't'
                           ? strchr(letters, letter & ~0x20)
                       : letter != '\0' ? strchr(letters, letter)
                                        : letters;
    size = any ? size : 1; /* "K" is 1K */
    if (!any && (unit == NULL || letter == '\0')) {
        return app_fail("invalid -S argument '%s'", argument);
    }
    if (letter != '\0' && behind[1] != '\0') {
        return app_fail("invalid suffix in -S argument '%s'", argument);
    }
    if (unit != NULL) {
        fits = fits && scale(&size, (unsigned)(unit - letters) + 1);
    } else if (letter == '%') {
        double bytes = (double)app_memory_bytes() * (double)size / 100;
        fits = fits && bytes < 0x1p64;
        size = fits ? (uint64_t)bytes : 0;
    } else if (letter != 'b') {
        return app_fail("invalid suffix in -S argument '%s'", argument);
    }
    if (!fits || size > SIZE_MAX) {
        return app_fail("-S argument '%s' too large", argument);
    }
    task->memory_limit = size > task->memory_limit ? (size_t)size : task->memory_limit;
    task->memory_limit += task->memory_limit == 0; /* 0 would be none */
    return APP_OK;
}

static int on_directory(void *settings, const char *argument)
{
    sort_task *task = settings;
    const char **all =
        realloc(task->temporary, (task->temporary_count + 1) * sizeof *task->temporary);
    if (all == NULL) {
        return app_fail("out of memory");
    }
    task->temporary = all;
    all[task->temporary_count++] = argument;
    /* What is written over a file is collected there (io/output.h). */
    return setenv("TMPDIR", all[0], 1) == 0 ? APP_OK : app_fail("out of memory");
}

static int bad_count(const char *option, const char *argument, bool number)
{
    return app_fail("invalid %s%s argument '%s'", number ? "suffix in " : "", option, argument);
}

static int on_batch(void *settings, const char *argument)
{
    struct rlimit limit;
    uint64_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur - 3 : 1021, size;
    const char *behind, *digits = argument;
    bool fits = read_size(&digits, &size, &behind);
    if (behind == digits || *behind != '\0') {
        return bad_count("--batch-size", argument, behind > digits);
    }
    if (fits && size < 2) {
        return app_fail("invalid --batch-size argument %s: minimum --batch-size argument is %s",
                        app_quote_word(argument), app_quote_word("2"));
    }
    if (!fits || size > most) {
        return app_fail("--batch-size argument %s too large: maximum --batch-size argument with "
                        "current rlimit is %llu",
                        app_quote_word(argument), (unsigned long long)most);
    }
    ((sort_task *)settings)->batch = (size_t)size;
    return APP_OK;
}

static int on_parallel(void *settings, const char *argument)
{
    uint64_t count;
    const char *behind, *digits = argument;
    bool fits = read_size(&digits, &count, &behind);
    if (behind == digits || *behind != '\0') {
        return bad_count("--parallel", argument, behind > digits);
    }
    if (fits && count == 0) {
        return app_fail("number in parallel must be nonzero");
    }
    ((sort_task *)settings)->common.threads = fits ? (size_t)count : SIZE_MAX;
    return APP_OK;
}

static int on_locale(void *settings, const char *argument)
{
    ((sort_task *)settings)->locale = argument != NULL ? argument : "";
    return APP_OK;
}

#define MEMBER(member) offsetof(sort_task, member)
const app_option sort_options[] = {
    {'n', "numeric-sort", NULL, "by a decimal number at the line's begin, exactly", APP_CALL, 0,
     on_n},
    {'g', "general-numeric-sort", NULL, "by a number such as 1e-9, inf or nan", APP_CALL, 0, on_g},
    {'h', "human-numeric-sort", NULL, "by a number with a unit, such as 2K or 1.5G", APP_CALL, 0,
     on_h},
    {'M', "month-sort", NULL, "by the name of a month: what is none, then JAN to DEC", APP_CALL, 0,
     on_M},
    {'V', "version-sort", NULL, "by text with numbers in it: file-9.c before file-10.c", APP_CALL,
     0, on_V},
    {'R', "random-sort", NULL, "in random order, equal keys together", APP_CALL, 0, on_R},
    {0, "random-source", "FILE", "take the random bytes from FILE", APP_CALL, 0, on_source},
    {0, "sort", "WORD",
     "as -g -h -M -n -R -V: general-numeric, human-numeric, month, numeric, random or version",
     APP_CALL, 0, on_sort},
    {'r', "reverse", NULL, "in descending order", APP_CALL, 0, on_r},
    {'u', "unique", NULL, "of lines that compare equal, only the first", APP_FLAG,
     MEMBER(order.unique), NULL},
    {'s', "stable", NULL, "lines whose keys are equal keep their order", APP_FLAG,
     MEMBER(order.stable), NULL},
    {'k', "key", "KEY", "by FIELD[.CHARACTER][LETTERS][,FIELD[.CHARACTER][LETTERS]]", APP_CALL, 0,
     on_key},
    {'t', "field-separator", "BYTE", "fields end at BYTE instead of before blanks", APP_CALL, 0,
     on_tab},
    {'b', "ignore-leading-blanks", NULL, "without blanks at a key's begin", APP_CALL, 0, on_b},
    {'f', "ignore-case", NULL, "lower case counts as upper case", APP_CALL, 0, on_f},
    {'d', "dictionary-order", NULL, "only blanks, letters and digits count", APP_CALL, 0, on_d},
    {'i', "ignore-nonprinting", NULL, "only printable bytes count", APP_CALL, 0, on_i},
    {'c', "check", "[=HOW]", "is it sorted? tells the first line that is not", APP_CALL, 0,
     on_check},
    {'C', NULL, NULL, "is it sorted? tells by the exit status only", APP_CALL, 0, on_check_quietly},
    {'m', "merge", NULL, "merge files that are sorted already", APP_CALL, 0, on_merge},
    {'z', "zero-terminated", NULL, "lines end with NUL, not with a newline", APP_CALL, 0, on_zero},
    {'o', "output", "FILE", "write to FILE, which appears whole or not at all", APP_CALL, 0,
     on_output},
    {0, "files0-from", "FILE", "read the files whose names, each ended by NUL, FILE holds",
     APP_TEXT, MEMBER(files_from), NULL},
    {0, "debug", NULL, "underline the keys, and warn of what looks like a mistake", APP_FLAG,
     MEMBER(debug), NULL},
    {'S', "buffer-size", "SIZE", "take at most SIZE memory: K if bare, b, K, M, G, ... or %",
     APP_CALL, 0, on_size},
    {'T', "temporary-directory", "DIR", "for temporary files; may be given several times", APP_CALL,
     0, on_directory},
    {0, "batch-size", "N", "merge at most N files at once", APP_CALL, 0, on_batch},
    {0, "compress-program", "PROGRAM", "taken for the sake of scripts; temporary files need none",
     APP_CALL, 0, on_compressor},
    {'y', NULL, "N", NULL, APP_DIGITS, 0, NULL}, /* of Solaris; GNU takes it and does nothing */
    {0, "parallel", "N", "use at most N threads", APP_CALL, 0, on_parallel},
    {0, APP_OWN_FROM, NULL, "with -n or -g: a line that is no number is an error", APP_FLAG,
     MEMBER(strict), NULL},
    {0, "record", "BYTES", "records of so many bytes each; --key A:B are bytes A to B - 1 of them",
     APP_CALL, 0, on_record},
    {0, "compress-output", "none|gzip|zstd",
     "compress what is written, else by its name: FILE.gz, FILE.zst; a level behind it: zstd:9",
     APP_TEXT, MEMBER(packed), NULL},
    {0, "locale", "[=NAME]", "in the order of a locale, that of LC_ALL, LC_COLLATE or LANG",
     APP_CALL, 0, on_locale},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_option *sort_tool_options(void)
{
    static app_option gnu[sizeof sort_options / sizeof *sort_options];
    size_t n = 0;
    for (; strcmp(sort_options[n].name != NULL ? sort_options[n].name : "", APP_OWN_FROM) != 0;
         n++) {
        gnu[n] = sort_options[n];
    }
    gnu[n] = (app_option){0};
    return gnu;
}
