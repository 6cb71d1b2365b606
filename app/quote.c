/* quote.c - names and words in sentences as GNU's tools write them, so that a terminal, or a shell
 * that they are pasted to, takes them for what they are: names as the shell would read them ('a b',
 * "it's", 'a'$'\n''b'), words as C would ('a\nb'). What can be printed in the environment's locale
 * stays as it is. */
/* SPDX-License-Identifier: MIT */
#include "app/quote.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

enum { KEPT = 4 }; /* texts that last */

/* A text that grows; NULL after a failure. */
typedef struct text {
    char *bytes;
    size_t used, room;
} text;

static void add(text *t, const char *bytes, size_t count)
{
    if (t->used + count + 1 > t->room) {
        t->room = 2 * (t->used + count + 1);
        char *more = realloc(t->bytes, t->room);
        if (more == NULL) {
            free(t->bytes);
            *t = (text){.room = SIZE_MAX / 4};
            return;
        }
        t->bytes = more;
    }
    if (t->bytes != NULL) {
        memcpy(t->bytes + t->used, bytes, count);
        t->used += count;
        t->bytes[t->used] = '\0';
    }
}

static void add_text(text *t, const char *bytes)
{
    add(t, bytes, strlen(bytes));
}

/* The last few are kept; of them the oldest goes. */
static const char *keep(text t, const char *plain)
{
    static char *kept[KEPT];
    static unsigned next;
    next = (next + 1) % KEPT;
    free(kept[next]);
    kept[next] = t.bytes;
    return t.bytes != NULL ? t.bytes : plain;
}

/* ---- characters ---- */

static locale_t environment(void)
{
    static locale_t locale;
    if (locale == (locale_t)0) {
        locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    }
    return locale;
}

static bool is_utf8(void)
{
    locale_t locale = environment();
    return locale != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
}

/* Bytes of the character at p, and whether it can be printed. */
static size_t character(const char *p, bool *printed)
{
    unsigned char c = (unsigned char)*p;
    *printed = c >= 0x20 && c < 0x7f;
    if (c < 0x80 || environment() == (locale_t)0) {
        return 1;
    }
    locale_t before = uselocale(environment());
    mbstate_t state = {0};
    wchar_t wide;
    size_t bytes = mbrtowc(&wide, p, strlen(p), &state);
    bool known = bytes > 0 && bytes < (size_t)-2;
    *printed = known && iswprint((wint_t)wide);
    uselocale(before);
    return known ? bytes : 1;
}

/* What stands behind a backslash for a character that cannot be printed; each byte by itself. */
static void add_escape(text *t, unsigned char c)
{
    static const char letters[] = "abtnvfr"; /* 7 to 13 */
    char escape[5];
    if (c >= 7 && c <= 13) {
        snprintf(escape, sizeof escape, "\\%c", letters[c - 7]);
    } else {
        snprintf(escape, sizeof escape, "\\%03o", c);
    }
    add_text(t, escape);
}

/* ---- names ---- */

/* Whether the shell reads name as more than a name; *single: it has a single quote, *simple: and
 * else nothing that is special in double quotes. */
static bool is_special(const char *name, bool colon, bool *single, bool *simple)
{
    bool special = *name == '\0';
    *single = false;
    *simple = true;
    for (const char *p = name; *p != '\0';) {
        bool printed, first = p == name;
        size_t bytes = character(p, &printed);
        bool quote = *p == '\'', begins = (*p == '#' || *p == '~') && first;
        bool alone = (*p == '{' || *p == '}') && p[1] == '\0';
        bool odd = !printed || strchr("!\"$&()*;<=>[^`|\\?", *p) != NULL;
        *single |= quote;
        bool safe = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                    (*p >= 'a' && *p <= 'z') || strchr("%+,-./:]@_ '", *p) != NULL || begins ||
                    alone || bytes > 1;
        *simple &= safe && printed;
        special |= odd || quote || begins || (alone && first) || *p == ' ' || (colon && *p == ':');
        p += bytes;
    }
    return special;
}

static const char *quote_name(const char *name, bool always, bool colon)
{
    bool single, simple, escaped = false;
    text t = {0};
    if (!is_special(name, colon, &single, &simple) && !always) {
        return name;
    }
    if (single && simple) {
        add_text(&t, "\"");
        add_text(&t, name);
        add_text(&t, "\"");
        return keep(t, name);
    }
    add_text(&t, "'");
    for (const char *p = name; *p != '\0';) {
        bool printed;
        size_t bytes = character(p, &printed);
        if (*p == '\'') {
            add_text(&t, "'\\''");
            escaped = false;
        } else if (printed) {
            add_text(&t, escaped ? "''" : "");
            add(&t, p, bytes);
            escaped = false;
        }
        for (size_t i = 0; i < bytes && !printed; i++) {
            add_text(&t, escaped ? "" : "'$'");
            add_escape(&t, (unsigned char)p[i]);
            escaped = true;
        }
        p += bytes;
    }
    add_text(&t, "'");
    return keep(t, name);
}

/* errno is left as it is: of sentences that end with its words, compilers may make the name
 * first. */
const char *app_quote(const char *name)
{
    int error = errno;
    const char *quoted = quote_name(name, false, true);
    errno = error;
    return quoted;
}

const char *app_quote_always(const char *name)
{
    int error = errno;
    const char *quoted = quote_name(name, true, false);
    errno = error;
    return quoted;
}

/* ---- words ---- */

const char *app_quote_word(const char *word)
{
    static const char left[] = "\xe2\x80\x98", right[] = "\xe2\x80\x99";
    int error = errno;
    bool curved = app_is_tool() && is_utf8();
    const char *end = curved ? right : "'";
    text t = {0};
    add_text(&t, curved ? left : "'");
    for (const char *p = word; *p != '\0';) {
        bool printed;
        size_t bytes = character(p, &printed);
        if (*p == '\\' || strncmp(p, end, strlen(end)) == 0) {
            add_text(&t, "\\");
        }
        if (printed) {
            add(&t, p, bytes);
        }
        for (size_t i = 0; i < bytes && !printed; i++) {
            add_escape(&t, (unsigned char)p[i]);
        }
        p += bytes;
    }
    add_text(&t, end);
    const char *quoted = keep(t, word);
    errno = error;
    return quoted;
}
