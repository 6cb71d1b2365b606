/* graph_usg.c - upsweep's own file of a graph: what the arrays of a graph are in memory, behind a
 * header, so that reading it is one read, and a program may map it. Little-endian.
 *
 *     offset 0   8 bytes   89 55 53 47 0d 0a 1a 0a, which a transfer as text would break
 *            8   u32       version, 1
 *           12   u32       0x01020304, which tells the byte order
 *           16   u64       n, the vertices
 *           24   u64       m, the arcs that are stored
 *           32   u32       type of the weights: 0 none, 3 u32, 4 u64, 11 f32, 12 f64
 *           36   u32       flags: 1 undirected, 2 has coordinates, 4 ids are shown from 1,
 *                          8 has names, 16 every arc is stored both ways
 *           40   u64       bytes of the names
 *           48   u64       XXH64 of the XXH64 of every MiB of what is behind the header
 *           56   u64       XXH64 of bytes 0 to 55
 *
 * Then the sections, each beginning at a multiple of 64 bytes, with zeros between: begin (u64,
 * n + 1), head (u32, m), weight (m), x and y (f64, n each), names (each followed by a zero byte).
 * */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include "io/hash.h"
#include "io/names.h"

#include <stdlib.h>

enum { HEADER = 64, ALIGN = 64, VERSION = 1, ORDER = 0x01020304 };
enum { UNDIRECTED = 1, PLACES = 2, FROM_ONE = 4, NAMES = 8, SYMMETRIC = 16, ALL_FLAGS = 31 };

typedef struct header {
    unsigned char magic[8];
    uint32_t version, order;
    uint64_t vertices, arcs;
    uint32_t weight_type, flags;
    uint64_t name_bytes, body_sum, header_sum;
} header;
_Static_assert(sizeof(header) == HEADER, "the header has no holes");

static const unsigned char magic[8] = IO_USG_MARK;

enum { SECTIONS = 6 };

static size_t round_up(uint64_t bytes)
{
    return (size_t)((bytes + ALIGN - 1) / ALIGN * ALIGN);
}

/* Bytes of each section; with n < 2^32 and m <= 2^58 no sum overflows. */
static void measure(const header *h, uint64_t bytes[SECTIONS])
{
    bytes[0] = (h->vertices + 1) * 8;
    bytes[1] = h->arcs * 4;
    bytes[2] = h->arcs * upsweep_type_bytes((upsweep_type)h->weight_type);
    bytes[3] = bytes[4] = h->flags & PLACES ? h->vertices * 8 : 0;
    bytes[5] = h->flags & NAMES ? h->name_bytes : 0;
}

static bool check_header(const header *h, const io_graph_file *f, size_t size)
{
    const char *name = f->name;
    if (size < HEADER || memcmp(h->magic, magic, sizeof h->magic) != 0) {
        return io_because(f->error, "%s: is no .usg file, or ends within its header", name);
    }
    if (h->order != ORDER) {
        return io_because(f->error, "%s: was written in another byte order", name);
    }
    if (h->version != VERSION) {
        return io_because(f->error, "%s: has version %u of the format; this program reads %d", name,
                          h->version, VERSION);
    }
    if (io_hash(h, HEADER - 8) != h->header_sum) {
        return io_because(f->error, "%s: the checksum of its header is wrong: it is damaged", name);
    }
    uint32_t t = h->weight_type;
    bool known =
        t == 0 || t == UPSWEEP_U32 || t == UPSWEEP_U64 || t == UPSWEEP_F32 || t == UPSWEEP_F64;
    if (!known || h->flags > ALL_FLAGS || h->vertices > IO_VERTICES_MAX ||
        h->arcs > SIZE_MAX / 64 || h->name_bytes > SIZE_MAX / 64) {
        return io_because(f->error, "%s: its header promises what upsweep does not know", name);
    }
    uint64_t bytes[SECTIONS], wanted = HEADER;
    measure(h, bytes);
    for (size_t i = 0; i < SECTIONS; i++) {
        wanted += round_up(bytes[i]);
    }
    return size == wanted || io_because(f->error, "%s: has %zu bytes, but its header promises %llu",
                                        name, size, (unsigned long long)wanted);
}

static bool take_names(io_graph *g, const io_graph_file *f, const char *text, uint64_t bytes)
{
    g->names = io_names_new();
    uint32_t number = 0;
    for (size_t at = 0; g->names != NULL && at < bytes;) {
        const char *end = memchr(text + at, '\0', (size_t)bytes - at);
        if (end == NULL || !io_names_add(g->names, text + at, (size_t)(end - text) - at, &number)) {
            break;
        }
        at = (size_t)(end - text) + 1;
    }
    return (g->names != NULL && io_names_count(g->names) == g->vertices) ||
           io_because(f->error,
                      "%s: its names are not those of %zu vertices, or there is no memory", f->name,
                      g->vertices);
}

