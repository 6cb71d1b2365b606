/* sort.c - the sorts: keys, pairs, argsort, records. Each finds the cuts, sends every element to
 * the rank whose part it is in, once, and sorts what came there. Equal elements come in the order
 * of ranks, and of places within a rank, so that a stable sort of what came is a stable sort of
 * the whole. */
/* SPDX-License-Identifier: MIT */
#include "ranks/calls.h"
#include "ranks/exchange.h"

enum {
    PAIR_FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE,
    SORT_FLAGS = PAIR_FLAGS | UPSWEEP_IN_PLACE,
    CALL_SORT = 1,
    CALL_PAIRS,
    CALL_ARGSORT,
    CALL_RECORDS
};

typedef struct job {
    usw_call c;
    usw_keys keys;
    upsweep_options options;
    upsweep_mpi_layout layout;
    const void *given; /* the elements as the caller gave them */
    upsweep_type type;
    size_t *n_out;
    size_t room; /* elements that the outputs have room for */
    usw_cuts cuts;
    usw_plan plan;
} job;

static void take_layout(job *j, const upsweep_mpi_layout *layout)
{
    usw_call *c = &j->c;
    j->layout = (upsweep_mpi_layout)UPSWEEP_MPI_LAYOUT_INIT;
    if (layout != NULL) {
        if (layout->size != 0 && layout->size != sizeof *layout) {
            usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "layout.size is %zu, not %zu", layout->size,
                      sizeof *layout);
            return;
        }
        j->layout = *layout;
    }
    c->said[USW_SAID_LAYOUT] = (uint64_t)j->layout.kind;
    if (j->layout.kind == UPSWEEP_MPI_SPLITTERS && j->layout.splitters != NULL) {
        c->said[USW_SAID_SPLITTERS] =
            usw_hash(2, j->layout.splitters, (size_t)(c->t->size - 1) * j->keys.bytes);
    } else if (j->layout.kind == UPSWEEP_MPI_SPLITTERS && c->t->size > 1) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "the layout has no splitters");
    } else if ((unsigned)j->layout.kind > UPSWEEP_MPI_SPLITTERS) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "%d is no layout", (int)j->layout.kind);
    }
}

/* What all sorts check before they begin. */
static void start(job *j, usw_transport *t, upsweep *u, unsigned name)
{
    memset(j, 0, sizeof *j);
    usw_begin(&j->c, t, u, name);
    if (t->size > USW_PARTS_MOST) {
        usw_wrong(&j->c, UPSWEEP_ERROR_UNSUPPORTED, "%d ranks; at most %d", t->size,
                  USW_PARTS_MOST);
    }
}

static void take_array(job *j, const void *array, size_t n, const char *what)
{
    size_t bytes;
    if (array == NULL && n > 0) {
        usw_wrong(&j->c, UPSWEEP_ERROR_ARGUMENT, "%s is NULL", what);
    } else if (__builtin_mul_overflow(n, j->keys.bytes, &bytes)) {
        usw_wrong(&j->c, UPSWEEP_ERROR_ARGUMENT, "%zu elements are more than fit", n);
    }
    j->given = array;
    j->keys.n = n;
}

/* Keys alone are sorted twice, before and after they cross: the second time they are a few runs,
 * which merge, and both together cost less than to part keys by a look at each. */
static void *sorted_copy(job *j)
{
    usw_call *c = &j->c;
    void *copy = usw_take(c, j->keys.n, j->keys.bytes);
    if (copy != NULL && usw_copy(c, copy, j->given, j->keys.n, j->keys.bytes) &&
        usw_done(c, upsweep_sort(c->u, copy, j->keys.n, j->type, &j->options))) {
        usw_done(c, upsweep_wait(c->u));
    }
    USW_RANKS_ROUTE(c, "keys are sorted before they cross", USW_ALL_TYPES);
    j->keys.sorted = true;
    return copy;
}

