/* use.c - a program outside this tree, as small as can be: sorts three keys with the installed
 * library. */
#include <stdio.h>
#include <upsweep.h>

int main(void)
{
    uint32_t keys[] = {3, 1, 2};
    upsweep *u;
    if (upsweep_open(&u, NULL, NULL) != UPSWEEP_OK ||
        upsweep_sort(u, keys, 3, UPSWEEP_U32, NULL) != UPSWEEP_OK) {
        return 1;
    }
    printf("%s: %u %u %u\n", upsweep_version(), (unsigned)keys[0], (unsigned)keys[1],
           (unsigned)keys[2]);
    upsweep_close(u);
    return keys[0] == 1 && keys[1] == 2 && keys[2] == 3 ? 0 : 1;
}
