/* use.c - a program outside this tree, as small as can be: sorts keys and adds them up with the
 * installed library. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep_typed.h>

int main(void)
{
    uint32_t keys[] = {3, 1, 2};
    const float numbers[] = {0.5f, 0.25f};
    double sum = 0;
    upsweep *u;
    if (upsweep_open(&u, NULL, NULL) != UPSWEEP_OK ||
        upsweep_sort(u, keys, 3, UPSWEEP_U32, NULL) != UPSWEEP_OK ||
        upsweep_sum_f32(u, numbers, 2, &sum, NULL) != UPSWEEP_OK ||
        UPSWEEP_OF(upsweep_argmax, keys)(u, keys, 3, &(size_t){0}, NULL) != UPSWEEP_OK) {
        return 1;
    }
    printf("%s: %u %u %u, %g\n", upsweep_version(), (unsigned)keys[0], (unsigned)keys[1],
           (unsigned)keys[2], sum);
    upsweep_close(u);
    return keys[0] == 1 && keys[1] == 2 && keys[2] == 3 && sum == 0.75 &&
                   upsweep_version_number() == UPSWEEP_VERSION
               ? 0
               : 1;
}
