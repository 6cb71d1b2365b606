/* dump_complete.c - completions for bash, zsh and fish, made of the verbs' option tables
 * (`upsweep --dump bash` and so on). Verbs, options, and the words that some arguments can be are
 * completed; all else is left to the shell, which completes file names. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

typedef void (*print_word)(const char *word);

static void spaced(const char *word)
{
    printf("%s ", word);
}

static void algorithm_names(print_word print)
{
    const upsweep_algorithm *a;
    for (size_t i = 0; (a = upsweep_algorithm_at(i)) != NULL; i++) {
        print(a->name);
    }
}

static bool is(const char *name, const char *other)
{
    return name != NULL && strcmp(name, other) == 0;
}

/* "a|b|c" */
static bool alternatives(const char *argument, print_word print)
{
    if (argument == NULL || strchr(argument, '|') == NULL) {
        return false;
    }
    while (*argument != '\0') {
        char word[32];
        size_t length = strcspn(argument, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, argument);
        print(word);
        argument += length + (argument[length] == '|');
    }
    return true;
}

/* Prints the words that the argument of an option can be; false if it can be anything. */
static bool argument_words(const app_option *option, print_word print)
{
    static const char *const sorts = "general-numeric|human-numeric|month|numeric|random|version";
    if (is(option->name, "algorithm")) {
        algorithm_names(print);
    } else if (option->kind == APP_TYPE) {
        for (int t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            print(upsweep_type_name((upsweep_type)t));
        }
    } else if (is(option->argument, "PATTERN")) {
        for (const char *const *p = app_gen_patterns; *p != NULL; p++) {
            print(*p);
        }
    } else if (is(option->name, "sort")) {
        return alternatives(sorts, print);
    } else {
        return alternatives(option->argument, print);
    }
    return true;
}

static bool takes_argument(const app_option *option)
{
    return option->argument != NULL && *option->argument != '[';
}

static bool names_algorithm(const app_usage *usage)
{
    return strstr(usage->operands, "NAME") != NULL || strstr(usage->operands, "ALGORITHM") != NULL;
}

