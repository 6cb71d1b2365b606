/* sort_packing.c - the output is compressed where its name or --compress-output says so. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"
#include "app/quote.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MUCH = 64 << 20 }; /* of memory, so that several threads compress */

/* none, gzip or zstd, with :LEVEL behind it. */
static int read_packing(sort_task *task)
{
    static const char *const words[] = {"none", "gzip", "zstd", NULL};
    const char *level = strchr(task->packed, ':');
    size_t length = level == NULL ? strlen(task->packed) : (size_t)(level - task->packed);
    char word[8], *end;
    snprintf(word, sizeof word, "%.*s", (int)(length < 7 ? length : 7), task->packed);
    int found = app_word("--compress-output", word, words);
    if (found < 0) {
        return APP_ERROR;
    }
    task->packing = (io_packing)found;
    int most = io_packing_level_most(task->packing);
    long given = level == NULL ? 0 : strtol(level + 1, &end, 10);
    if (level != NULL && (found == 0 || *end != '\0' || given < 1 || given > most)) {
        return app_fail("--compress-output takes none, gzip, gzip:1 to gzip:%d, zstd or zstd:1 to "
                        "zstd:%d, not '%s'",
                        io_packing_level_most(IO_PACK_GZIP), io_packing_level_most(IO_PACK_ZSTD),
                        task->packed);
    }
    task->packing_level = (int)given;
    return APP_OK;
}

int sort_settle_packing(sort_task *task)
{
    const app_common *common = &task->common;
    bool to_stdout = common->output == NULL || strcmp(common->output, "-") == 0;
    if (app_is_tool() || task->mode != SORT_SORT) {
        return APP_OK;
    }
    task->packing = to_stdout ? IO_PACK_NONE : io_packing_of_name(common->output);
    if (task->packed != NULL && read_packing(task) != APP_OK) {
        return APP_ERROR;
    }
    if (!io_packing_is_known(task->packing)) {
        return app_fail("this program was built without the library for %s; "
                        "--compress-output=none writes the bytes as they are",
                        task->packing == IO_PACK_GZIP ? "gzip" : "zstd");
    }
    if (task->packing != IO_PACK_NONE && task->debug) {
        return app_fail("--debug prints to standard output, and nothing is compressed");
    }
    if (task->packing != IO_PACK_NONE && to_stdout && isatty(STDOUT_FILENO)) {
        return app_fail("compressed bytes are not for a terminal: use -o FILE");
    }
    return APP_OK;
}

static unsigned threads(const sort_job *job)
{
    return job->limit < MUCH ? 1 : job->threads;
}

size_t sort_packing_bytes(const sort_job *job)
{
    return job->task->packing == IO_PACK_NONE ? 0 : io_packer_bytes(threads(job));
}

int sort_open_output(const sort_job *job, io_output *out)
{
    const sort_task *task = job->task;
    io_error error;
    const char *name = task->common.output;
    if (io_output_open(out, name, &error) != 0) {
        return app_fail("open failed: %s: %s", app_quote(name), strerror(error.number));
    }
    if (task->packing != IO_PACK_NONE &&
        io_output_pack(out, task->packing, task->packing_level, threads(job), &error) != 0) {
        io_output_discard(out);
        return app_fail("%s", error.text);
    }
    return APP_OK;
}

int sort_fail_output(const io_output *out, const io_error *error)
{
    enum { BUFFER = 4096 }; /* so much GNU sort holds back, and knows of the failure at its end */
    const char *what = out->tried > 0 && out->tried <= BUFFER ? "fflush" : "write";
    return error->number == 0 || out->over >= 0
               ? app_fail("%s", error->text)
               : app_fail("%s failed: %s: %s", what, app_quote(out->name), strerror(error->number));
}
