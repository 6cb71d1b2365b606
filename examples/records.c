/* records.c - sorts structures by several of their fields: by country, then by size, largest
 * first. It is stable, so structures that are equal in both keep their order.
 *
 * Prints:
 *     at  Graz         291007
 *     at  Linz         211414
 *     ch  Zurich       443037
 *     ch  Geneva       206635
 *     ch  Bern         134794
 */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep.h>

struct city {
    char country[2]; /* no 0 at the end: a field of bytes */
    char name[12];
    uint32_t people;
};

int main(void)
{
    struct city cities[] = {
        {{'c', 'h'}, "Bern", 134794},   {{'a', 't'}, "Linz", 211414},
        {{'c', 'h'}, "Geneva", 206635}, {{'a', 't'}, "Graz", 291007},
        {{'c', 'h'}, "Zurich", 443037},
    };
    const size_t n = sizeof cities / sizeof cities[0];

    /* A field is a number at some byte of the structure, or `bytes` bytes compared as by memcmp. */
    const upsweep_field fields[] = {
        {.offset = offsetof(struct city, country), .bytes = sizeof cities[0].country},
        {.offset = offsetof(struct city, people), .type = UPSWEEP_U32, .flags = UPSWEEP_DESCENDING},
    };

    upsweep *u;
    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK) {
        return 1;
    }
    upsweep_status status = upsweep_sort_records(u, cities, n, sizeof cities[0], fields, 2, NULL);
    if (status != UPSWEEP_OK) {
        fprintf(stderr, "records: %s\n", upsweep_error(u));
    }
    for (size_t i = 0; status == UPSWEEP_OK && i < n; i++) {
        printf("%.2s  %-10s %8u\n", cities[i].country, cities[i].name, (unsigned)cities[i].people);
    }
    upsweep_close(u);
    return status == UPSWEEP_OK ? 0 : 1;
}
