/* plan.c - cuts a merge into ranges, by the first keys of blocks alone.
 *
 * Blocks of all runs are taken in the order of their first records, until a range has as many as it
 * may. It ends before the first record of the next block: all that is less lies in blocks that it
 * has. The block of each run that the end falls into is read again by the next range. */
/* SPDX-License-Identifier: MIT */
#include "external/ranges.h"

enum { HEADS_AHEAD = 32 /* blocks of a run whose first records are asked for beforehand */ };

size_t usw_ext_record_room(const upsweep_external *x)
{
    return (x->longest + USW_EXT_SLACK + 63) / 64 * 64;
}

/* Room for what is read of a packed block. */
static size_t packed_head_bytes(const upsweep_external *x)
{
    return x->report.packed_from > 0 ? usw_pack_begin_bytes(USW_PACK_HEAD) : 0;
}

size_t usw_ext_plan_bytes(const upsweep_external *x, size_t k, bool tight)
{
    return k * (3 * sizeof(size_t) + USW_EXT_HEAD + sizeof(bool)) +
           (tight ? 1 : 3) * usw_ext_record_room(x) + 10 * 64 + USW_EXT_SLACK +
           packed_head_bytes(x);
}

size_t usw_ext_block_bytes(const usw_ext_run *run, size_t block)
{
    uint64_t end = block + 1 < run->block_count ? run->blocks[block + 1].raw : run->raw;
    return (size_t)(end - run->blocks[block].raw);
}

static const usw_ext_block *next_block(const usw_ext_plan *p, size_t i)
{
    return &p->runs[i].blocks[p->next[i]];
}

static bool is_next_packed(const usw_ext_plan *p, size_t i)
{
    const usw_ext_run *run = &p->runs[i];
    size_t b = p->next[i], bytes = usw_ext_block_bytes(run, b);
    return usw_ext_stored(run, b + 1) - run->blocks[b].stored < bytes;
}

/* How many bytes are read of the record that begins a run's next block, `room` at most. */
static size_t head_bytes(const usw_ext_plan *p, size_t i, size_t room)
{
    const usw_ext_run *run = &p->runs[i];
    size_t bytes = usw_ext_is_packed(run) ? usw_ext_block_bytes(run, p->next[i])
                                          : (size_t)(run->raw - next_block(p, i)->raw);
    room = is_next_packed(p, i) ? usw_min(room, USW_PACK_HEAD) : room;
    return usw_min(room, bytes);
}

/* Reads them; of a falling run, those as far as its end; of a packed block, no more than needed. */
static upsweep_status read_head(const usw_ext_plan *p, size_t i, unsigned char *to, size_t room,
                                size_t *got)
{
    const usw_ext_run *run = &p->runs[i];
    const usw_ext_block *block = next_block(p, i);
    *got = head_bytes(p, i, room);
    if (!usw_ext_is_packed(run)) {
        uint64_t at = usw_ext_run_at(run, block->raw, block->raw + *got);
        return usw_ext_read(p->x, run->file, to, *got, at);
    }
    uint64_t at = run->at + block->stored;
    if (!is_next_packed(p, i)) {
        return usw_ext_read(p->x, run->file, to, *got, at);
    }
    USW_EXT_ROUTE("the begin of a packed block");
    size_t stored = (size_t)(usw_ext_stored(run, p->next[i] + 1) - block->stored);
    stored = usw_min(stored, usw_pack_begin_bytes(*got));
    upsweep_status status = usw_ext_read(p->x, run->file, p->packed_head, stored, at);
    return status != UPSWEEP_OK || usw_unpack_begin(p->packed_head, stored, to, *got)
               ? status
               : usw_ext_fail_changed(p->x, run);
}

/* The record that ends `got` bytes of a falling run, which begin with that run or not. */
static bool find_last_record(const usw_ext_order *order, const unsigned char *bytes, size_t got,
                             bool begins, usw_ext_record *r)
{
    size_t fixed = order->record_bytes;
    if (fixed != 0) {
        *r = (usw_ext_record){bytes + (got >= fixed ? got - fixed : 0), fixed};
        return got >= fixed;
    }
    if (got == 0 || bytes[got - 1] != order->end) {
        return false;
    }
    const unsigned char *before = memrchr(bytes, order->end, got - 1);
    const unsigned char *from = before == NULL ? bytes : before + 1;
    *r = (usw_ext_record){from, got - 1 - (size_t)(from - bytes)};
    return before != NULL || begins;
}

