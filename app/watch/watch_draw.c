/* watch_draw.c - a picture of a trace made of characters: a bar for each element, those that the
 * lanes of the round read and wrote lit, and lines that join what was brought together. Where the
 * elements are more than the columns, a column stands for several and shows their mean. */
/* SPDX-License-Identifier: MIT */
#include "app/watch/watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 4, FOOT = 2, PANEL_LEAST = 5, LEVELS_MOST = 8 };

bool watch_grid_clear(watch_grid *g, int rows, int columns)
{
    size_t count = (size_t)rows * (size_t)columns;
    if (g->cells == NULL || rows != g->rows || columns != g->columns) {
        free(g->cells);
        g->cells = malloc(count * sizeof *g->cells);
        g->rows = rows;
        g->columns = columns;
    }
    g->starved = false;
    for (size_t k = 0; g->cells != NULL && k < count; k++) {
        g->cells[k] = (watch_cell){' ', WATCH_PLAIN};
    }
    return g->cells != NULL;
}

/* What stands for a character where there is ASCII alone. */
static char plain_glyph(uint16_t glyph)
{
    static const struct {
        uint16_t glyph;
        char plain;
    } all[] = {{0x2500, '-'}, {0x2501, '='},  {0x2502, '|'}, {0x2503, '|'},  {0x253c, '+'},
               {0x2570, '`'}, {0x256f, '\''}, {0x2517, '`'}, {0x251b, '\''}, {0x25b2, '^'},
               {0x25b3, '-'}, {0x00b7, '.'},  {0x2588, '#'}, {0x25b6, '>'}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k].glyph == glyph) {
            return all[k].plain;
        }
    }
    if (glyph > 0x2580 && glyph < 0x2588) { /* the lower eighths of a block */
        return glyph < 0x2583 ? '.' : glyph < 0x2586 ? ':' : '|';
    }
    return '?';
}

int watch_glyph(const watch_grid *g, int row, int column, char text[4])
{
    uint16_t glyph = g->cells[(size_t)row * (size_t)g->columns + (size_t)column].glyph;
    if (glyph < 0x80 || !g->unicode) {
        text[0] = glyph < 0x80 ? (char)glyph : plain_glyph(glyph);
        return 1;
    }
    if (glyph < 0x800) {
        text[0] = (char)(0xc0 | glyph >> 6);
        text[1] = (char)(0x80 | (glyph & 0x3f));
        return 2;
    }
    text[0] = (char)(0xe0 | glyph >> 12);
    text[1] = (char)(0x80 | (glyph >> 6 & 0x3f));
    text[2] = (char)(0x80 | (glyph & 0x3f));
    return 3;
}

static void put(watch_grid *g, int row, int column, uint16_t glyph, watch_style style)
{
    if (row >= 0 && row < g->rows && column >= 0 && column < g->columns) {
        g->cells[(size_t)row * (size_t)g->columns + (size_t)column] =
            (watch_cell){glyph, (unsigned char)style};
    }
}

/* Returns the column behind the text, which is ASCII. */
__attribute__((format(printf, 5, 6))) static int
put_text(watch_grid *g, int row, int column, watch_style style, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *p = text; *p != '\0'; p++) {
        put(g, row, column++, (unsigned char)*p, style);
    }
    return column;
}

/* How elements lie on columns, the same in all panels so that equal places stand above another. */
typedef struct layout {
    int left, cell; /* columns of an element; 1 where several share one */
    size_t group;   /* elements of a column */
    bool numbers;   /* there is room for the values */
} layout;

static int digits(uint32_t value)
{
    return snprintf(NULL, 0, "%" PRIu32, value);
}

static layout lay_out(const watch_film *film, int columns)
{
    size_t longest = 1, gaps = 0;
    int wide = 1;
    for (size_t k = 0; k < film->whole->array_count; k++) {
        const watch_array *a = &film->whole->arrays[k];
        longest = a->longest > longest ? a->longest : longest;
        wide = digits(a->greatest) > wide ? digits(a->greatest) : wide;
        gaps = a->vector > 0 ? a->longest / a->vector : gaps;
    }
    layout l = {1, 1, 1, false};
    size_t room = columns > 2 ? (size_t)columns - 2 : 1;
    const int cells[] = {wide < 4 ? 5 : wide + 1, wide < 3 ? 4 : wide + 1, wide < 2 ? 3 : wide + 1,
                         2};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        if (longest * (size_t)cells[k] + gaps <= room) {
            l.cell = cells[k];
            l.numbers = cells[k] > wide;
            return l;
        }
    }
    l.group = (longest + room - 1) / room;
    return l;
}

