/* dump_man.c - the manual, made of the verbs' option tables, in the man(7) macros: upsweep(1) by
 * `upsweep --dump man`, and a page for each verb, upsweep-sort(1) by `upsweep --dump man sort`. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

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

static void title(const char *verb)
{
    fputs(".TH UPSWEEP", stdout);
    for (const char *p = verb; *p != '\0'; p++) {
        printf("%s%c", p == verb ? "\\-" : "", *p & ~0x20);
    }
    printf(" 1 \"\" \"upsweep %s\" \"User Commands\"\n", upsweep_version());
}

static void options_section(const app_usage *usage)
{
    const app_option *option;
    puts(".SH OPTIONS");
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        if (option->help != NULL) {
            option_line(option);
        }
    }
}

static void examples_section(const char *line)
{
    puts(".SH EXAMPLES\n.nf");
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        text_line(line, length);
        putchar('\n');
        line += length + (line[length] == '\n');
    }
    puts(".fi");
}

/* What each verb reads of the environment; * stands for all. */
static const struct {
    const char *name, *verbs, *text;
} variables[] = {
    {"UPSWEEP_ISA", "*", "portable, avx2 or avx512: use no instruction set beyond this one."},
    {"UPSWEEP_CUDA_PLUGIN", "*", "The path of the GPU plugin, instead of the one installed."},
    {"UPSWEEP_TUNING", "*",
     "The file of `upsweep tune`, instead of $XDG_CONFIG_HOME/upsweep/tuning or\n"
     "~/.config/upsweep/tuning."},
    {"TMPDIR", "sort scan split select gen paths graph learn",
     "Where sort keeps what does not fit into memory, where an output is collected that must be\n"
     "written over its file, and where solutions are compiled; /tmp if it is not set."},
    {"UPSWEEP_TEMPORARIES", "sort",
     "raw or packed: whether temporary files are compressed by liblz4, if that is there; else "
     "they\n"
     "are where that is faster."},
    {"LC_ALL, LC_COLLATE, LC_CTYPE, LC_NUMERIC, LC_TIME, LANG", "sort",
     "The locale, with --locale, or where the program is called by the name sort."},
    {"POSIXLY_CORRECT, _POSIX2_VERSION", "sort", "Whether +POS alone is a key, as for sort(1)."},
    {"CC", "learn", "The compiler of solutions in C; cc if it is not set."},
    {"PYTHON", "learn", "The interpreter of solutions in Python; python3 if it is not set."},
    {"NO_COLOR, TERM", "trace", "If the first is set, --watch prints no colours."},
    {"DISPLAY, WAYLAND_DISPLAY, LIBGL_ALWAYS_SOFTWARE", "view", "Where windows open, and how."},
};

static bool reads(const char *verbs, const char *verb)
{
    const char *found = strstr(verbs, verb);
    return *verbs == '*' || *verb == '\0' ||
           (found != NULL && (found == verbs || found[-1] == ' ') &&
            strchr(" ", found[strlen(verb)]) != NULL);
}

static void environment_section(const char *verb)
{
    puts(".SH ENVIRONMENT");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        if (reads(variables[i].verbs, verb)) {
            fputs(".TP\n\\fB", stdout);
            put(variables[i].name);
            puts("\\fR");
            paragraphs(variables[i].text);
            putchar('\n');
        }
    }
}

static void status_section(void)
{
    puts(".SH EXIT STATUS\n0 if all went well, 1 if a check failed, 2 after an error.");
}

