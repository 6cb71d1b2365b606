/* algorithm.c - finds an algorithm by name. A name near to several ("sort", "oddeven",
 * "sort/oddevn") is answered with those: the ones it is part of, else the one with the fewest
 * letters to change. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"

#include <string.h>

/* name is a part of the algorithm's: "oddeven", "sort", "sort/odd". */
static bool part_of(const char *name, const upsweep_algorithm *a)
{
    return strlen(name) > 2 && strstr(a->name, name) != NULL;
}

const upsweep_algorithm *app_algorithm(const char *name)
{
    const upsweep_algorithm *a = upsweep_find(name);
    if (a != NULL) {
        return a;
    }
    enum { NAMES = 64 };
    const char *names[NAMES], *tails[NAMES];
    char near[512] = "";
    size_t count = 0, length = 0;
    for (size_t i = 0; (a = upsweep_algorithm_at(i)) != NULL && count < NAMES; i++) {
        names[count] = a->name;
        tails[count++] = strchr(a->name, '/') + 1;
        if (part_of(name, a) && length < sizeof near) {
            length += (size_t)snprintf(near + length, sizeof near - length, "%s%s",
                                       length > 0 ? ", " : "", a->name);
        }
    }
    const char *nearest = app_near(name, names, count, sizeof *names);
    const char *tail = app_near(name, tails, count, sizeof *tails);
    for (size_t i = 0; length == 0 && nearest == NULL && tail != NULL && i < count; i++) {
        nearest = tails[i] == tail ? names[i] : NULL;
    }
    if (length > 0 || nearest != NULL) {
        app_fail("there is no algorithm '%s'; near it: %s", name, length > 0 ? near : nearest);
    } else {
        app_fail("there is no algorithm '%s'; `upsweep list` shows all", name);
    }
    return NULL;
}

int app_check_algorithm(const char *name)
{
    if (name == NULL || upsweep_find(name) != NULL) {
        return -1;
    }
    const char *names[64];
    size_t count = 0;
    for (; count < 64 && count < upsweep_algorithm_count(); count++) {
        names[count] = upsweep_algorithm_at(count)->name;
    }
    const char *near = app_near(name, names, count, sizeof *names);
    for (size_t i = 0; i < count && strchr(name, '/') == NULL; i++) {
        const char *stem = strchr(names[i], '/');
        if (stem != NULL && strcmp(stem + 1, name) == 0) {
            near = names[i]; /* radix is sort/radix */
        }
    }
    if (near != NULL) {
        return app_fail("there is no algorithm '%s'; did you mean %s?", name, near);
    }
    return app_fail("there is no algorithm '%s'; see `upsweep list`", name);
}
