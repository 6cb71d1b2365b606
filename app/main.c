/* main.c - finds the verb and runs it. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

/* What goes by another name here. */
static const struct {
    const char *word, *command;
} others[] = {
    {"argmax", "reduce --op argmax"},
    {"argmin", "reduce --op argmin"},
    {"count", "select --unique --count"},
    {"cumsum", "scan"},
    {"distances", "paths"},
    {"max", "reduce --op max"},
    {"median", "select --median"},
    {"merge", "sort --merge"},
    {"min", "reduce --op min"},
    {"nth", "select --nth"},
    {"partition", "split"},
    {"route", "paths"},
    {"shuf", "sort --random-sort"},
    {"shuffle", "sort --random-sort"},
    {"sum", "reduce"},
    {"top", "select --top"},
    {"topk", "select --top"},
    {"uniq", "sort --unique"},
    {"unique", "select --unique"},
};

static int unknown(const char *word)
{
    static const char *const more[] = {"help"};
    if (word[0] == '-') {
        return app_fail("the verb comes first, then its options; see `upsweep --help`");
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(word, others[i].word) == 0) {
            return app_fail("there is no verb '%s'; it is `upsweep %s`", word, others[i].command);
        }
    }
    const char *near = app_near(word, app_verbs, app_verb_count, sizeof *app_verbs);
    near = near == NULL ? app_near(word, more, 1, sizeof *more) : near;
    if (near != NULL) {
        return app_fail("there is no verb '%s'; did you mean '%s'?", word, near);
    }
    return app_fail("there is no verb '%s'; see `upsweep --help`", word);
}

static int help(int argc, char **argv)
{
    const app_verb *verb = argc > 2 ? app_verb_find(argv[2]) : NULL;
    if (verb != NULL) {
        app_print_help(verb->name, verb->usage);
    } else if (argc > 2) {
        return unknown(argv[2]);
    } else {
        app_print_verbs();
    }
    return app_finish_stdout();
}

int main(int argc, char **argv)
{
    /* SIGPIPE stays as it was: who reads no more ends us without a word, as it ends other tools;
     * where it is ignored, the write fails and the sentence says so. */
    const char *name = argc > 0 ? strrchr(argv[0], '/') : NULL;
    name = name != NULL ? name + 1 : argc > 0 ? argv[0] : "";
    if (strcmp(name, "sort") == 0) {
        app_set_tool("sort");
        return verb_sort(argc, argv);
    }
    if (argc < 2) {
        return app_fail("a verb is missing; see `upsweep --help`");
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        word = "version";
    }
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
        return help(argc, argv);
    }
    if (strcmp(word, "--dump") == 0 && (argc == 3 || argc == 4)) {
        return app_dump(argv[2], argc == 4 ? argv[3] : NULL);
    }
    const app_verb *verb = app_verb_find(word);
    if (verb == NULL) {
        return unknown(word);
    }
    app_set_verb(verb->name);
    return verb->run(argc - 1, argv + 1);
}
