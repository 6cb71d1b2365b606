/* order.c - what a record is, and how two of them compare. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <stdlib.h>

enum { FIELDS_MOST = 4096 };

static bool takes_type(usw_record_field *f, upsweep_type type, unsigned flags)
{
    f->bytes = upsweep_type_bytes(type);
    if (f->bytes != 0) {
        f->map = usw_keymap_of(type, flags);
    }
    return f->bytes != 0;
}

/* One field of the caller's; `all` are the flags of the whole order. Returns NULL, or what is
 * wrong. */
static const char *take_field(usw_ext_order *order, const upsweep_field *field, unsigned all)
{
    usw_record_field *f = &order->fields[order->keys.field_count];
    unsigned known = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
    unsigned flags = (field->flags ^ (all & UPSWEEP_DESCENDING)) | (all & ~UPSWEEP_DESCENDING);
    if ((field->flags & ~known) != 0 || (flags & known & ~1u) == (known & ~1u)) {
        return "a field has flags that it does not take";
    }
    f->offset = field->offset;
    f->text = field->bytes > 0;
    f->descending = (flags & UPSWEEP_DESCENDING) != 0;
    f->at = order->keys.key_bytes;
    if (f->text) {
        f->bytes = field->bytes;
    } else if (!takes_type(f, field->type, flags)) {
        return "a field has no type";
    }
    if (f->offset > order->record_bytes || f->bytes > order->record_bytes - f->offset) {
        return "a field lies outside the record";
    }
    order->keys.key_bytes += f->bytes;
    order->keys.field_count++;
    return NULL;
}

static const char *take_fields(usw_ext_order *order, const upsweep_field *fields, size_t count,
                               unsigned flags)
{
    order->kind = USW_EXT_FIELDS;
    if (count > FIELDS_MOST) {
        return "there are too many fields";
    }
    order->fields = calloc(count, sizeof *order->fields);
    if (order->fields == NULL) {
        return "out of memory";
    }
    order->keys.fields = order->fields;
    order->keys.record_bytes = order->record_bytes;
    const char *wrong = NULL;
    for (size_t i = 0; i < count && wrong == NULL; i++) {
        wrong = take_field(order, &fields[i], flags);
    }
    order->first = usw_plan_chunk(&order->keys, 0);
    return wrong;
}

/* Elements and whole records of bytes are records with one field. */
static const char *take_one_field(usw_ext_order *order, const upsweep_external_config *config)
{
    upsweep_field field = {.type = config->type,
                           .bytes = config->type == 0 ? order->record_bytes : 0};
    return take_fields(order, &field, 1, config->flags);
}

const char *usw_ext_order_of(usw_ext_order *order, const upsweep_external_config *config)
{
    unsigned known = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
    size_t element = upsweep_type_bytes(config->type);
    if ((config->flags & ~known) != 0 || config->end > 255 || config->unique > 1) {
        return "flags, end or unique are out of range";
    }
    if ((config->key == NULL) != (config->compare == NULL) ||
        (config->field_count > 0 && config->fields == NULL) ||
        (config->type != 0 && (element == 0 || (config->record_bytes | element) != element))) {
        return "key without compare, fields without an array, or a type that is none";
    }
    order->record_bytes = config->type != 0 ? element : config->record_bytes;
    order->end = (unsigned char)config->end;
    order->unique = config->unique == 1;
    if (config->key != NULL) {
        order->kind = USW_EXT_CALLS;
        order->key = config->key;
        order->compare = config->compare;
        order->context = config->context;
        return config->flags != 0 ? "flags go with an order of the library's" : NULL;
    }
    if (config->field_count > 0) {
        return order->record_bytes == 0 || config->type != 0
                   ? "fields are for records of a fixed size"
                   : take_fields(order, config->fields, config->field_count, config->flags);
    }
    if (order->record_bytes > 0) {
        order->element = config->type;
        order->element_flags = config->flags;
        return take_one_field(order, config);
    }
    order->kind = USW_EXT_LINES;
    order->flip = (config->flags & UPSWEEP_DESCENDING) ? UINT64_MAX : 0;
    return NULL;
}

int usw_ext_compare(const usw_ext_order *order, usw_ext_record a, usw_ext_record b)
{
    if (order->kind == USW_EXT_CALLS) {
        return order->compare(order->context, a.p, a.bytes, b.p, b.bytes);
    }
    if (order->kind == USW_EXT_FIELDS) {
        return usw_compare_records(a.p, b.p, (void *)(uintptr_t)&order->keys);
    }
    int difference = memcmp(a.p, b.p, usw_min(a.bytes, b.bytes));
    difference = difference != 0 ? difference : (a.bytes > b.bytes) - (a.bytes < b.bytes);
    return order->flip != 0 ? (difference < 0) - (difference > 0) : difference;
}

uint64_t usw_ext_stage_key(const usw_ext_order *order, uint64_t stage, usw_ext_record r,
                           uint64_t *next)
{
    if (order->kind == USW_EXT_CALLS) {
        return order->key(order->context, stage, r.p, r.bytes, next);
    }
    /* Of fields; the stage is the number of the chunk. */
    usw_key_plan plan = usw_plan_chunk(&order->keys, (size_t)stage);
    *next =
        (stage + 1) * USW_CHUNK_BYTES < order->keys.key_bytes ? stage + 1 : UPSWEEP_EXTERNAL_EQUAL;
    return usw_key_chunk(&plan, r.p);
}
