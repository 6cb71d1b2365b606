/* wasm.c - the explained forms in a page: compiled to WebAssembly with clang, without a C library.
 * The page puts numbers at input(n), calls trace(), and reads the text that page_events.c makes. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/page/page_events.h"
#include "core/explain.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- the little of a C library that is needed ---- */

extern unsigned char __heap_base; /* by the linker */
static size_t used;

void *malloc(size_t bytes)
{
    size_t page = 65536, at = used == 0 ? (size_t)&__heap_base : used;
    at = (at + 15) & ~(size_t)15;
    size_t end = at + 16 + bytes, have = __builtin_wasm_memory_size(0) * page;
    if (end < at ||
        (end > have && __builtin_wasm_memory_grow(0, (end - have) / page + 1) == (size_t)-1)) {
        return NULL;
    }
    used = end;
    *(size_t *)at = bytes; /* for realloc */
    return (void *)(at + 16);
}

void *calloc(size_t count, size_t bytes)
{
    void *memory = malloc(count * bytes); /* fresh pages and what free leaves are zero */
    return memory == NULL ? NULL : memset(memory, 0, count * bytes);
}

void *realloc(void *memory, size_t bytes)
{
    void *more = malloc(bytes);
    if (more != NULL && memory != NULL) {
        size_t before = *(size_t *)((char *)memory - 16);
        memcpy(more, memory, before < bytes ? before : bytes);
    }
    return more;
}

void free(void *memory)
{
    (void)memory;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    return memmove(to, from, bytes);
}

void *memmove(void *to, const void *from, size_t bytes)
{
    char *t = to;
    const char *f = from;
    for (size_t k = 0; k < bytes; k++) {
        size_t at = t < f ? k : bytes - 1 - k;
        ((volatile char *)t)[at] = f[at]; /* volatile: or it becomes a call of itself */
    }
    return to;
}

void *memset(void *to, int byte, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) {
        ((volatile char *)to)[k] = (char)byte;
    }
    return to;
}

int strncmp(const char *a, const char *b, size_t most)
{
    for (; most > 0; a++, b++, most--) {
        if (*a != *b || *a == '\0') {
            return (unsigned char)*a - (unsigned char)*b;
        }
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    return length;
}

char *strrchr(const char *text, int c)
{
    const char *found = NULL;
    for (; *text != '\0'; text++) {
        found = *text == c ? text : found;
    }
    return (char *)found;
}

static void put_number(page_text *t, uint64_t number)
{
    page_put_number(t, number);
}

/* %s, %d, %u, %zu, %llu: what labels use. */
int vsnprintf(char *to, size_t bytes, const char *format, va_list arguments)
{
    page_text t = {0};
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            page_put(&t, format, 1);
            continue;
        }
        format++;
        if (*format == 's') {
            page_put_text(&t, va_arg(arguments, const char *));
        } else if (*format == 'z') {
            format++;
            put_number(&t, va_arg(arguments, size_t));
        } else if (*format == 'l') {
            format += 2;
            put_number(&t, va_arg(arguments, unsigned long long));
        } else {
            put_number(&t, va_arg(arguments, unsigned));
        }
    }
    size_t length = t.size < bytes - 1 ? t.size : bytes - 1;
    memcpy(to, t.bytes, length);
    to[length] = '\0';
    return (int)t.size;
}

/* ---- the rows ---- */

#define ALGO(stem, operation, cpu, cuda, taken) extern const usw_row usw_##stem##_row;
#include "algo/algos.def"
#undef ALGO
/* Page comments are in the page already. */
#define ALGO(stem, operation, cpu, cuda, taken) const char usw_##stem##_page[] = "";
#include "algo/algos.def"
#undef ALGO

static const usw_row *const rows[] = {
#define ALGO(stem, operation, cpu, cuda, taken) &usw_##stem##_row,
#include "algo/algos.def"
#undef ALGO
};

/* ---- what the page calls ---- */

__attribute__((import_module("page"), import_name("leave"))) _Noreturn void leave(int status);

static usw_explain explain;
static page_events events;
static uint32_t *values;
static size_t count;

_Noreturn void usw_wasm_leave(void)
{
    leave((int)explain.status);
}

/* Room for n numbers. */
EXPORT(input) uint32_t *input(size_t n)
{
    count = n;
    values = malloc((n + 1) * sizeof *values);
    return values;
}

/* Traces algorithm number `row` of algos.def; the bytes of the text, or 0 if it has more events
 * than `most`. */
EXPORT(trace) size_t trace(size_t row, size_t most)
{
    uint32_t *out = calloc(count + 1, sizeof *out);
    events.most = most;
    explain.sink = page_events_sink;
    explain.context = &events;
    upsweep_status status = usw_explain_run(&explain, rows[row], values, count, out);
    if (status != UPSWEEP_OK) {
        return 0;
    }
    const usw_row *r = rows[row];
    page_events_end(&events, values, count, r->rounds == NULL ? 0 : r->rounds(count),
                    r->work == NULL ? 0 : r->work(count));
    return events.text.failed || events.too_many_names ? 0 : events.text.size;
}

EXPORT(text) const char *text(void)
{
    return events.text.bytes;
}
