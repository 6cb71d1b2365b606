/* run_sort.c - sorts the records of a slot where they are. Lines are slices, which the library
 * sorts as strings. Others have a key and a place each, which the library sorts as pairs; then
 * those with equal keys, by the keys of their next stage while they are many, and by comparing when
 * they are few. All by one thread, for others have slots of their own. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

enum {
    FEW = 16,   /* records are sorted by insertion */
    DEEP = 48,  /* stages, and then comparing has the rest */
    AHEAD = 24, /* records that are fetched in advance */
    /* What a sort takes for each record, and once: keys and places with the scratch of their sort
     * as pairs; slices with that of theirs as strings, of which a few take less. Where that is not
     * enough, fewer records are sorted. */
    PAIR_BYTES = 28,
    PAIRS_ROOM = 1800 << 10,
    SLICE_BYTES = 18,
    SLICES_ROOM = 2500 << 10,
    FEW_SLICES_ROOM = 1000 << 10,
    FEW_SLICES = 500000
};

size_t usw_ext_sort_room(const usw_ext_order *order, size_t room, size_t *each)
{
    bool lines = order->kind == USW_EXT_LINES;
    *each += lines ? SLICE_BYTES : PAIR_BYTES;
    return !lines                                        ? PAIRS_ROOM
           : room > FEW_SLICES_ROOM + *each * FEW_SLICES ? SLICES_ROOM
                                                         : FEW_SLICES_ROOM;
}

/* ---- scratch of the library's handle: pieces of the slot, given back all together ---- */

static void *take_spare(void *context, size_t bytes, size_t alignment)
{
    usw_ext_sorting *s = context;
    uintptr_t at = ((uintptr_t)s->spare_at + alignment - 1) / alignment * alignment;
    if (s->spare_at == NULL || at > (uintptr_t)s->spare_end ||
        bytes > (uintptr_t)s->spare_end - at) {
        return NULL;
    }
    unsigned char *piece = s->spare_at + (at - (uintptr_t)s->spare_at);
    s->spare_at = piece + bytes;
    s->pieces++;
    return piece;
}

static void give_spare(void *context, void *piece, size_t bytes)
{
    usw_ext_sorting *s = context;
    (void)piece;
    (void)bytes;
    if (--s->pieces == 0) {
        s->spare_at = s->spare;
    }
}

upsweep_status usw_ext_sorting_open(usw_ext_sorting *s, upsweep_external *x)
{
    upsweep_config config = {.size = sizeof config,
                             .threads = 1,
                             .allocate = take_spare,
                             .release = give_spare,
                             .context = s};
    *s = (usw_ext_sorting){.x = x};
    return upsweep_open(&s->u, "cpu", &config);
}

void usw_ext_sorting_close(usw_ext_sorting *s)
{
    upsweep_close(s->u);
    s->u = NULL;
}

/* ---- keys ---- */

typedef struct previous {
    usw_ext_record record;
    uint64_t key;
} previous;

/* Whether the record may follow the one before it. */
static inline bool follows(const usw_ext_order *order, const previous *before, usw_ext_record r,
                           uint64_t key, bool more)
{
    return before->key < key ||
           (before->key == key && (!more || usw_ext_compare(order, before->record, r) <= 0));
}

/* Whether the records are in order if they are turned round: of equal ones only those are that
 * nobody can tell apart. */
static inline bool falls(const usw_ext_order *order, const previous *before, usw_ext_record r,
                         uint64_t key, bool more)
{
    int compared = before->key != key ? (before->key > key ? 1 : -1)
                   : more             ? usw_ext_compare(order, before->record, r)
                                      : 0;
    return compared > 0 || (compared == 0 && before->record.bytes == r.bytes &&
                            memcmp(before->record.p, r.p, r.bytes) == 0);
}

/* Keys and places, or slices, of as many records as there is room for. Returns whether they fall.
 */
static bool make_keys(usw_ext_sorting *s, size_t bytes, size_t room)
{
    const usw_ext_order *order = &s->x->order;
    const unsigned char *p = s->data, *end = p + bytes;
    size_t n = 0, longest = 0, fixed = order->record_bytes;
    bool sorted = true, falling = true;
    previous before = {{p, 0}, 0};
    while (p < end && n < room) {
        usw_ext_record r = usw_ext_record_at(order, p, end);
        bool more;
        uint64_t key = usw_ext_key(order, r, &more);
        sorted = sorted && (n == 0 || follows(order, &before, r, key, more));
        falling = falling && (n == 0 || falls(order, &before, r, key, more));
        before = (previous){r, key};
        if (s->slices != NULL) {
            s->slices[n] = (uint64_t)(p - s->data) << 32 | r.bytes;
        } else {
            s->keys[n] = key;
            s->items[n] = fixed != 0 ? (uint32_t)n : (uint32_t)(p - s->data);
        }
        size_t whole = usw_ext_whole(order, r);
        longest = usw_max(longest, whole);
        p += whole;
        n++;
    }
    s->n = n;
    s->bytes = (size_t)(p - s->data);
    s->in_order = sorted;
    s->longest = longest;
    return falling;
}