bool io_usg_read(io_graph *g, const io_graph_file *f)
{
    header h = {.version = 0};
    const io_input *in = &g->input;
    memcpy(&h, in->bytes, in->size < HEADER ? in->size : HEADER);
    if (!check_header(&h, f, in->size)) {
        return false;
    }
    if (io_hash_pieces(in->bytes + HEADER, in->size - HEADER, f->options->threads) != h.body_sum) {
        return io_because(f->error, "%s: its checksum is wrong: it is damaged", f->name);
    }
    /* The block of an input begins with a page, so every section is aligned in memory too. */
    uint64_t bytes[SECTIONS];
    void *section[SECTIONS];
    size_t at = HEADER;
    measure(&h, bytes);
    for (size_t i = 0; i < SECTIONS; i++) {
        section[i] = in->bytes + at;
        at += round_up(bytes[i]);
    }
    g->vertices = (size_t)h.vertices;
    g->arcs = (size_t)h.arcs;
    g->begin = section[0];
    g->head = section[1];
    if (h.weight_type != 0 && !f->options->no_weights) {
        g->weight = section[2];
        g->weight_type = (upsweep_type)h.weight_type;
    }
    g->x = h.flags & PLACES ? section[3] : NULL;
    g->y = h.flags & PLACES ? section[4] : NULL;
    g->undirected = (h.flags & UNDIRECTED) != 0;
    g->symmetric = (h.flags & SYMMETRIC) != 0;
    g->base = (h.flags & FROM_ONE) != 0;
    return io_graph_check(g, f->name, f->error) &&
           (!(h.flags & NAMES) || take_names(g, f, section[5], bytes[5]));
}

/* The body is written and summed in one go: pieces of a MiB, put together from the sections. */
typedef struct body {
    io_output *out;
    io_error *error;
    unsigned char *piece;
    size_t used;
    uint64_t *sums;
    size_t count;
    bool writes; /* else it is only summed */
} body;

enum { PIECE = 1 << 20 };

static bool flush(body *b)
{
    if (b->used == 0) {
        return true;
    }
    bool ok = !b->writes || io_output_write(b->out, b->piece, b->used, b->error) == 0;
    if (!b->writes) {
        b->sums[b->count++] = io_hash(b->piece, b->used);
    }
    b->used = 0;
    return ok;
}

static bool append(body *b, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    while (size > 0) {
        size_t part = PIECE - b->used < size ? PIECE - b->used : size;
        if (p != NULL) {
            memcpy(b->piece + b->used, p, part);
            p += part;
        } else {
            memset(b->piece + b->used, 0, part);
        }
        b->used += part;
        size -= part;
        if (b->used == PIECE && !flush(b)) {
            return false;
        }
    }
    return true;
}

static bool append_all(body *b, const void *const section[SECTIONS], const uint64_t bytes[SECTIONS])
{
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!append(b, section[i], (size_t)bytes[i]) ||
            !append(b, NULL, round_up(bytes[i]) - (size_t)bytes[i])) {
            return false;
        }
    }
    return flush(b);
}

static header describe(const io_graph *g)
{
    header h = {.version = VERSION,
                .order = ORDER,
                .vertices = g->vertices,
                .arcs = g->arcs,
                .weight_type = g->weight == NULL ? 0 : (uint32_t)g->weight_type,
                .flags = (g->undirected ? UNDIRECTED : 0u) | (g->x != NULL ? PLACES : 0u) |
                         (g->base == 1 ? FROM_ONE : 0u) | (g->names != NULL ? NAMES : 0u) |
                         (g->symmetric ? SYMMETRIC : 0u)};
    memcpy(h.magic, magic, sizeof h.magic);
    if (g->names != NULL) {
        h.name_bytes = io_names_bytes(g->names);
    }
    return h;
}

bool io_usg_write(io_graph *g, io_output *out, unsigned threads, io_error *error)
{
    (void)threads;
    if (!io_graph_to_rows(g)) {
        return io_because(error, "%s: no memory to put %zu arcs in order", out->name, g->arcs);
    }
    header h = describe(g);
    uint64_t bytes[SECTIONS], all = 0;
    measure(&h, bytes);
    for (size_t i = 0; i < SECTIONS; i++) {
        all += round_up(bytes[i]);
    }
    const void *const section[SECTIONS] = {
        g->begin, g->head, g->weight,
        g->x,     g->y,    g->names == NULL ? NULL : io_names_text(g->names)};
    body b = {.out = out,
              .error = error,
              .piece = malloc(PIECE),
              .sums = malloc((size_t)(all / PIECE + 1) * sizeof *b.sums)};
    bool ok = b.piece != NULL && b.sums != NULL;
    if (!ok) {
        io_because(error, "%s: no memory to write it", out->name);
    } else {
        (void)append_all(&b, section, bytes);
        h.body_sum = io_hash(b.sums, b.count * sizeof *b.sums);
        h.header_sum = io_hash(&h, HEADER - 8);
        b.writes = true;
        ok = io_output_write(out, &h, HEADER, error) == 0 && append_all(&b, section, bytes);
    }
    free(b.piece);
    free(b.sums);
    return ok;
}
