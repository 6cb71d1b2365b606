/* external.h - the sort of more records than fit into memory, and what its steps share.
 *
 * All memory is one block, the arena, taken when the sort is opened:
 *
 *     | runs | index of blocks | slot | slot | slot |          while records come in
 *     | runs | index of blocks | room of each merging thread | while they are merged
 *
 * Records are pushed into a slot. A full slot is sorted and written as a run by one of the workers,
 * while the next slot is filled: so reading, sorting and writing go on at the same time. A run is
 * the sorted records and nothing else, its blocks packed where that pays (pack.h); the index, in
 * memory, knows where each block of it begins and the key of the block's first record.
 *
 * The merge goes range by range. A range takes the least blocks of all runs, as many as fit the
 * room of a thread, and ends where the next block begins that was not taken: no record below that
 * place can be anywhere else (Knuth 5.4.9, forecasting, with the first keys of blocks for the last
 * ones). Threads work on different ranges, and each knows where in the output its range belongs.
 * Where the runs are so many that their blocks do not fit, neighbours are merged to longer runs
 * first, as few of them as needed. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_H
#define USW_EXTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/record_keys.h"
#include "core/routes.h"
#include "external/pack.h"

/* A way that a sort can take, whatever is sorted (core/routes.h). */
#define USW_EXT_ROUTE(name) USW_ROUTE_OF(name, USW_NO_TYPES)

enum {
    USW_EXT_SLACK = 64,           /* readable bytes behind all records */
    USW_EXT_WORKERS = 64,         /* at most */
    USW_EXT_FOLDERS = 64,         /* directories of temporary files, at most */
    USW_EXT_SOURCES = 64,         /* files that records came from, at most */
    USW_EXT_LEAST = 4 << 20,      /* the least limit, in bytes */
    USW_EXT_HEAD = 256,           /* bytes that are kept of a block's first record */
    USW_EXT_WRITE = 256 << 10,    /* bytes of one write to the page cache, */
    USW_EXT_WRITE_PAST = 1 << 20, /* and past it, where each waits for the disk */
    USW_EXT_PAGE = 4096           /* what is read and written past the page cache is whole ones */
};

/* What a record is and what order is asked for. */
typedef enum usw_ext_kind { USW_EXT_LINES, USW_EXT_FIELDS, USW_EXT_CALLS } usw_ext_kind;
typedef struct usw_ext_order {
    usw_ext_kind kind;
    size_t record_bytes; /* 0: a record ends with the byte `end` */
    unsigned char end;
    bool unique;
    uint64_t flip;        /* of lines: UINT64_MAX for descending order */
    upsweep_type element; /* not 0: records are elements of this type */
    unsigned element_flags;
    usw_record_keys keys;
    usw_record_field *fields; /* of keys */
    usw_key_plan first;       /* chunk 0 of keys */
    uint64_t (*key)(void *context, uint64_t stage, const void *record, size_t bytes,
                    uint64_t *next);
    int (*compare)(void *context, const void *a, size_t a_bytes, const void *b, size_t b_bytes);
    void *context;
} usw_ext_order;

/* One record, without its end byte; `whole` has the bytes with it. */
typedef struct usw_ext_record {
    const unsigned char *p;
    size_t bytes;
} usw_ext_record;

/* Where a block of a run begins: its first key, its place among the bytes of the run, and among
 * those that are stored, which are fewer where blocks are packed. */
typedef struct usw_ext_block {
    uint64_t key, raw, stored;
} usw_ext_block;

/* A sorted run: bytes [at, at + stored) of a temporary file, or of one that the records came from,
 * cut into blocks. The records of a falling run stand in the file the other way round; `raw` of a
 * block counts from the first of them in order, which is the last one there. */
typedef struct usw_ext_run {
    uint64_t order; /* runs of lesser order hold earlier records */
    uint64_t at, raw, stored;
    usw_ext_block *blocks;
    size_t block_count;
    size_t block_bytes_max;
    uint64_t freed;    /* stored bytes that were given back to the file system */
    uint64_t last_key; /* of the last record */
    unsigned file;
    bool falling;
} usw_ext_run;

/* Bytes of a slot from `begin` to the next span are those of a file from byte `from` on. */
typedef struct usw_ext_span {
    size_t begin;
    uint64_t from;
    unsigned source; /* number of the file; USW_EXT_NONE: of none */
} usw_ext_span;
enum { USW_EXT_NONE = USW_EXT_FOLDERS + USW_EXT_SOURCES, USW_EXT_SPANS = 32 };

