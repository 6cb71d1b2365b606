/* sort_names.c - which files are sorted: --files0-from, and whether they can be read at all. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"
#include "app/quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int take_names(sort_task *task, char *bytes, size_t size)
{
    size_t count = 0;
    for (char *p = bytes, *end = bytes + size; p < end; p += strlen(p) + 1) {
        count++;
    }
    char **names = malloc((count + 1) * sizeof *names);
    if (names == NULL) {
        return app_fail("out of memory");
    }
    size_t i = 0;
    for (char *p = bytes; i < count; p += strlen(p) + 1) {
        names[i++] = p;
    }
    task->names = names;
    task->common.operands = names;
    task->common.operand_count = count;
    for (i = 0; i < count; i++) {
        if (strcmp(names[i], "-") == 0) {
            return app_fail("when reading file names from stdin, no file name of '-' allowed");
        }
        if (*names[i] == '\0') {
            return app_fail("%s:%zu: invalid zero-length file name", app_quote(task->files_from),
                            i + 1);
        }
    }
    return count > 0 ? APP_OK : app_fail("no input from %s", app_quote_always(task->files_from));
}

int sort_take_names(sort_task *task)
{
    io_error error;
    if (task->files_from == NULL) {
        return APP_OK;
    }
    if (task->common.operand_count > 0) {
        return app_fail("extra operand %s: file operands cannot be combined with --files0-from",
                        app_quote_always(task->common.operands[0]));
    }
    if (strcmp(task->files_from, "-") != 0 && access(task->files_from, R_OK) != 0) {
        return app_fail("open failed: %s: %s", app_quote(task->files_from), strerror(errno));
    }
    io_input *in = &task->name_bytes;
    if (io_input_begin(in, 1, &error) != 0 || io_input_add(in, task->files_from, 1, &error) != 0) {
        return app_fail("cannot read file names from '%s': %s", task->files_from, error.text);
    }
    io_input_end(in, '\0');
    io_input_finish(in);
    return take_names(task, (char *)in->bytes, in->size);
}

/* Standard input as it was given. */
static int check_stdin(const sort_task *task, bool check)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0) {
        return app_fail("%s failed: -: %s", check || task->merge ? "read" : "stat",
                        strerror(errno));
    }
    return S_ISDIR(status.st_mode) ? app_fail("read failed: -: %s", strerror(EISDIR)) : APP_OK;
}

int sort_check_names(const sort_task *task)
{
    bool check = task->mode == SORT_CHECK || task->mode == SORT_CHECK_QUIETLY;
    for (size_t i = 0; i < task->common.operand_count; i++) {
        const char *name = task->common.operands[i];
        if (strcmp(name, "-") != 0 && euidaccess(name, R_OK) != 0) {
            return app_fail("%s: %s: %s", check ? "open failed" : "cannot read", app_quote(name),
                            strerror(errno));
        }
    }
    struct stat status;
    for (size_t i = 0; i < task->common.operand_count; i++) {
        const char *name = task->common.operands[i];
        if (strcmp(name, "-") == 0 && check_stdin(task, check) != APP_OK) {
            return APP_ERROR;
        }
        if (strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
            return app_fail("read failed: %s: %s", app_quote(name), strerror(EISDIR));
        }
    }
    return task->common.operand_count == 0 ? check_stdin(task, check) : APP_OK;
}

void sort_free_names(sort_task *task)
{
    free(task->names);
    free(task->fields);
    free(task->temporary);
    io_input_free(&task->name_bytes);
}
