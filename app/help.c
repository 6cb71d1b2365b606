/* help.c - prints the help of the program and of its verbs: -h a screenful, --help all of it. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

static void print_option(const app_option *option)
{
    char left[160];
    const char *argument = option->argument != NULL ? option->argument : "";
    const char *gap = *argument != '\0' && *argument != '[' ? " " : "";
    if (option->name == NULL) {
        snprintf(left, sizeof left, "-%c%s%s", option->letter, gap, argument);
    } else if (option->letter == 0) {
        snprintf(left, sizeof left, "    --%s%s%s", option->name, gap, argument);
    } else {
        snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name, gap, argument);
    }
    enum { LEFT = 26 };
    if (strlen(left) > LEFT - 2) {
        printf("  %s\n  %*s%s\n", left, LEFT, "", option->help);
    } else {
        printf("  %-*s%s\n", LEFT, left, option->help);
    }
}

static void print_options(const app_usage *usage)
{
    const app_option *option;
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        if (option->help != NULL) {
            print_option(option);
        }
    }
}

static void print_synopsis(const char *verb, const app_usage *usage)
{
    printf("Usage: %s%s [OPTION]...%s%s\n", app_is_tool() ? "" : "upsweep ", verb,
           *usage->operands ? " " : "", usage->operands);
}

void app_print_usage(const char *verb, const app_usage *usage)
{
    print_synopsis(verb, usage);
    print_options(usage);
}

void app_print_help(const char *verb, const app_usage *usage)
{
    const app_verb *row = app_verb_find(verb);
    printf("upsweep %s - %s\n\n", verb, row != NULL ? row->summary : "");
    print_synopsis(verb, usage);
    if (usage->about != NULL) {
        printf("\n%s\n", usage->about);
    }
    printf("\nOptions:\n");
    print_options(usage);
    if (usage->examples != NULL) {
        printf("\nExamples:\n");
        for (const char *line = usage->examples; *line != '\0';) {
            int length = (int)strcspn(line, "\n");
            printf("  %.*s\n", length, line);
            line += length + (line[length] == '\n');
        }
    }
    printf("\nExit status: 0 if all went well, 1 if a check failed, 2 after an error.\n");
}

void app_print_verbs(void)
{
    printf("upsweep %s - sort, scan, reduce and split, in parallel, and see how it is done\n\n"
           "Usage: upsweep VERB [OPTION]... [FILE]...\n\n",
           upsweep_version());
    for (size_t i = 0; i < app_verb_count; i++) {
        printf("  %-11s%s\n", app_verbs[i].name, app_verbs[i].summary);
    }
    printf(
        "\n`upsweep VERB -h` lists the options of a verb, `upsweep VERB --help` explains them; of\n"
        "sort, whose -h orders sizes such as 2K, only the latter.\n");
}
