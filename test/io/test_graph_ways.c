/* test_graph_ways.c - random tables of arcs, written in every way that a table can be written in,
 * given to `upsweep paths`. Here a parser takes them letter by letter, and distances come from
 * relaxing all arcs again and again, in integers of 128 bits: what is misread is not approved. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/shared/graph_store.h"
#include "test/shared/inputs.h"

__extension__ typedef __int128 wide;

enum { ARCS = 60, CELLS = 8, WORD = 40, TEXT = 1 << 15, VERTICES = 2 * ARCS, TABLES = 200 };

static uint64_t random_state = 20;

static size_t any(size_t below)
{
    return (size_t)(input_random(&random_state) % below);
}

/* ---- how a table is written ---- */

typedef enum kind { IDS, FAR_IDS, NAMES, KINDS } kind;
typedef enum sizes { NONE, SMALL, LARGE, SIGNED, SIZES } sizes;
typedef enum header { NO_HEADER, KNOWN, UNKNOWN } header;

typedef struct way {
    kind vertices;
    sizes weights;
    header header;
    char delimiter; /* ' ': blanks */
    bool mark, returns, closed, comments, padded, trailing, by_number;
    size_t cells, column[3]; /* of a row; of tail, head and weight */
} way;

static char text[TEXT];
static size_t used;

static void put(const char *word)
{
    used += (size_t)snprintf(text + used, TEXT - used, "%s", word);
    assert_true(used < TEXT - 1);
}

/* A cell, in quotes if it needs them or now and then. */
static void put_cell(const way *w, const char *word)
{
    bool must = strpbrk(word, "\",; \t") != NULL;
    bool quoted = w->delimiter != ' ' && (must || any(8) == 0);
    put(w->padded && w->delimiter != ' ' && any(4) == 0 ? " " : "");
    put(quoted ? "\"" : "");
    for (const char *p = word; *p != '\0'; p++) {
        char letter[3] = {*p, quoted && *p == '"' ? '"' : '\0', '\0'};
        put(letter);
    }
    put(quoted ? "\"" : "");
    put(w->padded && any(4) == 0 ? "  " : "");
}

static void put_row(const way *w, char row[CELLS][WORD])
{
    for (size_t i = 0; i < w->cells; i++) {
        char between[2] = {w->delimiter, '\0'};
        put(i > 0 ? between : "");
        put_cell(w, row[i]);
    }
    char between[2] = {w->trailing ? w->delimiter : '\0', '\0'};
    put(any(3) == 0 ? between : "");
    put(w->returns ? "\r\n" : "\n");
}

static void make_vertex(const way *w, size_t v, char *word)
{
    static const uint64_t far[] = {0,           7,           4294967293,  4294967294,
                                   4294967295,  4294967296,  12345678900, 12345678901,
                                   12345678910, 99999999999, 1u << 30,    9999999999999999999u};
    if (w->vertices == NAMES) {
        static const char *const names[] = {"Rome", "\"Q\"", "New York", "a;b", "x,y", "e\"", "_"};
        size_t plain = w->delimiter == ' ' ? 0 : 1 + v % 7;
        snprintf(word, WORD, "%s%zu", plain == 0 ? "n" : names[plain - 1], v);
    } else {
        uint64_t id = w->vertices == IDS ? v : far[v];
        snprintf(word, WORD, "%llu", (unsigned long long)id);
    }
}

static void make_weight(const way *w, char *word)
{
    static const char *const large[] = {
        "9007199254740993", "9007199254740992", "4294967296", "100000000000000001", "0", "+3"};
    static const char *const below[] = {"-9007199254740993", "-1", "9007199254740993", "5"};
    if (w->weights == SIGNED) {
        snprintf(word, WORD, "%s", below[any(4)]);
    } else if (w->weights == LARGE) {
        snprintf(word, WORD, "%s", large[any(6)]);
    } else {
        snprintf(word, WORD, "%zu", any(100));
    }
}

static way choose_way(void)
{
    way w = {.vertices = (kind)any(KINDS), .weights = (sizes)any(SIZES), .cells = 2 + any(4)};
    static const char delimiters[] = ",,;\t ";
    w.delimiter = delimiters[any(5)];
    w.header = (header)any(3);
    w.mark = any(3) == 0;
    w.returns = any(3) == 0;
    w.closed = any(3) > 0;
    w.comments = any(2) == 0;
    w.padded = any(2) == 0;
    w.trailing = w.delimiter != ' ' && any(3) == 0;
    w.cells = w.weights != NONE && w.cells < 3 ? 3 : w.cells;
    w.by_number = any(2) == 0;
    size_t place[CELLS];
    for (size_t i = 0; i < w.cells; i++) {
        size_t k = any(i + 1);
        place[i] = place[k];
        place[k] = i;
    }
    for (size_t k = 0; k < 3; k++) {
        w.column[k] = !w.by_number && w.header != KNOWN ? k : place[k < w.cells ? k : 0];
    }
    return w;
}

