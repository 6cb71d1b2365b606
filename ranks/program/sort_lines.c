/* sort_lines.c - lines of text by their bytes. Each rank reads the lines that begin in its even
 * part of the bytes. A sample of all ranks' lines gives splitters, which need not be exact since a
 * file has no sizes to keep; each line crosses once; each rank sorts what came, and writes it
 * behind what lower ranks write. Equal lines are the same bytes, so their order shows nowhere, and
 * a line that fills several ranks is dealt out among them. */
/* SPDX-License-Identifier: MIT */
#include "ranks/program/program.h"

#include <stdlib.h>

enum { PREFIX = 64, SAMPLE_LEAST = 16, SAMPLE_MOST = 512, SAMPLE_ALL = 1 << 16 };

typedef struct line {
    uint64_t at;
    uint64_t bytes; /* without the newline */
} line;

typedef struct text {
    char *bytes;
    uint64_t size, room;
    line *lines;
    uint64_t count, line_room;
} text;

typedef struct splitter {
    uint32_t bytes; /* of the line's first PREFIX */
    char prefix[PREFIX];
} splitter;

static void free_text(text *t)
{
    free(t->bytes);
    free(t->lines);
    memset(t, 0, sizeof *t);
}

static bool grow(program *p, text *t, uint64_t more)
{
    if (t->size + more > t->room) {
        uint64_t room = t->size + more + t->room / 2;
        char *bytes = realloc(t->bytes, room);
        if (bytes == NULL) {
            return fails(p, "rank %d: there is no memory for %llu bytes of text", p->rank,
                         (unsigned long long)room);
        }
        t->bytes = bytes;
        t->room = room;
    }
    return true;
}

/* The lines of a file that begin at bytes [from, to) of it; the last line of a file gets its
 * newline. */
static bool read_lines(program *p, text *t, const input_file *f, uint64_t from, uint64_t to)
{
    enum { STEP = 1 << 16 };
    uint64_t begin = from > 0 ? from - 1 : 0, start = t->size;
    if (!grow(p, t, to - begin + 1) || t->bytes == NULL ||
        !read_at(p, f, begin, t->bytes + start, to - begin)) {
        return false;
    }
    t->size += to - begin;
    if (from > 0) { /* the line before it, which is another rank's, ends with the first newline */
        char *end = memchr(t->bytes + start, '\n', to - begin);
        if (end == NULL) {
            t->size = start;
            return true;
        }
        uint64_t skipped = (uint64_t)(end + 1 - (t->bytes + start));
        memmove(t->bytes + start, t->bytes + start + skipped, t->size - start - skipped);
        t->size -= skipped;
    }
    if (t->size == start) {
        return true;
    }
    while (t->bytes[t->size - 1] != '\n' && to < f->count) {
        uint64_t step = f->count - to < STEP ? f->count - to : STEP;
        if (!grow(p, t, step + 1) || !read_at(p, f, to, t->bytes + t->size, step)) {
            return false;
        }
        char *end = memchr(t->bytes + t->size, '\n', step);
        t->size += end != NULL ? (uint64_t)(end + 1 - (t->bytes + t->size)) : step;
        to += step;
    }
    if (t->bytes[t->size - 1] != '\n') { /* there is room for it */
        t->bytes[t->size++] = '\n';
    }
    return true;
}

/* This rank's part of all files. */
static bool read_part(program *p, text *t, const inputs *in)
{
    uint64_t size = (uint64_t)p->size, me = (uint64_t)p->rank, first = 0;
    uint64_t from = (uint64_t)((__uint128_t)in->total * me / size);
    uint64_t to = (uint64_t)((__uint128_t)in->total * (me + 1) / size);
    for (size_t i = 0; i < in->file_count; i++) {
        const input_file *f = &in->files[i];
        uint64_t begin = from > first ? from - first : 0;
        uint64_t end = to < first + f->count ? to - first : f->count;
        if (to > first && begin < end && !read_lines(p, t, f, begin, end)) {
            return false;
        }
        first += f->count;
    }
    return true;
}

static bool find_lines(program *p, text *t)
{
    t->count = 0;
    for (const char *at = t->bytes, *end = at + t->size; at < end; t->count++) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    }
    t->lines = malloc(t->count * sizeof *t->lines + 1);
    if (t->lines == NULL) {
        return fails(p, "rank %d: there is no memory for %llu lines", p->rank,
                     (unsigned long long)t->count);
    }
    uint64_t at = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        const char *end = memchr(t->bytes + at, '\n', t->size - at);
        uint64_t next = (uint64_t)(end - t->bytes) + 1;
        t->lines[i] = (line){at, next - 1 - at};
        at = next;
    }
    return true;
}

