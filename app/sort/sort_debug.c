/* sort_debug.c - --debug: what of each line was compared, underlined, and warnings about keys that
 * mean something else than they look like. Both are those of GNU sort. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"
#include "app/sort/sort_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static void __attribute__((format(printf, 1, 2))) warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", app_command());
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static bool reads_number(const sort_key *key)
{
    return key->kind == SORT_PLAIN || key->kind == SORT_GENERAL || key->kind == SORT_HUMAN;
}

static void warn_of_old(const sort_key *key)
{
    char end[48] = "", better[48] = "";
    if (key->end_field != SIZE_MAX) {
        snprintf(end, sizeof end, " -%zu", key->end_field + 1);
        snprintf(better, sizeof better, ",%zu", key->end_field + 1);
    }
    warn("obsolescent key '+%zu%s' used; consider '-k %zu%s' instead", key->begin_field, end,
         key->begin_field + 1, better);
}

typedef struct spans {
    bool number, general;           /* there is such a key */
    bool number_span, general_span; /* and it reaches over several fields */
} spans;

static void warn_of_key(const sort_order *order, const sort_key *key, size_t number, bool alone,
                        spans *s)
{
    bool at_start = key->begin_field == 0 && key->begin_char == 0;
    if (key->old) {
        warn_of_old(key);
    }
    bool empty = !at_start && key->end_field < key->begin_field;
    if (empty) {
        warn("key %zu has zero width and will be ignored", number);
    }
    bool skips = reads_number(key) || key->kind == SORT_MONTH;
    bool of_line = key->end_field == 0 && key->end_char != 0;
    if (!empty && !alone && order->tab < 0 && !of_line &&
        ((!key->skip_begin && (!skips || key->begin_char != 0)) ||
         (!key->skip_end && key->end_char != 0))) {
        warn("leading blanks are significant in key %zu; consider also specifying 'b'", number);
    }
    if (!reads_number(key)) {
        return;
    }
    bool general = key->kind == SORT_GENERAL;
    s->general |= general;
    s->number |= !general;
    if (!alone && (key->end_field == SIZE_MAX || key->begin_field < key->end_field)) {
        warn("key %zu is numeric and spans multiple fields", number);
        s->general_span |= general;
        s->number_span |= !general;
    }
}

/* A separator that a number could hold does not end it. */
static bool warn_of_tab(const sort_order *order, const spans *s)
{
    const sort_locale *l = order->locale;
    bool told = false;
    if (s->number_span && l->separator >= 0 &&
        (order->tab < 0 ? l->blank[l->separator] : order->tab == l->separator)) {
        warn("field separator '%c' is treated as a group separator in numbers", l->separator);
        told = true;
    }
    if (!s->number_span && !s->general_span) {
        return told;
    }
    if (order->tab == l->decimal) {
        warn("field separator '%c' is treated as a decimal point in numbers", l->decimal);
        told = true;
    } else if (order->tab == '-') {
        warn("field separator '-' is treated as a minus sign in numbers");
    } else if (s->general_span && order->tab == '+') {
        warn("field separator '+' is treated as a plus sign in numbers");
    }
    return told;
}

/* Letters outside of -k that no key has taken over. */
static void warn_of_ignored(const sort_task *task, size_t keys)
{
    const sort_order *order = &task->order;
    sort_key left = order->global;
    char letters[SORT_LETTERS];
    for (size_t k = 0; k < keys; k++) {
        const sort_key *key = &order->keys[k];
        left.ignored = left.ignored == key->ignored ? 0 : left.ignored;
        left.fold &= !key->fold;
        left.skip_begin &= !key->skip_begin;
        left.skip_end &= !key->skip_end;
        left.kinds &= ~key->kinds;
        left.reverse &= !key->reverse;
    }
    bool sure = order->stable || order->unique, reverse = left.reverse;
    left.reverse &= sure;
    sort_key others = left;
    others.reverse = false;
    if (sort_has_options(&others) || (left.reverse && keys > 0)) {
        sort_letters(&left, letters);
        warn("option%s '-%s' %s ignored", letters[1] != '\0' ? "s" : "", letters,
             letters[1] != '\0' ? "are" : "is");
    }
    if (reverse && !sure && keys > 0) {
        warn("option '-r' only applies to last-resort comparison");
    }
}

