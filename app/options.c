/* options.c - reads a command line by a verb's option table: short options may be joined (-nr),
 * long ones shortened as long as they stay unique, arguments follow or are attached (-oFILE,
 * --output=FILE), and "--" ends the options. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"
#include "app/options_refuse.h"
#include "app/quote.h"
#include "io/progress.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const app_option common_options[] = {
    {'o', "output", "FILE", "write to FILE, which appears whole or not at all", APP_TEXT,
     offsetof(app_common, output), NULL},
    {0, "type", "TYPE", "raw binary elements: u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64",
     APP_TYPE, offsetof(app_common, type), NULL},
    {0, "text", NULL, "the input is numbers as text, of the type that --type says", APP_FLAG,
     offsetof(app_common, text), NULL},
    {0, "from", "raw|npy|text", "what the input is, and its first bytes are not asked", APP_TEXT,
     offsetof(app_common, from), NULL},
    {0, "as", "raw|npy|text", "what the output is, whatever the input is", APP_TEXT,
     offsetof(app_common, as), NULL},
    {0, "algorithm", "NAME", "use this one of `upsweep list` instead of the best", APP_TEXT,
     offsetof(app_common, algorithm), NULL},
    {0, "device", "auto|cpu|cuda|cuda:N", "where to compute", APP_TEXT,
     offsetof(app_common, device), NULL},
    {0, "threads", "N", "use at most N threads; 0, the default, means all cores", APP_COUNT,
     offsetof(app_common, threads), NULL},
    {0, "stats", NULL, "tell on stderr what ran, why, and how fast", APP_FLAG,
     offsetof(app_common, stats), NULL},
    {0, "quiet", NULL, "no line of progress on the terminal", APP_FLAG, offsetof(app_common, quiet),
     NULL},
    {0, "json", NULL, "print the result as JSON", APP_FLAG, offsetof(app_common, json), NULL},
    {'h', NULL, NULL, "print a short help", APP_CALL, 0, NULL},
    {0, "help", NULL, "print the whole help", APP_CALL, 0, NULL},
    {0, "version", NULL, "print the version", APP_CALL, 0, NULL},
};
enum { NO_TOOL = 1 << 30 };
static const unsigned common_bits[] = {
    APP_OUTPUT,    APP_TYPED,  APP_FROM_TEXT, APP_FROM,  APP_AS,
    APP_ALGORITHM, APP_DEVICE, APP_DEVICE,    APP_STATS, APP_STATS | APP_DEVICE | APP_OUTPUT,
    APP_JSON,      NO_TOOL,    ~0u,           APP_TOOL};
_Static_assert(sizeof common_bits / sizeof *common_bits ==
                   sizeof common_options / sizeof *common_options,
               "each common option has its bits");

const app_option *app_option_at(const app_usage *usage, size_t i)
{
    const app_option *own = usage->options;
    for (; own != NULL && (own->letter != 0 || own->name != NULL); own++) {
        if (i-- == 0) {
            return own;
        }
    }
    unsigned bits = usage->common | 1u << 31;
    bits |= (bits & APP_TOOL) == 0 ? NO_TOOL : 0;
    for (size_t c = 0; c < sizeof common_options / sizeof *common_options; c++) {
        if ((bits & common_bits[c]) != 0 && i-- == 0) {
            return &common_options[c];
        }
    }
    return NULL;
}

static const app_option *find_letter(const app_usage *usage, char letter)
{
    const app_option *option;
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        if (option->letter == letter) {
            return option;
        }
    }
    app_no_letter(usage, letter);
    return NULL;
}

static bool is_help(const app_option *option)
{
    return option->kind == APP_CALL && option->handler == NULL;
}

/* text may be cut short as long as one option only begins with it; where the verb stands for a
 * tool, as long as one of the tool's options does. An old spelling is not cut short. */