typedef enum usw_ext_slot_state { USW_SLOT_FREE, USW_SLOT_FULL, USW_SLOT_BUSY } usw_ext_slot_state;
typedef struct usw_ext_slot {
    unsigned char *at;
    size_t used;
    uint64_t order, begin; /* begin: of its bytes among all that were pushed */
    usw_ext_slot_state state;
    usw_ext_span spans[USW_EXT_SPANS];
    unsigned span_count;
} usw_ext_slot;

/* Temporary files, one for each directory, without names; behind USW_EXT_FOLDERS of them the
 * sources. */
typedef struct usw_ext_file {
    char *directory;
    int fd;     /* -1: not made yet */
    int direct; /* the same file past the page cache (O_DIRECT); -1: it cannot be had */
    uint64_t size;
} usw_ext_file;

/* A file that records came from, as it was then. */
typedef struct usw_ext_source {
    uint64_t device, inode;
    int64_t bytes, seconds, nanoseconds; /* its size, and when it was changed */
    bool used;                           /* runs are in it */
} usw_ext_source;

/* The records of a slot, or as many of them as their keys have room for, in order. */
typedef struct usw_ext_sorting {
    upsweep_external *x;
    const unsigned char *data;
    size_t bytes; /* of the records that are sorted here */
    size_t n;
    uint64_t *keys;
    uint32_t *items;  /* where each record begins: offset, or number if they are of one size */
    uint64_t *slices; /* of lines, in place of keys and items: offset << 32 | bytes; else NULL */
    upsweep *u;       /* its scratch lies in the slot */
    unsigned char *spare, *spare_end; /* what that may take */
    unsigned char *spare_at;
    unsigned pieces; /* of it that are taken */
    bool in_order;   /* they stand in order where they are, `kept` bytes of them, */
    bool turned;     /* since they fell and were turned round */
    size_t kept;
    size_t longest;
} usw_ext_sorting;

typedef struct usw_ext_merge usw_ext_merge;

/* The sort. What is below `lock` is guarded by it. */
struct upsweep_external {
    usw_ext_order order;
    unsigned workers;
    size_t limit;
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *pointer, size_t bytes);
    void *allocate_context;
    unsigned char *arena;
    size_t arena_bytes;
    unsigned char *work; /* of the arena: slots, or the rooms of merging threads */
    size_t work_bytes;
    usw_ext_run *runs;
    size_t runs_room;
    usw_ext_block *blocks;
    size_t blocks_room;
    size_t block_bytes;    /* a block has at least so many, but for the last of a run */
    size_t write_bytes;    /* of one write, unless a record is longer */
    bool direct;           /* temporary files go past the page cache where they can */
    atomic_bool slow;      /* and that is slower than the cache must be */
    uint64_t direct_bytes; /* that were written so, and how long that took; under lock */
    double direct_seconds;
    usw_ext_packing packing; /* whether blocks are packed; under lock */
    size_t record_most;      /* bytes that a record may have */
    size_t fill_least;       /* of a slot, whatever its records are */
    usw_ext_file files[USW_EXT_FOLDERS + USW_EXT_SOURCES];
    unsigned file_count; /* temporary ones */
    usw_ext_source sources[USW_EXT_SOURCES];
    unsigned source_count;
    unsigned source; /* that has what is pushed next, from byte source_at on; USW_EXT_NONE */
    uint64_t source_at;

    /* filling */
    usw_ext_slot slots[USW_EXT_WORKERS + 1];
    unsigned slot_count;
    size_t slot_bytes, slot_fill; /* of a slot; how many of them are filled with records */
    usw_ext_slot *filling;
    uint64_t next_order;
    uint64_t bytes_in;
    bool sorted; /* no more is pushed */
    bool given;  /* all has been written */
    pthread_t threads[USW_EXT_WORKERS];
    unsigned started;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ending;
    usw_ext_slot *alone; /* the only slot, sorted where it is; nothing was written */
    usw_ext_sorting alone_sorted;
    size_t alone_from;
    size_t run_count;
    size_t blocks_used;
    uint64_t records; /* that were sorted into runs */
    size_t longest;   /* bytes of the longest record, with its end */
    unsigned next_file;
    upsweep_external_report report;

    atomic_uint_fast64_t held;   /* bytes in temporary files */
    atomic_uint_fast64_t merged; /* bytes that have gone through the last merge */
    usw_ext_merge *merge;        /* of pull */
    upsweep_status status;       /* of the first failure; atomic use under lock */
    char error[256];
};

/* ---- records and their order (order.c) ---- */

const char *usw_ext_order_of(usw_ext_order *order, const upsweep_external_config *config);
/* < 0, 0, > 0 */
int usw_ext_compare(const usw_ext_order *order, usw_ext_record a, usw_ext_record b);
/* The key of a record that is no line at a stage, 0 being the first; *next as
 * upsweep_external_config.key says. */
