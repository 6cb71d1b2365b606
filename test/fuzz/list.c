/* list.c - the list of calls, and whether it is whole: every function that upsweep.h declares must
 * be called in this folder, or stand below with the reason why not. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fuzz_call *const lists[] = {
    fuzz_sorts,     fuzz_pairs,    fuzz_records, fuzz_rows,    fuzz_merges,       fuzz_selects,
    fuzz_folds,     fuzz_scans,    fuzz_splits,  fuzz_buckets, fuzz_moves,        fuzz_graphs,
    fuzz_paths,     fuzz_batches,  fuzz_handles, fuzz_traces,  fuzz_rows_results, fuzz_strings,
    fuzz_externals, fuzz_searches, fuzz_axes,
};

static const struct {
    const char *name, *why;
} exempt[] = {
    {"upsweep_film_attach", "needs a context of OpenGL; test/view/view_gpu.c has one"},
    {"upsweep_film_attach_pixels", "likewise"},
    {"upsweep_film_draw", "likewise"},
};

const fuzz_call *fuzz_call_at(size_t i)
{
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        for (const fuzz_call *c = lists[k]; c->name != NULL; c++) {
            if (i-- == 0) {
                return c;
            }
        }
    }
    return NULL;
}

size_t fuzz_call_count(void)
{
    static size_t count;
    while (count == 0 || fuzz_call_at(count) != NULL) {
        count++;
    }
    return count;
}

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < sizeof exempt / sizeof *exempt; i++) {
        if (strcmp(exempt[i].name, name) == 0) {
            return exempt[i].why;
        }
    }
    return NULL;
}

/* A text that grows; it begins with a blank. */
typedef struct words {
    size_t length;
    char at[1 << 22];
} words;

/* Appends the text of a file, its comments and strings left out. False: it cannot be read. */
static bool append(words *w, const char *path)
{
    FILE *f = fopen(path, "r");
    int c, before = 0, inside = 0; /* '*' in a comment, '"' in a string */
    w->at[0] = ' ';
    w->length = w->length == 0 ? 1 : w->length;
    while (f != NULL && (c = getc(f)) != EOF && w->length + 1 < sizeof w->at) {
        bool opens = inside == 0 && (c == '"' || (before == '/' && c == '*'));
        bool closes = inside == '*' ? before == '*' && c == '/' : inside == '"' && c == '"';
        w->at[w->length++] = inside != 0 || opens ? ' ' : (char)c;
        inside = opens ? c : closes ? 0 : inside;
        before = c;
    }
    w->at[w->length] = '\0';
    return f != NULL && fclose(f) == 0;
}

/* Whether the name is followed by a parenthesis somewhere, and is no part of another. */
static bool is_called(const char *text, const char *name)
{
    size_t length = strlen(name);
    const char *at = strstr(text, name);
    while (at != NULL && (at[length] != '(' || isalnum((unsigned char)at[-1]) || at[-1] == '_')) {
        at = strstr(at + 1, name);
    }
    return at != NULL;
}

static bool append_folder(words *w, const char *folder)
{
    char path[4096 + 300];
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n > 2 && strcmp(e->d_name + n - 2, ".c") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            append(w, path);
        }
    }
    return d != NULL && closedir(d) == 0;
}

/* What is wrong with one declared call, or NULL. */
static const char *wrong_with(const char *name, const char *cases)
{
    static char message[256];
    bool made = is_called(cases, name);
    const char *why = reason_of(name);
    if (!made && why == NULL) {
        snprintf(message, sizeof message, "no case calls %s: test/fuzz needs one", name);
        return message;
    }
    if (made && why != NULL) {
        snprintf(message, sizeof message, "%s is called, though test/fuzz/list.c says why not",
                 name);
        return message;
    }
    return NULL;
}

const char *fuzz_missing(const char *source)
{
    static char text[256];
    static words cases, header;
    char path[4096];
    size_t declared = 0;
    snprintf(path, sizeof path, "%s/test/fuzz", source);
    bool there = append_folder(&cases, path);
    snprintf(path, sizeof path, "%s/include/upsweep.h", source);
    if (!there || !append(&header, path)) {
        return "upsweep.h or test/fuzz is not there";
    }
    for (char *at = strstr(header.at, "UPSWEEP_API "); at != NULL;
         at = strstr(at + 1, "UPSWEEP_API ")) {
        char *open = strchr(at, '('), *name = open;
        while (open != NULL && name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
            name--;
        }
        if (open == NULL || strncmp(name, "upsweep_", 8) != 0) {
            continue; /* the macro's own definition */
        }
        *open = '\0';
        declared++;
        const char *wrong = wrong_with(name, cases.at);
        if (wrong != NULL) {
            return wrong;
        }
        *open = '(';
    }
    snprintf(text, sizeof text, "only %zu calls were found in upsweep.h", declared);
    return declared < 70 ? text : NULL;
}
