/* rows.c - upsweep_sort_rows: many rows, each sorted on its own. Threads take short rows
 * (calls/row_set.c); those that do not fit a core's cache are sorted before, one by one, by all
 * threads together. With an index, key and position are packed into one integer, the key above. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/row_set.h"
#include "calls/sort_choice.h"
#include "cpu/pair_sort/pair_sort.h"
#include "cpu/patterns/patterns.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE,
    DROP_FROM = 8192,  /* bytes of a row's keys or words; the look is over 3% of fewer's time */
    SHAPED = 10,       /* keys of 64 bits of a row, from which AVX2 gains by not mapping them */
    IN_REGISTERS = 128 /* keys of a row, up to which AVX-512 maps them where it sorts them */
};

typedef struct rows_job {
    upsweep *u;
    usw_options options;
    unsigned char *keys;
    upsweep_type type;
    size_t bytes;
    usw_row_set set;
    unsigned width;
    usw_keymap map;
    unsigned char *index;
    size_t index_bytes;
    size_t long_keys, longest_short; /* keys of a row */
    usw_shares buffers; /* of each lane, for longest_short keys: packed, 16 bytes each */
    usw_shares rooms;   /* the same for what is out of order of them, or none */
} rows_job;

/* ---- a short row, on one thread ---- */

/* Where the keys of a row that are out of order go, or NULL: they are not looked for. */
static void *room_for(const rows_job *j, size_t n, unsigned width, unsigned lane)
{
    return j->rooms.at == NULL || n << width < DROP_FROM ? NULL : usw_share(&j->rooms, lane);
}

static void sort_words(const rows_job *j, void *words, size_t n, unsigned width, void *room)
{
    if (room == NULL || !usw_sort_by_dropping(j->u, words, n, width, room)) {
        USW_PICK(j->u->isa, usw_cache_sort_steps)->sort[width](words, n);
    }
}

/* Whether a row is sorted as a call of its own would be: the others are seldom in order. Bytes are,
 * since tables of their values are cleared for each row otherwise. */
static bool is_like_a_call(const rows_job *j, size_t n, bool plain)
{
    size_t bytes_most = j->u->isa == USW_PORTABLE ? USW_SMALL / 2 : USW_SMALL;
    return j->width == 0 ? n <= bytes_most
           : n == 2      ? true
           : plain       ? false
           : j->u->isa == USW_AVX512
               ? j->width >= 2 && n <= IN_REGISTERS
               : j->u->isa == USW_AVX2 && j->width == 3 && n >= SHAPED && n <= USW_SMALL;
}

static void sort_plain(const rows_job *j, void *row, size_t n, unsigned lane)
{
    const usw_cache_sort_steps *steps = USW_PICK(j->u->isa, usw_cache_sort_steps);
    const usw_keymap_steps *maps = USW_PICK(j->u->isa, usw_keymap_steps);
    bool plain = usw_keymap_is_identity(&j->map);
    if (is_like_a_call(j, n, plain)) {
        USW_ROUTE("a short row by its shape");
        (void)steps->sort_small[j->width](row, n, plain ? NULL : &j->map);
        return;
    }
    void *room = room_for(j, n, j->width, lane);
    if (!plain && room == NULL && j->width > 0) {
        steps->sort_row[j->width](row, n, &j->map);
        return;
    }
    USW_ROUTE("a short row");
    if (!plain) {
        maps->map[j->width](row, row, n, &j->map);
    }
    sort_words(j, row, n, j->width, room);
    if (!plain) {
        maps->unmap[j->width](row, row, n, &j->map);
    }
}

/* Keys of 64 bits; buffer: for 2 n of them. False, with nothing done, where too many agree in their
 * upper bits. */
static bool sort_wide(const rows_job *j, uint64_t *row, size_t n, unsigned char *index,
                      uint64_t *buffer, void *room)
{
    const usw_keymap_steps *maps = USW_PICK(j->u->isa, usw_keymap_steps);
    uint64_t positions = (UINT64_C(1) << usw_log2_up(n)) - 1, *words = buffer + n;
    maps->map[3](buffer, row, n, &j->map);
    if (!usw_order_keys(j->u, buffer, words, n, room)) {
        return false;
    }
    USW_ROUTE_OF("a short row of 64 bits with positions", USW_TYPES_OF_64_BITS);
    for (size_t i = 0; i < n; i++) {
        uint64_t from = words[i] & positions;
        row[i] = buffer[from];
        usw_store_raw(index + i * j->index_bytes, j->index_bytes, from);
    }
    maps->unmap[3](row, row, n, &j->map);
    return true;
}

static void sort_packed(const rows_job *j, unsigned char *row, size_t n, unsigned char *index,
                        unsigned lane)
{
    bool is_narrow = j->bytes <= 4;
    void *buffer = usw_share(&j->buffers, lane), *room = room_for(j, n, 3, lane);
    if (!is_narrow && sort_wide(j, (uint64_t *)(void *)row, n, index, buffer, room)) {
        return;
    }
    USW_ROUTE("a short row with positions");
    const usw_pack_steps *steps = USW_PICK(j->u->isa, usw_pack_steps);
    usw_pairs p = {.keys = row, .key_bytes = j->bytes, .map = j->map, .bit_end = j->map.bits};
    p.records = buffer;
    p.record_bytes = is_narrow ? 8 : 16;
    steps->pack(&p, 0, n);
    sort_words(j, buffer, n, is_narrow ? 3 : 4, is_narrow ? room : NULL);
    p.values = index;
    p.value_bytes = j->index_bytes;
    steps->unpack(&p, 0, n);
}

