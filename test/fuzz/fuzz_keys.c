/* fuzz_keys.c - the key specifications of `upsweep sort`: a line with -k arguments, parted by
 * blanks, then lines to compare by them. No specification may lead outside a line, and the order
 * must be one. */
/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "io/input.h"
#include "app/sort/sort_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 3 };

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Takes the bytes up to a newline as a text of its own, with slack behind it. */
static char *next_line(const uint8_t **data, size_t *size, size_t *length)
{
    const uint8_t *cut = *size == 0 ? NULL : memchr(*data, '\n', *size);
    *length = cut == NULL ? *size : (size_t)(cut - *data);
    char *line = calloc(1, *length + IO_SLACK);
    if (*length > 0) {
        memcpy(line, *data, *length);
    }
    size_t taken = *length + (cut != NULL);
    *data += taken;
    *size -= taken;
    return line;
}

static void compare_lines(const sort_order *order, sort_text text[LINES])
{
    for (size_t k = 0; k < order->count; k++) {
        for (int i = 0; i < LINES; i++) {
            sort_text field = sort_field(order, &order->keys[k], text[i]);
            must(field.p >= text[i].p && field.p <= field.end && field.end <= text[i].end);
        }
    }
    int ab = sign(sort_compare(order, 0, text[0], text[1]));
    int bc = sign(sort_compare(order, 0, text[1], text[2]));
    int ac = sign(sort_compare(order, 0, text[0], text[2]));
    must(sort_compare(order, 0, text[0], text[0]) == 0);
    must(sign(sort_compare(order, 0, text[1], text[0])) == -ab);
    must(ab != bc || ab == ac); /* transitive */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 4096) {
        return 0;
    }
    sort_order order = {.tab = data[0] & 1 ? data[1] : -1, .end = '\n', .stable = data[0] & 2};
    order.global.end_field = SIZE_MAX;
    order.global.reverse = data[0] & 4;
    data += 2;
    size -= 2;
    size_t length[LINES], specs_length;
    char *specs = next_line(&data, &size, &specs_length), *lines[LINES];
    sort_text text[LINES];
    for (int i = 0; i < LINES; i++) {
        lines[i] = next_line(&data, &size, &length[i]);
        const unsigned char *p = (unsigned char *)lines[i];
        text[i] = (sort_text){p, p + length[i]};
    }
    bool good = true;
    char *rest = specs;
    for (char *spec; good && (spec = strtok_r(rest, " ", &rest)) != NULL;) {
        good = sort_add_key(&order, spec) == APP_OK;
    }
    if (good && sort_settle(&order) == APP_OK) {
        compare_lines(&order, text);
    }
    sort_order_free(&order);
    free(specs);
    for (int i = 0; i < LINES; i++) {
        free(lines[i]);
    }
    return 0;
}
