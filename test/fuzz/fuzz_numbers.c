/* fuzz_numbers.c - arrays of numbers as text: the first byte picks the type, the rest is the text.
 * What is read and written again reads back as the same bits; a type that the text decided is read
 * again when it is given. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "io/numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Whether two elements are the same bits, or both NaN. */
static bool same(upsweep_type type, const void *a, const void *b)
{
    double x = io_number_value(type, a), y = io_number_value(type, b);
    return memcmp(a, b, upsweep_type_bytes(type)) == 0 || (x != x && y != y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 65536) {
        return 0;
    }
    upsweep_type type = (upsweep_type)(data[0] % (UPSWEEP_F64 + 1)), asked = type;
    char *text = malloc(size);
    must(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    void *elements = NULL, *again = NULL;
    size_t n = 0, m = 0;
    io_error error = {0};
    if (io_numbers_read("fuzz", text, size - 1, &type, &elements, &n, &error)) {
        size_t bytes = upsweep_type_bytes(type);
        must(bytes != 0 && (asked == 0 || asked == type));
        must(io_numbers_read("fuzz", text, size - 1, &type, &again, &m, &error) && m == n);
        for (size_t i = 0; i < n; i++) {
            char line[IO_NUMBER_MAX];
            uint64_t back = 0;
            const char *element = (const char *)elements + i * bytes;
            must(same(type, element, (const char *)again + i * bytes));
            must(io_number_print(line, type, element) < IO_NUMBER_MAX);
            must(io_number_scan(line, type, &back) && same(type, element, &back));
        }
    } else {
        must(error.text[0] != '\0');
    }
    free(elements);
    free(again);
    free(text);
    return 0;
}
