/* record_why.c - what is wrong with a line, in words. */
/* SPDX-License-Identifier: MIT */
#include "io/record_line.h"

#include "io/numbers.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 40 };

/* The word at `at`, as far as a sentence has room, with what cannot be printed as '?'. */
static void show(const io_record_rules *rules, const unsigned char *at, char out[SHOWN + 4])
{
    size_t length = 0;
    for (; length < SHOWN && at[length] != '\n' && at[length] != '\r' && at[length] != ' ' &&
           at[length] != '\t' &&
           (rules->delimiter == 0 || at[length] != (unsigned char)rules->delimiter || length == 0);
         length++) {
        out[length] = at[length] >= 0x20 && at[length] < 0x7f ? (char)at[length] : '?';
    }
    memcpy(out + length, length == SHOWN ? "..." : "", length == SHOWN ? 4 : 1);
}

static const char *field_name(const io_record_rules *rules, unsigned field)
{
    if (field >= rules->fields) {
        return "line"; /* all fields were there: nothing asks for its name */
    }
    switch (rules->field[field].kind) {
    case IO_FIELD_WEIGHT: return "weight";
    case IO_FIELD_PLACE: return "coordinate";
    default: break;
    }
    bool two = rules->fields > 1 && rules->field[1].kind != IO_FIELD_PLACE;
    return !two ? "vertex" : field == 0 ? "first vertex" : "second vertex";
}

static bool why_id(const io_record_rules *rules, const io_fault *fault, size_t line,
                   io_error *error)
{
    char word[SHOWN + 4];
    show(rules, fault->at, word);
    const unsigned char *from = fault->at; /* behind the digits of an id out of range */
    if (fault->verdict != IO_LINE_NO_ID) {
        while (from > fault->line && (unsigned)from[-1] - '0' < 10) {
            from--;
        }
        show(rules, from, word);
    }
    if (fault->verdict == IO_LINE_NO_ID) {
        while (from > fault->line && from[-1] > ' ' &&
               (rules->delimiter == 0 || from[-1] != (unsigned char)rules->delimiter)) {
            from--;
        }
        show(rules, from, word);
        return io_because(error, "%s: line %zu: '%s' is no vertex%s", rules->name, line, word,
                          rules->delimiter != 0 && isalpha((unsigned char)word[0])
                              ? "; --names reads words"
                              : "");
    }
    if (fault->verdict == IO_LINE_ID_LOW) {
        return io_because(error, "%s: line %zu: vertex %s, but vertices are counted from %" PRIu64,
                          rules->name, line, word, rules->base);
    }
    if (rules->any_ids) {
        return io_because(error, "%s: line %zu: vertex %s, but ids have at most 19 digits%s",
                          rules->name, line, word,
                          rules->cells_most > 0 ? "; --names reads it as a word" : "");
    }
    if (rules->vertices == IO_VERTICES_MAX) {
        return io_because(error,
                          "%s: line %zu: vertex %s, but with --ids all they go up to %" PRIu64,
                          rules->name, line, word, rules->base + IO_VERTICES_MAX - 1);
    }
    return io_because(error, "%s: line %zu: vertex %s, but there are %" PRIu64, rules->name, line,
                      word, rules->vertices);
}

/* A number that is out of range, where the type may have been left open. */
static bool why_range(const io_record_rules *rules, const io_fault *fault, upsweep_type type,
                      size_t line, io_error *error)
{
    char word[SHOWN + 4];
    show(rules, fault->at, word);
    const io_field *field = &rules->field[fault->field];
    bool open = field->kind == IO_FIELD_WEIGHT && field->type == 0;
    bool whole = word[strspn(word, "+-0123456789")] == '\0';
    if (open) { /* the widest that was open to it */
        type = !whole && !rules->whole ? UPSWEEP_F64 : rules->negative ? UPSWEEP_I64 : UPSWEEP_U64;
    }
    return io_because(error, "%s: line %zu: the %s %s is out of the range of %s%s", rules->name,
                      line, field_name(rules, fault->field), word, upsweep_type_name(type),
                      open && whole ? "; --weight f64 rounds it" : "");
}

bool io_record_why(const io_record_rules *rules, const io_fault *fault, upsweep_type type,
                   size_t line, io_error *error)
{
    char word[SHOWN + 4];
    show(rules, fault->at, word);
    const char *name = rules->name, *field = field_name(rules, fault->field);
    switch (fault->verdict) {
    case IO_LINE_ODD:
        return io_because(error, "%s: line %zu: begins with '%s', not with '%c'", name, line, word,
                          rules->mark);
    case IO_LINE_SHORT: return io_because(error, "%s: line %zu: has no %s", name, line, field);
    case IO_LINE_LONG:
        return io_because(error, "%s: line %zu: '%s' follows what should be its end", name, line,
                          word);
    case IO_LINE_NO_ID:
    case IO_LINE_ID_LOW:
    case IO_LINE_ID_HIGH: return why_id(rules, fault, line, error);
    case IO_LINE_NEGATIVE:
        return io_because(error, "%s: line %zu: the weight %s is negative", name, line, word);
    case IO_LINE_RANGE: return why_range(rules, fault, type, line, error);
    case IO_LINE_ROUNDED:
        return io_because(error,
                          "%s: line %zu: the weight %s is a whole number that f64 would round, and "
                          "others are decimals; --weight f64 rounds it",
                          name, line, word);
    case IO_LINE_CELLS:
        return io_because(error, "%s: line %zu: has %zu cell%s where line %zu has %zu", name, line,
                          fault->cells, fault->cells == 1 ? "" : "s", rules->first_line,
                          fault->cells > rules->cells_most ? rules->cells_most
                                                           : rules->cells_least);
    case IO_LINE_OPEN:
        return io_because(error, "%s: line %zu: a quote is not closed on its line", name, line);
    case IO_LINE_ZERO: return io_because(error, "%s: line %zu: a name has a zero byte", name, line);
    case IO_LINE_FRACTION:
        return io_because(error, "%s: line %zu: the weight %s is no whole number, as %s has them%s",
                          name, line, word, upsweep_type_name(type),
                          rules->negative ? "" : ": --weight f64 takes it");
    default:
        return io_because(error, "%s: line %zu: the %s '%s' is no number", name, line, field, word);
    }
}
