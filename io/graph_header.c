/* graph_header.c - whether the first line of a table is a header, and what it says of the columns.
 *
 * Three things tell. A cell that is a number where one belongs says that the line is an arc. A cell
 * that is a word above numbers says that it is a header, and so do two words that tables have for
 * tail and head, as `from` and `to`. Where these disagree, or where a cell looks like a number with
 * a slip of the pen, nothing is guessed: the line is refused, and --header or --no-header decides.
 */
/* SPDX-License-Identifier: MIT */
#include "io/graph_table.h"

#include <ctype.h>

enum { TAIL, HEAD, WEIGHT, ROLES };

/* What headers call tail, head and weight; letters by themselves are vertices as likely. */
static const char *const words[ROLES][20] = {
    {"tail", "from", "source", "src", "start", "origin", "orig", "u", "i", NULL},
    {"head", "to", "target", "tgt", "dest", "destination", "dst", "end", "v", "j", NULL},
    {"weight", "weights", "wt", "w", "cost", "length", "len", "distance", "dist", "time",
     "duration", NULL},
};

/* The word without case, blanks and marks, and without the "id" or "node" at its end. */
static size_t plain_word(const io_cell *cell, char out[32])
{
    static const char *const ends[] = {"id", "node", "vertex"};
    size_t length = 0;
    for (size_t i = 0; i < cell->length; i++) {
        unsigned char c = (unsigned char)cell->p[i];
        if (length == 31 || c >= 0x80) {
            return 0;
        }
        if (isalnum(c)) {
            out[length++] = (char)tolower(c);
        }
    }
    for (size_t k = 0; k < 3; k++) {
        size_t size = strlen(ends[k]);
        if (length >= size + 2 && memcmp(out + length - size, ends[k], size) == 0) {
            length -= size;
        }
    }
    out[length] = '\0';
    return length;
}

static unsigned role_of(const io_cell *cell, bool *letter)
{
    char word[32];
    size_t length = plain_word(cell, word);
    *letter = length == 1;
    for (unsigned role = 0; role < ROLES && length > 0; role++) {
        for (size_t k = 0; words[role][k] != NULL; k++) {
            if (strcmp(words[role][k], word) == 0) {
                return role;
            }
        }
    }
    return ROLES;
}

/* A word begins with a letter and is no number that was mistyped, as `1O` or `l`. */
static bool is_word(const io_cell *cell)
{
    bool letter;
    if (cell->length == 0 || io_table_is_number(cell)) {
        return false;
    }
    unsigned char c = (unsigned char)cell->p[0];
    if (!isalpha(c) && c != '_' && c < 0x80) {
        return false;
    }
    for (size_t i = 0; i < cell->length; i++) {
        if (strchr("0123456789oOlI.,+-", cell->p[i]) == NULL) {
            return true;
        }
    }
    return role_of(cell, &letter) != ROLES;
}

/* Whether the lines below the first have numbers in the column, all of them. */
static bool numbers_below(const io_table *t, const io_sample *sample, unsigned column)
{
    for (size_t i = 1; i < sample->count; i++) {
        io_cell cell;
        if (!io_table_cell(&sample->line[i], t->delimiter, column, &cell) ||
            !io_table_is_number(&cell)) {
            return false;
        }
    }
    return sample->count > 1;
}

/* The columns of the first line that are called by words of the three roles. */
typedef struct roles {
    unsigned column[ROLES], count[ROLES]; /* the first such column, and how many there are */
    bool letters;                         /* some of tail and head is a letter by itself */
} roles;

static bool is_chosen(const io_table *t, unsigned column)
{
    return column == t->column[TAIL] || column == t->column[HEAD] ||
           (t->weighted && column == t->column[WEIGHT]);
}

static roles find_roles(const io_table *t, const io_graph_file *f, const io_sample *sample)
{
    roles r = {.letters = false};
    io_cell cell;
    bool letter;
    for (unsigned i = 0; io_table_cell(&sample->line[0], t->delimiter, i, &cell); i++) {
        unsigned role = role_of(&cell, &letter);
        if (role != ROLES && (f->options->columns == NULL || is_chosen(t, i))) {
            r.column[role] = r.count[role] == 0 ? i : r.column[role];
            r.count[role]++;
            r.letters |= letter && role != WEIGHT;
        }
    }
    return r;
}

static bool has_pair(const roles *r)
{
    return r->count[TAIL] == 1 && r->count[HEAD] == 1;
}

/* What the first line says of itself. */
typedef struct signs {
    bool arc, header, names_below; /* names_below: a word above numbers, in a column of names */
    bool any_odd, odd_word;
    io_cell odd; /* a cell that belongs to neither */
    unsigned odd_column;
} signs;