static int column_of(const layout *l, const watch_array *a, size_t i)
{
    size_t gaps = a->vector > 0 && l->cell > 1 ? i / a->vector : 0;
    return l->left + (int)((l->group > 1 ? i / l->group : i) * (size_t)l->cell + gaps);
}

/* Where the parts of a panel begin. */
typedef struct panel {
    const watch_array *a;
    size_t index;
    int top, rows;    /* the first row has the name */
    int bars, levels; /* rows of bars, and of lines below */
    uint32_t scale;   /* the value of a full bar */
} panel;

static watch_style lit(unsigned char mark)
{
    return mark == WATCH_WRITTEN ? WATCH_LIT_WRITTEN
           : mark == WATCH_READ  ? WATCH_LIT_READ
                                 : WATCH_BAR;
}

static void draw_bar(watch_grid *g, const panel *p, const layout *l, int column, double value,
                     watch_style style)
{
    int eighths = (int)(value / (double)(p->scale > 0 ? p->scale : 1) * p->bars * 8 + 0.5);
    eighths = eighths == 0 && value > 0 ? 1 : eighths;
    int width = l->cell == 1 ? 1 : l->cell - 1;
    for (int r = 0; r < p->bars && eighths > 0; r++, eighths -= 8) {
        uint16_t glyph = eighths >= 8 ? 0x2588 : (uint16_t)(0x2580 + eighths);
        for (int k = 0; k < width; k++) {
            put(g, p->top + p->bars - r, column + k, glyph, style);
        }
    }
}

static void draw_mark(watch_grid *g, const layout *l, int row, int column, unsigned char mark)
{
    if (mark != 0) {
        put(g, row, column + (l->cell - 1) / 2, mark == WATCH_WRITTEN ? 0x25b2 : 0x25b3, lit(mark));
    }
}

static void draw_number(watch_grid *g, const layout *l, int row, int column, uint32_t value,
                        watch_style style)
{
    int width = l->cell - 1;
    style = style == WATCH_BAR ? WATCH_PLAIN : style;
    if (value == UINT32_MAX) {
        put(g, row, column + width - 1, '-', WATCH_DIM);
    } else {
        int indent = (width - digits(value) + 1) / 2;
        put_text(g, row, column + indent, style, "%" PRIu32, value);
    }
}

/* Row below the bars: the numbers if there is room, then marks or joining lines. */
static int below(const panel *p, const layout *l)
{
    return p->top + 1 + p->bars + (l->numbers ? 1 : 0);
}

static void draw_elements(watch_grid *g, const panel *p, const layout *l, bool joined)
{
    const watch_array *a = p->a;
    for (size_t i = 0; i < a->count; i += l->group) {
        double sum = 0;
        size_t known = 0;
        unsigned char mark = 0;
        for (size_t k = i; k < a->count && k < i + l->group; k++) {
            mark = a->marks[k] > mark ? a->marks[k] : mark;
            if (a->values[k] != UINT32_MAX) {
                sum += a->values[k];
                known++;
            }
        }
        int column = column_of(l, a, i);
        if (known > 0) {
            draw_bar(g, p, l, column, sum / (double)known, lit(mark));
        } else {
            put(g, p->top + p->bars, column + (l->cell - 1) / 2, 0xb7, WATCH_DIM);
        }
        if (l->numbers) {
            draw_number(g, l, p->top + 1 + p->bars, column, a->values[i], lit(mark));
        }
        if (!joined) {
            draw_mark(g, l, below(p, l), column, mark);
        }
    }
}

/* ---- lines that join pairs ---- */

/* The lowest level in which columns from..to are still free; takes it. */
static int take_level(unsigned char *free_from, int levels, int columns, int from, int to)
{
    for (int level = 0; level < levels; level++) {
        unsigned char *row = free_from + (size_t)level * (size_t)columns;
        bool is_free = true;
        for (int k = from; k <= to && is_free; k++) {
            is_free = row[k] == 0;
        }
        if (is_free) {
            memset(row + from, 1, (size_t)to - (size_t)from + 1);
            return level;
        }
    }
    return -1;
}

