/* record_keys.c - the comparison of two records field by field, which gives the same order as their
 * normalised keys. */
/* SPDX-License-Identifier: MIT */
#include "core/record_keys.h"

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
