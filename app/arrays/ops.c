/* ops.c - sum, product, min, max, and, or, xor by name. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/ops.h"

#include <string.h>

static const char *const names[] = {"sum", "product", "min", "max", "and", "or", "xor"};
enum { NAMES = sizeof names / sizeof *names };

upsweep_op app_op_from_name(const char *name)
{
    for (int i = 0; i < NAMES; i++) {
        if (strcmp(names[i], name) == 0) {
            return (upsweep_op)(UPSWEEP_SUM + i);
        }
    }
    return (upsweep_op)0;
}

int app_know_op(const char *name, const char *const *more)
{
    if (app_op_from_name(name) != 0) {
        return APP_OK;
    }
    char all[160] = "";
    size_t used = 0;
    for (int i = 0; i < NAMES; i++) {
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    for (; more != NULL && *more != NULL; more++) {
        if (strcmp(*more, name) == 0) {
            return APP_OK;
        }
        used += (size_t)snprintf(all + used, sizeof all - used, ", %s", *more);
    }
    const char *near = app_near(name, names, NAMES, sizeof *names);
    if (near != NULL) {
        return app_fail("there is no operator '%s'; did you mean %s?", name, near);
    }
    return app_fail("there is no operator '%s'; there are %s", name, all);
}

int app_check_op(const char *name, upsweep_type type)
{
    if (upsweep_reduce_type(type, app_op_from_name(name)) == 0) {
        return app_fail("%s is not defined for elements of type %s", name, upsweep_type_name(type));
    }
    return APP_OK;
}