static void draw_line(watch_grid *g, int row, int from, int to, int level, bool written)
{
    watch_style style = written ? WATCH_LIT_WRITTEN : WATCH_LIT_READ;
    for (int r = row; r < row + level; r++) {
        const int ends[2] = {from, to};
        for (int k = 0; k < 2; k++) {
            bool crossed = g->cells[(size_t)r * (size_t)g->columns + (size_t)ends[k]].glyph != ' ';
            put(g, r, ends[k], crossed ? 0x253c : written ? 0x2503 : 0x2502, style);
        }
    }
    for (int k = from + 1; k < to; k++) {
        put(g, row + level, k, written ? 0x2501 : 0x2500, style);
    }
    put(g, row + level, from, written ? 0x2517 : 0x2570, style);
    put(g, row + level, to, written ? 0x251b : 0x256f, style);
}

/* The lines of a panel: shorter ones above longer ones, each in the first row that is free. False,
 * and nothing drawn, if there are none or no room for all of them. */
static bool draw_lines(watch_grid *g, const panel *p, const layout *l, const watch_state *s)
{
    int row = below(p, l), columns = g->columns;
    bool any = false, fits = l->cell > 1 && p->levels > 0;
    unsigned char *taken = calloc((size_t)LEVELS_MOST, (size_t)columns);
    int *level = calloc(s->pair_count + 1, sizeof *level); /* from 1; 0: is not drawn */
    g->starved = g->starved || taken == NULL || level == NULL;
    fits = fits && taken != NULL && level != NULL;
    for (size_t reach = 1; fits && reach < p->a->count; reach++) {
        for (size_t k = 0; k < s->pair_count && fits; k++) {
            const watch_pair *pair = &s->pairs[k];
            if (pair->array == p->index && pair->j - pair->i == reach && pair->j < p->a->count) {
                int from = column_of(l, p->a, pair->i), to = column_of(l, p->a, pair->j);
                fits = to < columns;
                level[k] = fits ? 1 + take_level(taken, p->levels, columns, from, to) : 0;
                fits = level[k] > 0;
                any = true;
            }
        }
    }
    for (int down = 0; fits && down < p->levels; down++) {
        for (size_t k = 0; k < s->pair_count; k++) {
            const watch_pair *pair = &s->pairs[k];
            if (pair->array == p->index && pair->j < p->a->count && level[k] == down + 1) {
                int middle = (l->cell - 1) / 2;
                draw_line(g, row, column_of(l, p->a, pair->i) + middle,
                          column_of(l, p->a, pair->j) + middle, down, pair->written);
            }
        }
    }
    free(taken);
    free(level);
    return any && fits;
}

/* ---- the picture ---- */

size_t watch_slots(const watch_film *film, int rows)
{
    size_t room = rows > HEAD + FOOT + PANEL_LEAST ? (size_t)(rows - HEAD - FOOT) / PANEL_LEAST : 1;
    size_t arrays = film->whole->array_count > 0 ? film->whole->array_count : 1;
    room = room < arrays ? room : arrays;
    return room < WATCH_SLOTS ? room : WATCH_SLOTS;
}

static void draw_panel(watch_grid *g, const watch_film *film, const layout *l, panel *p,
                       const watch_state *s)
{
    bool many = l->group > 1 && p->a->count > l->group;
    int column = put_text(g, p->top, l->left, WATCH_BOLD, "%s", p->a->name);
    put_text(g, p->top, column, WATCH_DIM, "[%zu]", p->a->count);
    if (many) {
        put_text(g, p->top, column + 10, WATCH_DIM, "%zu in a column", l->group);
    }
    p->scale = film->whole->arrays[p->index].greatest;
    bool alone = p->rows >= 2 * PANEL_LEAST;
    p->levels = l->cell > 1 ? (alone ? p->rows / 4 : 1) : 1;
    p->levels = p->levels < LEVELS_MOST ? p->levels : LEVELS_MOST;
    p->bars = p->rows - 1 - (l->numbers ? 1 : 0) - p->levels;
    p->bars = p->bars > 0 ? p->bars : 1;
    bool joined = draw_lines(g, p, l, s);
    draw_elements(g, p, l, joined);
}