/* From the elements to a plan of who gets what. */
static bool plan(job *j, size_t *n_out, bool presort)
{
    usw_call *c = &j->c;
    size_t ranks = (size_t)c->t->size, n = j->keys.n;
    j->n_out = n_out;
    j->room = n_out != NULL ? *n_out : n;
    if (n_out == NULL && j->layout.kind != UPSWEEP_MPI_AS_GIVEN) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "n_out is NULL, and the layout is not the given one");
    }
    if (!usw_agree_on_said(c) || !usw_count_ranks(c, n)) {
        return false;
    }
    upsweep_mpi_layout_kind kind = j->layout.kind;
    USW_RANKS_ROUTE_IF(kind == UPSWEEP_MPI_AS_GIVEN, c, "as many for each rank as it gave",
                       USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(kind == UPSWEEP_MPI_EVEN, c, "as many for each rank as for another",
                       USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(kind == UPSWEEP_MPI_SPLITTERS, c, "for each rank what its splitters say",
                       USW_ALL_TYPES);
    uint64_t *sizes = usw_take(c, ranks, sizeof *sizes);
    j->keys.data = presort ? sorted_copy(j) : usw_on_host(c, j->given, n, j->keys.bytes);
    if (!usw_agree(c)) {
        return false;
    }
    for (size_t r = 0; r < ranks; r++) {
        __uint128_t all = usw_total(c);
        sizes[r] = kind == UPSWEEP_MPI_AS_GIVEN
                       ? c->first[r + 1] - c->first[r]
                       : (uint64_t)(all * (r + 1) / ranks) - (uint64_t)(all * r / ranks);
    }
    bool cut = kind == UPSWEEP_MPI_SPLITTERS && ranks > 1
                   ? usw_cut_by_splitters(c, &j->keys, j->layout.splitters, &j->cuts)
                   : usw_cut_by_sizes(c, &j->keys, sizes, &j->cuts);
    return cut && usw_plan_exchange(c, n, &j->cuts, &j->plan);
}

/* Whether there is room on all ranks; *n_out says how much it takes in any case. */
static bool find_room(job *j, const void *out, const void *second, bool two)
{
    size_t needed = (size_t)j->plan.there;
    if (j->n_out != NULL) {
        *j->n_out = needed;
    }
    if (needed > j->room) {
        usw_wrong(&j->c, UPSWEEP_ERROR_ARGUMENT, "room for %zu elements, and there are %zu",
                  j->room, needed);
    } else if (needed > 0 && (out == NULL || (two && second == NULL))) {
        usw_wrong(&j->c, UPSWEEP_ERROR_ARGUMENT, "an output is NULL");
    }
    return usw_agree(&j->c);
}

/* Ends a job after what this rank did last, so that all give the same status. */
static upsweep_status end(job *j, bool sorts, upsweep_status last)
{
    if (sorts) {
        usw_done(&j->c, last == UPSWEEP_OK ? upsweep_wait(j->c.u) : last);
        usw_agree(&j->c);
    }
    return usw_end(&j->c);
}

/* Starts a sort of numbers: takes and checks what all such calls take. said[USW_SAID_SIZE]: of what
 * goes along with a key. */
static void start_keys(job *j, usw_transport *t, upsweep *u, unsigned name, unsigned flags,
                       const upsweep_options *options, size_t along_bytes, const void *keys,
                       size_t n, upsweep_type type, const upsweep_mpi_layout *layout)
{
    start(j, t, u, name);
    usw_take_options(&j->c, options, flags, &j->options);
    j->c.said[USW_SAID_TYPE] = type;
    j->c.said[USW_SAID_SIZE] = along_bytes;
    usw_number_keys(&j->c, &j->keys, type, &j->options);
    take_layout(j, layout);
    take_array(j, keys, n, "keys");
}

upsweep_status usw_ranks_sort(usw_transport *t, upsweep *u, const void *keys, size_t n,
                              upsweep_type type, const upsweep_mpi_layout *layout, void *out,
                              size_t *n_out, const upsweep_options *options)
{
    job j;
    start_keys(&j, t, u, CALL_SORT, SORT_FLAGS, options, 0, keys, n, type, layout);
    j.type = type;
    bool good = plan(&j, n_out, t->size > 1) && find_room(&j, out, NULL, false) &&
                usw_exchange(&j.c, &j.plan, j.keys.data, out, j.keys.bytes);
    return end(&j, good,
               good ? upsweep_sort(u, out, (size_t)j.plan.there, type, &j.options) : UPSWEEP_OK);
}

upsweep_status usw_ranks_sort_pairs(usw_transport *t, upsweep *u, const void *keys,
                                    const void *values, size_t n, upsweep_type type,
                                    size_t value_bytes, const upsweep_mpi_layout *layout,
                                    void *out_keys, void *out_values, size_t *n_out,
                                    const upsweep_options *options)
{
    job j;
    size_t all;
    start_keys(&j, t, u, CALL_PAIRS, PAIR_FLAGS, options, value_bytes, keys, n, type, layout);
    if (value_bytes == 0 || (values == NULL && n > 0) ||
        __builtin_mul_overflow(n, value_bytes, &all)) {
        usw_wrong(&j.c, UPSWEEP_ERROR_ARGUMENT, "values are NULL, of 0 bytes, or more than fit");
    }
    bool good = plan(&j, n_out, false) && find_room(&j, out_keys, out_values, true);
    if (good) {
        const void *here = usw_on_host(&j.c, values, n, value_bytes);
        good = usw_agree(&j.c) && usw_exchange(&j.c, &j.plan, here, out_values, value_bytes) &&
               usw_exchange(&j.c, &j.plan, j.keys.data, out_keys, j.keys.bytes);
    }
    return end(&j, good,
               good ? upsweep_sort_pairs(u, out_keys, out_values, (size_t)j.plan.there, type,
                                         value_bytes, &j.options)
                    : UPSWEEP_OK);
}

/* Each element's place in the whole: places within its rank travel, of 4 bytes where those are
 * enough, and what lies before the rank is added where they come to. */
static bool send_places(job *j, uint64_t *places)
{
    usw_call *c = &j->c;
    uint64_t most = 0, got = 0;
    for (int r = 0; r < c->t->size; r++) {
        most = usw_max(most, c->first[r + 1] - c->first[r]);
    }
    size_t bytes = most <= UINT32_MAX ? 4 : 8, n = j->keys.n;
    USW_RANKS_ROUTE_IF(bytes == 4, c, "places travel in 4 bytes", USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(bytes == 8, c, "places travel in 8 bytes", USW_ALL_TYPES);
    unsigned char *mine = usw_take(c, n, bytes);
    for (size_t i = 0; mine != NULL && i < n; i++) {
        usw_store_raw(mine + i * bytes, bytes, i);
    }
    bool host = c->host; /* both are arrays of our own */
    c->host = true;
    unsigned char *came =
        bytes == 8 ? (unsigned char *)places : usw_take(c, (size_t)j->plan.there, 4);
    bool good = usw_agree(c) && usw_exchange(c, &j->plan, mine, came, bytes);
    c->host = host;
    for (int r = 0; good && r < c->t->size; r++) {
        for (uint64_t i = 0; i < j->plan.receive[r]; i++, got++) {
            places[got] = c->first[r] + usw_load_raw(came + got * bytes, bytes);
        }
    }
    return good;
}

upsweep_status usw_ranks_argsort(usw_transport *t, upsweep *u, const void *keys, size_t n,
                                 upsweep_type type, const upsweep_mpi_layout *layout,
                                 uint64_t *index, size_t *n_out, const upsweep_options *options)
{
    job j;
    start_keys(&j, t, u, CALL_ARGSORT, PAIR_FLAGS, options, 0, keys, n, type, layout);
    bool good = plan(&j, n_out, false) && find_room(&j, index, NULL, false);
    size_t there = (size_t)j.plan.there;
    if (good) {
        uint64_t *places = usw_take(&j.c, there, sizeof *places);
        void *came = usw_take(&j.c, there, j.keys.bytes);
        bool host = j.c.host;
        good = usw_agree(&j.c) && send_places(&j, places);
        j.c.host = true;
        good = good && usw_exchange(&j.c, &j.plan, j.keys.data, came, j.keys.bytes);
        j.c.host = host;
        if (good &&
            usw_done(&j.c, upsweep_sort_pairs(u, came, places, there, type, 8, &j.options))) {
            usw_copy(&j.c, index, places, there, sizeof *places);
        }
    }
    return end(&j, !j.c.agreed, UPSWEEP_OK);
}

upsweep_status usw_ranks_sort_records(usw_transport *t, upsweep *u, const void *records, size_t n,
                                      size_t record_bytes, const upsweep_field *fields,
                                      size_t field_count, const upsweep_mpi_layout *layout,
                                      void *out, size_t *n_out, const upsweep_options *options)
{
    job j;
    start(&j, t, u, CALL_RECORDS);
    usw_take_options(&j.c, options, SORT_FLAGS, &j.options);
    j.c.said[USW_SAID_SIZE] = record_bytes;
    if (fields != NULL && field_count < SIZE_MAX / sizeof *fields) {
        for (size_t i = 0; i < field_count; i++) { /* not the room for later fields */
            uint64_t said[4] = {fields[i].offset,
                                fields[i].bytes > 0 ? 0 : (uint64_t)fields[i].type, fields[i].bytes,
                                fields[i].flags};
            j.c.said[USW_SAID_MORE] = usw_hash(j.c.said[USW_SAID_MORE], said, sizeof said);
        }
    }
    usw_record_keys_of(&j.c, &j.keys, record_bytes, fields, field_count, &j.options);
    take_layout(&j, layout);
    take_array(&j, records, n, "records");
    bool good = plan(&j, n_out, false) && find_room(&j, out, NULL, false) &&
                usw_exchange(&j.c, &j.plan, j.keys.data, out, record_bytes);
    return end(&j, good,
               good ? upsweep_sort_records(u, out, (size_t)j.plan.there, record_bytes, fields,
                                           field_count, &j.options)
                    : UPSWEEP_OK);
}