static int compare_bytes(const char *a, uint64_t a_bytes, const char *b, uint64_t b_bytes)
{
    int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

static int compare_splitters(const void *a, const void *b)
{
    const splitter *x = a, *y = b;
    return compare_bytes(x->prefix, x->bytes, y->prefix, y->bytes);
}

/* Splitters from a sample, in the order of the output. */
static splitter *find_splitters(program *p, const text *t)
{
    size_t size = (size_t)p->size, each = SAMPLE_ALL / size;
    each = each < SAMPLE_LEAST ? SAMPLE_LEAST : each > SAMPLE_MOST ? SAMPLE_MOST : each;
    splitter *mine = calloc(each, sizeof *mine), *all = calloc(each * size, sizeof *all);
    int count = (int)(t->count < each ? t->count : each);
    int *bytes = calloc(size, sizeof *bytes), *at = calloc(size, sizeof *at);
    if (mine == NULL || all == NULL || bytes == NULL || at == NULL) {
        fails(p, "rank %d: there is no memory for a sample", p->rank);
    }
    if (!together(p) || mine == NULL || all == NULL || bytes == NULL || at == NULL) {
        free(mine);
        free(all);
        free(bytes);
        free(at);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        const line *l = &t->lines[t->count * (2 * (uint64_t)i + 1) / (2 * (uint64_t)count)];
        mine[i].bytes = (uint32_t)(l->bytes < PREFIX ? l->bytes : PREFIX);
        memcpy(mine[i].prefix, t->bytes + l->at, mine[i].bytes);
    }
    count *= (int)sizeof *mine;
    MPI_Allgather(&count, 1, MPI_INT, bytes, 1, MPI_INT, p->comm);
    size_t found = 0;
    for (size_t r = 0; r < size; r++) {
        at[r] = (int)found;
        found += (size_t)bytes[r];
    }
    MPI_Allgatherv(mine, count, MPI_BYTE, all, bytes, at, MPI_BYTE, p->comm);
    found /= sizeof *all;
    qsort(all, found, sizeof *all, compare_splitters);
    free(mine);
    free(bytes);
    free(at);
    splitter *chosen = calloc(size, sizeof *chosen);
    for (size_t k = 1; k < size && found > 0 && chosen != NULL; k++) {
        size_t place = found * k / size;
        bool reverse = (p->options.flags & UPSWEEP_DESCENDING) != 0;
        chosen[k - 1] = all[reverse ? found - 1 - place : place];
    }
    free(all);
    if (chosen == NULL) {
        fails(p, "rank %d: there is no memory for splitters", p->rank);
    }
    if (!together(p)) {
        free(chosen);
        return NULL;
    }
    return chosen;
}

/* The rank that a line goes to: the splitters before it, and any number of those equal to it. */
static size_t rank_of(const program *p, const splitter *s, const text *t, uint64_t i)
{
    const line *l = &t->lines[i];
    int turn = p->options.flags & UPSWEEP_DESCENDING ? -1 : 1;
    size_t low[2] = {0, 0}, n = (size_t)p->size - 1;
    for (int equal = 0; equal < 2; equal++) {
        size_t from = equal ? low[0] : 0, to = n;
        while (from < to) {
            size_t k = (from + to) / 2;
            int order = turn * compare_bytes(s[k].prefix, s[k].bytes, t->bytes + l->at, l->bytes);
            if (order < 0 || (equal && order == 0)) {
                from = k + 1;
            } else {
                to = k;
            }
        }
        low[equal] = from;
    }
    return low[0] + i % (low[1] - low[0] + 1);
}

/* Sends every line to its rank; *t then has what came. */
static bool exchange_lines(program *p, text *t, const splitter *s)
{
    size_t size = (size_t)p->size;
    uint64_t *counts = calloc(size, sizeof *counts), *receive = calloc(size, sizeof *receive);
    uint64_t *at = calloc(size, sizeof *at), *ones = calloc(size, sizeof *ones);
    uint32_t *to = malloc(t->count * sizeof *to + 1);
    char *packed = malloc(t->size + 1);
    text got = {0};
    usw_mpi m;
    bool good = counts != NULL && receive != NULL && at != NULL && ones != NULL && to != NULL &&
                packed != NULL;
    if (!good) {
        fails(p, "rank %d: there is no memory to exchange lines", p->rank);
    }
    for (uint64_t i = 0; good && i < t->count; i++) {
        to[i] = (uint32_t)rank_of(p, s, t, i);
        counts[to[i]] += t->lines[i].bytes + 1;
    }
    for (size_t r = 0; good && r < size; r++) {
        ones[r] = 1;
        at[r] = r > 0 ? at[r - 1] + counts[r - 1] : 0;
    }
    for (uint64_t i = 0; good && i < t->count; i++) {
        memcpy(packed + at[to[i]], t->bytes + t->lines[i].at, t->lines[i].bytes + 1);
        at[to[i]] += t->lines[i].bytes + 1;
    }
    free(to);
    free_text(t);
    if (together(p) && good && usw_mpi_open(&m, p->comm) == UPSWEEP_OK) {
        good = m.t.alltoallv(&m.t, counts, ones, receive, ones, 8) == 0;
        for (size_t r = 0; r < size; r++) {
            got.size += receive[r];
        }
        got.room = got.size + 1;
        got.bytes = malloc(got.room);
        if (!good || got.bytes == NULL) {
            fails(p, "rank %d: there is no memory for %llu bytes", p->rank,
                  (unsigned long long)got.size);
        }
        good = together(p) && m.t.alltoallv(&m.t, packed, counts, got.bytes, receive, 1) == 0;
        usw_mpi_close(&m);
    }
    free(packed);
    free(counts);
    free(receive);
    free(at);
    free(ones);
    *t = got;
    return (good && !p->failed) || fails(p, "the exchange of lines failed");
}

static int compare_lines(const void *a, const void *b, void *context)
{
    const line *x = a, *y = b;
    const text *t = context;
    return compare_bytes(t->bytes + x->at, x->bytes, t->bytes + y->at, y->bytes);
}

/* By the first eight bytes as numbers; then those that are equal by all their bytes. */
static bool sort_own(program *p, text *t)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = p->options.flags;
    uint64_t *keys = malloc(t->count * sizeof *keys + 1);
    if (keys == NULL) {
        return fails(p, "rank %d: there is no memory for %llu keys", p->rank,
                     (unsigned long long)t->count);
    }
    for (uint64_t i = 0; i < t->count; i++) {
        keys[i] = 0;
        for (uint64_t b = 0; b < 8; b++) {
            unsigned char byte =
                b < t->lines[i].bytes ? (unsigned char)t->bytes[t->lines[i].at + b] : 0;
            keys[i] = keys[i] << 8 | byte;
        }
    }
    upsweep_status status =
        upsweep_sort_pairs(p->u, keys, t->lines, t->count, UPSWEEP_U64, sizeof *t->lines, &o);
    for (uint64_t i = 0, end; status == UPSWEEP_OK && i < t->count; i = end) {
        for (end = i + 1; end < t->count && keys[end] == keys[i]; end++) {
        }
        if (end - i > 1) {
            status = upsweep_sort_by(p->u, t->lines + i, end - i, sizeof *t->lines, compare_lines,
                                     t, &o);
        }
    }
    free(keys);
    return status == UPSWEEP_OK || fails(p, "rank %d: %s", p->rank, upsweep_error(p->u));
}

