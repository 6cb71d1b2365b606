/* argsort.c - orders several arrays by one of them: the cities of a table by their heights. The
 * keys stay where they are; what comes out is the order, which is then applied to any other array.
 *
 * Prints:
 *     La Paz      3640 m  17 C
 *     Bogota      2640 m  14 C
 *     Denver      1609 m  10 C
 *     Madrid       667 m  15 C
 *     Kyiv         179 m   9 C
 */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep_typed.h>

int main(void)
{
    const char *name[] = {"Madrid", "La Paz", "Kyiv", "Bogota", "Denver"};
    const uint16_t height[] = {667, 3640, 179, 2640, 1609};
    const int8_t degrees[] = {15, 17, 9, 14, 10};
    const char *name_in_order[5];
    int8_t degrees_in_order[5];
    uint32_t order[5];

    upsweep *u;
    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK) {
        return 1;
    }
    upsweep_options down = UPSWEEP_OPTIONS_INIT;
    down.flags = UPSWEEP_DESCENDING;

    /* order[0] is the place of the highest city, order[1] of the next ...; equal ones keep their
     * order. 64-bit positions, for more than 2^32 keys, are upsweep_argsort64_u16's. */
    upsweep_status status = upsweep_argsort_u16(u, height, 5, order, &down);

    /* out[i] = in[order[i]], for elements of any size: here of pointers and of bytes. */
    if (status == UPSWEEP_OK) {
        status = upsweep_gather(u, name, 5, order, 32, name_in_order, 5, sizeof name[0], NULL);
    }
    if (status == UPSWEEP_OK) {
        status = upsweep_gather_i8(u, degrees, 5, order, degrees_in_order, 5, NULL);
    }
    for (int i = 0; status == UPSWEEP_OK && i < 5; i++) {
        printf("%-10s %5d m %3d C\n", name_in_order[i], height[order[i]], degrees_in_order[i]);
    }
    upsweep_close(u);
    return status == UPSWEEP_OK ? 0 : 1;
}
