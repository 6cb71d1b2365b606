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
    "or bitonic, it says what it means.",
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
        if (explain_word(common.operands[i])) {
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
