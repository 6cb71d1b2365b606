/* strings.c - sort_strings, argsort_strings, sort_slices: strings of any lengths by their bytes.
 * The sort is in cpu/strings/strings.c; here arguments are checked, and sorted strings are put
 * together anew. */
/* SPDX-License-Identifier: MIT */
#include "cpu/strings/strings.h"
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"

#include <stdatomic.h>

enum { FLAGS = UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE, CHUNK = 1 << 14, AHEAD = 16 };

/* ---- checks ---- */

typedef struct check {
    const usw_strings *strings;
    const uint64_t *slices; /* NULL: offsets are checked */
    size_t n, bytes;        /* bytes: of the texts that slices lie in */
    atomic_size_t wrong;    /* a number, if less than n: of a string that cannot be */
} check;

static bool is_wrong(const check *c, size_t i)
{
    const usw_strings *s = c->strings;
    if (c->slices != NULL) {
        uint64_t begin = c->slices[i] >> s->length_bits;
        uint64_t length = c->slices[i] & ((UINT64_C(1) << s->length_bits) - 1);
        return begin > c->bytes || length > c->bytes - begin;
    }
    if (s->offset_bytes == 4) {
        const uint32_t *offsets = s->offsets;
        return offsets[i] > offsets[i + 1];
    }
    const uint64_t *offsets = s->offsets;
    return offsets[i] > offsets[i + 1];
}

static void check_chunk(void *context, size_t chunk, unsigned lane)
{
    check *c = context;
    (void)lane;
    size_t end = usw_min(c->n, (chunk + 1) * CHUNK), wrong = 0;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        wrong += is_wrong(c, i);
    }
    if (wrong == 0) {
        return;
    }
    for (size_t i = chunk * CHUNK; i < end; i++) {
        if (is_wrong(c, i)) {
            size_t least = atomic_load(&c->wrong);
            while (i < least && !atomic_compare_exchange_weak(&c->wrong, &least, i)) {
            }
            return;
        }
    }
}

/* The first string that ends before it begins or behind all bytes; n: none. */
static size_t first_wrong(upsweep *u, check *c)
{
    atomic_store(&c->wrong, c->n);
    usw_parallel(u, usw_div_up(c->n, CHUNK), check_chunk, c);
    return atomic_load(&c->wrong);
}

static uint64_t offset_at(const void *offsets, unsigned offset_bytes, size_t i)
{
    return offset_bytes == 4 ? ((const uint32_t *)offsets)[i] : ((const uint64_t *)offsets)[i];
}

/* Where no string has a byte there may be no array of them; offsets are added to some address. */
static const unsigned char *some_bytes(const void *bytes)
{
    return bytes != NULL ? bytes : (const unsigned char *)"";
}

/* Checks what can be told without reading offsets. */
static upsweep_status check_layout(upsweep *u, const usw_options *o, const void *offsets,
                                   unsigned offset_bits, size_t n)
{
    size_t total;
    if (offset_bits != 32 && offset_bits != 64) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "offset_bits is %u, not 32 or 64", offset_bits);
    }
    if (n == SIZE_MAX || usw_mul_overflows(n + 1, offset_bits / 8, &total)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu strings cannot be", n);
    }
    if (offsets == NULL && n > 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "offsets is NULL, but n is %zu", n);
    }
    return usw_no_choice(u, o);
}

/* Checks n > 0 strings in Arrow's layout whose offsets the host can read, and fills in where they
 * are. */
static upsweep_status check_strings(upsweep *u, const void *bytes, const void *offsets,
                                    unsigned offset_bytes, size_t n, usw_strings *s)
{
    *s =
        (usw_strings){.bytes = some_bytes(bytes), .offsets = offsets, .offset_bytes = offset_bytes};
    uint64_t first = offset_at(offsets, offset_bytes, 0);
    uint64_t end = offset_at(offsets, offset_bytes, n);
    usw_offer_threads(u, (size_t)(end - first) + (n + 1) * offset_bytes);
    check c = {.strings = s, .n = n};
    size_t wrong = first_wrong(u, &c);
    if (wrong < n) {
        return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_STRING, wrong);
    }
    if (bytes == NULL && end > first) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "bytes is NULL, but the strings have %zu",
                        (size_t)(end - first));
    }
    s->end = s->bytes + end;
    return UPSWEEP_OK;
}

static void report(upsweep *u, size_t n)
{
    usw_report(u, "string sample sort",
               "%zu strings are parted by some of them, then in a cache "
               "by five bytes at a time",
               n);
}

/* ---- argsort_strings ---- */

