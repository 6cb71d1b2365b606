/* fuzz_source.c - any bytes as a file, read as an array: what is compressed is unpacked, what is an
 * array is read, and all else is refused with a reason or is numbers. The first byte says how often
 * the file is read in one go, and what is asked for. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/array.h"
#include "io/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 16 };
    if (size < 1 || size > MOST) {
        return 0;
    }
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        abort();
    }
    const char *names[] = {name, name};
    io_array_wish wish = {.type = (upsweep_type)(data[0] % 13),
                          .text = (data[0] & 16) != 0,
                          .from = (io_format)(data[0] >> 6),
                          .threads = 1};
    if (wish.type == 0 && wish.from == IO_RAW) {
        wish.from = 0;
    }
    io_array a;
    io_error error = {0};
    if (io_array_read(&a, names, (data[0] & 32) != 0 ? 2 : 1, &wish, &error)) {
        unsigned sum = 0; /* every element is there */
        for (size_t i = 0; i < a.n * upsweep_type_bytes(a.type); i++) {
            sum += ((const unsigned char *)a.data)[i];
        }
        size_t n = 1;
        for (size_t i = 0; i < a.npy.axes; i++) {
            n *= a.npy.shape[i];
        }
        if (n != a.n || a.npy.type != a.type || sum == UINT_MAX) {
            abort();
        }
    } else if (error.text[0] == '\0') {
        abort(); /* refused without a reason */
    }
    io_array_free(&a);
    close(fd);
    return 0;
}
