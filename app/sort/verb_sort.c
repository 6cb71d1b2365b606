/* verb_sort.c - `upsweep sort`: its help, and which of the two sorts is meant, that of lines
 * (sort_text.c) or that of arrays (sort_array.c). */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"
#include "app/sort/sort_kinds.h"
#include "app/sort/sort_record.h"
#include "app/sort/sort_text.h"
#include "app/quote.h"

#include <stdlib.h>
#include <string.h>

/* Whether keys are written in the old form even without an end: as GNU sort has it, where the
 * environment asks for no standard from 2001 to 2007. */
static bool takes_old_keys(void)
{
    const char *version = getenv("_POSIX2_VERSION");
    long year = version != NULL ? strtol(version, NULL, 10) : 200809;
    return year < 200112 || year >= 200809;
}

/* +POS and +POS -POS, the keys of old. */
static int take_old_key(void *settings, char *const *words, int left)
{
    if (words[0][0] != '+') {
        return 0;
    }
    bool end = left > 1 && words[1][0] == '-' && words[1][1] >= '0' && words[1][1] <= '9';
    if (!takes_old_keys() && (!end || getenv("POSIXLY_CORRECT") != NULL)) {
        return 0;
    }
    sort_task *task = settings;
    int status = sort_add_old_key(&task->order, words[0], end ? words[1] : NULL);
    return status < 0 ? 0 : status != APP_OK ? -1 : 1 + end;
}

static const char about[] =
    "Sorts the lines of all FILEs together, or of standard input where there is none or FILE is\n"
    "\"-\". The order is that of bytes, and the output is that of `LC_ALL=C sort` with the same\n"
    "options, byte for byte; with --locale it is that of `sort` in that locale. The last line "
    "gets\n"
    "a newline if it has none. Called by the name sort, as through a link, the program takes the\n"
    "options of sort(1) only, and its order from the environment.\n"
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
    "lines without a number come first, then NaN, then the numbers. -h reads a number as -n does\n"
    "and a letter behind it, none < k or K < M < G < T < P < E < Z < Y < R < Q, and looks at the\n"
    "letter first. -M knows JAN to DEC in either case. -V takes digits in names as numbers and is\n"
    "the order of Debian's versions, but for endings such as .tar.gz, which count last. -R hashes\n"
    "the keys with random bytes; with --random-source it is the same order every time. Lines "
    "whose\n"
    "keys are equal are ordered by all their bytes, unless -s or -u is given.\n"
    "\n"
    "What sort(1) refuses is refused in its words, with status 2, but a WORD of --sort or a HOW "
    "of\n"
    "--check that is none with status 1. A number of --parallel is never too large.\n"
    "\n"
    "A key is a part of the line: from a character of a field to a character of a field, both\n"
    "counted from 1, else to the line's end. It takes the letters b d f g h i M n R r V that "
    "stand\n"
    "behind it, and without any those given outside of -k. With several keys, each counts where "
    "all\n"
    "before it are equal. The old form +POS -POS, counted from 0, is understood.\n"
    "\n"
    "-m takes files that are in order; others come out as from sort(1). What is more than fits\n"
    "into memory is merged as it is read.\n"
    "\n"
    "Takes memory for the input and about 64 bytes a line, fewer for whole lines by their bytes\n"
    "and numbers alone on their lines, up to -S, 16M or more, or else 70% of\n"
    "what is free for the process and its control group. What needs more, lines, records or an\n"
    "array, is sorted in pieces, which go to temporary files without names in -T, $TMPDIR or /tmp\n"
    "and are merged; these need as much room as the input, which is looked for before the start.\n"
    "Then a line may have a tenth of -S, below 64M a thirtieth, and a record a fortieth. Rows\n"
    "of an array are sorted in memory, as many at once as fit, and a row that does not fit like\n"
    "an array of its own.\n"
    "\n"
    "What a FILE is, its first bytes say, on standard input too. .npy files, and with --type raw\n"
    "elements, are sorted as arrays of numbers, each row of the last axis by itself, and written "
    "in\n"
    "the same format, type and shape; of the options above -r, -u, -c and -C then apply. Several\n"
    "arrays of one axis are sorted together; arrays and lines are not. With --record, files are\n"
    "records of that many bytes, and --key A:B sorts them by bytes A to B - 1, counted from 0,\n"
    "--key A:TYPE by the number at byte A; r behind it is for descending order, several keys "
    "count\n"
    "one after the other, and records with equal keys keep their order. Files compressed by gzip "
    "or\n"
    "zstd are unpacked. The output is compressed where -o ends with .gz or .zst, or where\n"
    "--compress-output says so; none writes it as it is. Other archives are refused. --from text\n"
    "takes all bytes as lines, whatever they look like, and --from raw as elements or records.";

static const char examples[] = "upsweep sort -n -o sizes.txt sizes.txt\n"
                               "du -h | upsweep sort -h\n"
                               "upsweep sort -t, -k3,3g -k1,1 table.csv\n"
                               "upsweep sort --locale=de_DE.UTF-8 names.txt\n"
                               "upsweep sort --type f64 -o sorted.bin values.bin\n"
                               "upsweep sort --record 100 --key 0:10 -o sorted.dat records.dat\n"
                               "upsweep sort -S 2G -T /scratch -o sorted.txt.zst log.txt.gz";

