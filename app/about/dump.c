/* dump.c - `upsweep --dump WHAT`: what is made of the option tables, for the build to install. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

static int dump_verb(const char *what, const char *name)
{
    const app_verb *verb = app_verb_find(name);
    if (strcmp(what, "man") != 0 || verb == NULL) {
        return app_fail("--dump takes man VERB, not '%s %s'", what, name);
    }
    app_dump_man_verb(verb);
    return app_finish_stdout();
}

int app_dump(const char *what, const char *verb)
{
    static const struct {
        const char *name;
        void (*dump)(void);
    } dumps[] = {{"man", app_dump_man},
                 {"bash", app_dump_bash},
                 {"zsh", app_dump_zsh},
                 {"fish", app_dump_fish}};
    if (verb != NULL) {
        return dump_verb(what, verb);
    }
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        if (strcmp(dumps[i].name, what) == 0) {
            dumps[i].dump();
            return app_finish_stdout();
        }
    }
    return app_fail("--dump takes man, bash, zsh or fish, not '%s'", what);
}
