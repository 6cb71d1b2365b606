/* nested.c - a program of a project that has upsweep as a part of it. It has functions of names
 * that the library uses inside, and its numbers are sorted with NaN last though it is compiled with
 * -ffast-math. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <upsweep.h>

int show(int x);
int usw_parallel(int x);
int usw_sort_radix_row(int x);

int show(int x)
{
    return x + 1;
}

int usw_parallel(int x)
{
    return x + 2;
}

int usw_sort_radix_row(int x)
{
    return x + 4;
}

int main(void)
{
    const uint32_t nan = 0x7fc00000, bits[] = {0x40000000, nan, 0xbf800000, nan, 0x3f800000};
    const uint32_t sorted[] = {0xbf800000, 0x3f800000, 0x40000000, nan, nan};
    float keys[5];
    upsweep *u;
    memcpy(keys, bits, sizeof keys);
    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK ||
        upsweep_sort(u, keys, 5, UPSWEEP_F32, NULL) != UPSWEEP_OK) {
        return 1;
    }
    upsweep_close(u);
    printf("%s, as a part of a project\n", upsweep_version());
    return memcmp(keys, sorted, sizeof keys) != 0 || show(usw_parallel(usw_sort_radix_row(0))) != 7;
}