uint64_t usw_ext_stage_key(const usw_ext_order *order, uint64_t stage, usw_ext_record r,
                           uint64_t *next);

/* Seven bytes of a line, the first on top, and how many there were, 255 standing for more: equal
 * keys whose last byte is not 255 belong to equal texts. */
static inline uint64_t usw_ext_line_key(const unsigned char *p, size_t bytes)
{
    uint64_t word;
    memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return bytes > 7 ? word | 0xff : (word & ~(~UINT64_C(0) >> (8 * bytes))) | bytes;
}

/* The key of a record at the first stage, and whether records with equal keys may differ. */
static inline uint64_t usw_ext_key(const usw_ext_order *order, usw_ext_record r, bool *more)
{
    if (order->kind == USW_EXT_LINES) {
        uint64_t key = usw_ext_line_key(r.p, r.bytes);
        *more = (key & 0xff) == 0xff;
        return key ^ order->flip;
    }
    if (order->kind == USW_EXT_FIELDS) {
        *more = order->keys.key_bytes > USW_CHUNK_BYTES;
        return usw_key_chunk(&order->first, r.p);
    }
    uint64_t next = UPSWEEP_EXTERNAL_EQUAL;
    uint64_t key = order->key(order->context, 0, r.p, r.bytes, &next);
    *more = next != UPSWEEP_EXTERNAL_EQUAL;
    return key;
}

/* The record at p, whose end must lie before `end`. */
static inline usw_ext_record usw_ext_record_at(const usw_ext_order *order, const unsigned char *p,
                                               const unsigned char *end)
{
    if (order->record_bytes != 0) {
        return (usw_ext_record){p, order->record_bytes};
    }
    const unsigned char *stop = memchr(p, order->end, (size_t)(end - p));
    return (usw_ext_record){p, (size_t)(stop - p)};
}

/* Its bytes with the end byte. */
static inline size_t usw_ext_whole(const usw_ext_order *order, usw_ext_record r)
{
    return r.bytes + (order->record_bytes == 0);
}

/* ---- failures (open.c) ---- */

