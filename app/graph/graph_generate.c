/* graph_generate.c - `upsweep graph generate`: graphs for tests and measurements, the same on every
 * machine for the same words, since every random number is a function of its position and the seed
 * (splitmix64; Steele, Lea, Flood 2014) and is compared as a whole number.
 *
 * grid       SIZE or ROWSxCOLUMNS: every vertex has arcs to its neighbours, with coordinates
 * uniform    2^SIZE vertices, DEGREE random arcs for each, as GAP's `-u`
 * kronecker  2^SIZE vertices, DEGREE arcs for each by the R-MAT recursion with A = 0.57,
 *            B = C = 0.19 (Chakrabarti et al. 2004; Graph500), as GAP's `-g`, the vertices shuffled
 * All arcs go both ways, with the same weight; doubles and loops are kept, as they fall. */
/* SPDX-License-Identifier: MIT */
#include "app/graph/graph_verb.h"

#include "io/parallel.h"

#include <stdlib.h>
#include <string.h>

const char app_graph_about[] =
    "info tells what a graph is, convert writes it in another format, and generate makes one.\n"
    "Formats are those of `upsweep paths`. Arcs keep their order, but in usg, sg and wsg, which\n"
    "order them by their tails; what a format cannot hold is an error.\n"
    "\n"
    "  generate grid ROWS[xCOLUMNS]   a grid, four neighbours each, with coordinates\n"
    "  generate uniform SCALE         2^SCALE vertices, random arcs\n"
    "  generate kronecker SCALE       2^SCALE vertices, few of which have most of the arcs\n"
    "\n"
    "All arcs go both ways with the same weight. The same words give the same graph on every\n"
    "machine. SCALE, degree and weights mean what they mean to the GAP benchmark; the random\n"
    "numbers are others.";

typedef struct maker {
    uint64_t seed, low, span; /* weights are low .. low + span */
    uint64_t scale, rows, columns;
    io_graph *g;
} maker;

enum { STREAM_WEIGHT = 1, STREAM_ARC, STREAM_NAME };

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t random_at(const maker *m, uint64_t stream, uint64_t i)
{
    return mix(mix(m->seed * 4 + stream) + (i + 1) * 0x9e3779b97f4a7c15u);
}

/* 0 .. bound - 1, bound <= 2^32, by a product of the high half: no division, the same everywhere.
 * */
static uint64_t below(uint64_t random, uint64_t bound)
{
    return (random >> 32) * bound >> 32;
}

static uint32_t weight_at(const maker *m, uint64_t edge)
{
    return (uint32_t)(m->low + below(random_at(m, STREAM_WEIGHT, edge), m->span + 1));
}

static bool reserve(io_graph *g, size_t vertices, size_t arcs)
{
    g->vertices = vertices;
    g->arcs = arcs;
    g->symmetric = true;
    g->tail = io_graph_take(g, arcs * 4);
    g->head = io_graph_take(g, arcs * 4);
    g->weight = io_graph_take(g, arcs * 4);
    g->weight_type = UPSWEEP_U32;
    return g->tail != NULL && g->head != NULL && g->weight != NULL;
}

static void put(io_graph *g, size_t i, uint64_t tail, uint64_t head, uint32_t weight)
{
    g->tail[i] = (uint32_t)tail;
    g->head[i] = (uint32_t)head;
    ((uint32_t *)g->weight)[i] = weight;
}

/* Arcs of the rows above: each vertex has four, less one at each border. */
static size_t arcs_before(const maker *m, uint64_t row)
{
    uint64_t full = 4 * m->columns - 2;
    return (size_t)(row == 0 ? 0 : row * full - m->columns - (row == m->rows ? m->columns : 0));
}

/* Edge 2 v goes from v to the right, 2 v + 1 down. */
static void make_row(void *context, size_t row, unsigned lane)
{
    (void)lane;
    const maker *m = context;
    io_graph *g = m->g;
    size_t i = arcs_before(m, row);
    for (uint64_t c = 0; c < m->columns; c++) {
        uint64_t v = row * m->columns + c;
        g->x[v] = (double)c;
        g->y[v] = row == 0 ? 0 : -(double)row; /* never -0 */
        if (row > 0) {
            uint64_t up = v - m->columns;
            put(g, i++, v, up, weight_at(m, 2 * up + 1));
        }
        if (c > 0) {
            put(g, i++, v, v - 1, weight_at(m, 2 * (v - 1)));
        }
        if (c + 1 < m->columns) {
            put(g, i++, v, v + 1, weight_at(m, 2 * v));
        }
        if (row + 1 < m->rows) {
            put(g, i++, v, v + m->columns, weight_at(m, 2 * v + 1));
        }
    }
}

enum { PIECE = 1 << 14 };

/* A permutation of 0 .. 2^scale - 1: steps that can be undone, each on scale bits. */
static uint64_t shuffled(const maker *m, uint64_t v)
{
    uint64_t mask = (UINT64_C(1) << m->scale) - 1;
    for (uint64_t round = 0; round < 4; round++) {
        uint64_t key = random_at(m, STREAM_NAME, round);
        v = (v + key) & mask;
        v = v * (key | 1) & mask;
        v ^= v >> (m->scale + 1) / 2;
    }
    return v;
}

