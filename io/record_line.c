/* record_line.c - takes one line apart. Text is followed by IO_SLACK zero bytes and every line ends
 * with a newline, so that no byte needs a test for the end. */
/* SPDX-License-Identifier: MIT */
#include "io/record_line.h"

#include "io/cells.h"

typedef const unsigned char *text;

static inline text skip_blanks(text p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* Around the cells of a table, whose delimiter is no blank. */
static inline text skip_pad(const io_record_rules *rules, text p)
{
    while (*p == ' ' || (*p == '\t' && rules->delimiter != '\t')) {
        p++;
    }
    return p;
}

static inline bool is_line_end(text p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static inline io_verdict take_id(io_line_reader *r, text *p, size_t i, unsigned field)
{
    const io_record_rules *rules = r->rules;
    text from = *p;
    uint64_t id;
    if (!io_record_digits(p, &id)) {
        return *p > from ? IO_LINE_ID_HIGH : IO_LINE_NO_ID;
    }
    if (!io_record_ends(rules, *p)) {
        return IO_LINE_NO_ID;
    }
    if (id < rules->base) {
        return IO_LINE_ID_LOW;
    }
    id -= rules->base;
    if (r->type[field] == UPSWEEP_U64) {
        ((uint64_t *)r->column[field])[i] = id;
        return IO_LINE_GOOD;
    }
    if (id >= rules->vertices) {
        return rules->any_ids ? IO_LINE_ID_WIDE : IO_LINE_ID_HIGH;
    }
    r->ids = id >= r->ids ? id + 1 : r->ids;
    ((uint32_t *)r->column[field])[i] = (uint32_t)id;
    return IO_LINE_GOOD;
}

static inline io_verdict take_field(io_line_reader *r, text *p, size_t i, unsigned field)
{
    switch (r->rules->field[field].kind) {
    case IO_FIELD_ID: return take_id(r, p, i, field);
    case IO_FIELD_WEIGHT: return io_record_weight(r, p, i, field);
    default: return io_record_real(r, p, i, field);
    }
}

/* Takes a cell of which only its place or its being there is asked, and its delimiter. */
static io_verdict take_text(io_line_reader *r, text *p, io_cell *cell, bool *more)
{
    const char *q = (const char *)*p;
    if (r->stop == NULL) {
        for (r->stop = *p; !is_line_end(r->stop);) {
            r->stop++;
        }
    }
    io_cell_take(&q, (const char *)r->stop, r->rules->delimiter, cell, more);
    if (cell->open || cell->trailing) {
        *p = (text)cell->p + (cell->open ? 0 : cell->length + 1);
        return cell->open ? IO_LINE_OPEN : IO_LINE_LONG;
    }
    *p = (text)q;
    return IO_LINE_GOOD;
}

static io_verdict take_name(io_line_reader *r, text *p, size_t i, unsigned field, bool *more)
{
    io_cell cell;
    text from = *p;
    io_verdict verdict = take_text(r, p, &cell, more);
    if (verdict != IO_LINE_GOOD) {
        return verdict;
    }
    if (cell.length == 0) {
        return IO_LINE_SHORT;
    }
    if (memchr(cell.p, '\0', cell.length) != NULL) {
        *p = (text)cell.p;
        return IO_LINE_ZERO;
    }
    ((uint64_t *)r->column[field])[i] = (uint64_t)(from - r->origin);
    return IO_LINE_GOOD;
}

/* A number, in quotes or not, with blanks around it, and the delimiter behind it. */
static io_verdict take_number(io_line_reader *r, text *p, size_t i, unsigned field, bool *more)
{
    const io_record_rules *rules = r->rules;
    text q = skip_pad(rules, *p);
    bool quoted = rules->delimiter != 0 && *q == '"';
    q += quoted;
    *p = q;
    if (is_line_end(q) || (rules->delimiter != 0 && *q == (unsigned char)rules->delimiter)) {
        return IO_LINE_SHORT;
    }
    io_verdict verdict = take_field(r, p, i, field);
    if (verdict != IO_LINE_GOOD) {
        return verdict;
    }
    if (quoted && **p != '"') {
        return IO_LINE_LONG;
    }
    *p = skip_pad(rules, *p + quoted);
    *more = !is_line_end(*p);
    if (*more && rules->delimiter != 0) {
        if (**p != (unsigned char)rules->delimiter) {
            return IO_LINE_LONG;
        }
        ++*p;
    }
    return IO_LINE_GOOD;
}

static io_verdict check_cells(io_line_reader *r, size_t count, size_t full)
{
    if (count < r->rules->cells_least || full > r->rules->cells_most) {
        r->cells = full > r->rules->cells_most ? full : count;
        return IO_LINE_CELLS;
    }
    return IO_LINE_GOOD;
}

/* Looks at the cells behind the last field, of which there are `count` so far. */
static io_verdict count_cells(io_line_reader *r, text *p, size_t count, bool more)
{
    const unsigned char delimiter = (unsigned char)r->rules->delimiter;
    size_t full = count;
    if (!more) {
        return check_cells(r, count, full);
    }
    size_t seen = count + 1; /* nearly always there are no quotes, and delimiters tell */
    text q = *p;
    for (; *q != '\n' && *q != '"' && delimiter != 0; q++) {
        seen += *q == delimiter;
        full = *q > ' ' && *q != delimiter ? seen : full;
    }
    if (*q == '\n') {
        *p = q - (q[-1] == '\r');
        return check_cells(r, seen, full);
    }
    io_verdict verdict = IO_LINE_GOOD;
    for (full = count; more && verdict == IO_LINE_GOOD; count++) {
        io_cell cell;
        verdict = take_text(r, p, &cell, &more);
        full = cell.length > 0 || cell.quoted ? count + 1 : full;
    }
    return verdict == IO_LINE_GOOD ? check_cells(r, count, full) : verdict;
}

/* Any columns, in ascending order. */
static io_verdict take_columns(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    const io_record_rules *rules = r->rules;
    unsigned column = 0;
    r->stop = NULL;
    *p = rules->delimiter == 0 ? skip_blanks(*p) : *p;
    bool more = true;
    for (*field = 0; *field < rules->fields; ++*field) {
        const io_field *f = &rules->field[*field];
        io_verdict verdict = IO_LINE_GOOD;
        for (; more && column < f->column && verdict == IO_LINE_GOOD; column++) {
            io_cell cell;
            verdict = take_text(r, p, &cell, &more);
        }
        if (verdict == IO_LINE_GOOD) {
            verdict = !more                      ? IO_LINE_SHORT
                      : f->kind == IO_FIELD_NAME ? take_name(r, p, i, *field, &more)
                                                 : take_number(r, p, i, *field, &more);
        }
        if (verdict != IO_LINE_GOOD) {
            return verdict;
        }
        column++;
    }
    return rules->cells_most == 0 ? IO_LINE_GOOD : count_cells(r, p, column, more);
}

/* Columns 0, 1, 2 parted by blanks, as all formats but tables have them. */
static inline io_verdict take_plain(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    for (*field = 0; *field < r->rules->fields; ++*field) {
        *p = skip_blanks(*p);
        if (is_line_end(*p)) {
            return IO_LINE_SHORT;
        }
        io_verdict verdict = take_field(r, p, i, *field);
        if (verdict != IO_LINE_GOOD) {
            return verdict;
        }
    }
    return IO_LINE_GOOD;
}

static bool is_comment(const io_record_rules *rules, text p)
{
    return *p != '\0' && strchr(rules->comments, *p) != NULL;
}

static io_verdict read_line(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    const io_record_rules *rules = r->rules;
    *field = 0;
    if (rules->mark != 0) {
        if (**p != (unsigned char)rules->mark || (p[0][1] != ' ' && p[0][1] != '\t')) {
            return IO_LINE_ODD;
        }
        ++*p;
    }
    io_verdict verdict =
        io_record_is_plain(rules) ? take_plain(r, p, i, field) : take_columns(r, p, i, field);
    if (verdict == IO_LINE_GOOD && (!rules->loose || rules->cells_most > 0)) {
        *p = skip_blanks(*p);
        verdict = is_line_end(*p) ? IO_LINE_GOOD : IO_LINE_LONG;
    }
    return verdict;
}

io_verdict io_record_line(io_line_reader *reader, const unsigned char **p, size_t i,
                          io_fault *fault)
{
    const io_record_rules *rules = reader->rules;
    text line = *p, at = skip_pad(rules, line);
    io_verdict verdict = IO_LINE_SKIP;
    unsigned field = 0;
    if (!is_line_end(at) && !is_comment(rules, at)) {
        verdict = read_line(reader, &at, i, &field);
    }
    if (verdict > IO_LINE_SKIP) {
        *fault = (io_fault){verdict, field, line, at, reader->cells};
    }
    while (*at != '\n') { /* one or two bytes, but for comments and further columns */
        at++;
    }
    *p = at + 1;
    return verdict;
}