/* ---- what it means ---- */

typedef struct arc {
    char tail[WORD], head[WORD];
    wide weight;
} arc;

static wide to_wide(const char *word)
{
    wide value = 0;
    bool below = *word == '-';
    for (word += *word == '-' || *word == '+'; *word != '\0'; word++) {
        value = value * 10 + (*word - '0');
    }
    return below ? -value : value;
}

/* Takes a text apart, letter by letter. Returns the rows, of which none is a comment. */
static size_t parse(const char *p, char delimiter, char rows[][CELLS][WORD])
{
    size_t count = 0;
    p += strncmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (*p != '\0') {
        const char *from = p + strspn(p, " ");
        if (*from == '#' || *from == '%' || *from == '\n' || *from == '\r') {
            p = strchr(p, '\n') + 1;
            continue;
        }
        memset(rows[count], 0, sizeof rows[count]);
        for (size_t cell = 0; *p != '\n' && *p != '\0'; cell++) {
            char word[WORD] = "";
            size_t length = 0;
            p += strspn(p, " ");
            if (*p == '"' && delimiter != ' ') {
                for (p++; *p != '"' || p[1] == '"'; p++) {
                    word[length++] = *p;
                    p += *p == '"';
                }
                p++;
            } else {
                while (*p != delimiter && *p != '\n' && *p != '\r' && *p != '\0') {
                    word[length++] = *p++;
                }
                while (length > 0 && word[length - 1] == ' ') {
                    word[--length] = '\0';
                }
            }
            p += strspn(p, " ");
            p += *p == delimiter || *p == '\r';
            if (cell < CELLS) {
                memcpy(rows[count][cell], word, WORD);
            }
        }
        p += *p == '\n';
        count++;
    }
    return count;
}

typedef struct graph {
    arc arcs[ARCS];
    size_t count, vertices;
    char name[VERTICES][WORD];
    wide distance[VERTICES];
    bool reached[VERTICES];
} graph;

static size_t vertex(graph *g, const char *name)
{
    size_t v = 0;
    while (v < g->vertices && strcmp(g->name[v], name) != 0) {
        v++;
    }
    if (v == g->vertices) {
        memmove(g->name[g->vertices++], name, strlen(name) + 1);
    }
    return v;
}

/* All arcs are gone through as often as there are vertices, which serves weights of any sign. */
static void solve(graph *g, size_t source)
{
    memset(g->reached, 0, sizeof g->reached);
    g->reached[source] = true;
    g->distance[source] = 0;
    for (size_t round = 0; round < g->vertices; round++) {
        for (size_t i = 0; i < g->count; i++) {
            size_t t = vertex(g, g->arcs[i].tail), h = vertex(g, g->arcs[i].head);
            wide sum = g->distance[t] + g->arcs[i].weight;
            if (g->reached[t] && (!g->reached[h] || sum < g->distance[h])) {
                g->reached[h] = true;
                g->distance[h] = sum;
            }
        }
    }
}

static void print_wide(wide value, char out[WORD])
{
    char digits[WORD];
    size_t count = 0, length = 0;
    bool below = value < 0;
    for (value = below ? -value : value; value > 0 || count == 0; value /= 10) {
        digits[count++] = (char)('0' + (int)(value % 10));
    }
    out[length++] = '-';
    length -= !below;
    while (count > 0) {
        out[length++] = digits[--count];
    }
    out[length] = '\0';
}

/* ---- the tests ---- */

/* Without a cycle where weights may be negative: arcs go up. */
static void make_row(const way *w, char row[CELLS][WORD])
{
    static const char *const extra[] = {"", "k", "k,1", "say \"x\"", "7", "a;b"};
    for (size_t i = 0; i < w->cells; i++) {
        snprintf(row[i], WORD, "%s", extra[w->delimiter == ' ' ? 1 : any(6)]);
    }
    size_t a = any(11), b = w->weights == SIGNED ? a + 1 + any(11 - a) : any(12);
    make_vertex(w, a, row[w->column[0]]);
    make_vertex(w, b, row[w->column[1]]);
    if (w->weights != NONE) {
        make_weight(w, row[w->column[2]]);
    }
}

static void make_header(const way *w, char row[CELLS][WORD])
{
    static const char *const known[] = {"from", "To", "Weight"};
    for (size_t i = 0; i < w->cells; i++) {
        snprintf(row[i], WORD, "col_%c", (int)('a' + i));
    }
    for (size_t k = 0; k < (w->weights != NONE ? 3 : 2) && w->header == KNOWN; k++) {
        snprintf(row[w->column[k]], WORD, "%s", known[k]);
    }
}