/* ---- records with equal keys ---- */

static upsweep_status fail_call(const usw_ext_sorting *s, upsweep_status status)
{
    return usw_ext_fail(s->x, status, "a run cannot be sorted: %s", upsweep_error(s->u));
}

static int compare_items(const void *a, const void *b, void *context)
{
    const usw_ext_sorting *s = context;
    const usw_ext_order *order = &s->x->order;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return usw_ext_compare(order, usw_ext_item(s, x), usw_ext_item(s, y));
}

static void insert_few(const usw_ext_sorting *s, size_t begin, size_t end)
{
    const usw_ext_order *order = &s->x->order;
    for (size_t i = begin + 1; i < end; i++) {
        uint32_t item = s->items[i];
        usw_ext_record r = usw_ext_item(s, item);
        size_t j = i;
        for (; j > begin && usw_ext_compare(order, usw_ext_item(s, s->items[j - 1]), r) > 0; j--) {
            s->items[j] = s->items[j - 1];
        }
        s->items[j] = item;
    }
}

static upsweep_status sort_by_comparing(usw_ext_sorting *s, size_t begin, size_t end)
{
    upsweep_status status = upsweep_sort_by(s->u, s->items + begin, end - begin, sizeof *s->items,
                                            compare_items, s, NULL);
    return status == UPSWEEP_OK ? status : fail_call(s, status);
}

/* What all records of a group say of their next stage. */
static uint64_t next_stage(const usw_ext_sorting *s, size_t begin, size_t end, uint64_t stage)
{
    const usw_ext_order *order = &s->x->order;
    uint64_t next = 0;
    for (size_t i = begin; i < end; i++) {
        uint64_t says = UPSWEEP_EXTERNAL_EQUAL;
        (void)usw_ext_stage_key(order, stage, usw_ext_item(s, s->items[i]), &says);
        next = says > next ? says : next;
        if (order->kind == USW_EXT_FIELDS) {
            break; /* all say the same */
        }
    }
    return next;
}

static upsweep_status settle_group(usw_ext_sorting *s, size_t begin, size_t end, uint64_t stage,
                                   unsigned depth);

/* Groups of equal keys among [begin, end), whose keys are those of the stage. */
static upsweep_status settle(usw_ext_sorting *s, size_t begin, size_t end, uint64_t stage,
                             unsigned depth)
{
    const uint64_t *keys = s->keys;
    upsweep_status status = UPSWEEP_OK;
    for (size_t i = begin; i + 1 < end && status == UPSWEEP_OK;) {
        size_t from = i++;
        if (from + AHEAD + 1 < end && keys[from + AHEAD] == keys[from + AHEAD + 1]) {
            __builtin_prefetch(s->data + usw_ext_place_of(s, s->items[from + AHEAD]));
            __builtin_prefetch(s->data + usw_ext_place_of(s, s->items[from + AHEAD + 1]));
        }
        if (keys[from] != keys[i]) {
            continue;
        }
        while (i < end && keys[i] == keys[from]) {
            i++;
        }
        status = settle_group(s, from, i, stage, depth);
    }
    return status;
}

static upsweep_status settle_group(usw_ext_sorting *s, size_t begin, size_t end, uint64_t stage,
                                   unsigned depth)
{
    const usw_ext_order *order = &s->x->order;
    if (end - begin <= FEW) {
        USW_EXT_ROUTE("few equal keys by insertion");
        insert_few(s, begin, end);
        return UPSWEEP_OK;
    }
    uint64_t next = next_stage(s, begin, end, stage);
    if (next == UPSWEEP_EXTERNAL_EQUAL) {
        return UPSWEEP_OK;
    }
    if (next == UPSWEEP_EXTERNAL_COMPARE || depth == DEEP) {
        USW_EXT_ROUTE("many equal keys by comparing");
        return sort_by_comparing(s, begin, end);
    }
    USW_EXT_ROUTE("many equal keys by the next stage");
    for (size_t i = begin; i < end; i++) {
        uint64_t says;
        __builtin_prefetch(s->data + usw_ext_place_of(s, s->items[usw_min(i + AHEAD, end - 1)]));
        s->keys[i] = usw_ext_stage_key(order, next, usw_ext_item(s, s->items[i]), &says);
    }
    upsweep_status status = upsweep_sort_pairs(s->u, s->keys + begin, s->items + begin, end - begin,
                                               UPSWEEP_U64, sizeof *s->items, NULL);
    return status == UPSWEEP_OK ? settle(s, begin, end, next, depth + 1) : fail_call(s, status);
}

