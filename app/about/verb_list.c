/* verb_list.c - `upsweep list`: every algorithm with what it claims; as a table for people, as JSON
 * for programs, and as the table of the README. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

typedef struct settings {
    app_common common;
    bool markdown;
} settings;

static int take_as(void *target, const char *argument)
{
    static const char *const words[] = {"text", "markdown", "json", NULL};
    settings *s = target;
    int word = app_word("--as", argument, words);
    s->markdown = word == 1;
    s->common.json = word == 2;
    return word < 0 ? APP_ERROR : APP_OK;
}

static const app_option options[] = {
    {0, "as", "text|markdown|json", "for people (if not given), the table of the README, or JSON",
     APP_CALL, 0, take_as},
    {0, "markdown", NULL, NULL, APP_FLAG, offsetof(settings, markdown), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_list = {
    "[OPERATION]...",
    "Lists the algorithms in reading order: what each claims, how many operations it takes in all\n"
    "(work) and in how many rounds (depth), and which forms of it there are. Every claim is "
    "tested.\n"
    "With operations (sort, reduce, scan, split, path), only theirs.",
    APP_JSON, options, "upsweep list\nupsweep list sort --json"};

typedef struct name_of_bit {
    unsigned bit;
    const char *name;
} name_of_bit;

static const name_of_bit claims[] = {{UPSWEEP_CLAIM_STABLE, "stable"},
                                     {UPSWEEP_CLAIM_IN_PLACE, "in-place"},
                                     {UPSWEEP_CLAIM_OBLIVIOUS, "oblivious"},
                                     {UPSWEEP_CLAIM_DETERMINISTIC, "deterministic"},
                                     {0, NULL}};
static const name_of_bit forms[] = {{UPSWEEP_FORM_EXPLAINED, "explained"},
                                    {UPSWEEP_FORM_CPU, "cpu"},
                                    {UPSWEEP_FORM_CUDA, "cuda"},
                                    {0, NULL}};

enum { WORDS = 80 };

/* The names of the bits that are set, with `between` between them and `quote` around each. */
static const char *words(char text[WORDS], unsigned bits, const name_of_bit *names,
                         const char *between, const char *quote)
{
    size_t length = 0;
    text[0] = '\0';
    for (; names->name != NULL; names++) {
        if ((bits & names->bit) != 0) {
            length += (size_t)snprintf(text + length, WORDS - length, "%s%s%s%s",
                                       length > 0 ? between : "", quote, names->name, quote);
        }
    }
    return text;
}

static bool wanted(const upsweep_algorithm *a, const app_common *common)
{
    for (size_t i = 0; i < common->operand_count; i++) {
        if (strcmp(common->operands[i], a->operation) == 0) {
            return true;
        }
    }
    return common->operand_count == 0;
}

static int check_operands(const app_common *common)
{
    for (size_t i = 0; i < common->operand_count; i++) {
        const upsweep_algorithm *a = NULL;
        for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
            if (strcmp(common->operands[i], a->operation) == 0) {
                break;
            }
        }
        if (a == NULL) {
            return app_fail("there is no operation '%s'; takes sort, reduce, scan, split and path",
                            common->operands[i]);
        }
    }
    return APP_OK;
}

typedef void (*print_row)(const upsweep_algorithm *a, const size_t *widths, bool first);

static void print_plain(const upsweep_algorithm *a, const size_t *widths, bool first)
{
    char claim[WORDS], form[WORDS];
    if (first) {
        printf("%-*s  %-*s  %-*s  %-*s  %s\n", (int)widths[0], "name", (int)widths[1], "work",
               (int)widths[2], "depth", (int)widths[3], "claims", "forms");
    }
    printf("%-*s  %-*s  %-*s  %-*s  %s\n", (int)widths[0], a->name, (int)widths[1], a->work,
           (int)widths[2], a->depth, (int)widths[3], words(claim, a->claims, claims, " ", ""),
           words(form, upsweep_forms(a), forms, " ", ""));
}

static void print_markdown(const upsweep_algorithm *a, const size_t *widths, bool first)
{
    (void)widths;
    char claim[WORDS], form[WORDS];
    if (first) {
        printf("| algorithm | idea | work | depth | claims | forms |\n"
               "|---|---|---|---|---|---|\n");
    }
    printf("| `%s` | %s | %s | %s | %s | %s |\n", a->name, a->idea, a->work, a->depth,
           words(claim, a->claims, claims, ", ", ""),
           words(form, upsweep_forms(a), forms, ", ", ""));
}

static void print_json(const upsweep_algorithm *a, const size_t *widths, bool first)
{
    (void)widths;
    char claim[WORDS], form[WORDS];
    const struct {
        const char *key, *text;
    } texts[] = {{"name", a->name},   {"operation", a->operation}, {"title", a->title},
                 {"idea", a->idea},   {"work", a->work},           {"depth", a->depth},
                 {"input", a->input}, {"example", a->example},     {"source", a->source}};
    printf("%s\n  {", first ? "[" : ",");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        printf("\"%s\": ", texts[i].key);
        app_print_json_text(stdout, texts[i].text != NULL ? texts[i].text : "");
        fputs(",\n   ", stdout);
    }
    printf("\"claims\": [%s],\n   \"forms\": [%s]}", words(claim, a->claims, claims, ", ", "\""),
           words(form, upsweep_forms(a), forms, ", ", "\""));
}

static void widen(size_t *width, const char *text)
{
    size_t length = strlen(text);
    *width = length > *width ? length : *width;
}

int verb_list(int argc, char **argv)
{
    settings s = {.markdown = false};
    int status = app_parse(&usage_list, argc, argv, &s.common);
    if (status < 0) {
        status = check_operands(&s.common);
    }
    if (status != APP_OK) {
        return status;
    }
    size_t widths[4] = {4, 4, 5, 6};
    const upsweep_algorithm *a;
    char text[WORDS];
    for (size_t i = 0; (a = upsweep_algorithm_at(i)) != NULL; i++) {
        if (wanted(a, &s.common)) {
            widen(&widths[0], a->name);
            widen(&widths[1], a->work);
            widen(&widths[2], a->depth);
            widen(&widths[3], words(text, a->claims, claims, " ", ""));
        }
    }
    print_row print = s.common.json ? print_json : s.markdown ? print_markdown : print_plain;
    bool first = true;
    for (size_t i = 0; (a = upsweep_algorithm_at(i)) != NULL; i++) {
        if (wanted(a, &s.common)) {
            print(a, widths, first);
            first = false;
        }
    }
    if (s.common.json) {
        fputs("\n]\n", stdout);
    }
    return app_finish_stdout();
}