static upsweep_status check_index(upsweep *u, const void *index, unsigned index_bits, size_t n)
{
    if (index_bits != 32 && index_bits != 64) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "index_bits is %u, not 32 or 64", index_bits);
    }
    if (index == NULL && n > 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "index is NULL, but n is %zu", n);
    }
    if (index_bits == 32 && n > 0 && n - 1 > UINT32_MAX) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu strings need 64-bit indices", n);
    }
    return UPSWEEP_OK;
}

static upsweep_status argsort(upsweep *u, const usw_strings *strings, size_t n, void *index,
                              unsigned index_bytes, bool descending)
{
    usw_string_sort sort = {.strings = *strings,
                            .items = index,
                            .item_bytes = index_bytes,
                            .positions = true,
                            .n = n,
                            .descending = descending};
    return usw_sort_strings(u, &sort);
}

/* Whether a GPU has sorted the strings, or *status says why they cannot be sorted. Where it returns
 * false the host can read all arrays, and *strings are checked. */
static bool sorted_on_gpu(upsweep *u, usw_gpu_string_sort *g, usw_strings *strings,
                          upsweep_status *status)
{
    const bool far = usw_gpu_strings_are_far(u, g);
    g->end = UINT64_MAX;
    if (!far) {
        g->first = offset_at(g->offsets, g->offset_bytes, 0);
        g->end = offset_at(g->offsets, g->offset_bytes, g->n);
        *status = check_strings(u, g->bytes, g->offsets, g->offset_bytes, g->n, strings);
        if (*status == UPSWEEP_OK && g->out_offsets != NULL && g->out_bytes == NULL &&
            g->end > g->first) {
            *status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "out_bytes is NULL, but n is %zu", g->n);
        }
    }
    return *status != UPSWEEP_OK || (usw_may_leave(u) && usw_gpu_sort_strings(u, g, status));
}

upsweep_status upsweep_argsort_strings(upsweep *u, const void *bytes, const void *offsets,
                                       unsigned offset_bits, size_t n, void *index,
                                       unsigned index_bits, const upsweep_options *options)
{
    usw_options o;
    usw_strings strings = {0};
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check_index(u, index, index_bits, n);
    if (status == UPSWEEP_OK) {
        status = check_layout(u, &o, offsets, offset_bits, n);
    }
    if (status == UPSWEEP_OK && n > 0) {
        USW_CALL_CARRIES(USW_CARRY_INDEX);
        usw_gpu_string_sort g = {.bytes = bytes,
                                 .offsets = offsets,
                                 .n = n,
                                 .offset_bytes = offset_bits / 8,
                                 .descending = (o.flags & UPSWEEP_DESCENDING) != 0,
                                 .index = index,
                                 .index_bytes = index_bits / 8};
        if (!sorted_on_gpu(u, &g, &strings, &status)) {
            report(u, n);
            status = argsort(u, &strings, n, index, index_bits / 8, g.descending);
        }
    }
    return usw_leave(u, status);
}

/* ---- sort_strings ---- */

typedef struct gathering {
    const usw_strings *strings;
    const void *index;
    unsigned index_bytes;
    size_t n;
    unsigned char *out;
    void *out_offsets;
    size_t *begins; /* of each chunk: its bytes; then where they go */
} gathering;

static void measure_chunk(void *context, size_t chunk, unsigned lane)
{
    gathering *g = context;
    (void)lane;
    size_t end = usw_min(g->n, (chunk + 1) * CHUNK), bytes = 0;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        if (i + AHEAD < end) {
            usw_fetch_offset(g->strings, usw_item(g->index, g->index_bytes, i + AHEAD));
        }
        bytes += usw_string_of(g->strings, usw_item(g->index, g->index_bytes, i)).bytes;
    }
    g->begins[chunk] = bytes;
}

static void gather_chunk(void *context, size_t chunk, unsigned lane)
{
    gathering *g = context;
    (void)lane;
    size_t end = usw_min(g->n, (chunk + 1) * CHUNK), at = g->begins[chunk];
    for (size_t i = chunk * CHUNK; i < end; i++) {
        if (i + 2 * AHEAD < end) {
            usw_fetch_offset(g->strings, usw_item(g->index, g->index_bytes, i + 2 * AHEAD));
        }
        if (i + AHEAD < end) {
            usw_fetch_string(g->strings, usw_item(g->index, g->index_bytes, i + AHEAD), 0);
        }
        usw_string s = usw_string_of(g->strings, usw_item(g->index, g->index_bytes, i));
        usw_set_item(g->out_offsets, g->strings->offset_bytes, i, at);
        if (s.bytes > 0) {
            memcpy(g->out + at, s.at, s.bytes);
        }
        at += s.bytes;
    }
}

static void gather(upsweep *u, gathering *g)
{
    size_t chunks = usw_div_up(g->n, CHUNK), at = 0;
    usw_parallel(u, chunks, measure_chunk, g);
    for (size_t c = 0; c < chunks; c++) {
        size_t bytes = g->begins[c];
        g->begins[c] = at;
        at += bytes;
    }
    usw_parallel(u, chunks, gather_chunk, g);
    usw_set_item(g->out_offsets, g->strings->offset_bytes, g->n, at);
}

