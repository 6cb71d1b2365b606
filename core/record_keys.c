/* record_keys.c - which bytes of which fields make up a chunk of a record's normalised key; and the
 * comparison of two records field by field, which gives the same order. */
#include "record_keys.h"

/* The bytes [begin, end) of the field, counted from its most important one, go into the chunk so
 * that `below` bytes of the chunk follow them. */
static usw_key_part plan_part(const usw_record_keys *keys, const usw_record_field *f, size_t begin,
                              size_t end, size_t below)
{
    usw_key_part p = {.offset = f->offset, .bytes = (unsigned)f->bytes, .text = f->text};
    p.mask = UINT64_MAX >> (64 - 8 * (end - begin));
    p.shift = (unsigned)(8 * below);
    if (f->text) {
        p.offset += begin;
        p.bytes = (unsigned)(end - begin);
        p.wide = keys->record_bytes - p.offset >= 8;
        p.flip = f->descending ? UINT64_MAX : 0;
    } else {
        p.map = f->map;
        p.drop = (unsigned)(8 * (f->bytes - end));
    }
    return p;
}

usw_key_plan usw_plan_chunk(const usw_record_keys *keys, size_t chunk)
{
    usw_key_plan plan = {.count = 0};
    size_t from = chunk * USW_CHUNK_BYTES, to = usw_min(from + USW_CHUNK_BYTES, keys->key_bytes);
    for (size_t i = 0; i < keys->field_count; i++) {
        const usw_record_field *f = &keys->fields[i];
        size_t first = usw_max(from, f->at), last = usw_min(to, f->at + f->bytes);
        if (first < last) {
            plan.parts[plan.count++] =
                plan_part(keys, f, first - f->at, last - f->at, from + USW_CHUNK_BYTES - last);
        }
    }
    return plan;
}

int usw_compare_records(const void *a, const void *b, void *context)
{
    const usw_record_keys *keys = context;
    for (size_t i = 0; i < keys->field_count; i++) {
        const usw_record_field *f = &keys->fields[i];
        const unsigned char *x = (const unsigned char *)a + f->offset;
        const unsigned char *y = (const unsigned char *)b + f->offset;
        if (f->text) {
            int order = memcmp(x, y, f->bytes);
            if (order != 0) {
                return (order < 0) != f->descending ? -1 : 1;
            }
            continue;
        }
        uint64_t p = usw_map_key(&f->map, usw_load_raw(x, f->bytes));
        uint64_t q = usw_map_key(&f->map, usw_load_raw(y, f->bytes));
        if (p != q) {
            return p < q ? -1 : 1;
        }
    }
    return 0;
}
