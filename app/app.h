/* app.h - what the verbs of the program share: their table, how they fail, and how they open the
 * library. A verb is one file, app/verb_NAME.c, and one line of verbs.def; it exits with 0, with 1
 * when a check failed, or with 2 after an error, of which it has told in one sentence on stderr. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/options.h"
#include "upsweep.h"

enum { APP_OK = 0, APP_NO = 1, APP_ERROR = 2 };

typedef struct app_verb {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    const app_usage *usage;
} app_verb;

/* verbs.c: all verbs, as app/verbs.def lists them; and the one of that name, or NULL. */
extern const app_verb app_verbs[];
extern const size_t app_verb_count;
const app_verb *app_verb_find(const char *name);

#define VERB(name, summary)                                                                        \
    int verb_##name(int argc, char **argv);                                                        \
    extern const app_usage usage_##name;
#include "app/verbs.def"
#undef VERB

/* The verb that runs, for messages; "" before there is one. */
void app_set_verb(const char *name);
const char *app_verb_name(void);
/* The program was called by this name, as the tool that the verb stands for. */
void app_set_tool(const char *name);
bool app_is_tool(void);
/* "upsweep sort", or "sort" for the tool: what messages begin with. */
const char *app_command(void);

/* Prints app_command(), ": ..." and a newline to stderr; Returns APP_ERROR, so that `return
 * app_fail(...)` reads well. */
int app_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens the library on the device and with the threads of the common options. *u is NULL and the
 * sentence is out on failure. */
int app_open(const app_common *common, upsweep **u);
/* Says why the last call on u failed and returns APP_ERROR. */
int app_fail_call(const upsweep *u);
/* --stats: one paragraph on stderr: what ran and why, time and throughput. bytes 0: not told. */
void app_print_report(const upsweep *u, size_t n, const char *what, size_t bytes, double seconds);
/* Seconds of a clock that only goes forward. */
double app_seconds(void);
/* Flushes stdout; a full disk or a closed pipe becomes a sentence and APP_ERROR, else APP_OK. */
int app_finish_stdout(void);
/* text as a JSON string, in quotes. */
void app_print_json_text(FILE *f, const char *text);

/* For handlers of APP_CALL options: reads a number or says that `name` takes one. */
int app_parse_number(const char *name, const char *text, double *value);

/* The one of names (count of them, stride bytes apart, each place beginning with a char pointer)
 * that a person who typed `wrong` probably meant, or NULL. */
const char *app_near(const char *wrong, const void *names, size_t count, size_t stride);
/* Whether the word is one that the verb's --as takes: of "csv|json" it is json. */
bool app_near_format(const app_usage *usage, const char *word);

/* machine.c: without a look at GPUs. The memory of the machine, 0 if unknown; and the processor's
 * name and the cores of this process, the rest stays as it is. */
size_t app_memory_bytes(void);
void app_describe_cpu(upsweep_machine *machine);

/* dump.c, dump_man.c, dump_complete.c: the manual and the shells' completions, made of the option
 * tables. verb: of "man", its page; NULL: the program's. */
int app_dump(const char *what, const char *verb);
void app_dump_man(void);
void app_dump_man_verb(const app_verb *verb);
void app_dump_bash(void);
void app_dump_zsh(void);
void app_dump_fish(void);

/* verb_gen.c: test data, a function of pattern, type, seed and n. */
extern const char *const app_gen_patterns[]; /* the patterns' names, then NULL */
/* Its place in the list, or -1 after a sentence. */
int app_pattern_find(const char *name);
void app_pattern_fill(int pattern, upsweep_type type, uint64_t seed, size_t n, void *elements);
/* 1000, 1e6, 2^20, 1M = 2^20: a number of elements, or APP_ERROR after a sentence. */
int app_parse_elements(const char *text, size_t *n);

#endif
