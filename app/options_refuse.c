/* options_refuse.c - what is said of an option that cannot be taken. */
/* SPDX-License-Identifier: MIT */
#include "app/options_refuse.h"

#include <string.h>

static bool is_tool(const app_usage *usage)
{
    return (usage->common & APP_TOOL) != 0;
}

int app_no_letter(const app_usage *usage, char letter)
{
    return is_tool(usage)
               ? app_fail("invalid option -- '%c'; see `%s --help`", letter, app_command())
               : app_fail("there is no option -%c; see `%s -h`", letter, app_command());
}

int app_no_option(const app_usage *usage, const char *text, size_t length)
{
    const app_option *option;
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        if (option->name != NULL && option->help != NULL && count < sizeof names / sizeof *names) {
            names[count++] = option->name;
        }
    }
    char wrong[48];
    snprintf(wrong, sizeof wrong, "%.*s", (int)length, text);
    const char *said = is_tool(usage) ? "unrecognized option '--" : "there is no option --";
    const char *name = is_tool(usage) ? text : wrong, *end = is_tool(usage) ? "'" : "";
    const char *near = app_near(wrong, names, count, sizeof *names);
    if (app_near_format(usage, wrong)) {
        return app_fail("%s%s%s; did you mean --as %s?", said, name, end, wrong);
    }
    return near != NULL ? app_fail("%s%s%s; did you mean --%s?", said, name, end, near)
                        : app_fail("%s%s%s; see `%s %s`", said, name, end, app_command(),
                                   is_tool(usage) ? "--help" : "-h");
}

int app_ambiguous_option(const app_usage *usage, const char *text, size_t length,
                         const app_option *const *found, size_t count)
{
    if (!is_tool(usage)) {
        return app_fail("--%.*s could be --%s or --%s", (int)length, text, found[0]->name,
                        found[1]->name);
    }
    char all[APP_CLOSE_MOST * 32] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof all; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, " '--%s'", found[i]->name);
    }
    return app_fail("option '--%s' is ambiguous; possibilities:%s", text, all);
}

int app_takes_no_argument(const app_usage *usage, const app_option *option)
{
    return app_fail(is_tool(usage) ? "option '--%s' doesn't allow an argument"
                                   : "--%s takes no argument",
                    option->name);
}

int app_needs_argument(const app_usage *usage, const app_option *option, bool by_letter)
{
    if (is_tool(usage)) {
        return by_letter ? app_fail("option requires an argument -- '%c'", option->letter)
                         : app_fail("option '--%s' requires an argument", option->name);
    }
    return option->name != NULL
               ? app_fail("--%s needs an argument: %s", option->name, option->argument)
               : app_fail("-%c needs an argument: %s", option->letter, option->argument);
}
