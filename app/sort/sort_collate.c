/* sort_collate.c - text in the order of a locale, as GNU sort has it: by strcoll, part by part
 * where there are NUL bytes.
 *
 * A call of strcoll for every comparison is what makes such sorts slow, and one of strxfrm for
 * every line is hardly better. So the first level of the order (letters without case and accents)
 * is made of a table: for each character below U+0300 the bytes that strxfrm_l makes of it alone,
 * up to the byte 1 that ends the level in glibc. Pairs of ASCII characters are tried as well, since
 * a locale may hold two for one letter, as Czech does "ch"; a text with such a pair, or with any
 * other character, is transformed by strxfrm_l. glibc writes weights as UTF-8 writes characters;
 * those of ASCII, which most texts are made of, are renamed to one byte each, and others are
 * written behind a byte that says between which of them they lie. All this is a guess at what the C
 * library does: only strcoll decides, for lines whose bytes are equal and, once, for neighbours in
 * the end. It need not be asked for lines of characters of which none begins a sequence that the
 * locale takes as one, as glibc's own table tells (sort_locale.c): their first levels are one
 * behind the other those of their characters, and strcoll has the order of strxfrm. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <stdlib.h>
#include <string.h>

int sort_collate_compare(const sort_locale *l, sort_text a, sort_text b)
{
    if (a.p == a.end || b.p == b.end) {
        return (a.p < a.end) - (b.p < b.end);
    }
    for (;;) {
        const char *x = (const char *)a.p, *y = (const char *)b.p;
        int difference = strcoll_l(x, y, l->handle);
        if (difference != 0) {
            return difference;
        }
        a.p += strlen(x) + 1;
        b.p += strlen(y) + 1;
        if (a.p > a.end || b.p > b.end) {
            return (a.p <= a.end) - (b.p <= b.end);
        }
    }
}

enum { CHARACTERS = 0x300, ASCII = 128, WEIGHT = 15, UNITS = 120, LEVEL_END = 1 };

typedef struct weight {
    unsigned char count; /* of bytes; UNKNOWN: strxfrm_l is to be asked */
    unsigned char bytes[WEIGHT];
} weight;

enum { UNKNOWN = 255, SLOW = 0, IGNORED = 1 };

struct sort_weights {
    const sort_locale *locale;
    uint32_t units[UNITS]; /* weights that have a byte of their own, in order */
    unsigned unit_count;
    weight of[CHARACTERS];       /* by code point, or by byte where those are characters */
    unsigned char single[256];   /* by byte: its one byte; IGNORED; or SLOW: `of` is to be asked */
    bool together[ASCII][ASCII]; /* the pair is more than its characters */
    bool begins[ASCII];          /* such a pair */
    bool sure[256];              /* by byte: keys of texts of these need not be checked */
    bool sure_ascii;             /* so are all of ASCII but NUL */
};

typedef struct sink {
    unsigned char *to;
    size_t skip, count, room;
} sink;

static inline void put(sink *s, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count && s->count < s->room; i++) {
        if (s->skip > 0) {
            s->skip--;
        } else {
            s->to[s->count++] = bytes[i];
        }
    }
}

/* The bytes of the weight at p as one number, in the same order; *count gets how many. */
static uint32_t unit_at(const unsigned char *p, const unsigned char *end, size_t *count)
{
    size_t bytes = *p < 0xc0 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    uint32_t unit = 0;
    *count = (size_t)(end - p) < bytes ? (size_t)(end - p) : bytes;
    for (size_t i = 0; i < 4; i++) {
        unit = unit << 8 | (i < *count ? p[i] : 0u);
    }
    return unit;
}