static void make_uniform(void *context, size_t task, unsigned lane)
{
    (void)lane;
    const maker *m = context;
    size_t edges = m->g->arcs / 2, from = task * PIECE;
    for (size_t e = from; e < edges && e < from + PIECE; e++) {
        uint64_t tail = random_at(m, STREAM_ARC, 2 * e) >> (64 - m->scale);
        uint64_t head = random_at(m, STREAM_ARC, 2 * e + 1) >> (64 - m->scale);
        put(m->g, 2 * e, tail, head, weight_at(m, e));
        put(m->g, 2 * e + 1, head, tail, weight_at(m, e));
    }
}

/* One quarter of the matrix a bit: 57, 19, 19 and 5 of a hundred, by 32 bits. */
static void make_kronecker(void *context, size_t task, unsigned lane)
{
    (void)lane;
    static const uint32_t a = 2448131359u, ab = 3264175145u, abc = 4080218931u;
    const maker *m = context;
    size_t edges = m->g->arcs / 2, from = task * PIECE;
    for (size_t e = from; e < edges && e < from + PIECE; e++) {
        uint64_t tail = 0, head = 0, random = 0;
        for (uint64_t bit = 0; bit < m->scale; bit++) {
            random = bit % 2 == 0 ? random_at(m, STREAM_ARC, 16 * e + bit / 2) : random >> 32;
            uint32_t r = (uint32_t)random;
            tail = tail << 1 | (r >= ab);
            head = head << 1 | ((r >= a && r < ab) || r >= abc);
        }
        tail = shuffled(m, tail);
        head = shuffled(m, head);
        put(m->g, 2 * e, tail, head, weight_at(m, e));
        put(m->g, 2 * e + 1, head, tail, weight_at(m, e));
    }
}

static bool take_number(const char **p, uint64_t *value)
{
    char *end;
    bool digit = **p >= '0' && **p <= '9';
    *value = strtoull(*p, &end, 10);
    *p = end;
    return digit;
}

static int take_weights(const app_graph_settings *s, maker *m)
{
    uint64_t low = 1, high = 255;
    const char *p = s->weights;
    if (p != NULL) {
        bool good = take_number(&p, &low) && strncmp(p, "..", 2) == 0;
        p += good ? 2 : 0;
        good = good && take_number(&p, &high) && *p == '\0';
        if (!good || low > high || high > UINT32_MAX) {
            return app_fail("--weights takes two numbers such as 1..255, up to 2^32 - 1, not '%s'",
                            s->weights);
        }
    }
    m->low = low;
    m->span = high - low;
    return APP_OK;
}

static int make_grid(maker *m, const char *size, unsigned threads)
{
    const char *p = size;
    bool good = take_number(&p, &m->rows);
    m->columns = m->rows;
    if (good && *p == 'x') {
        p++;
        good = take_number(&p, &m->columns);
    }
    if (!good || *p != '\0' || m->rows == 0 || m->columns == 0) {
        return app_fail("the size of a grid is a number such as 1000, or 30x40, not '%s'", size);
    }
    if (m->rows > UINT32_MAX || m->columns > UINT32_MAX || m->rows * m->columns > UINT32_MAX - 1) {
        return app_fail("a grid of %s has more than 2^32 - 2 vertices", size);
    }
    size_t vertices = (size_t)(m->rows * m->columns);
    bool ok = reserve(m->g, vertices, arcs_before(m, m->rows));
    m->g->x = io_graph_take(m->g, vertices * sizeof *m->g->x);
    m->g->y = io_graph_take(m->g, vertices * sizeof *m->g->y);
    if (!ok || m->g->x == NULL || m->g->y == NULL) {
        return app_fail("no memory for a grid of %s", size);
    }
    io_parallel(threads, (size_t)m->rows, make_row, m);
    return APP_OK;
}

static int make_random(maker *m, const char *size, size_t degree, unsigned threads, io_task task)
{
    const char *p = size;
    if (!take_number(&p, &m->scale) || *p != '\0' || m->scale < 1 || m->scale > 31) {
        return app_fail("SCALE is a number from 1 to 31, for 2^SCALE vertices, not '%s'", size);
    }
    size_t vertices = (size_t)1 << m->scale;
    if (degree > SIZE_MAX / 64 / vertices || !reserve(m->g, vertices, 2 * degree * vertices)) {
        return app_fail("no memory for 2^%s vertices with %zu arcs each", size, degree);
    }
    size_t edges = m->g->arcs / 2;
    io_parallel(threads, (edges + PIECE - 1) / PIECE, task, m);
    return io_graph_to_rows(m->g) ? APP_OK : app_fail("no memory to put the arcs in order");
}

int app_graph_generate(const app_graph_settings *s, const char *kind, const char *size)
{
    static const char *const kinds[] = {"grid", "uniform", "kronecker"};
    size_t k = 0;
    while (k < 3 && strcmp(kind, kinds[k]) != 0) {
        k++;
    }
    if (k == 3) {
        const char *near = app_near(kind, kinds, 3, sizeof *kinds);
        return near != NULL ? app_fail("there is no '%s'; did you mean %s?", kind, near)
                            : app_fail("generate takes grid, uniform or kronecker, not '%s'", kind);
    }
    io_graph g = {.base = 0};
    maker m = {.seed = s->seed, .g = &g};
    io_graph_format format;
    unsigned threads = app_io_threads(&s->common);
    int status = take_weights(s, &m);
    if (status == APP_OK) {
        status = app_graph_output_format(s, &format);
    }
    if (status == APP_OK) {
        status = k == 0 ? make_grid(&m, size, threads)
                        : make_random(&m, size, s->degree, threads,
                                      k == 1 ? make_uniform : make_kronecker);
    }
    if (status == APP_OK) {
        status = app_write_graph(s, &g, format);
    }
    io_graph_free(&g);
    return status;
}