static signs read_signs(const io_table *t, const io_graph_file *f, const io_sample *sample,
                        const unsigned column[3])
{
    signs s = {.arc = false};
    for (unsigned k = 0; k < (t->weighted ? 3 : 2); k++) {
        io_cell cell;
        bool name = f->options->by_names && k != WEIGHT;
        if (!io_table_cell(&sample->line[0], t->delimiter, column[k], &cell) ||
            (k == WEIGHT && cell.length == 0)) {
            continue; /* an arc without a weight, which is told as such */
        }
        if (io_table_is_number(&cell)) {
            s.arc |= !name;
        } else if (numbers_below(t, sample, column[k])) {
            bool word = is_word(&cell);
            s.header |= word && !name;
            s.names_below |= word && name;
            if (!name && (!s.any_odd || (s.odd_word && !word))) {
                s.odd = cell;
                s.odd_column = k;
                s.odd_word = word;
                s.any_odd = true;
            }
            s.arc |= !word && !name; /* so that a header and it disagree */
        }
    }
    return s;
}

static bool refuse(const io_table *t, const io_graph_file *f, const signs *s)
{
    int shown = s->odd.length < 40 ? (int)s->odd.length : 40;
    return s->odd_column == WEIGHT
               ? io_because(f->error,
                            "%s: line %zu: the weight '%.*s' is no number; --header makes the line "
                            "a header",
                            f->name, t->first_line, shown, s->odd.p)
               : io_because(f->error,
                            "%s: line %zu: '%.*s' is no vertex; --header makes the line a header",
                            f->name, t->first_line, shown, s->odd.p);
}

/* Whether the first line is a header, where the caller has not said so. */
static bool decide(io_table *t, const io_graph_file *f, const io_sample *sample, const roles *r)
{
    unsigned column[3];
    memcpy(column, t->column, sizeof column);
    if (f->options->columns == NULL && has_pair(r)) {
        column[TAIL] = r->column[TAIL];
        column[HEAD] = r->column[HEAD];
        column[WEIGHT] = r->count[WEIGHT] > 0 ? r->column[WEIGHT] : column[WEIGHT];
    }
    signs s = read_signs(t, f, sample, column);
    bool pair = has_pair(r);
    if (!f->options->by_names) {
        if (s.arc && s.any_odd) {
            return refuse(t, f, &s);
        }
        t->header = s.header || (pair && !s.arc);
        return true;
    }
    if (s.header && s.arc) {
        return refuse(t, f, &s);
    }
    bool maybe = r->count[TAIL] + r->count[HEAD] > 0 && (pair || !r->letters);
    t->header = s.header || (!s.arc && (s.names_below || (pair && !r->letters)));
    if (!t->header && !s.arc && maybe) {
        return io_because(f->error,
                          "%s: line %zu: may be a header or an arc: say --header or --no-header",
                          f->name, t->first_line);
    }
    return true;
}

static bool ask_for_columns(const io_table *t, const io_graph_file *f, const char *what)
{
    return io_because(f->error,
                      "%s: line %zu: its header does not say %s: give --columns "
                      "TAIL,HEAD or TAIL,HEAD,WEIGHT",
                      f->name, t->first_line, what);
}

/* Takes the columns from the words of the header. Words that are not known mean the first three
 * columns, as where there is no header; but no known word may contradict that. */
static bool take_roles(io_table *t, const io_graph_file *f, const roles *r)
{
    bool moved = false;
    for (unsigned k = 0; k < ROLES; k++) {
        moved |= r->count[k] > 0 && r->column[k] != k;
    }
    if (!moved && r->count[TAIL] < 2 && r->count[HEAD] < 2) {
        return true;
    }
    if (!has_pair(r)) {
        return ask_for_columns(t, f, "which columns are tail and head");
    }
    t->column[TAIL] = r->column[TAIL];
    t->column[HEAD] = r->column[HEAD];
    bool in_front = r->column[TAIL] < 2 && r->column[HEAD] < 2;
    bool several = r->count[WEIGHT] > 1 && r->column[WEIGHT] != WEIGHT;
    if (t->weighted && (several || (r->count[WEIGHT] == 0 && !in_front))) {
        return ask_for_columns(t, f, "which column is the weight");
    }
    t->column[WEIGHT] = r->count[WEIGHT] > 0 ? r->column[WEIGHT] : 2;
    return true;
}

bool io_table_header(io_table *t, const io_graph_file *f, const io_sample *sample)
{
    roles r = find_roles(t, f, sample);
    if (t->header) {
        return true; /* its words were used */
    }
    if (f->options->header != IO_HEADER_FIND) {
        t->header = f->options->header == IO_HEADER_YES;
    } else if (!decide(t, f, sample, &r)) {
        return false;
    }
    return !t->header || f->options->columns != NULL || take_roles(t, f, &r);
}