/* The record in `got` bytes of run i, if all of it is there. */
static bool find_record(const usw_ext_plan *p, size_t i, const unsigned char *bytes, size_t got,
                        usw_ext_record *r)
{
    const usw_ext_order *order = &p->x->order;
    const usw_ext_run *run = &p->runs[i];
    if (run->falling) {
        return find_last_record(order, bytes, got, got == run->raw - next_block(p, i)->raw, r);
    }
    if (order->record_bytes != 0) {
        *r = (usw_ext_record){bytes, order->record_bytes};
        return got >= order->record_bytes;
    }
    const unsigned char *end = memchr(bytes, order->end, got);
    *r = (usw_ext_record){bytes, end == NULL ? 0 : (size_t)(end - bytes)};
    return end != NULL;
}

/* Where first keys are equal the first records of all blocks are read, one by one, while others
 * wait: so the disk is told of those that follow. */
static void fetch_heads(const usw_ext_plan *p, size_t i)
{
    const usw_ext_run *run = &p->runs[i];
    size_t next = p->next[i], from = next == 0 ? 1 : next + HEADS_AHEAD;
    for (size_t b = from; b <= next + HEADS_AHEAD && b < run->block_count; b++) {
        uint64_t begin = run->blocks[b].stored;
        size_t bytes = (size_t)usw_min(USW_EXT_HEAD, run->stored - begin);
        usw_ext_fetch(p->x, run->file, usw_ext_run_at(run, begin, begin + bytes), bytes);
    }
}

/* The first record of a run's next block: its beginning is kept, and mostly all of it. */
static upsweep_status head_of(usw_ext_plan *p, size_t i, unsigned char *spare, usw_ext_record *r)
{
    unsigned char *head = p->heads + i * USW_EXT_HEAD;
    const usw_ext_run *run = &p->runs[i];
    size_t got = head_bytes(p, i, USW_EXT_HEAD);
    upsweep_status status = UPSWEEP_OK;
    if (!p->head_there[i]) {
        fetch_heads(p, i);
        status = read_head(p, i, head, USW_EXT_HEAD, &got);
        p->head_there[i] = true;
    }
    if (status != UPSWEEP_OK || find_record(p, i, head, got, r)) {
        return status;
    }
    /* In a falling run the end of the record before it shows where it begins. */
    status = read_head(p, i, spare, p->x->longest + 1, &got);
    if (status == UPSWEEP_OK && !find_record(p, i, spare, got, r)) {
        return usw_ext_fail_changed(p->x, run);
    }
    return status;
}

/* Whether run a's next block begins below run b's; of equal records, the earlier run's. */
static bool is_less(usw_ext_plan *p, size_t a, size_t b)
{
    uint64_t x = next_block(p, a)->key, y = next_block(p, b)->key;
    if (x != y) {
        return x < y;
    }
    usw_ext_record r = {0}, s = {0};
    if (head_of(p, a, p->long_head[0], &r) != UPSWEEP_OK ||
        head_of(p, b, p->long_head[1], &s) != UPSWEEP_OK) {
        return a < b; /* the failure is kept, and ends the merge */
    }
    int order = usw_ext_compare(&p->x->order, r, s);
    return order != 0 ? order < 0 : a < b;
}

static void sift_down(usw_ext_plan *p, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < p->heap_count; child++) {
            least = is_less(p, p->heap[child], p->heap[least]) ? child : least;
        }
        if (least == i) {
            return;
        }
        size_t moved = p->heap[i];
        p->heap[i] = p->heap[least];
        p->heap[least] = moved;
        i = least;
    }
}

static void *carve(unsigned char **room, size_t bytes)
{
    unsigned char *at = *room;
    *room += (bytes + 63) / 64 * 64;
    return at;
}

