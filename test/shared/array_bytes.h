/* array_bytes.h - reads bytes as the program reads a file of an array. After cmocka.h. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_ARRAY_BYTES_H
#define USW_TEST_SHARED_ARRAY_BYTES_H

#include "io/array.h"

#include <stdlib.h>
#include <unistd.h>

/* Puts bytes into a file and reads it as an array. */
static inline bool read_bytes(const void *bytes, size_t size, upsweep_type type, io_array *a,
                              io_error *error)
{
    char name[] = "/tmp/upsweep-test-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    const char *names[] = {name};
    io_array_wish wish = {.type = type, .threads = 1};
    bool done = io_array_read(a, names, 1, &wish, error);
    unlink(name);
    return done;
}

#endif
