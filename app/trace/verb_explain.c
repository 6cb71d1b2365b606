/* verb_explain.c - `upsweep explain NAME`: the page that opens the explained form of an
 * algorithm, and what its row in the table says; or a word of the field. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"
#include "app/page/page_parts.h"

#include <string.h>

const app_usage usage_explain = {
    "NAME|WORD...",
    "Prints the page that explains an algorithm: its idea, a picture, its rounds and cost, why it\n"
    "works and where it comes from; then how to watch it. Of a word of the field, such as lane, "
    "depth\n"
    "or bitonic, or of a call that tasks are written with, such as LANES, it says what it means.",
    0, NULL,
    "upsweep explain sort/oddeven\nupsweep explain scan/sweep\nupsweep explain lane depth work"};

/* Prints what site/glossary.txt, of lines "lane, lanes: One of ...", says of the word; false:
 * nothing. */
static bool explain_word(const char *word)
{
    const char *line = (const char *)page_part_glossary;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *meaning = strstr(line, ": ");
        for (const char *form = line; *line != '#' && meaning != NULL && form < meaning;) {
            size_t length = strcspn(form, ",:");
            if (length == strlen(word) && strncmp(form, word, length) == 0) {
                printf("%s: %.*s\n", word, (int)(end - meaning - 2), meaning + 2);
                return true;
            }
            form += length + 2;
        }
    }
    return false;
}

/* What tasks are written with; site/tasks/lanes.h says more. Not in the glossary, whose words are
 * those of pages. False: nothing is known of the word. */
static bool explain_call(const char *word)
{
    static const struct {
        const char *word, *text;
    } all[] = {
        {"ROUND", "ROUND(\"name\") { .. } is a round: its lanes act at once. In Python: with "
                  "Round(\"name\"):"},
        {"LANES", "LANES(t, n) { .. }, within ROUND, says what lane t of n does, t = 0 .. n - 1; a "
                  "lane takes at most 16 steps in a round. In Python: for t in lanes(n):"},
        {"get", "get(a, i), within LANES, is element i of array a, a uint32_t. In Python: a[i]"},
        {"set", "set(a, i, v), within LANES, makes v element i of array a; it counts as 1 work. In "
                "Python: a[i] = v"},
        {"compare_exchange",
         "compare_exchange(a, i, j), within LANES, puts the smaller of a[i] and "
         "a[j] at i, the other at j; it counts as 1 work."},
        {"length", "length(a) is the number of elements of array a. In Python: len(a)"},
        {"new_array", "new_array(n), between rounds, makes an array of n zeros."},
        {"log2_up", "log2_up(n) is the least L such that 2^L >= n."},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].word, word) == 0) {
            printf("%s: %s (In tasks: upsweep learn map/double.)\n", word, all[i].text);
            return true;
        }
    }
    return false;
}

static void print_claims(unsigned claims)
{
    static const struct {
        unsigned bit;
        const char *text;
    } all[] = {{UPSWEEP_CLAIM_STABLE, "stable"},
               {UPSWEEP_CLAIM_IN_PLACE, "in place"},
               {UPSWEEP_CLAIM_OBLIVIOUS, "oblivious"},
               {UPSWEEP_CLAIM_DETERMINISTIC, "deterministic"}};
    const char *between = "Claims   ";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((claims & all[i].bit) != 0) {
            printf("%s%s", between, all[i].text);
            between = ", ";
        }
    }
    fputc('\n', stdout);
}

static void explain(const upsweep_algorithm *a)
{
    printf("%s\n", a->text);
    printf("Name     %s: %s\n", a->name, a->idea);
    printf("Depth    %s\nWork     %s\n", a->depth, a->work);
    print_claims(a->claims);
    printf("Input    %s\n", a->input);
    printf("Watch    upsweep trace %s %s\n", a->name, a->example);
}

int verb_explain(int argc, char **argv)
{
    app_common common = {0};
    int status = app_parse(&usage_explain, argc, argv, &common);
    if (status >= 0) {
        return status;
    }
    if (common.operand_count == 0) {
        return app_fail("which algorithm? `upsweep list` shows all");
    }
    for (size_t i = 0; i < common.operand_count; i++) {
        if (explain_word(common.operands[i]) || explain_call(common.operands[i])) {
            continue;
        }
        const upsweep_algorithm *a = app_algorithm(common.operands[i]);
        if (a == NULL) {
            return APP_ERROR;
        }
        fputs(i > 0 ? "\n\n" : "", stdout);
        explain(a);
    }
    return app_finish_stdout();
}
