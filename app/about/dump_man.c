/* dump_man.c - the man page, made of the verbs' option tables (`upsweep --dump man`), in the man(7)
 * macros. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

int app_dump(const char *what)
{
    static const struct {
        const char *name;
        void (*dump)(void);
    } dumps[] = {{"man", app_dump_man},
                 {"bash", app_dump_bash},
                 {"zsh", app_dump_zsh},
                 {"fish", app_dump_fish}};
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        if (strcmp(dumps[i].name, what) == 0) {
            dumps[i].dump();
            return app_finish_stdout();
        }
    }
    return app_fail("--dump takes man, bash, zsh or fish, not '%s'", what);
}

/* One line of text with what roff would take for its own escaped. */
static void text_line(const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\'')) {
        fputs("\\&", stdout);
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            fputs("\\e", stdout);
        } else if (text[i] == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(text[i]);
        }
    }
}

static void put(const char *text)
{
    text_line(text, strlen(text));
}

/* Paragraphs are parted by empty lines; indented lines are kept as they are. */
static void paragraphs(const char *text)
{
    bool kept = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool keep = length > 0 && *text == ' ';
        if (keep != kept) {
            puts(keep ? ".nf" : ".fi");
            kept = keep;
        }
        if (length == 0) {
            puts(".PP");
        } else {
            text_line(text, length);
            putchar('\n');
        }
        text += length + (text[length] == '\n');
    }
    if (kept) {
        puts(".fi");
    }
}

static void option_line(const app_option *option)
{
    puts(".TP");
    if (option->letter != 0) {
        printf("\\fB\\-%c\\fR", option->letter);
    }
    if (option->name != NULL) {
        printf("%s\\fB\\-\\-", option->letter != 0 ? ", " : "");
        put(option->name);
        fputs("\\fR", stdout);
    }
    if (option->argument != NULL) {
        printf("%s\\fI", *option->argument == '[' ? "" : " ");
        put(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(option->help);
    puts(".");
}

static void verb_section(const app_verb *verb)
{
    const app_option *option;
    printf(".SS upsweep %s [OPTION]... ", verb->name);
    put(verb->usage->operands);
    putchar('\n');
    if (verb->usage->about != NULL) {
        paragraphs(verb->usage->about);
    }
    for (size_t i = 0; (option = app_option_at(verb->usage, i)) != NULL; i++) {
        bool common_to_all = option->kind == APP_CALL && option->handler == NULL;
        if (!common_to_all) {
            option_line(option);
        }
    }
    if (verb->usage->examples != NULL) {
        puts(".PP\nExamples:\n.PP\n.nf\n.RS");
        const char *line = verb->usage->examples;
        while (*line != '\0') {
            size_t length = strcspn(line, "\n");
            text_line(line, length);
            putchar('\n');
            line += length + (line[length] == '\n');
        }
        puts(".RE\n.fi");
    }
}

void app_dump_man(void)
{
    printf(".TH UPSWEEP 1 \"\" \"upsweep %s\" \"User Commands\"\n", upsweep_version());
    puts(".SH NAME\nupsweep \\- sort, scan, reduce and split, in parallel, and see how it is done\n"
         ".SH SYNOPSIS\n.B upsweep\n\\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
         ".SH DESCRIPTION");
    paragraphs("upsweep sorts, scans, reduces and splits plain arrays and lines of text with all "
               "cores of\n"
               "the machine, and shows every algorithm at work, round by round. The verbs are:\n");
    for (size_t i = 0; i < app_verb_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", app_verbs[i].name);
        put(app_verbs[i].summary);
        puts(".");
    }
    puts(".PP");
    paragraphs(
        "Every verb has -h, a short help, and --help, all of it.\n\n"
        "Without a file name, or for the name -, standard input is read. Results go to standard\n"
        "output or to the file given by -o, which may be one of the inputs: it appears whole or\n"
        "not at all.\n\n"
        "Numbers come in three formats. Files that begin like .npy, NumPy's format, are .npy, and\n"
        "results of theirs are .npy too; arrays of several dimensions count as one long row. With\n"
        "--type the file holds raw elements of that type, little-endian. Otherwise it is text,\n"
        "with spaces or ends of lines between the numbers; they are i64 if all are whole numbers\n"
        "that fit, else u64 if all are that fit, else f64.");
    puts(".SH VERBS");
    for (size_t i = 0; i < app_verb_count; i++) {
        verb_section(&app_verbs[i]);
    }
    puts(".SH EXIT STATUS\n0 if all went well, 1 if a check failed, 2 after an error.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBUPSWEEP_ISA\\fR\nportable, avx2 or avx512: use no instruction "
         "set beyond this one.\n.TP\n\\fBNO_COLOR\\fR\nif set, no colours are printed.");
}