static upsweep_status sort_and_gather(upsweep *u, const usw_strings *strings, size_t n,
                                      void *out_bytes, void *out_offsets, bool descending)
{
    unsigned index_bytes = n - 1 <= UINT32_MAX ? 4 : 8;
    void *index = usw_scratch(u, n * index_bytes);
    gathering g = {.strings = strings,
                   .index = index,
                   .index_bytes = index_bytes,
                   .n = n,
                   .out = out_bytes,
                   .out_offsets = out_offsets};
    g.begins = usw_scratch(u, usw_div_up(n, CHUNK) * sizeof *g.begins);
    if (index == NULL || g.begins == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu strings", n);
    }
    upsweep_status status = argsort(u, strings, n, index, index_bytes, descending);
    if (status == UPSWEEP_OK) {
        gather(u, &g);
    }
    return status;
}

upsweep_status upsweep_sort_strings(upsweep *u, const void *bytes, const void *offsets,
                                    unsigned offset_bits, size_t n, void *out_bytes,
                                    void *out_offsets, const upsweep_options *options)
{
    usw_options o;
    usw_strings strings = {0};
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check_layout(u, &o, offsets, offset_bits, n);
    if (status == UPSWEEP_OK && n > 0 && out_offsets == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "out_offsets is NULL, but n is %zu", n);
    }
    usw_gpu_string_sort g = {.bytes = bytes,
                             .offsets = offsets,
                             .n = n,
                             .offset_bytes = offset_bits / 8,
                             .descending = (o.flags & UPSWEEP_DESCENDING) != 0,
                             .out_bytes = out_bytes,
                             .out_offsets = out_offsets};
    if (status == UPSWEEP_OK && n > 0 && !sorted_on_gpu(u, &g, &strings, &status)) {
        report(u, n);
        status = sort_and_gather(u, &strings, n, out_bytes, out_offsets, g.descending);
    } else if (status == UPSWEEP_OK && n == 0 && out_offsets != NULL &&
               !(usw_may_leave(u) && usw_gpu_sort_strings(u, &g, &status))) {
        usw_set_item(out_offsets, offset_bits / 8, 0, 0);
    }
    return usw_leave(u, status);
}

/* ---- sort_slices ---- */

static upsweep_status check_slices(upsweep *u, const usw_options *o, usw_string_sort *s,
                                   size_t bytes)
{
    upsweep_status status = usw_check_array(u, s->items, s->n, sizeof(uint64_t), "slices");
    if (status == UPSWEEP_OK && (s->strings.length_bits < 1 || s->strings.length_bits > 63)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "length_bits is %u, not 1 to 63",
                          s->strings.length_bits);
    }
    status = status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
    status = status == UPSWEEP_OK
                 ? usw_gpu_refuse(u, s->strings.bytes, "bytes", "a sort of strings")
                 : status;
    status =
        status == UPSWEEP_OK ? usw_gpu_refuse(u, s->items, "slices", "a sort of strings") : status;
    status =
        status == UPSWEEP_OK ? usw_gpu_refuse(u, s->values, "values", "a sort of strings") : status;
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_offer_threads(u, s->n * 4 * sizeof(uint64_t));
    check c = {.strings = &s->strings, .slices = s->items, .n = s->n, .bytes = bytes};
    size_t wrong = first_wrong(u, &c);
    if (wrong < s->n) {
        return usw_fail(u, UPSWEEP_ERROR_RANGE, "slice %zu reaches beyond %zu bytes", wrong, bytes);
    }
    return UPSWEEP_OK;
}

upsweep_status upsweep_sort_slices(upsweep *u, const void *bytes, size_t size, uint64_t *slices,
                                   uint64_t *values, size_t n, unsigned length_bits,
                                   size_t *distinct, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_string_sort s = {.items = slices,
                         .item_bytes = 8,
                         .values = values,
                         .n = n,
                         .descending = (o.flags & UPSWEEP_DESCENDING) != 0,
                         .distinct = distinct != NULL};
    s.strings = (usw_strings){.bytes = some_bytes(bytes), .length_bits = length_bits};
    s.strings.end = s.strings.bytes + size;
    status = bytes == NULL && size > 0
                 ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "bytes is NULL, but size is %zu", size)
                 : check_slices(u, &o, &s, size);
    if (status == UPSWEEP_OK && n > 0) {
        report(u, n);
        status = usw_sort_strings(u, &s);
    }
    if (status == UPSWEEP_OK && distinct != NULL) {
        *distinct = n > 0 ? s.kept : 0;
    }
    return usw_leave(u, status);
}
