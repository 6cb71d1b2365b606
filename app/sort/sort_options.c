/* sort_options.c - the options of `upsweep sort`: what each sets in the task. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include <stdlib.h>
#include <string.h>

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
GLOBAL(i, 'i')
GLOBAL(n, 'n')
GLOBAL(r, 'r')

static int on_key(void *settings, const char *argument)
{
    return sort_add_key(&((sort_task *)settings)->order, argument);
}

static int on_tab(void *settings, const char *argument)
{
    sort_order *order = &((sort_task *)settings)->order;
    int tab = (unsigned char)argument[0];
    if (strcmp(argument, "\\0") == 0) {
        tab = '\0';
    } else if (argument[0] == '\0' || argument[1] != '\0') {
        return app_fail("-t takes one byte, or \\0, not '%s'", argument);
    }
    if (order->tab >= 0 && order->tab != tab) {
        return app_fail("-t is given twice");
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

static int set_mode(void *settings, sort_mode mode)
{
    sort_task *task = settings;
    if (task->mode != SORT_SORT && task->mode != mode) {
        return app_fail("-c, -C and -m exclude each other");
    }
    task->mode = mode;
    return APP_OK;
}

static int on_merge(void *settings, const char *argument)
{
    (void)argument;
    return set_mode(settings, SORT_MERGE);
}

static int on_check(void *settings, const char *argument)
{
    if (argument == NULL || strcmp(argument, "diagnose-first") == 0) {
        return set_mode(settings, SORT_CHECK);
    }
    if (strcmp(argument, "quiet") == 0 || strcmp(argument, "silent") == 0) {
        return set_mode(settings, SORT_CHECK_QUIETLY);
    }
    return app_fail("--check takes diagnose-first, quiet or silent, not '%s'", argument);
}

static int on_check_quietly(void *settings, const char *argument)
{
    (void)argument;
    return set_mode(settings, SORT_CHECK_QUIETLY);
}

static int on_refused(void *settings, const char *argument)
{
    (void)settings;
    (void)argument;
    return app_fail("sorting by human-readable sizes, months, versions or at random (sort -h, -M, "
                    "-V, -R) is not supported");
}

/* Only an output that is written over needs one. */
static int on_directory(void *settings, const char *argument)
{
    (void)settings;
    return setenv("TMPDIR", argument, 1) == 0 ? APP_OK : app_fail("out of memory");
}

#define MEMBER(member) offsetof(sort_task, member)
const app_option sort_options[] = {
    {'n', "numeric-sort", NULL, "by a decimal number at the line's begin, exactly", APP_CALL, 0,
     on_n},
    {'g', "general-numeric-sort", NULL, "by a number such as 1e-9, inf or nan", APP_CALL, 0, on_g},
    {'r', "reverse", NULL, "in descending order", APP_CALL, 0, on_r},
    {'u', "unique", NULL, "of lines that compare equal, only the first", APP_FLAG,
     MEMBER(order.unique), NULL},
    {'s', "stable", NULL, "lines whose keys are equal keep their order", APP_FLAG,
     MEMBER(order.stable), NULL},
    {'k', "key", "KEY", "by FIELD[.CHARACTER][bdfginr][,FIELD[.CHARACTER][bdfginr]]", APP_CALL, 0,
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
    {0, "strict", NULL, "with -n or -g: a line that is no number is an error", APP_FLAG,
     MEMBER(strict), NULL},
    {0, "parallel", "N", "the same as --threads", APP_COUNT, MEMBER(common.threads), NULL},
    {'S', "buffer-size", "SIZE", "fail if more memory than SIZE (K, M, G) is needed", APP_BYTES,
     MEMBER(memory_limit), NULL},
    {'T', "temporary-directory", "DIR", "collect there what is written over a file; see below",
     APP_CALL, 0, on_directory},
    {'M', "month-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {'R', "random-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {'V', "version-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {0, "human-numeric-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};
