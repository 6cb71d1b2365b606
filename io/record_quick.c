/* record_quick.c - lines of the simplest form, eight digits at a time: nearly all lines of nearly
 * all graphs are such. */
/* SPDX-License-Identifier: MIT */
#include "io/record_line.h"

#include <string.h>

typedef const unsigned char *text;

/* Up to eight digits at p as a number, by arithmetic on all of them at once; false if there are
 * none or more. The bytes of a little-endian word come in the order of the text. */
static inline bool take_eight(text *p, uint64_t *value)
{
    uint64_t word;
    memcpy(&word, *p, sizeof word);
    word ^= 0x3030303030303030u;
    uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    unsigned digits = others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
    *p += digits;
    if (digits == 0 || (unsigned)**p - '0' < 10) {
        return false;
    }
    word <<= 8 * (8 - digits);
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
    *value = (word * 10000 + (word >> 32)) & 0xffffffffu;
    return true;
}

/* One line of the simplest form; false if it is another. */
static inline bool quick_line(const io_record_rules *rules, size_t fields, text *p,
                              uint64_t value[IO_FIELDS_MAX])
{
    text q = *p;
    bool blanks = rules->delimiter == 0;
    unsigned char between = blanks ? ' ' : (unsigned char)rules->delimiter;
    unsigned char other = blanks ? '\t' : between;
    if (rules->mark != 0) {
        if (*q != (unsigned char)rules->mark || q[1] != ' ') {
            return false;
        }
        q += 2;
    }
    for (size_t f = 0; f < fields; f++) {
        q += f > 0;
        if (!take_eight(&q, &value[f]) || (f + 1 < fields && *q != between && *q != other)) {
            return false;
        }
    }
    size_t cells = fields;
    if (fields < rules->cells_most && *q != between) {
        return false;
    }
    for (; fields < rules->cells_most && *q != '\n' && *q != '"'; q++) {
        cells += *q == between; /* further cells, which are only counted */
    }
    q += *q == '\r';
    *p = q + 1;
    return *q == '\n' && (cells == rules->cells_most || rules->cells_most == 0);
}

/* Whether all fields are what quick_line takes: ids, and behind them perhaps a weight of u32. */
static bool is_quick(const io_line_reader *r)
{
    const io_record_rules *rules = r->rules;
    size_t fields = rules->fields;
    bool front = rules->field[fields - 1].column == fields - 1 &&
                 (rules->cells_most <= fields || rules->delimiter != 0);
    bool ids = fields >= 2 && r->type[0] == UPSWEEP_U32 && rules->field[0].kind == IO_FIELD_ID &&
               rules->field[1].kind == IO_FIELD_ID;
    bool weight =
        fields == 3 && rules->field[2].kind == IO_FIELD_WEIGHT && r->type[2] == UPSWEEP_U32;
    return ids && front && (fields == 2 || weight);
}

size_t io_record_quick(io_line_reader *reader, const unsigned char **p, const unsigned char *end,
                       size_t i)
{
    if (!is_quick(reader)) {
        return 0;
    }
    const io_record_rules *rules = reader->rules;
    uint32_t *tail = reader->column[0], *head = reader->column[1], *weight = reader->column[2];
    uint64_t base = rules->base, vertices = rules->vertices, most = 0, value[IO_FIELDS_MAX] = {0};
    size_t from = i, fields = rules->fields;
    text at = *p;
    for (; at < end; i++) {
        text next = at;
        if (!quick_line(rules, fields, &next, value)) {
            break;
        }
        uint64_t a = value[0] - base, b = value[1] - base; /* below the base: beyond all ids */
        if (a >= vertices || b >= vertices) {
            break;
        }
        most = a > most ? a : most;
        most = b > most ? b : most;
        tail[i] = (uint32_t)a;
        head[i] = (uint32_t)b;
        if (fields == 3) {
            weight[i] = (uint32_t)value[2];
        }
        at = next;
    }
    *p = at;
    if (i > from && most >= reader->ids) {
        reader->ids = (size_t)most + 1;
    }
    return i - from;
}