static const app_option *find_name(const app_usage *usage, const char *text, size_t length)
{
    const app_option *option, *found[APP_CLOSE_MOST];
    size_t count = 0;
    bool ours = false, all_ours = true; /* no options of the tool */
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        if (option->name == NULL) {
            continue;
        }
        ours |= (usage->common & APP_TOOL) != 0 && strcmp(option->name, APP_OWN_FROM) == 0;
        if (strncmp(option->name, text, length) != 0) {
            continue;
        }
        if (option->name[length] == '\0') {
            return option;
        }
        bool passed_over = ours && !all_ours && !is_help(option);
        if (option->help != NULL && !passed_over && count < APP_CLOSE_MOST) {
            found[count++] = option;
            all_ours &= ours;
        }
    }
    if (count == 1) {
        return found[0];
    }
    if (count > 1) {
        app_ambiguous_option(usage, text, length, found, count);
    } else {
        app_no_option(usage, text, length);
    }
    return NULL;
}

static int parse_count(const char *name, const char *text, bool units, size_t *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (units && *end != '\0') {
        const char *letters = "KMGT", *unit = strchr(letters, *end & ~0x20);
        if (unit != NULL) {
            shift = 10 * (unsigned)(unit - letters + 1);
            end++;
        }
    }
    bool digits = *text >= '0' && *text <= '9';
    if (!digits || *end != '\0') {
        return app_fail("%s takes a whole number%s, not '%s'", name, units ? " of bytes" : "",
                        text);
    }
    if (errno == ERANGE || number > (unsigned long long)SIZE_MAX >> shift) {
        return app_fail("%s %s is too large", name, text);
    }
    *value = (size_t)number << shift;
    return APP_OK;
}

int app_parse_number(const char *name, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0') {
        return app_fail("%s takes a number, not '%s'", name, text);
    }
    return APP_OK;
}

int app_word(const char *option, const char *text, const char *const *words)
{
    char all[200] = "";
    int found = -1, count = 0;
    size_t length = strlen(text), used = 0;
    for (int i = 0; words[i] != NULL; i++) {
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", words[i]);
        if (strncmp(words[i], text, length) == 0) {
            found = count++ == 0 || words[i][length] == '\0' ? i : found;
            count = words[i][length] == '\0' ? INT_MIN : count;
        }
    }
    if (found >= 0 && count <= 1) {
        return found;
    }
    app_fail("%s argument %s for %s; valid are %s", found < 0 ? "invalid" : "ambiguous",
             app_quote_word(text), app_quote_word(option), all);
    return -1;
}

static int parse_type(const char *text, upsweep_type *type)
{
    *type = upsweep_type_from_name(text);
    if (*type != 0) {
        return APP_OK;
    }
    const char *names[UPSWEEP_F64];
    for (int t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        names[t - 1] = upsweep_type_name((upsweep_type)t);
    }
    const char *near = app_near(text, names, UPSWEEP_F64, sizeof *names);
    return app_fail("there is no type '%s'; %s%s%s", text, near ? "did you mean " : "there are ",
                    near ? near : "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64",
                    near ? "?" : "");
}

static int apply(const app_option *option, app_common *settings, const char *text)
{
    void *target = (char *)settings + option->offset;
    char name[32];
    if (option->name != NULL) {
        snprintf(name, sizeof name, "--%s", option->name);
    } else {
        snprintf(name, sizeof name, "-%c", option->letter);
    }
    if (option->kind == APP_CALL) {
        return option->handler(settings, text);
    }
    if (option->kind == APP_FLAG || text == NULL) {
        *(bool *)target = true;
        return APP_OK;
    }
    switch (option->kind) {
    case APP_DIGITS: return APP_OK;
    case APP_TEXT: *(const char **)target = text; return APP_OK;
    case APP_COUNT:
    case APP_BYTES: return parse_count(name, text, option->kind == APP_BYTES, target);
    case APP_NUMBER: return app_parse_number(name, text, target);
    case APP_TYPE: return parse_type(text, target);
    default: return APP_ERROR;
    }
}

/* The words of the command line that are still to be read. */
typedef struct words {
    char **word;
    int left;
} words;

