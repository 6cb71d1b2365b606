/* verb_page.c - `upsweep page NAME [NAME] [NUMBER...|-]`: a page that plays one algorithm, or two
 * side by side. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"
#include "app/page/page.h"
#include "app/trace/trace_input.h"

#include <string.h>

const app_usage usage_page = {
    "NAME [NAME] [NUMBER...|-]",
    "Writes one HTML file that plays the explained form of an algorithm in a browser, with "
    "nothing\n"
    "to install and no network: every round with its lanes, the line of the source that acts, the\n"
    "rounds and the work beside their formulas, and a mode that asks what comes next. With a "
    "second\n"
    "name both run on the same numbers, round by round. Printed, it is a worksheet.\n"
    "\n"
    "The numbers are as for `upsweep trace`: without any the algorithm's own example is taken, "
    "with\n"
    "- they are read from standard input. Where the program was built with clang, the page traces\n"
    "other numbers and other algorithms, too: the explained forms are in it as WebAssembly.",
    APP_OUTPUT, NULL,
    "upsweep page sort/bitonic -o bitonic.html\n"
    "upsweep page sort/oddeven sort/bitonic 3 7 1 10 4 20 2 8 -o two.html"};

typedef struct job {
    const upsweep_algorithm *algorithm, *beside;
    app_trace_input in;
} job;

static int write_job(void *context, FILE *f)
{
    const job *j = context;
    return page_write(f, j->algorithm, j->beside, j->in.values, j->in.count);
}

/* Whether the word is an algorithm's name and not a number. */
static bool is_name(const char *word)
{
    return strcmp(word, "-") != 0 && (*word < '0' || *word > '9');
}

int verb_page(int argc, char **argv)
{
    app_common common = {0};
    job j = {0};
    int status = app_parse(&usage_page, argc, argv, &common);
    if (status >= 0) {
        return status;
    }
    if (common.operand_count == 0) {
        return app_fail("which algorithm? `upsweep list` shows all");
    }
    size_t names = common.operand_count > 1 && is_name(common.operands[1]) ? 2 : 1;
    j.algorithm = app_algorithm(common.operands[0]);
    j.beside = j.algorithm != NULL && names == 2 ? app_algorithm(common.operands[1]) : NULL;
    if (j.algorithm == NULL || (names == 2 && j.beside == NULL)) {
        return APP_ERROR;
    }
    status = app_trace_input_read(&j.in, j.algorithm, common.operands + names,
                                  common.operand_count - names);
    if (status == APP_OK) {
        status = app_stream_write(common.output, write_job, &j);
    }
    app_trace_input_free(&j.in);
    return status != APP_OK ? status : app_finish_stdout();
}