/* Keeps the first failure and its sentence; returns its status. Any thread. */
upsweep_status usw_ext_fail(upsweep_external *x, upsweep_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool usw_ext_failed(upsweep_external *x);
/* For a record that has more than record_most bytes; `at` of all bytes it begins. */
upsweep_status usw_ext_refuse(upsweep_external *x, uint64_t at);
double usw_ext_seconds(void);

/* ---- temporary files (spill.c) ---- */

/* A place of `bytes` bytes in one of the files. The lock is not held. */
upsweep_status usw_ext_place(upsweep_external *x, uint64_t bytes, unsigned *file, uint64_t *at);
upsweep_status usw_ext_write(upsweep_external *x, unsigned file, const void *from, size_t bytes,
                             uint64_t at);
upsweep_status usw_ext_read(upsweep_external *x, unsigned file, void *to, size_t bytes,
                            uint64_t at);
/* Tells the system that these bytes will be read soon, by usw_ext_read. */
void usw_ext_fetch(const upsweep_external *x, unsigned file, uint64_t at, size_t bytes);
/* As usw_ext_read, past the page cache, where to and at are equal modulo USW_EXT_PAGE: bytes around
 * those asked for come, too, up to whole pages. */
upsweep_status usw_ext_read_pages(upsweep_external *x, unsigned file, unsigned char *to,
                                  size_t bytes, uint64_t at);
/* The file of a descriptor, opened once more with flags such as O_DIRECT; -1: it cannot be. */
int usw_ext_open_again(int fd, int flags);
/* Gives stored bytes [begin, end) of a run back to the file system. */
void usw_ext_give_back(upsweep_external *x, const usw_ext_run *run, uint64_t begin, uint64_t end);
/* The same of bytes [from, to) of a file, to whole pages, that a run had set aside in vain. */
void usw_ext_give_rest(upsweep_external *x, unsigned file, uint64_t from, uint64_t to);
void usw_ext_close_files(upsweep_external *x);
/* All of it to a descriptor, at a place or (at < 0) where it stands. 0, or errno. */
int usw_ext_write_all(int fd, const void *from, size_t bytes, int64_t at);

/* ---- runs (run_sort.c, run_write.c; writer.h) ---- */

/* What a sort takes of `room` bytes, once; *each, a record's bytes that it is to have there, gets
 * what it takes for each record beside them. */
size_t usw_ext_sort_room(const usw_ext_order *order, size_t room, size_t *each);
upsweep_status usw_ext_sorting_open(usw_ext_sorting *s, upsweep_external *x);
void usw_ext_sorting_close(usw_ext_sorting *s);
/* Sorts the first records of data, of which the slot has room up to `end`. */
upsweep_status usw_ext_sort(usw_ext_sorting *s, unsigned char *data, size_t bytes,
                            unsigned char *end);
static inline size_t usw_ext_place_of(const usw_ext_sorting *s, uint32_t item)
{
    size_t fixed = s->x->order.record_bytes;
    return fixed != 0 ? item * fixed : item;
}
static inline usw_ext_record usw_ext_item(const usw_ext_sorting *s, uint32_t item)
{
    return usw_ext_record_at(&s->x->order, s->data + usw_ext_place_of(s, item), s->data + s->bytes);
}
/* Record number i in order. */
static inline usw_ext_record usw_ext_sorted(const usw_ext_sorting *s, size_t i)
{
    if (s->slices != NULL) {
        return (usw_ext_record){s->data + (s->slices[i] >> 32), (uint32_t)s->slices[i]};
    }
    return usw_ext_item(s, s->items != NULL ? s->items[i] : (uint32_t)i);
}

/* A slot as one run, or several where its records are shorter than was thought. */
upsweep_status usw_ext_slot_to_runs(usw_ext_sorting *s, usw_ext_slot *slot);
/* Room for the index of a run of so many bytes; NULL after usw_ext_fail. The lock is not held. */
usw_ext_block *usw_ext_take_blocks(upsweep_external *x, uint64_t bytes, size_t *count,
                                   size_t *block_bytes);
upsweep_status usw_ext_add_run(upsweep_external *x, const usw_ext_run *run);
/* Copies sorted records [*from, n) to `to` as long as there is room; returns the bytes. With -u
 * equal ones are left out. */
size_t usw_ext_gather(const usw_ext_sorting *s, size_t *from, unsigned char *to, size_t room);

/* ---- runs that are in a source already (source.c, natural.c) ---- */

/* Notes where the bytes come from that are behind slot->used, `count` of them. */
void usw_ext_note_source(upsweep_external *x, usw_ext_slot *slot, size_t count);
/* The bytes from `from` on go to the front of another slot, or of the same one. */
void usw_ext_move_spans(usw_ext_slot *to, const usw_ext_slot *slot, size_t from, size_t end);
/* Records at the begin of the slot that stand in few runs, rising or falling, are noted as such in
 * the source, and not written; *done of its bytes. *order is that of the first, and of the next. */
upsweep_status usw_ext_natural_runs(usw_ext_sorting *s, const usw_ext_slot *slot, size_t *done,
                                    uint64_t *order);
/* Blocks of a source as they have been read are those of the index, records of a falling run are
 * turned round; or the file has changed. [first, end) is not empty. */
upsweep_status usw_ext_take_source(upsweep_external *x, const usw_ext_run *run, unsigned char *p,
                                   size_t first, size_t end);
void usw_ext_turn_round(const usw_ext_order *order, unsigned char *p, size_t bytes);
/* At the end, whether sources are as they were. */
upsweep_status usw_ext_check_sources(upsweep_external *x);
upsweep_status usw_ext_fail_changed(upsweep_external *x, const usw_ext_run *run);
static inline bool usw_ext_in_source(const usw_ext_run *run)
{
    return run->file >= USW_EXT_FOLDERS;
}
/* Where bytes [from, until) of a run of which nothing is packed are in its file. */
static inline uint64_t usw_ext_run_at(const usw_ext_run *run, uint64_t from, uint64_t until)
{
    return run->falling ? run->at + run->raw - until : run->at + from;
}

static inline bool usw_ext_is_packed(const usw_ext_run *run)
{
    return run->stored < run->raw;
}
/* Where a block begins among the stored bytes, or behind the last one. */
static inline uint64_t usw_ext_stored(const usw_ext_run *run, size_t block)
{
    return block < run->block_count ? run->blocks[block].stored : run->stored;
}

/* ---- filling (push.c) ---- */

void usw_ext_share_slots(upsweep_external *x, unsigned count);
upsweep_status usw_ext_start_filling(upsweep_external *x);
/* All slots become runs, or the only one stays; the workers end. */
upsweep_status usw_ext_end_filling(upsweep_external *x);
void usw_ext_stop_workers(upsweep_external *x);

/* ---- merges (passes.c, merge.c) ---- */

/* As few merges of neighbours as needed, until the runs that are left can be merged in one go. */
upsweep_status usw_ext_reduce_runs(upsweep_external *x);
upsweep_status usw_ext_merge_to(upsweep_external *x, int fd, int *number);
upsweep_status usw_ext_merge_pull(upsweep_external *x, const void **records, size_t *bytes);
void usw_ext_merge_free(usw_ext_merge *m);

#endif
