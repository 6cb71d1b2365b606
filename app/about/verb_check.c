/* verb_check.c - `upsweep check`: is an array sorted, and has it the elements it should have?
 *
 * The checksum is the sum, modulo 2^64, of a mixing function of every element's bits. It does not
 * depend on their order; that two arrays of other elements share it has probability 2^-64 or so. It
 * finds accidents, not attacks. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_array.h"

#include <string.h>

typedef struct settings {
    app_common common;
    bool descending;
} settings;

static const app_option options[] = {
    {'r', "reverse", NULL, "the order is descending", APP_FLAG, offsetof(settings, descending),
     NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_check = {
    "[FILE] | BEFORE AFTER",
    "With one file, or standard input: tells whether its numbers are sorted, and if not where the\n"
    "first one out of order is, and a checksum that does not depend on their order.\n"
    "With two files: tells whether AFTER is BEFORE sorted, that is, sorted and with the same\n"
    "elements. Exit status 1 if the answer is no. Of a .npy array of several axes each row of the "
    "last\n"
    "one is checked by itself. Lines of text are checked by `upsweep sort -c`.",
    APP_DEVICE | APP_JSON | APP_FROM | APP_TYPED | APP_FROM_TEXT, options,
    "upsweep check --type u32 sorted.u32\nupsweep check before.npy after.npy"};

typedef struct finding {
    const char *name;
    upsweep_type type;
    io_npy npy;              /* the shape */
    size_t n, first, length; /* first == n: sorted; length: of the last axis */
    uint64_t checksum;
    uint64_t here, before; /* the elements at first and first - 1 */
} finding;

static uint64_t checksum(const void *data, size_t n, size_t bytes)
{
    const char *p = data;
    uint64_t sum = n;
    for (size_t i = 0; i < n; i++, p += bytes) {
        uint64_t z = 0;
        memcpy(&z, p, bytes);
        z += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        sum += z ^ z >> 31;
    }
    return sum;
}

/* Of an array with rows: other elements in a row are others, though another row has them. */
static uint64_t checksum_of_rows(const io_array *a)
{
    size_t bytes = upsweep_type_bytes(a->type), length = sort_row_length(a);
    if (a->npy.axes < 2) {
        return checksum(a->data, a->n, bytes);
    }
    uint64_t sum = 0;
    for (size_t at = 0; at < a->n; at += length) {
        uint64_t row = checksum((const char *)a->data + at * bytes, length, bytes);
        sum += checksum(&row, 1, sizeof row) * (2 * at + 1);
    }
    return sum;
}

static int examine(const settings *s, upsweep *u, const char *name, finding *f)
{
    io_array a;
    int status = app_read_file(&s->common, name, &a);
    if (status == APP_OK) {
        unsigned flags = s->descending ? UPSWEEP_DESCENDING : UPSWEEP_ASCENDING;
        size_t bytes = upsweep_type_bytes(a.type);
        *f = (finding){.name = io_input_name(name),
                       .type = a.type,
                       .npy = a.npy,
                       .n = a.n,
                       .length = sort_row_length(&a),
                       .checksum = checksum_of_rows(&a)};
        if (sort_find_disorder(u, &a, flags, &f->first) != UPSWEEP_OK) {
            status = app_fail_call(u);
        } else if (f->first < f->n) {
            const char *p = (const char *)a.data + f->first * bytes;
            memcpy(&f->here, p, bytes);
            memcpy(&f->before, p - bytes, bytes);
        }
    }
    io_array_free(&a);
    return status;
}

static const char *type_name(const finding *f)
{
    return f->npy.boolean ? "bool" : upsweep_type_name(f->type);
}