upsweep_status usw_ext_plan_begin(usw_ext_plan *p, upsweep_external *x, usw_ext_run *runs, size_t k,
                                  size_t budget, bool tight)
{
    unsigned char *room = x->work, *spare = x->work + x->work_bytes - 2 * usw_ext_record_room(x);
    *p = (usw_ext_plan){.x = x, .runs = runs, .k = k, .budget = budget, .tight = tight};
    p->first = carve(&room, k * sizeof *p->first);
    p->next = carve(&room, k * sizeof *p->next);
    p->heap = carve(&room, k * sizeof *p->heap);
    p->head_there = carve(&room, k * sizeof *p->head_there);
    p->heads = carve(&room, k * USW_EXT_HEAD + USW_EXT_SLACK);
    p->last.at = carve(&room, usw_ext_record_room(x));
    p->packed_head = carve(&room, packed_head_bytes(x));
    p->long_head[0] = carve(tight ? &spare : &room, usw_ext_record_room(x));
    p->long_head[1] = carve(tight ? &spare : &room, usw_ext_record_room(x));
    for (size_t i = 0; i < k; i++) {
        p->first[i] = p->next[i] = 0;
        p->head_there[i] = false;
        if (runs[i].raw > 0) {
            p->heap[p->heap_count++] = i;
        }
    }
    for (size_t i = p->heap_count; i-- > 0;) {
        sift_down(p, i);
    }
    p->finished = p->heap_count == 0;
    return usw_ext_failed(x) ? x->status : UPSWEEP_OK;
}

/* Takes blocks as long as there is room for them; at least one. */
static upsweep_status take_blocks(usw_ext_plan *p, size_t used)
{
    for (bool any = false; p->heap_count > 0; any = true) {
        size_t i = p->heap[0], bytes = usw_ext_block_bytes(&p->runs[i], p->next[i]);
        if (bytes > p->budget - used) {
            return any ? UPSWEEP_OK
                       : usw_ext_fail(p->x, UPSWEEP_ERROR_MEMORY,
                                      "the limit of %zu bytes is too small for such long records",
                                      p->x->limit);
        }
        used += bytes;
        p->next[i]++;
        p->head_there[i] = false;
        if (p->next[i] == p->runs[i].block_count) {
            p->heap[0] = p->heap[--p->heap_count];
        }
        sift_down(p, 0);
    }
    return UPSWEEP_OK;
}

static upsweep_status set_splitter(usw_ext_plan *p, usw_ext_splitter *s)
{
    s->any = p->heap_count > 0;
    if (!s->any) {
        return UPSWEEP_OK;
    }
    usw_ext_record r = {0};
    s->run = p->heap[0];
    s->key = next_block(p, s->run)->key;
    upsweep_status status = head_of(p, s->run, p->long_head[0], &r);
    if (status == UPSWEEP_OK) {
        memcpy(s->at, r.p, usw_ext_whole(&p->x->order, r));
        s->bytes = r.bytes;
    }
    return status;
}

static void copy_splitter(usw_ext_splitter *to, const usw_ext_splitter *from, size_t end_bytes)
{
    unsigned char *at = to->at;
    if (from->any && at != from->at) {
        memcpy(at, from->at, from->bytes + end_bytes);
    }
    *to = *from;
    to->at = at;
}

/* Where the next range begins: in the block that the splitter falls into, if the run has not ended
 * before it. */
static size_t block_of_splitter(const usw_ext_plan *p, size_t i)
{
    const usw_ext_run *run = &p->runs[i];
    bool behind = p->next[i] == run->block_count && run->last_key < p->last.key;
    return p->next[i] == 0 || i == p->last.run || behind ? p->next[i] : p->next[i] - 1;
}

upsweep_status usw_ext_plan_range(usw_ext_plan *p, usw_ext_stretch *stretches,
                                  usw_ext_splitter *lower, usw_ext_splitter *upper, bool *none)
{
    *none = p->finished;
    if (p->finished) {
        return UPSWEEP_OK;
    }
    size_t used = 0, end_bytes = p->x->order.record_bytes == 0;
    for (size_t i = 0; i < p->k; i++) {
        stretches[i].first = p->first[i];
        for (size_t b = p->first[i]; b < p->next[i]; b++) {
            used += usw_ext_block_bytes(&p->runs[i], b);
        }
    }
    copy_splitter(lower, &p->last, end_bytes);
    upsweep_status status = take_blocks(p, usw_min(used, p->budget));
    status = status == UPSWEEP_OK ? set_splitter(p, &p->last) : status;
    copy_splitter(upper, &p->last, end_bytes);
    for (size_t i = 0; i < p->k; i++) {
        stretches[i].end = p->next[i];
        p->first[i] = block_of_splitter(p, i);
    }
    p->finished = !p->last.any;
    p->given++;
    return status != UPSWEEP_OK || !usw_ext_failed(p->x) ? status : p->x->status;
}