const app_usage usage_sort = {"[FILE]...", about,
                              APP_TOOL | APP_TYPED | APP_FROM | APP_MACHINERY | APP_JSON,
                              sort_options, examples};

static bool is_check(const sort_task *task)
{
    return task->mode == SORT_CHECK || task->mode == SORT_CHECK_QUIETLY;
}

/* As GNU sort is called, all bytes are lines, and the environment says in which order. */
static void become_tool(sort_task *task)
{
    task->from = task->common.type == 0 ? IO_TEXT : task->from;
    task->locale = "";
    if (task->common.output != NULL && strcmp(task->common.output, "-") == 0) {
        task->common.output = "./-";
    }
}

static int settle_locale(sort_task *task)
{
    if (task->locale == NULL) {
        return APP_OK;
    }
    sort_locale_open(&task->locale_tables, task->locale);
    task->order.locale = &task->locale_tables;
    if (task->locale_tables.loaded) {
        io_general_locale(task->locale_tables.handle);
    }
    if (task->locale_tables.missing && *task->locale != '\0') {
        return app_fail("there is no locale '%s' on this machine; `locale -a` lists those there "
                        "are",
                        task->locale);
    }
    return APP_OK;
}

/* What goes with what, as GNU sort has it. */
static int check_modes(const sort_task *task)
{
    const app_common *common = &task->common;
    char letter = task->mode == SORT_CHECK ? 'c' : 'C';
    if (task->debug && (is_check(task) || common->output != NULL)) {
        return app_fail("options '-%c --debug' are incompatible", is_check(task) ? letter : 'o');
    }
    if (is_check(task) && common->operand_count > 1) {
        return app_fail("extra operand %s not allowed with -%c",
                        app_quote_always(common->operands[1]), letter);
    }
    if (is_check(task) && common->output != NULL) {
        return app_fail("options '-%co' are incompatible", letter);
    }
    return APP_OK;
}

static bool is_random(const sort_order *order)
{
    bool random = false;
    for (size_t k = 0; k < order->count; k++) {
        random |= order->keys[k].kind == SORT_RANDOM;
    }
    return random;
}

/* What can be told before anything is read. */
static int check_options(sort_task *task)
{
    const app_common *common = &task->common;
    bool bytes = task->record_bytes != 0 && common->from != NULL &&
                 strcmp(common->from, "raw") == 0; /* records are, without a type */
    task->from = bytes ? IO_RAW : task->from;
    if (!bytes && app_input_format(common, &task->from) != APP_OK) {
        return APP_ERROR;
    }
    if (app_is_tool()) {
        become_tool(task);
    }
    if (task->from == IO_TEXT && common->type != 0) {
        return app_fail("--type is for arrays, and --from text for lines");
    }
    task->common.stats |= common->json;
    if (sort_check_json(task) != APP_OK || sort_take_names(task) != APP_OK ||
        settle_locale(task) != APP_OK || sort_settle_packing(task) != APP_OK) {
        return APP_ERROR;
    }
    task->keyed = task->order.count > 0;
    if (sort_check_records(task) != APP_OK) {
        return APP_ERROR;
    }
    if (task->record_bytes != 0) {
        return check_modes(task) == APP_OK ? sort_check_names(task) : APP_ERROR;
    }
    if (common->type != 0 || task->from == IO_NPY) {
        return sort_check_array_options(task) == APP_OK ? check_modes(task) : APP_ERROR;
    }
    bool alone = task->order.count == 0;
    if (sort_settle(&task->order) != APP_OK || check_modes(task) != APP_OK) {
        return APP_ERROR;
    }
    if (task->debug) {
        sort_debug_warnings(task, alone);
    }
    if (is_random(&task->order) && sort_random_begin(&task->order, task->random_source) != APP_OK) {
        return APP_ERROR;
    }
    return sort_check_names(task);
}

int sort_check_array_options(const sort_task *task)
{
    const sort_key *global = &task->order.global;
    if (task->keyed || task->merge || task->order.end == '\0' || task->debug) {
        return app_fail("-k, -m, -z and --debug are for lines, not for arrays");
    }
    return global->kinds >> SORT_HUMAN != 0
               ? app_fail("-h, -M, -V and -R are for lines, not for arrays")
               : APP_OK;
}

int verb_sort(int argc, char **argv)
{
    sort_task task = {.order = {.tab = -1, .end = '\n'}};
    app_usage tool = {"[FILE]...", about, APP_TOOL, sort_tool_options(), NULL};
    int status = app_parse_words(app_is_tool() ? &tool : &usage_sort, argc, argv, &task.common,
                                 take_old_key);
    if (status < 0) {
        status = check_options(&task);
        status = status == APP_OK ? sort_run(&task) : status;
    }
    sort_order_free(&task.order);
    sort_free_names(&task);
    sort_locale_close(&task.locale_tables);
    return status;
}
