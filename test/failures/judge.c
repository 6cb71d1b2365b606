/* judge.c - what may come of a run in which something failed: the outcome of a good run, or
 * status 2, one sentence, and the old file; and how a wrong one is told. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/run.h"

#include <stdio.h>
#include <string.h>

/* What was said before all went wrong, as in a good run, does not count. */
static bool is_sentence(bytes err, bytes usual)
{
    if (usual.size > 0 && err.size > usual.size && memcmp(err.at, usual.at, usual.size) == 0) {
        err.at += usual.size;
        err.size -= usual.size;
    }
    const char *end = err.at == NULL ? NULL : strchr(err.at, '\n');
    return end != NULL && end == err.at + err.size - 1 && strncmp(err.at, "upsweep", 7) == 0 &&
           err.size > 20 && strstr(err.at, ": ") != NULL && strstr(err.at, "Success") == NULL &&
           strstr(err.at, "(null)") == NULL && end[-1] != ' ' && end[-1] != ':';
}

/* Transfers that move less than was asked are no errors, nor are those that are interrupted
 * where the program makes them itself, as sorts do: stdio gives up. */
static bool must_go_on(const scenario *s, const failure *f)
{
    bool moves =
        f->call != NULL && (strcmp(f->call, "read") == 0 || strcmp(f->call, "pread") == 0 ||
                            strcmp(f->call, "write") == 0);
    bool sorts = strncmp(s->name, "sort", 4) == 0 && strstr(s->words, "cuda") == NULL;
    return moves && f->how != NULL &&
           (strcmp(f->how, "short") == 0 || (sorts && strcmp(f->how, "EINTR") == 0));
}

const char *outcome_wrong(const scenario *s, const failure *f, const outcome *right,
                          const outcome *o)
{
    static char text[200];
    char name[80];
    bool whole = s->output == NULL || bytes_equal(o->file, right->file);
    bool old = s->output == NULL || bytes_equal(o->file, run_old(s->output));
    bool killed = f->how != NULL && strncmp(f->how, "SIG", 3) == 0 && o->status > 128;
    bool told = is_sentence(o->err, right->err);
    int strays = run_strays(s, name, sizeof name);
    if (strays > 0) {
        snprintf(text, sizeof text, "%d files are left behind or changed, one is %s", strays, name);
        return text;
    }
    if (o->status < 0) {
        return "it did not end";
    }
    if (!whole && !old) {
        return "the output is neither the old file nor the new one";
    }
    if (killed) {
        return NULL;
    }
    if (o->status != s->status && must_go_on(s, f)) {
        return "a short or interrupted transfer was taken for an error";
    }
    bool synced = f->call != NULL && strcmp(f->call, "fsync") == 0;
    if (synced && o->failed > 0 && o->status == s->status && s->status == 0) {
        return "what may not be on the disk was said to be well";
    }
    if (o->status == s->status) {
        return !whole                             ? "a good end, but not the new file"
               : !bytes_equal(o->out, right->out) ? "a good end, but a wrong output"
               : right->err.size == 0 && o->err.size != 0 && s->status == 0
                   ? "a good end, but words on standard error"
                   : NULL;
    }
    /* The C library's loader ends the process where it lacks memory for some of its tables. */
    if (f->call != NULL && strcmp(f->call, "loader") == 0 && o->status == 127 &&
        strcmp(o->err.at, "out of memory\n") == 0) {
        return NULL;
    }
    if (o->status != 2) {
        return "a strange end";
    }
    return !told ? "no clear sentence"
           : !old && strstr(o->err.at, "is in place, but") == NULL &&
                   strstr(o->err.at, "standard output") == NULL
               ? "status 2, but a new file"
               : NULL;
}

void run_complain(const scenario *s, const failure *f, const outcome *o, const char *wrong)
{
    printf("FAILED: %s%s%s: %s\n    status %d, standard error: %.300s\n", s->name,
           s->library ? ", " : "", s->library ? s->device : "", wrong, o->status,
           o->err.at == NULL ? "" : o->err.at);
    printf("    again: FAIL_CALL=%s FAIL_AT=%lu FAIL_HOW=%s FAIL_AFTER=%d FAIL_IN=%d FAIL_KILL=%s "
           "FAIL_NO_TMPFILE=%d FAIL_WATCHED=%d: %s%s%s %s\n",
           f->call, f->at, f->how == NULL ? "ENOMEM" : f->how, f->after, f->in_child,
           f->kill == NULL ? "self" : f->kill, f->no_tmpfile, s->library,
           s->library ? "library_calls " : "upsweep", s->library ? s->name : "",
           s->library ? s->device : "", s->words);
    fflush(stdout);
}