static void see_also_section(const char *verb)
{
    static const struct {
        const char *verb, *others;
    } near[] = {{"sort", "sort(1), locale(1), upsweep\\-check(1), upsweep\\-select(1)"},
                {"trace", "upsweep\\-explain(1), upsweep\\-page(1), upsweep\\-view(1)"},
                {"page", "upsweep\\-trace(1), upsweep\\-learn(1)"},
                {"view", "upsweep\\-trace(1), upsweep\\-page(1)"},
                {"explain", "upsweep\\-trace(1), upsweep\\-list(1), upsweep\\-learn(1)"},
                {"learn", "upsweep\\-explain(1), upsweep\\-trace(1)"},
                {"compare", "upsweep\\-tune(1), upsweep\\-list(1)"},
                {"tune", "upsweep\\-info(1), upsweep\\-compare(1)"},
                {"gen", "upsweep\\-sort(1), upsweep\\-check(1)"},
                {"check", "upsweep\\-sort(1), upsweep\\-gen(1)"},
                {"scan", "upsweep\\-reduce(1)"},
                {"reduce", "upsweep\\-scan(1), upsweep\\-histogram(1)"},
                {"histogram", "upsweep\\-reduce(1), upsweep\\-select(1)"},
                {"paths", "upsweep\\-graph(1)"},
                {"graph", "upsweep\\-paths(1)"}};
    fputs(".SH SEE ALSO\nupsweep(1)", stdout);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        if (strcmp(near[i].verb, verb) == 0) {
            printf(", %s", near[i].others);
        }
    }
    putchar('\n');
}

void app_dump_man_verb(const app_verb *verb)
{
    title(verb->name);
    printf(".SH NAME\nupsweep\\-%s \\- ", verb->name);
    put(verb->summary);
    printf("\n.SH SYNOPSIS\n.B upsweep %s\n[\\fIOPTION\\fR]... ", verb->name);
    put(verb->usage->operands);
    puts("\n.SH DESCRIPTION");
    if (verb->usage->about != NULL) {
        paragraphs(verb->usage->about);
    }
    options_section(verb->usage);
    if (verb->usage->examples != NULL) {
        examples_section(verb->usage->examples);
    }
    status_section();
    environment_section(verb->name);
    see_also_section(verb->name);
}

void app_dump_man(void)
{
    title("");
    puts(".SH NAME\nupsweep \\- sort, scan, reduce and split, in parallel, and see how it is done\n"
         ".SH SYNOPSIS\n.B upsweep\n\\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
         ".SH DESCRIPTION");
    paragraphs("upsweep sorts, scans, reduces and splits plain arrays and lines of text with all "
               "cores of\n"
               "the machine, and shows every algorithm at work, round by round. Each verb has a "
               "page of its\n"
               "own:\n");
    for (size_t i = 0; i < app_verb_count; i++) {
        printf(".TP\n\\fBupsweep\\-%s\\fR(1)\n", app_verbs[i].name);
        put(app_verbs[i].summary);
        puts(".");
    }
    puts(".PP");
    paragraphs(
        "Every verb but sort, whose -h orders sizes, has -h, a short help, and all have --help, "
        "the\n"
        "whole of it; `upsweep help VERB` prints that too.\n\n"
        "Without a file name, or for the name -, standard input is read. Results go to standard\n"
        "output or to the file given by -o, which may be one of the inputs: it appears whole or\n"
        "not at all.\n\n"
        "Numbers come in three formats. Files that begin like .npy, NumPy's format, are .npy, and\n"
        "results of theirs are .npy too; arrays of several dimensions count as one long row. With\n"
        "--type the file holds raw elements of that type, little-endian. Otherwise it is text,\n"
        "with spaces or ends of lines between the numbers; they are i64 if all are whole numbers\n"
        "that fit, else u64 if all are that fit, else f64.\n\n"
        "What takes more than a second tells on the terminal how far it is; --quiet keeps it "
        "silent.");
    examples_section("upsweep sort -n sizes.txt -o sizes.txt\n"
                     "upsweep trace sort/bitonic --watch 3 1 2 4\n"
                     "ln -s $(command -v upsweep) ~/bin/sort");
    status_section();
    environment_section("");
    puts(".SH FILES\n.TP\n~/.config/upsweep/tuning\nWhat upsweep\\-tune(1) has measured.");
    fputs(".SH SEE ALSO\n", stdout);
    for (size_t i = 0; i < app_verb_count; i++) {
        printf("%supsweep\\-%s(1)", i > 0 ? ", " : "", app_verbs[i].name);
    }
    puts(", sort(1)");
}