void sort_debug_warnings(const sort_task *task, bool alone)
{
    const sort_order *order = &task->order;
    const sort_locale *l = order->locale;
    size_t keys = order->count - order->resort;
    spans s = {0};
    if (l->missing) {
        warn("failed to set locale");
    }
    if (strcmp(l->name, "C") != 0 && strcmp(l->name, "POSIX") != 0) {
        warn("text ordering performed using '%s' sorting rules", l->name);
    } else {
        warn("text ordering performed using simple byte comparison");
    }
    for (size_t k = 0; k < keys; k++) {
        warn_of_key(order, &order->keys[k], k + 1, alone, &s);
    }
    if (!warn_of_tab(order, &s) && (s.number || s.general)) {
        warn("%snumbers use '%c' as a decimal point in this locale",
             order->tab == l->decimal ? "" : "note ", l->decimal);
    }
    if (s.number && l->long_separator) {
        warn("the multi-byte number group separator in this locale is not supported");
    }
    warn_of_ignored(task, keys);
}

/* Columns on the screen, a tab counting as one. */
static size_t width(const unsigned char *p, const unsigned char *end)
{
    size_t columns = 0;
    mbstate_t state = {0};
    while (p < end) {
        wchar_t wide;
        size_t bytes = 1;
        if (*p == '\t') {
            columns++;
        } else if (MB_CUR_MAX == 1 || *p < 0x80) {
            columns += !iscntrl(*p);
        } else {
            bytes = mbrtowc(&wide, (const char *)p, (size_t)(end - p), &state);
            if (bytes > (size_t)(end - p)) { /* no character, or not all of one */
                bytes = bytes == (size_t)-2 ? (size_t)(end - p) : 1;
                memset(&state, 0, sizeof state);
                columns++;
            } else {
                int w = wcwidth(wide);
                columns += w >= 0 ? (size_t)w : !iswcntrl((wint_t)wide);
            }
        }
        p += bytes;
    }
    return columns;
}

/* The part of a key that counts, where its kind looks at the beginning only. */
static sort_text tighten(const sort_order *order, const sort_key *key, sort_text text)
{
    bool reads = reads_number(key) || key->kind == SORT_MONTH;
    if (!reads && !(key->skip_begin && key->begin_field == 0 && key->begin_char == 0)) {
        return text;
    }
    while (text.p < text.end && order->locale->blank[*text.p]) {
        text.p++;
    }
    const unsigned char *end = text.end;
    if (key->kind == SORT_MONTH) {
        sort_month_number(order->locale, text, &end);
    } else if (key->kind == SORT_GENERAL) {
        (void)io_general_value(text.p, text.end, &end);
    } else if (reads) {
        end = sort_human_end(order->locale, text, key->kind == SORT_HUMAN);
    }
    return (sort_text){text.p, end};
}

static void underline(const sort_order *order, size_t k, sort_text line)
{
    const sort_key *key = &order->keys[k];
    bool last = order->resort && k + 1 == order->count;
    sort_text text = last ? line : tighten(order, key, sort_field(order, key, line));
    for (size_t i = width(line.p, text.p); i > 0; i--) {
        putchar(' ');
    }
    size_t columns = width(text.p, text.end);
    if (columns == 0) {
        fputs("^ no match for key", stdout);
    }
    for (; columns > 0; columns--) {
        putchar('_');
    }
    putchar('\n');
}

static void print_line(const sort_order *order, sort_text line)
{
    for (const unsigned char *p = line.p; p < line.end; p++) {
        putchar(*p == '\t' ? '>' : *p);
    }
    putchar('\n');
    for (size_t k = 0; k < order->count; k++) {
        underline(order, k, line);
    }
}

int sort_debug_lines(const sort_job *job)
{
    locale_t before = uselocale(job->order->locale->handle);
    for (size_t i = 0; i < job->n && !ferror(stdout); i++) {
        print_line(job->order, sort_line(job, job->items[i]));
    }
    uselocale(before);
    return sort_finish_debug();
}

int sort_finish_debug(void)
{
    bool late = !ferror(stdout);
    return fflush(stdout) != 0 || !late
               ? app_fail("%s failed: 'standard output': %s", late ? "fflush" : "write",
                          strerror(errno != 0 ? errno : EIO))
               : APP_OK;
}

void sort_debug_text(const sort_order *order, const unsigned char *lines, size_t bytes)
{
    locale_t before = uselocale(order->locale->handle);
    const unsigned char *p = lines, *end = lines + bytes, *stop;
    while (p < end && !ferror(stdout) &&
           (stop = memchr(p, order->end, (size_t)(end - p))) != NULL) {
        print_line(order, (sort_text){p, stop});
        p = stop + 1;
    }
    uselocale(before);
}