static void draw_head(watch_grid *g, const watch_film *film, const watch_state *s)
{
    static const struct {
        upsweep_event_kind kind;
        const char *name;
    } counted[] = {{UPSWEEP_EVENT_COMPARE, "compares"},
                   {UPSWEEP_EVENT_SWAP, "swaps"},
                   {UPSWEEP_EVENT_MOVE, "moves"},
                   {UPSWEEP_EVENT_COMBINE, "combines"},
                   {UPSWEEP_EVENT_SET, "sets"}};
    const uint64_t *whole = film->whole->counts;
    uint64_t rounds = whole[UPSWEEP_EVENT_ROUND];
    int column = put_text(g, 0, 1, WATCH_BOLD, "%s", film->algorithm->name);
    put_text(g, 0, column + 2, WATCH_DIM, "%s", film->algorithm->title);
    if (s->picture == 0) {
        put_text(g, 1, 1, WATCH_PLAIN, "the start, of %" PRIu64 " rounds", rounds);
    } else if (s->ended) {
        put_text(g, 1, 1, WATCH_PLAIN, "the end, after %" PRIu64 " rounds", rounds);
    } else {
        column =
            put_text(g, 1, 1, WATCH_PLAIN, "round %" PRIu64 " of %" PRIu64, s->picture, rounds);
        column = put_text(g, 1, column, WATCH_BOLD, "  %s%s%s", s->phase,
                          s->phase[0] != '\0' ? ": " : "", s->label);
        put_text(g, 1, column, WATCH_DIM, "  %" PRIu64 " lane%s act%s", s->lanes,
                 s->lanes == 1 ? "" : "s", s->lanes == 1 ? "s" : "");
    }
    column = put_text(g, 2, 1, WATCH_DIM, "n ");
    column = put_text(g, 2, column, WATCH_PLAIN, "%zu", s->n);
    for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
        if (whole[counted[k].kind] > 0) {
            column = put_text(g, 2, column + 3, WATCH_DIM, "%s ", counted[k].name);
            column = put_text(g, 2, column, WATCH_PLAIN, "%" PRIu64, s->counts[counted[k].kind]);
        }
    }
    if (s->note[0] != '\0') {
        put_text(g, 2, column + 3, WATCH_DIM, "(%s)", s->note);
    }
}

static void draw_foot(watch_grid *g, const watch_film *film, const watch_state *s)
{
    uint64_t last = film->whole->counts[UPSWEEP_EVENT_ROUND] + 1;
    int width = g->columns - 2, done = (int)((double)s->picture / (double)last * width + 0.5);
    for (int k = 0; k < width; k++) {
        bool over = k < done;
        put(g, g->rows - 2, 1 + k, over ? 0x2501 : 0x2500, over ? WATCH_LIT_READ : WATCH_DIM);
    }
    if (!film->has_keys) {
        return;
    }
    int column = 1;
    if (s->ended || film->paused) {
        column = put_text(g, g->rows - 1, column, WATCH_BOLD, "%s", s->ended ? "end" : "paused");
    } else {
        put(g, g->rows - 1, column, 0x25b6, WATCH_BOLD);
        column = put_text(g, g->rows - 1, column + 2, WATCH_BOLD, "%.3g a second", film->speed);
    }
    put_text(g, g->rows - 1, column + 3, WATCH_DIM,
             "space pause   arrows step   + - speed   Home End   q quit");
}

void watch_draw(watch_grid *g, const watch_film *film, const watch_state *s)
{
    layout l = lay_out(film, g->columns);
    int foot = film->has_keys ? FOOT : 1;
    int rows = (g->rows - HEAD - FOOT) / (int)(s->slot_count > 0 ? s->slot_count : 1);
    draw_head(g, film, s);
    for (size_t k = 0; k < s->slot_count && rows > 0; k++) {
        if (s->slots[k] < s->array_count) {
            panel p = {.a = &s->arrays[s->slots[k]],
                       .index = s->slots[k],
                       .top = HEAD - 1 + (int)k * rows,
                       .rows = rows};
            draw_panel(g, film, &l, &p, s);
        }
    }
    if (g->rows > HEAD + foot && g->columns > 4) {
        draw_foot(g, film, s);
    }
}