static void write_table(const way *w, size_t count)
{
    static const char *const others[] = {"# a,b\n", "%\n", "\n", "  \r\n", " #\n"};
    char row[CELLS][WORD];
    used = 0;
    put(w->mark ? "\xef\xbb\xbf" : "");
    put(w->comments ? others[any(5)] : "");
    if (w->header != NO_HEADER) {
        make_header(w, row);
        put_row(w, row);
    }
    for (size_t i = 0; i < count; i++) {
        put(w->comments && any(4) == 0 ? others[any(5)] : "");
        make_row(w, row);
        put_row(w, row);
    }
    used -= w->closed ? 0 : w->returns ? 2 : 1;
    text[used] = '\0';
}

/* The arcs by the text alone and what its columns are. */
static void read_table(const way *w, graph *g, char rows[][CELLS][WORD])
{
    size_t count = parse(text, w->delimiter, rows), from = w->header != NO_HEADER;
    memset(g, 0, sizeof *g);
    for (size_t i = from; i < count; i++) {
        arc *a = &g->arcs[g->count++];
        memcpy(a->tail, rows[i][w->column[0]], WORD);
        memcpy(a->head, rows[i][w->column[1]], WORD);
        a->weight = w->weights == NONE ? 1 : to_wide(rows[i][w->column[2]]);
        vertex(g, a->tail);
        vertex(g, a->head);
    }
}

static program_result ask(const way *w, const char *source)
{
    const char *argv[24] = {getenv("UPSWEEP_PROGRAM"), "paths", "a.csv", "-s", source, "--verify"};
    size_t count = 6;
    char columns[64], delimiter[2] = {w->delimiter, '\0'};
    if (w->vertices == NAMES) {
        argv[count++] = "--names";
        argv[count++] = "--delimiter";
        argv[count++] = w->delimiter == '\t' ? "tab" : delimiter;
        argv[count] = "--header";
        count += w->header == UNKNOWN && w->weights == NONE;
    }
    if (w->weights == SIGNED) {
        argv[count++] = "--negative";
    }
    if (w->by_number) {
        int length =
            snprintf(columns, sizeof columns, "%zu,%zu", w->column[0] + 1, w->column[1] + 1);
        if (w->weights != NONE) {
            snprintf(columns + length, sizeof columns - (size_t)length, ",%zu", w->column[2] + 1);
        }
        argv[count++] = "--columns";
        argv[count++] = columns;
    } else if (w->weights == NONE && w->cells > 2) {
        argv[count++] = "--weight";
        argv[count++] = "none";
    }
    argv[count] = NULL;
    return program_run(".", argv, NULL);
}

/* Every vertex comes once, with its distance; what is between the ids is not reached. */
static bool is_right(const way *w, graph *g, const char *out, char rows[][CELLS][WORD])
{
    size_t count = parse(out, ',', rows), seen = 0, known = g->vertices;
    for (size_t i = 1; i < count; i++) {
        size_t v = vertex(g, rows[i][0]);
        char wanted[WORD] = "inf";
        if (v >= known) {
            g->vertices = known;
            if (w->vertices == NAMES) {
                return false;
            }
        } else if (g->reached[v]) {
            print_wide(g->distance[v], wanted);
        }
        seen += v < known;
        if (strcmp(rows[i][1], wanted) != 0) {
            print_message("vertex %s: %s, should be %s\n", rows[i][0], rows[i][1], wanted);
            return false;
        }
    }
    return seen == known;
}

static void random_tables(void **state)
{
    (void)state;
    static char rows[4096][CELLS][WORD];
    static graph g;
    size_t wrong = 0, far = 0;
    for (size_t i = 0; i < TABLES; i++) {
        way w = choose_way();
        write_table(&w, 1 + any(ARCS));
        read_table(&w, &g, rows);
        const char *source = g.arcs[any(g.count)].tail;
        assert_int_equal(program_store("a.csv", text, used), 0);
        solve(&g, vertex(&g, source));
        program_result r = ask(&w, source);
        if (r.status != 0 || !is_right(&w, &g, r.out, rows)) {
            print_message("table %zu from %s: status %d, %s%s\n", i, source, r.status, r.err, text);
            wrong++;
        }
        far += w.vertices == FAR_IDS;
        program_free(&r);
    }
    assert_int_equal(wrong, 0);
    assert_true(far > TABLES / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables),
    };
    if (getenv("UPSWEEP_PROGRAM") == NULL) {
        print_message("set UPSWEEP_PROGRAM to the program\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