/* The words an operand of the verb can be, other than files. */
static void operand_words(const app_verb *verb, print_word print)
{
    static const struct {
        const char *verb, *words;
    } others[] = {{"graph", "info|convert|generate|grid|uniform|kronecker"},
                  {"list", "sort|reduce|scan|split|path"}};
    if (names_algorithm(verb->usage)) {
        algorithm_names(print);
    }
    if (strstr(verb->usage->operands, "PATTERN") != NULL) {
        for (const char *const *p = app_gen_patterns; *p != NULL; p++) {
            print(*p);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (is(verb->name, others[i].verb)) {
            alternatives(others[i].words, print);
        }
    }
}

/* Option *i, or the next that is no old spelling. */
static const app_option *told_option(const app_usage *usage, size_t *i)
{
    const app_option *option;
    while ((option = app_option_at(usage, *i)) != NULL && option->help == NULL) {
        ++*i;
    }
    return option;
}

static void nothing(const char *word)
{
    (void)word;
}

/* ---- bash ---- */

static void bash_verb(const app_verb *verb)
{
    const app_option *option;
    printf("    %s)\n        case $previous in\n", verb->name);
    for (size_t i = 0; (option = told_option(verb->usage, &i)) != NULL; i++) {
        if (option->name != NULL && argument_words(option, nothing)) {
            printf("        --%s) words=\"", option->name);
            argument_words(option, spaced);
            puts("\" ;;");
        }
    }
    fputs("        *) words=\"", stdout);
    operand_words(verb, spaced);
    puts("\" ;;\n        esac\n        case $current in\n        -*)");
    fputs("            words=\"", stdout);
    for (size_t i = 0; (option = told_option(verb->usage, &i)) != NULL; i++) {
        if (option->name != NULL) {
            printf("--%s ", option->name);
        } else {
            printf("-%c ", option->letter);
        }
    }
    puts("\" ;;\n        esac ;;");
}

void app_dump_bash(void)
{
    puts("# bash completion for upsweep, made by `upsweep --dump bash`\n"
         "_upsweep()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        words=\"", stdout);
    for (size_t i = 0; i < app_verb_count; i++) {
        spaced(app_verbs[i].name);
    }
    puts("help --help --version\"\n"
         "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < app_verb_count; i++) {
        bash_verb(&app_verbs[i]);
    }
    fputs("    help) words=\"", stdout);
    for (size_t i = 0; i < app_verb_count; i++) {
        spaced(app_verbs[i].name);
    }
    puts("\" ;;\n    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
         "complete -o default -F _upsweep upsweep");
}

/* ---- zsh ---- */

/* Help inside '...[help]...': no quotes, brackets or colons. */
static void zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else if (strchr("[]:\\", *text) != NULL) {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
}

static void zsh_spec(const app_option *option, const char *dashes, const char *name)
{
    printf("            '%s%s%s[", dashes, name,
           takes_argument(option) && dashes[1] == '-' ? "="
           : takes_argument(option)                   ? "+"
                                                      : "");
    zsh_text(option->help);
    putchar(']');
    if (takes_argument(option)) {
        putchar(':');
        zsh_text(option->argument);
        if (argument_words(option, nothing)) {
            fputs(":(", stdout);
            argument_words(option, spaced);
            putchar(')');
        } else {
            fputs(":_files", stdout);
        }
    }
    puts("' \\");
}

static void zsh_verb(const app_verb *verb)
{
    const app_option *option;
    printf("    %s)\n        _arguments -s \\\n", verb->name);
    for (size_t i = 0; (option = told_option(verb->usage, &i)) != NULL; i++) {
        if (option->letter != 0) {
            char letter[2] = {option->letter, '\0'};
            zsh_spec(option, "-", letter);
        }
        if (option->name != NULL) {
            zsh_spec(option, "--", option->name);
        }
    }
    fputs("            '*:operand:{_files; compadd -- ", stdout);
    operand_words(verb, spaced);
    puts("}' ;;");
}

void app_dump_zsh(void)
{
    puts("#compdef upsweep\n# zsh completion for upsweep, made by `upsweep --dump zsh`\n"
         "_upsweep() {\n    if (( CURRENT == 2 )); then\n        local -a verbs=(");
    for (size_t i = 0; i < app_verb_count; i++) {
        printf("            '%s:", app_verbs[i].name);
        zsh_text(app_verbs[i].summary);
        puts("'");
    }
    puts("        )\n        _describe verb verbs\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case ${words[1]} in");
    for (size_t i = 0; i < app_verb_count; i++) {
        zsh_verb(&app_verbs[i]);
    }
    puts("    esac\n}\n_upsweep \"$@\"");
}

/* ---- fish ---- */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('\'');
}

static void fish_verb(const app_verb *verb)
{
    const app_option *option;
    printf("complete -c upsweep -n __fish_use_subcommand -f -a %s -d ", verb->name);
    fish_text(verb->summary);
    putchar('\n');
    for (size_t i = 0; (option = told_option(verb->usage, &i)) != NULL; i++) {
        printf("complete -c upsweep -n '__fish_seen_subcommand_from %s'", verb->name);
        if (option->letter != 0) {
            printf(" -s %c", option->letter);
        }
        if (option->name != NULL) {
            printf(" -l %s", option->name);
        }
        if (takes_argument(option)) {
            fputs(" -r", stdout);
        }
        if (argument_words(option, nothing)) {
            fputs(" -f -a '", stdout);
            argument_words(option, spaced);
            putchar('\'');
        }
        fputs(" -d ", stdout);
        fish_text(option->help);
        putchar('\n');
    }
    if (names_algorithm(verb->usage) || strstr(verb->usage->operands, "PATTERN") != NULL ||
        is(verb->name, "graph") || is(verb->name, "list")) {
        printf("complete -c upsweep -n '__fish_seen_subcommand_from %s' -a '", verb->name);
        operand_words(verb, spaced);
        puts("'");
    }
}

void app_dump_fish(void)
{
    puts("# fish completion for upsweep, made by `upsweep --dump fish`");
    for (size_t i = 0; i < app_verb_count; i++) {
        fish_verb(&app_verbs[i]);
    }
}
