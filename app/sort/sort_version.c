/* sort_version.c - the order of -V: names with numbers in them, as GNU coreutils documents it
 * ("Version sort ordering"), which is that of Debian's versions with two changes: the empty name,
 * ".", ".." and other names that begin with a point come first, and endings such as .tar.gz count
 * only where the names before them are equal.
 *
 * A name is text, a number, text, a number, and so on, what is missing being empty or 0. In a text
 * "~" comes before its end, then letters, then all else. The bytes made of it keep that order: a
 * text byte becomes a code, TEXT_END stands behind a text, then the number follows as the count of
 * its digits and two digits a byte. The name's end, in front of which 0 and empty texts are left
 * out, is TEXT_END, a count of 0, TEXT_END: behind "~" and before all else that could stand there.
 */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <string.h>

enum { DOT = 0, DOT_DOT = 1, HIDDEN = 2, TILDE = 3, TEXT_END = 4, LETTERS = 5, OTHERS = 57 };

static bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_letter(unsigned char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Without endings: (\.[A-Za-z~][A-Za-z0-9~]*)*$, which is never the whole name. */
static sort_text without_endings(sort_text name)
{
    const unsigned char *p = name.p, *kept = p;
    while (p < name.end) {
        kept = ++p;
        while (name.end - p > 1 && *p == '.' && (is_letter(p[1]) || p[1] == '~')) {
            for (p += 2; p < name.end && (is_letter(*p) || is_digit(*p) || *p == '~'); p++) {
            }
        }
    }
    return (sort_text){name.p, kept};
}

/* The code of a byte that is no digit: its place in the order of all that are none. */
static unsigned char code(unsigned char c)
{
    if (c == '~') {
        return TILDE;
    }
    if (is_letter(c)) {
        return (unsigned char)(LETTERS + (c <= 'Z' ? c - 'A' : c - 'a' + 26));
    }
    unsigned before = c < '0' ? 0 : c < 'A' ? 10 : c < 'a' ? 10 + 26 : c < '~' ? 10 + 52 : 63;
    return (unsigned char)(OTHERS + c - before);
}

typedef struct writer {
    unsigned char *to;
    size_t skip, count, room;
} writer;

static inline void write_byte(writer *w, unsigned byte)
{
    if (w->skip > 0) {
        w->skip--;
    } else if (w->count < w->room) {
        w->to[w->count++] = (unsigned char)byte;
    }
}

static void write_number(writer *w, const unsigned char *p, const unsigned char *end)
{
    size_t digits = (size_t)(end - p);
    for (; digits >= 255; digits -= 255) {
        write_byte(w, 255);
    }
    write_byte(w, (unsigned)digits);
    for (; p < end; p += 2) {
        write_byte(w, (unsigned)(*p - '0') << 4 | (p + 1 < end ? (unsigned)(p[1] - '0') : 0));
    }
}

/* Texts and numbers in turn, until the writer has what it takes. */
static void write_name(writer *w, sort_text name)
{
    const unsigned char *p = name.p;
    while (w->count < w->room) {
        for (; p < name.end && !is_digit(*p); p++) {
            write_byte(w, code(*p));
        }
        while (p < name.end && *p == '0') {
            p++;
        }
        write_byte(w, TEXT_END);
        if (p == name.end) {
            write_byte(w, 0);
            write_byte(w, TEXT_END);
            return;
        }
        const unsigned char *number = p;
        while (p < name.end && is_digit(*p)) {
            p++;
        }
        write_number(w, number, p);
    }
}

size_t sort_version_bytes(sort_text text, size_t skip, unsigned char *to, size_t room)
{
    writer w = {.to = to, .skip = skip, .room = room};
    size_t bytes = (size_t)(text.end - text.p);
    if (bytes > 0 && *text.p == '.') {
        bool two = bytes == 2 && text.p[1] == '.';
        write_byte(&w, bytes == 1 ? DOT : two ? DOT_DOT : HIDDEN);
    }
    if (bytes > 0) {
        write_name(&w, without_endings(text));
        write_name(&w, text);
    }
    return w.count;
}

/* The place of the byte at p: -1 at the end, 0 for digits. */
static int place(const unsigned char *p, const unsigned char *end)
{
    return p == end ? -1 : is_digit(*p) ? 0 : *p == '~' ? -2 : code(*p);
}

static int compare_names(sort_text a, sort_text b)
{
    while (a.p < a.end || b.p < b.end) {
        while ((a.p < a.end && !is_digit(*a.p)) || (b.p < b.end && !is_digit(*b.p))) {
            int difference = place(a.p, a.end) - place(b.p, b.end);
            if (difference != 0) {
                return difference;
            }
            a.p++;
            b.p++;
        }
        while (a.p < a.end && *a.p == '0') {
            a.p++;
        }
        while (b.p < b.end && *b.p == '0') {
            b.p++;
        }
        int first = 0;
        while (a.p < a.end && b.p < b.end && is_digit(*a.p) && is_digit(*b.p)) {
            first = first != 0 ? first : *a.p - *b.p;
            a.p++;
            b.p++;
        }
        bool a_more = a.p < a.end && is_digit(*a.p), b_more = b.p < b.end && is_digit(*b.p);
        if (a_more || b_more) {
            return a_more ? 1 : -1;
        }
        if (first != 0) {
            return first;
        }
    }
    return 0;
}

/* 0: empty, 1: ".", 2: "..", 3: another name that begins with a point, 4: any other. */
static int class_of(sort_text name)
{
    size_t bytes = (size_t)(name.end - name.p);
    if (bytes == 0 || *name.p != '.') {
        return bytes == 0 ? 0 : 4;
    }
    return bytes == 1 ? 1 : bytes == 2 && name.p[1] == '.' ? 2 : 3;
}

int sort_version_compare(sort_text a, sort_text b)
{
    int a_class = class_of(a), b_class = class_of(b);
    if (a_class != b_class || a_class < 3) {
        return a_class - b_class;
    }
    int difference = compare_names(without_endings(a), without_endings(b));
    return difference != 0 ? difference : compare_names(a, b);
}
