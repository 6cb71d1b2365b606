/* verbs.c - the table of verbs, which app/verbs.def lists. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

#define VERB(name, summary) {#name, summary, verb_##name, &usage_##name},
const app_verb app_verbs[] = {
#include "app/verbs.def"
};
#undef VERB
const size_t app_verb_count = sizeof app_verbs / sizeof *app_verbs;

const app_verb *app_verb_find(const char *name)
{
    for (size_t i = 0; i < app_verb_count; i++) {
        if (strcmp(app_verbs[i].name, name) == 0) {
            return &app_verbs[i];
        }
    }
    return NULL;
}
