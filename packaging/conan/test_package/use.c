/* use.c - sorts by the packaged library. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep_typed.h>

int main(void)
{
    uint32_t keys[] = {3, 1, 2};
    upsweep *u;
    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK ||
        upsweep_sort_u32(u, keys, 3, NULL) != UPSWEEP_OK) {
        return 1;
    }
    upsweep_close(u);
    printf("upsweep %s: %u %u %u\n", upsweep_version(), (unsigned)keys[0], (unsigned)keys[1],
           (unsigned)keys[2]);
    return keys[0] == 1 && keys[2] == 3 ? 0 : 1;
}