/* Behind what lower ranks write. */
static bool write_own(program *p, const text *t, const shared_output *out)
{
    uint64_t at = 0, size = t->size, done = 0;
    MPI_Exscan(&size, &at, 1, MPI_UINT64_T, MPI_SUM, p->comm);
    at = p->rank == 0 ? 0 : at;
    char *sorted = malloc(t->size + 1);
    if (sorted == NULL) {
        return fails(p, "rank %d: there is no memory for %llu bytes", p->rank,
                     (unsigned long long)t->size);
    }
    for (uint64_t i = 0; i < t->count; i++) {
        memcpy(sorted + done, t->bytes + t->lines[i].at, t->lines[i].bytes + 1);
        done += t->lines[i].bytes + 1;
    }
    write_at(p, out, at, sorted, done);
    free(sorted);
    return !p->failed;
}

bool sort_lines(program *p)
{
    inputs in;
    text t = {0};
    shared_output out = {.fd = -1};
    splitter *s = NULL;
    bool good = open_inputs(p, &in, true) && open_output(p, &out);
    if (good) {
        if (!p->failed && read_part(p, &t, &in)) {
            find_lines(p, &t);
        }
        good = together(p) && (s = find_splitters(p, &t)) != NULL && exchange_lines(p, &t, s);
        if (good && find_lines(p, &t)) {
            sort_own(p, &t);
        }
        good = together(p) && good;
        if (good) {
            write_own(p, &t, &out);
        }
        good = close_output(p, &out) && good;
    }
    free(s);
    free_text(&t);
    close_inputs(&in);
    return good;
}