/* ---- the whole ---- */

/* Elements need no keys: they are sorted as what they are. */
static upsweep_status sort_elements(usw_ext_sorting *s, unsigned char *data, size_t bytes)
{
    const usw_ext_order *order = &s->x->order;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = order->element_flags;
    USW_EXT_ROUTE("elements as what they are");
    s->n = bytes / order->record_bytes;
    s->bytes = bytes;
    s->in_order = true;
    s->longest = order->record_bytes;
    s->keys = NULL;
    s->items = NULL;
    s->slices = NULL;
    upsweep_status status = upsweep_sort(s->u, data, s->n, order->element, &options);
    if (status == UPSWEEP_ERROR_MEMORY) {
        USW_EXT_ROUTE("elements in place");
        options.flags |= UPSWEEP_IN_PLACE;
        status = upsweep_sort(s->u, data, s->n, order->element, &options);
    }
    size_t kept = s->n;
    if (status == UPSWEEP_OK && order->unique) {
        status = upsweep_unique(s->u, data, s->n, order->element, &kept, NULL);
    }
    s->kept = kept * order->record_bytes;
    return status == UPSWEEP_OK ? status : fail_call(s, status);
}

static void set_spare(usw_ext_sorting *s, unsigned char *from, unsigned char *end)
{
    upsweep_trim(s->u);
    s->spare = s->spare_at = from;
    s->spare_end = end;
}

static upsweep_status sort_pairs(usw_ext_sorting *s, unsigned char *end)
{
    set_spare(s, (unsigned char *)(s->items + s->n), end);
    upsweep_status status =
        upsweep_sort_pairs(s->u, s->keys, s->items, s->n, UPSWEEP_U64, sizeof *s->items, NULL);
    return status == UPSWEEP_OK ? settle(s, 0, s->n, 0, 0) : status;
}

static upsweep_status sort_slices(usw_ext_sorting *s, unsigned char *end)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = s->x->order.flip != 0 ? UPSWEEP_DESCENDING : 0;
    USW_EXT_ROUTE("lines as strings");
    set_spare(s, (unsigned char *)(s->slices + s->n), end);
    return upsweep_sort_slices(s->u, s->data, s->bytes, s->slices, NULL, s->n, 32, NULL, &options);
}

/* The library says beforehand when its scratch does not suffice: then it is half of the records. */
static upsweep_status sort_records(usw_ext_sorting *s, unsigned char *end)
{
    for (;;) {
        upsweep_status status = s->slices != NULL ? sort_slices(s, end) : sort_pairs(s, end);
        if (status != UPSWEEP_ERROR_MEMORY || s->n < 2 || usw_ext_failed(s->x)) {
            return status == UPSWEEP_OK ? status : fail_call(s, status);
        }
        USW_EXT_ROUTE("half of the records, whose scratch suffices");
        (void)make_keys(s, s->bytes, s->n / 2);
    }
}

upsweep_status usw_ext_sort(usw_ext_sorting *s, unsigned char *data, size_t bytes,
                            unsigned char *end)
{
    upsweep_trim(s->u); /* before keys are made where the scratch of the last sort may lie */
    s->data = data;
    uintptr_t from = ((uintptr_t)data + bytes + USW_EXT_SLACK + 63) / 64 * 64;
    unsigned char *rest = data + (from - (uintptr_t)data);
    memset(data + bytes, 0, USW_EXT_SLACK);
    if (s->x->order.element != 0) {
        set_spare(s, rest, end);
        return sort_elements(s, data, bytes);
    }
    size_t room = (size_t)(end - rest), each = 0;
    size_t once = usw_ext_sort_room(&s->x->order, room, &each);
    room = (room > once + room / 2 ? room - once : room / 2) / each;
    bool lines = s->x->order.kind == USW_EXT_LINES;
    s->slices = lines ? (uint64_t *)(void *)rest : NULL;
    s->keys = lines ? NULL : (uint64_t *)(void *)rest;
    s->items = lines ? NULL : (uint32_t *)(void *)(rest + room * sizeof *s->keys);
    bool falling = make_keys(s, bytes, room);
    s->turned = falling && !s->in_order && s->longest <= s->x->record_most;
    if (s->turned) {
        USW_EXT_ROUTE("falling records turned round");
        usw_ext_turn_round(&s->x->order, data, s->bytes);
        (void)make_keys(s, s->bytes, room);
    }
    s->kept = s->bytes;
    return s->in_order ? UPSWEEP_OK : sort_records(s, end);
}
