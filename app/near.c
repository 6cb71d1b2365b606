/* near.c - "did you mean": the known name with the fewest letters to change.
 * The distance counts letters added, dropped, changed, or exchanged with their neighbour
 * (Damerau 1964, the restricted form). */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <string.h>

enum { LONGEST = 40 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Who types F32 means f32. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static unsigned distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST) {
        return LONGEST;
    }
    unsigned table[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= la; i++) {
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned d = table[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            d = least(d, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d = least(d, table[i - 2][j - 2] + 1);
            }
            table[i][j] = d;
        }
    }
    return table[la][lb];
}

const char *app_near(const char *wrong, const void *names, size_t count, size_t stride)
{
    const char *best = NULL;
    unsigned best_distance = (unsigned)strlen(wrong) / 3; /* further off is another word */
    best_distance += best_distance == 0;
    for (size_t i = 0; i < count; i++) {
        const char *name;
        memcpy(&name, (const char *)names + i * stride, sizeof name);
        if (name == NULL) {
            continue;
        }
        unsigned d = distance(wrong, name);
        if (d <= best_distance && (best == NULL || d < best_distance)) {
            best = name;
            best_distance = d;
        }
    }
    return best;
}

bool app_near_format(const app_usage *usage, const char *word)
{
    const app_option *option;
    size_t length = strlen(word);
    for (size_t i = 0; (option = app_option_at(usage, i)) != NULL; i++) {
        bool as = option->name != NULL && strcmp(option->name, "as") == 0;
        for (const char *p = option->argument; as && length > 0 && p != NULL; p = strchr(p, '|')) {
            p += *p == '|';
            if (strncmp(p, word, length) == 0 && (p[length] == '|' || p[length] == '\0')) {
                return true;
            }
        }
    }
    return false;
}
