/* fuzz_tuning.c - the file that `upsweep tune` leaves and every handle reads: whatever it holds, a
 * handle opens and sorts right, and a file that is not understood changes nothing. */
/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "upsweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { N = 300 };
    char name[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    must(setenv("UPSWEEP_TUNING", name, 1) == 0);
    upsweep *u;
    upsweep_config config = {.size = sizeof config, .threads = 1};
    must(upsweep_open(&u, "cpu", &config) == UPSWEEP_OK);
    uint32_t keys[N];
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = i * 2654435761u;
    }
    must(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL) == UPSWEEP_OK);
    for (size_t i = 1; i < N; i++) {
        must(keys[i - 1] < keys[i]);
    }
    upsweep_close(u);
    close(fd);
    return 0;
}
