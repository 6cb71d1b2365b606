/* options.h - a verb's options as a table. The same table parses the command line, prints -h and
 * --help, and makes the man page and the completions, so that they cannot disagree.
 *
 * A verb's settings are a struct whose first member is app_common; an option writes to the member
 * at its offset. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "upsweep.h"

typedef enum app_kind {
    APP_FLAG = 1, /* bool: set to true */
    APP_TEXT,     /* const char *: the argument itself */
    APP_COUNT,    /* size_t: a whole number */
    APP_BYTES,    /* size_t: a whole number with an optional K, M, G or T (powers of 1024) */
    APP_NUMBER,   /* double */
    APP_TYPE,     /* upsweep_type: u8 ... f64 */
    APP_DIGITS,   /* nothing; a word behind the option is its own only if it is digits */
    APP_CALL      /* handler(settings, argument) is called */
} app_kind;

/* Returns APP_OK, or the status to exit with after app_fail. argument is NULL for options that take
 * none, and for "[=WORD]" when it was left out. */
typedef int (*app_handler)(void *settings, const char *argument);

typedef struct app_option {
    char letter;          /* 0: has none */
    const char *name;     /* without the dashes; NULL: has none */
    const char *argument; /* "FILE"; "LO HI" takes two (APP_CALL, called once for each); "[=WORD]"
                             may be left out; "a|b|c": one of these words, which completions offer;
                             NULL: takes none */
    const char *help;     /* one sentence, lower case, no full stop; NULL: an old spelling, which is
                             understood for one more release, and told to nobody */
    app_kind kind;
    size_t offset; /* offsetof(struct settings, member) */
    app_handler handler;
} app_option;

/* Options that many verbs have; a usage says which. */
enum {
    APP_DEVICE = 1 << 0,    /* --device, --threads */
    APP_OUTPUT = 1 << 1,    /* -o, --output */
    APP_JSON = 1 << 2,      /* --json */
    APP_STATS = 1 << 3,     /* --stats; this, DEVICE or OUTPUT: --quiet */
    APP_TYPED = 1 << 4,     /* --type */
    APP_ALGORITHM = 1 << 5, /* --algorithm */
    APP_FROM_TEXT = 1 << 6, /* --text */
    APP_AS = 1 << 7,        /* --as */
    APP_FROM = 1 << 8,      /* --from */
    APP_TOOL = 1 << 9,      /* --version, and -h is the verb's own */
    APP_MACHINERY = APP_DEVICE | APP_STATS | APP_ALGORITHM
};

typedef struct app_common {
    const char *device;    /* NULL: the best */
    size_t threads;        /* 0: all */
    const char *output;    /* NULL: stdout */
    const char *algorithm; /* NULL: chosen by the library; known to exist */
    upsweep_type type;     /* 0: not given */
    bool json, stats, text, quiet;
    const char *as;   /* format of the output; NULL: that of the input */
    const char *from; /* what the input is; NULL: its first bytes tell */
    char **operands;  /* what is left of the command line */
    size_t operand_count;
} app_common;

/* Where a verb stands for a tool: its first option that the tool has not, nor any behind it. */
#define APP_OWN_FROM "strict"

typedef struct app_usage {
    const char *operands;      /* "[FILE]..." */
    const char *about;         /* paragraphs for --help and the man page, parted by empty lines */
    unsigned common;           /* APP_DEVICE | ... */
    const app_option *options; /* ended by one without letter and name; NULL: none */
    const char *examples;      /* lines; NULL: none */
} app_usage;

/* Fills settings in from the command line; settings must be zero or hold the defaults. Options and
 * operands may mix, "--" ends the options. Returns -1 to go on, else the status to exit with (help
 * was printed, or a sentence on what is wrong). */
int app_parse(const app_usage *usage, int argc, char **argv, app_common *settings);
/* Words that are no options are shown to `taker` first: it returns how many of the `left` words it
 * has taken, 0 to leave this one as an operand, or -1 after a sentence. */
typedef int (*app_word_taker)(void *settings, char *const *words, int left);
int app_parse_words(const app_usage *usage, int argc, char **argv, app_common *settings,
                    app_word_taker taker);

/* Option number i of a usage, the common ones and help last; NULL past the end. */
const app_option *app_option_at(const app_usage *usage, size_t i);

/* Which of words (ended by NULL) text is, or begins as the only one: its number, or -1 after a
 * sentence that names them. */
int app_word(const char *option, const char *text, const char *const *words);

/* help.c */
void app_print_usage(const char *verb, const app_usage *usage);
void app_print_help(const char *verb, const app_usage *usage);
void app_print_verbs(void);

#endif
