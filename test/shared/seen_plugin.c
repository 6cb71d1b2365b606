/* seen_plugin.c - stands in the place of the GPU plugin and leaves a file, the one that
 * UPSWEEP_SEEN names, when it is loaded. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *name = getenv("UPSWEEP_SEEN");
    FILE *f = name == NULL ? NULL : fopen(name, "w");
    if (f != NULL) {
        fclose(f);
    }
}
