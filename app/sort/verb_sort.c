/* verb_sort.c - `upsweep sort`: its help, and which of the two sorts is meant, that of lines
 * (sort_text.c) or that of arrays (sort_array.c). */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"
#include "app/sort/sort_text.h"

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
    "Takes memory for the input and about 64 bytes a line.\n"
    "\n"
    "What a FILE is, its first bytes say, on standard input too. .npy files, and with --type raw\n"
    "elements, are sorted as arrays of numbers, each row of the last axis by itself, and written "
    "in\n"
    "the same format, type and shape; of the options above -r, -u, -c and -C then apply. Several\n"
    "arrays of one axis are sorted together; arrays and lines are not. Files compressed by gzip "
    "or\n"
    "zstd are unpacked, and the output is not compressed. Other archives are refused. --from text\n"
    "takes all bytes as lines, whatever they look like.",
    APP_OUTPUT | APP_TYPED | APP_FROM | APP_MACHINERY, sort_options,
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
    return status;
}