/* Gives an option its arguments: attached (NULL if nothing is) or the words that follow. */
static int take(const app_usage *usage, const app_option *option, bool by_letter,
                const char *attached, words *w, app_common *settings)
{
    const char *argument = option->argument;
    bool optional = argument != NULL && *argument == '[';
    if (argument == NULL || (optional && attached == NULL)) {
        return attached != NULL ? app_takes_no_argument(usage, option)
                                : apply(option, settings, NULL);
    }
    int status = APP_OK;
    for (const char *p = argument; p != NULL && status == APP_OK; p = strchr(p, ' ')) {
        p += *p == ' ';
        const char *text = attached;
        attached = NULL;
        if (text == NULL) {
            if (w->left == 0) {
                return app_needs_argument(usage, option, by_letter);
            }
            if (option->kind == APP_DIGITS &&
                w->word[0][strspn(w->word[0], "0123456789")] != '\0') {
                return APP_OK;
            }
            w->left--;
            text = *w->word++;
        }
        status = apply(option, settings, text);
    }
    return status;
}

static int show_help(const app_option *option, const app_usage *usage)
{
    if (option->name == NULL) {
        app_print_usage(app_verb_name(), usage);
    } else if (strcmp(option->name, "help") == 0) {
        app_print_help(app_verb_name(), usage);
    } else {
        printf("%s (upsweep) %s\n", app_verb_name(), upsweep_version());
    }
    return app_finish_stdout();
}

static int parse_letters(const app_usage *usage, const char *letters, words *w,
                         app_common *settings)
{
    for (const char *p = letters; *p != '\0'; p++) {
        const app_option *option = find_letter(usage, *p);
        if (option == NULL) {
            return APP_ERROR;
        }
        if (is_help(option)) {
            return show_help(option, usage);
        }
        bool takes = option->argument != NULL && *option->argument != '[';
        const char *attached = takes && p[1] != '\0' ? p + 1 : NULL;
        int status = take(usage, option, true, attached, w, settings);
        if (status != APP_OK) {
            return status;
        }
        if (takes) {
            break;
        }
    }
    return -1;
}

static int parse_name(const app_usage *usage, const char *text, words *w, app_common *settings)
{
    size_t length = strcspn(text, "=");
    const app_option *option = find_name(usage, text, length);
    if (option == NULL) {
        return APP_ERROR;
    }
    const char *attached = text[length] == '=' ? text + length + 1 : NULL;
    if (is_help(option)) {
        return attached == NULL ? show_help(option, usage) : app_takes_no_argument(usage, option);
    }
    int status = take(usage, option, false, attached, w, settings);
    return status == APP_OK ? -1 : status;
}

int app_parse(const app_usage *usage, int argc, char **argv, app_common *settings)
{
    return app_parse_words(usage, argc, argv, settings, NULL);
}

/* POSIX's way, which a tool takes if the environment asks for it: what comes behind the first
 * operand is one, too, but for an output. */
static bool is_operand(const app_common *settings, const char *word, bool last)
{
    bool output = strncmp(word, "-o", 2) == 0 && (word[2] != '\0' || !last);
    return settings->operand_count > 0 && !output && app_is_tool() &&
           getenv("POSIXLY_CORRECT") != NULL;
}

int app_parse_words(const app_usage *usage, int argc, char **argv, app_common *settings,
                    app_word_taker taker)
{
    words w = {argv + 1, argc - 1};
    settings->operands = argv + 1; /* operands move to the front: they never pass the reader */
    settings->operand_count = 0;
    bool options = true;
    while (w.left > 0) {
        char *word = *w.word++;
        w.left--;
        int status = -1;
        bool option = options && !is_operand(settings, word, w.left == 0);
        if (option && strcmp(word, "--") == 0) {
            options = false;
        } else if (option && word[0] == '-' && word[1] == '-') {
            status = parse_name(usage, word + 2, &w, settings);
        } else if (option && word[0] == '-' && word[1] != '\0') {
            status = parse_letters(usage, word + 1, &w, settings);
        } else {
            int taken = option && taker != NULL ? taker(settings, w.word - 1, w.left + 1) : 0;
            status = taken < 0 ? APP_ERROR : -1;
            if (taken > 0) {
                w.word += taken - 1;
                w.left -= taken - 1;
            } else {
                settings->operands[settings->operand_count++] = word;
            }
        }
        if (status >= 0) {
            return status;
        }
    }
    io_progress_quiet(settings->quiet);
    if (*usage->operands == '\0' && settings->operand_count > 0) {
        return app_fail("takes no operand, not '%s'", settings->operands[0]);
    }
    return app_check_algorithm(settings->algorithm);
}