static void print_json(const finding *f)
{
    printf("{\"file\": ");
    app_print_json_text(stdout, f->name);
    printf(", \"type\": \"%s\", \"n\": %zu, ", type_name(f), f->n);
    for (size_t i = 0; i < f->npy.axes && f->npy.axes > 1; i++) {
        printf("%s%zu%s", i == 0 ? "\"shape\": [" : "", f->npy.shape[i],
               i + 1 == f->npy.axes ? "], " : ", ");
    }
    printf("\"sorted\": %s", f->first == f->n ? "true" : "false");
    if (f->first < f->n) {
        printf(", \"first\": %zu, \"before\": ", f->first);
        app_print_json_number(stdout, f->type, &f->before);
        printf(", \"here\": ");
        app_print_json_number(stdout, f->type, &f->here);
    }
    printf(", \"checksum\": \"%016llx\"}", (unsigned long long)f->checksum);
}

static void print_plain(const finding *f, bool descending)
{
    char shape[IO_NPY_SHAPE_MAX] = "";
    bool rows = f->npy.axes > 1;
    printf("%s: %zu elements of type %s%s%s, checksum %016llx, ", f->name, f->n, type_name(f),
           rows ? " and shape " : "", rows ? io_npy_shape(&f->npy, shape) : "",
           (unsigned long long)f->checksum);
    if (f->first == f->n) {
        printf("sorted%s\n", descending ? ", descending" : "");
        return;
    }
    printf("not sorted: element %zu", f->first % f->length);
    if (rows) {
        printf(" of row %zu", f->first / f->length);
    }
    printf(" is ");
    app_print_number(stdout, f->type, &f->here);
    printf(", after ");
    app_print_number(stdout, f->type, &f->before);
    putchar('\n');
}

/* What is wrong with two files, or NULL. */
static const char *difference(const finding *before, const finding *after)
{
    bool shape = before->npy.axes == after->npy.axes &&
                 memcmp(before->npy.shape, after->npy.shape,
                        after->npy.axes * sizeof *after->npy.shape) == 0;
    return before->type != after->type || before->npy.boolean != after->npy.boolean ? "other types"
           : before->n != after->n               ? "other numbers of elements"
           : !shape                              ? "other shapes"
           : before->checksum != after->checksum ? "other elements"
           : after->first < after->n             ? "the second is not sorted"
                                                 : NULL;
}

static int report_two(const settings *s, const finding *f)
{
    const char *wrong = difference(&f[0], &f[1]);
    if (s->common.json) {
        printf("{\"before\": ");
        print_json(&f[0]);
        printf(",\n \"after\": ");
        print_json(&f[1]);
        printf(",\n \"ok\": %s}\n", wrong == NULL ? "true" : "false");
    } else {
        print_plain(&f[0], s->descending);
        print_plain(&f[1], s->descending);
        if (wrong == NULL) {
            printf("ok: %s is %s sorted\n", f[1].name, f[0].name);
        } else {
            printf("no: %s is not %s sorted: %s\n", f[1].name, f[0].name, wrong);
        }
    }
    return wrong == NULL ? APP_OK : APP_NO;
}

int verb_check(int argc, char **argv)
{
    settings s = {.descending = false};
    int status = app_parse(&usage_check, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    size_t count = s.common.operand_count == 2 ? 2 : 1;
    if (s.common.operand_count > 2) {
        return app_fail("takes one file or two, not %zu", s.common.operand_count);
    }
    upsweep *u;
    finding f[2] = {{.name = NULL}, {.name = NULL}};
    status = app_open(&s.common, &u);
    for (size_t i = 0; i < count && status == APP_OK; i++) {
        status = examine(&s, u, s.common.operand_count == 0 ? "-" : s.common.operands[i], &f[i]);
    }
    upsweep_close(u);
    if (status != APP_OK) {
        return status;
    }
    if (count == 2) {
        status = report_two(&s, f);
    } else {
        status = f[0].first == f[0].n ? APP_OK : APP_NO;
        if (s.common.json) {
            print_json(&f[0]);
            putchar('\n');
        } else {
            print_plain(&f[0], s.descending);
        }
    }
    int finished = app_finish_stdout();
    return finished != APP_OK ? finished : status;
}