/* How many of the known weights are less. */
static unsigned rank(const sort_weights *w, uint32_t unit)
{
    unsigned low = 0, high = w->unit_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (w->units[middle] < unit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Renames the weights of a first level, until the sink is full. */
static void put_level(const sort_weights *w, const unsigned char *p, const unsigned char *end,
                      sink *s)
{
    size_t count;
    for (; p < end && s->count < s->room; p += count) {
        uint32_t unit = unit_at(p, end, &count);
        unsigned at = rank(w, unit);
        bool known = at < w->unit_count && w->units[at] == unit;
        unsigned char code = (unsigned char)(2 * at + 1 + known);
        put(s, &code, 1);
        if (!known) {
            put(s, p, count);
        }
    }
}

/* The first level of a text of few characters; -1: it is longer than room. */
static int first_level(const sort_locale *l, const char *text, unsigned char *to, size_t room)
{
    char made[256];
    size_t bytes = strxfrm_l(made, text, sizeof made, l->handle);
    const char *end = bytes < sizeof made ? memchr(made, LEVEL_END, bytes) : NULL;
    size_t count = end != NULL ? (size_t)(end - made) : room + 1;
    if (count > room) {
        return -1;
    }
    memcpy(to, made, count);
    return (int)count;
}

static int compare_units(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void find_units(sort_weights *w)
{
    for (int c = 1; c < ASCII; c++) {
        const char text[2] = {(char)c, '\0'};
        unsigned char level[WEIGHT];
        size_t bytes;
        int count = first_level(w->locale, text, level, WEIGHT);
        for (int i = 0; i < count && w->unit_count < UNITS; i += (int)bytes) {
            uint32_t unit = unit_at(level + i, level + count, &bytes);
            unsigned u = 0;
            while (u < w->unit_count && w->units[u] != unit) {
                u++;
            }
            w->units[u] = unit;
            w->unit_count += u == w->unit_count;
        }
    }
    qsort(w->units, w->unit_count, sizeof *w->units, compare_units);
}

/* The renamed first level of a text of few characters, or UNKNOWN. */
static void weigh_text(const sort_weights *w, const char *text, weight *to)
{
    unsigned char level[2 * WEIGHT];
    sink s = {.to = to->bytes, .room = WEIGHT};
    int count = first_level(w->locale, text, level, sizeof level);
    if (count > 0) {
        put_level(w, level, level + count, &s);
    }
    to->count = count < 0 || s.count == WEIGHT ? UNKNOWN : (unsigned char)s.count;
}

static void weigh(sort_weights *w, unsigned c)
{
    char text[3] = {(char)c, '\0', '\0'};
    if (w->locale->utf8 && c >= ASCII) {
        text[0] = (char)(0xc0 | c >> 6);
        text[1] = (char)(0x80 | (c & 0x3f));
    }
    if (c != 0) {
        weigh_text(w, text, &w->of[c]);
    }
}

static void weigh_pair(sort_weights *w, unsigned a, unsigned b)
{
    const weight *x = &w->of[a], *y = &w->of[b];
    if (x->count == UNKNOWN || y->count == UNKNOWN) {
        return;
    }
    const char text[3] = {(char)a, (char)b, '\0'};
    weight pair;
    weigh_text(w, text, &pair);
    if (pair.count != x->count + y->count || memcmp(pair.bytes, x->bytes, x->count) != 0 ||
        memcmp(pair.bytes + x->count, y->bytes, y->count) != 0) {
        w->together[a][b] = true;
        w->begins[a] = true;
    }
}

/* Characters with one weight or none that begin no sequence, in upper case as well. Where a pair is
 * together that no sequence explains, the table is not understood, and nothing is sure. */
static void find_sure(sort_weights *w)
{
    bool alone[ASCII] = {false};
    for (unsigned c = 1; c < ASCII; c++) {
        alone[c] = sort_locale_alone(w->locale, c);
        if (alone[c] && w->begins[c]) {
            return;
        }
    }
    w->sure_ascii = true;
    for (unsigned c = 1; c < ASCII; c++) {
        unsigned u = w->locale->upper[c];
        w->sure[c] =
            alone[c] && w->single[c] != SLOW && u < ASCII && alone[u] && w->single[u] != SLOW;
        w->sure_ascii = w->sure_ascii && w->sure[c];
    }
}

bool sort_weights_are_sure(const sort_weights *w, sort_text text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const unsigned char *p = text.p;
    for (; w->sure_ascii && text.end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        if ((((word - ones) & ~word) | word) & (0x80 * ones)) { /* NUL, or no ASCII */
            return false;
        }
    }
    while (p < text.end && w->sure[*p]) {
        p++;
    }
    return p == text.end;
}

sort_weights *sort_weights_make(const sort_locale *l)
{
    sort_weights *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    w->locale = l;
    unsigned characters = l->utf8 ? CHARACTERS : 256;
    for (unsigned c = 0; c < CHARACTERS; c++) {
        w->of[c].count = UNKNOWN;
    }
    find_units(w);
    for (unsigned c = 0; c < characters; c++) {
        weigh(w, c);
    }
    for (unsigned a = ' '; a < ASCII; a++) {
        for (unsigned b = ' '; b < ASCII; b++) {
            weigh_pair(w, a, b);
        }
    }
    for (int c = 1; c < ASCII; c++) {
        const weight *x = &w->of[c];
        w->single[c] = w->begins[c]    ? SLOW
                       : x->count == 0 ? IGNORED
                       : x->count == 1 ? x->bytes[0]
                                       : SLOW;
    }
    find_sure(w);
    if (w->of['a'].count == UNKNOWN || w->of['a'].count == 0) {
        free(w); /* another C library, whose levels end otherwise */
        return NULL;
    }
    return w;
}

void sort_weights_free(sort_weights *w)
{
    free(w);
}

/* Bytes that have one weight or none, as long as weights are skipped; returns where it stopped. */
static const unsigned char *skip_singles(const sort_weights *w, sort_text text, size_t *skip)
{
    const unsigned char *p = text.p;
    size_t left = *skip;
    for (; p < text.end && left > 0 && w->single[*p] != SLOW; p++) {
        left -= w->single[*p] != IGNORED;
    }
    *skip = left;
    return p;
}

/* By table; false where it does not say. */
static bool look_up(const sort_weights *w, sort_text text, sink *s)
{
    const unsigned char *p = skip_singles(w, text, &s->skip);
    while (p < text.end && s->count < s->room) {
        unsigned c = *p++, single = w->single[c];
        if (single != SLOW) {
            if (single != IGNORED && s->skip > 0) {
                s->skip--;
            } else if (single != IGNORED) {
                s->to[s->count++] = (unsigned char)single;
            }
            continue;
        }
        if (w->locale->utf8 && c >= ASCII) {
            if (c < 0xc2 || c >= 0xcc || p == text.end || (*p & 0xc0) != 0x80) {
                return false;
            }
            c = (c & 0x1f) << 6 | (*p++ & 0x3f);
        } else if (c < ASCII && w->begins[c] && p < text.end && *p < ASCII && w->together[c][*p]) {
            return false;
        }
        if (w->of[c].count == UNKNOWN) {
            return false;
        }
        put(s, w->of[c].bytes, w->of[c].count);
    }
    return true;
}

/* By strxfrm_l, of the text up to its first NUL: what comes behind is for comparing. */
static void transform(const sort_weights *w, sort_text text, sink *s)
{
    sort_room copied, made;
    size_t bytes = (size_t)(text.end - text.p);
    unsigned char *copy = sort_room_take(&copied, bytes + 1);
    memcpy(copy, text.p, bytes);
    copy[bytes] = '\0';
    size_t need = strxfrm_l(NULL, (const char *)copy, 0, w->locale->handle) + 1;
    unsigned char *to = sort_room_take(&made, need);
    strxfrm_l((char *)to, (const char *)copy, need, w->locale->handle);
    const unsigned char *end = memchr(to, LEVEL_END, need);
    put_level(w, to, end != NULL ? end : to + need - 1, s);
    sort_room_give(&copied);
    sort_room_give(&made);
}

size_t sort_weights_bytes(const sort_weights *w, sort_text text, size_t skip, unsigned char *to,
                          size_t room)
{
    sink s = {.to = to, .skip = skip, .room = room};
    if (!look_up(w, text, &s)) {
        s = (sink){.to = to, .skip = skip, .room = room};
        transform(w, text, &s);
    }
    return s.count;
}