static void sort_short(void *context, size_t r, size_t at, size_t n, unsigned lane)
{
    const rows_job *j = context;
    (void)r;
    if (n == 0) {
        return; /* of which there may be no array */
    }
    if (j->index != NULL) {
        sort_packed(j, j->keys + at * j->bytes, n, j->index + at * j->index_bytes, lane);
    } else if (n > 1) {
        sort_plain(j, j->keys + at * j->bytes, n, lane);
    }
}

/* ---- a long row, by all threads ---- */

static upsweep_status sort_long(const rows_job *j, size_t at, size_t n)
{
    upsweep *u = j->u;
    unsigned char *row = j->keys + at * j->bytes;
    if (j->index == NULL) {
        USW_ROUTE("a long row");
        return usw_sort_keys(u, row, n, j->type, &j->options);
    }
    USW_ROUTE("a long row with positions");
    USW_CALL_CARRIES(USW_CARRY_INDEX);
    unsigned char *index = j->index + at * j->index_bytes;
    usw_pair_sort p = {.n = n, .keys = row, .map = j->map, .bit_end = j->map.bits};
    p.payload_bytes = j->index_bytes;
    p.out_keys = row;
    p.out_payloads = index;
    usw_pattern found = USW_NO_PATTERN;
    p.found = &found;
    return usw_sort_carrying(u, &p, j->bytes);
}

static upsweep_status sort_long_rows(const rows_job *j)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t r = 0; r < j->set.rows && status == UPSWEEP_OK; r++) {
        size_t at = usw_row_begin(&j->set, r), n = usw_row_begin(&j->set, r + 1) - at;
        if (n > j->long_keys) {
            usw_mark mark = usw_scratch_mark(j->u);
            status = sort_long(j, at, n);
            usw_scratch_reset(j->u, mark);
        }
    }
    return status;
}

/* ---- the whole ---- */

static upsweep_status sort_rows(rows_job *j)
{
    size_t longest, bytes;
    j->long_keys = usw_row_keys_of_one_thread(j->width);
    upsweep_status status =
        usw_rows_measure(j->u, &j->set, j->long_keys, &longest, &j->longest_short);
    if (status == UPSWEEP_OK && j->index != NULL) {
        status = usw_rows_check_length(j->u, longest, 8 * (unsigned)j->index_bytes);
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (j->index != NULL) {
        bytes = j->longest_short * sizeof(usw_u128);
        j->buffers = usw_scratch_shares(j->u, j->u->threads, bytes);
        if (j->buffers.at == NULL) {
            return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for rows of %zu keys",
                            j->longest_short);
        }
    }
    size_t word = j->index != NULL ? sizeof(uint64_t) : j->bytes;
    if (word >= 4 && j->longest_short * word >= DROP_FROM) {
        bytes = usw_dropping_room(j->longest_short) * word;
        j->rooms = usw_scratch_shares(j->u, j->u->threads, bytes);
    }
    if (longest > j->long_keys) {
        status = sort_long_rows(j);
    }
    if (status == UPSWEEP_OK) {
        usw_rows_each(j->u, &j->set, j->long_keys, sort_short, j);
        usw_sort_case c = {j->u, USW_ROW, longest, j->width, 0};
        usw_sort_choice choice = usw_choose_sort(&c);
        usw_report(j->u, choice.line->name, "of %zu rows the longest has %zu keys, and %s",
                   j->set.rows, longest,
                   choice.line->method == USW_BY_ALL_THREADS
                       ? "all threads sort each long row together"
                       : "each row is sorted by one thread");
    }
    return status;
}

static upsweep_status check(rows_job *j, unsigned index_bits)
{
    upsweep *u = j->u;
    const usw_options *o = &j->options;
    upsweep_status status = usw_check_type(u, j->type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->keys, j->set.n, j->bytes, "keys");
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check(u, &j->set);
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check_index(u, &j->set, j->index, j->set.n, index_bits);
    }
    if (status == UPSWEEP_OK && (o->bit_begin != 0 || o->bit_end != 0)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_rows takes no bit range");
    }
    if (status == UPSWEEP_OK && (o->flags & UPSWEEP_NAN_FIRST) && (o->flags & UPSWEEP_NAN_RAW)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "NAN_FIRST and NAN_RAW exclude each other");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_sort_rows(upsweep *u, void *keys, size_t n, upsweep_type type,
                                 const uint64_t *begin, size_t rows, void *index,
                                 unsigned index_bits, const upsweep_options *options)
{
    rows_job j = {.u = u, .keys = keys, .type = type, .set = {begin, rows, 0, n}};
    upsweep_status status = usw_enter(u, options, FLAGS, &j.options);
    if (status != UPSWEEP_OK) {
        return status;
    }
    j.bytes = upsweep_type_bytes(type);
    j.index = index;
    j.index_bytes = index_bits / 8;
    status = check(&j, index_bits);
    if (status == UPSWEEP_OK) {
        j.width = usw_log2_up(j.bytes);
        j.map = usw_keymap_of(type, j.options.flags);
    }
    if (status == UPSWEEP_OK && rows > 0 &&
        !usw_gpu_sort_rows(u, keys, n, type, begin, rows, index, index_bits, &j.options, &status)) {
        USW_SHARE_CALL(u, n * j.bytes, USW_LIKE_SORTING, type);
        status = sort_rows(&j);
    }
    return usw_leave(u, status);
}
