/* fuzz_npy.c - hostile .npy headers: any bytes may stand at the front of a file. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *file = malloc(size + (size == 0)); /* of the exact size, so that reads outside show */
    if (size > 0) {
        memcpy(file, data, size);
    }
    io_npy npy = {0};
    io_error error = {0};
    if (io_npy_read_header("fuzz", file, size, &npy, &error)) {
        size_t bytes = upsweep_type_bytes(npy.type), total;
        if (bytes == 0 || npy.header_bytes > size || !io_npy_is(file, size) ||
            __builtin_mul_overflow(npy.n, bytes, &total) ||
            __builtin_add_overflow(total, npy.header_bytes, &total)) {
            abort();
        }
        char header[IO_NPY_FORMAT_MAX], shape[IO_NPY_SHAPE_MAX];
        io_npy again = {0};
        size_t length = io_npy_format(header, &npy);
        if (length == 0 || strlen(io_npy_shape(&npy, shape)) >= sizeof shape ||
            !io_npy_read_header("fuzz", header, length, &again, &error) || again.n != npy.n ||
            again.type != npy.type || again.boolean != npy.boolean || again.axes != npy.axes ||
            memcmp(again.shape, npy.shape, npy.axes * sizeof *npy.shape) != 0) {
            abort();
        }
    } else if (error.text[0] == '\0') {
        abort(); /* refused without a reason */
    }
    free(file);
    return 0;
}
