/* verb_sort.c - `upsweep sort`: the options of sort(1), and which of the two sorts is meant, that
 * of lines (sort_text.c) or that of arrays (sort_array.c). */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"
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

#define MEMBER(member) offsetof(sort_task, member)
static const app_option options[] = {
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
    {'S', "buffer-size", "SIZE", "take at most SIZE of memory (K, M, G), 16M or more", APP_BYTES,
     MEMBER(memory_limit), NULL},
    {'T', "temporary-directory", "DIR", "for temporary files; may be given several times", APP_CALL,
     0, on_directory},
    {'M', "month-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {'R', "random-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {'V', "version-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {0, "human-numeric-sort", NULL, "not supported", APP_CALL, 0, on_refused},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_sort = {
    "[FILE]...",
    "Sorts the lines of all FILEs together, or of standard input where there is none or FILE is\n"
    "\"-\". The order is that of bytes, and the output is that of `LC_ALL=C sort` with the same\n"
    "options, byte for byte. The last line gets a newline if it has none.\n"
    "\n"
    "The output file, which may be one of the inputs, is written beside its name and takes it "
    "when\n"
    "it is complete and on the disk: it appears whole or not at all, whatever happens. A file "
    "with\n"
    "several names (hard links), of another owner, or in a directory that may not be written, "
    "stays\n"
    "the file that it is and is written over once all bytes are ready, in -T, $TMPDIR or /tmp, "
    "and\n"
    "there is room for them; only if the machine stops at that moment has it a part of them.\n"
    "\n"
    "-n reads blanks, a minus sign and digits with at most one point; numbers may be of any "
    "length\n"
    "and are compared exactly; a line without a number counts as 0. -g reads what strtold reads;\n"
    "lines without a number come first, then NaN, then the numbers. Lines whose keys are equal "
    "are\n"
    "ordered by all their bytes, unless -s or -u is given.\n"
    "\n"
    "A key is a part of the line: from a character of a field to a character of a field, both\n"
    "counted from 1, else to the line's end. It takes the options b d f g i n r that stand behind\n"
    "it, and without any those given outside of -k. With several keys, each counts where all\n"
    "before it are equal.\n"
    "\n"
    "Takes memory for the input and about 64 bytes a line, up to -S, or else 70% of what is free\n"
    "for the process and its control group. Text that needs more is sorted in pieces, which go to\n"
    "temporary files without names in -T, $TMPDIR or /tmp and are merged; these need as much room\n"
    "as the input. Then a line may have a tenth of -S. Arrays are sorted in memory.\n"
    "\n"
    "What a FILE is, its first bytes say, on standard input too. .npy files, and with --type raw\n"
    "elements, are sorted as arrays of numbers, each row of the last axis by itself, and written "
    "in\n"
    "the same format, type and shape; of the options above -r, -u, -c and -C then apply. Several\n"
    "arrays of one axis are sorted together; arrays and lines are not. Files compressed by gzip "
    "or\n"
    "zstd are unpacked, and the output is not compressed. Other archives are refused. --from text\n"
    "takes all bytes as lines, whatever they look like.",
    APP_OUTPUT | APP_TYPED | APP_FROM | APP_MACHINERY, options,
    "upsweep sort -n -o sizes.txt sizes.txt\n"
    "upsweep sort -t, -k3,3g -k1,1 table.csv\n"
    "upsweep sort --type f64 -o sorted.bin values.bin"};

static bool is_check(const sort_task *task)
{
    return task->mode == SORT_CHECK || task->mode == SORT_CHECK_QUIETLY;
}

/* What can be told before anything is read. */
static int check_options(sort_task *task)
{
    const app_common *common = &task->common;
    if (app_input_format(common, &task->from) != APP_OK) {
        return APP_ERROR;
    }
    if (task->from == IO_TEXT && common->type != 0) {
        return app_fail("--type is for arrays, and --from text for lines");
    }
    if (is_check(task) && common->operand_count > 1) {
        return app_fail("-c and -C check one file, and '%s' is a second one", common->operands[1]);
    }
    if (is_check(task) && common->output != NULL) {
        return app_fail("-c and -C write nothing, so that -o makes no sense");
    }
    task->keyed = task->order.count > 0;
    bool array = common->type != 0 || task->from == IO_NPY;
    return array ? sort_check_array_options(task) : sort_settle(&task->order);
}

int sort_check_array_options(const sort_task *task)
{
    return task->keyed || task->mode == SORT_MERGE || task->order.end == '\0'
               ? app_fail("-k, -m and -z are for lines, not for arrays")
               : APP_OK;
}

int verb_sort(int argc, char **argv)
{
    sort_task task = {.order = {.tab = -1, .end = '\n'}};
    int status = app_parse(&usage_sort, argc, argv, &task.common);
    if (status < 0) {
        status = check_options(&task);
        status = status == APP_OK ? sort_run(&task) : status;
    }
    sort_order_free(&task.order);
    free(task.temporary);
    return status;
}
