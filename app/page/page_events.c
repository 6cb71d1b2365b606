/* page_events.c - see page_events.h. It prints by itself, without stdio, because it runs in pages,
 * too. */
/* SPDX-License-Identifier: MIT */
#include "app/page/page_events.h"

#include <stdlib.h>
#include <string.h>

void page_put(page_text *t, const char *bytes, size_t count)
{
    if (t->bytes == NULL || t->room - t->size < count) {
        size_t room = 2 * t->room + count + 4096;
        char *more = t->failed ? NULL : realloc(t->bytes, room);
        if (more == NULL) {
            t->failed = true;
            return;
        }
        t->bytes = more;
        t->room = room;
    }
    memcpy(t->bytes + t->size, bytes, count);
    t->size += count;
}

void page_put_text(page_text *t, const char *text)
{
    page_put(t, text, strlen(text));
}

void page_put_number(page_text *t, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    page_put(t, digits + at, sizeof digits - at);
}

void page_put_json(page_text *t, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    page_put(t, "\"", 1);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\n') {
            page_put(t, "\\n", 2);
        } else if (c < ' ' || c == '<' || c == '"' || c == '\\') {
            char code[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            page_put(t, code, sizeof code);
        } else {
            page_put(t, text, 1);
        }
    }
    page_put(t, "\"", 1);
}

/* The place of a name in a list that it joins if it is new. */
static size_t number_of(page_events *p, char *names, size_t stride, size_t *count, size_t most,
                        const char *name, size_t length)
{
    for (size_t k = 0; k < *count; k++) {
        if (strncmp(names + k * stride, name, length) == 0 && names[k * stride + length] == '\0') {
            return k;
        }
    }
    if (*count == most || length >= stride) {
        p->too_many_names = true;
        return 0;
    }
    memcpy(names + *count * stride, name, length);
    names[*count * stride + length] = '\0';
    return (*count)++;
}

static void put_next(page_events *p, uint64_t number)
{
    page_put(&p->text, ",", 1);
    page_put_number(&p->text, number);
}

static void put_array(page_events *p, const char *name)
{
    put_next(
        p, number_of(p, p->arrays[0], PAGE_NAME, &p->array_count, PAGE_ARRAYS, name, strlen(name)));
}

static void put_line(page_events *p, const upsweep_event *e)
{
    const char *slash = strrchr(e->file, '/');
    const char *file = slash == NULL ? e->file : slash + 1;
    page_text name = {0};
    page_put_text(&name, file);
    page_put(&name, ":", 1);
    page_put_number(&name, e->line);
    p->text.failed = p->text.failed || name.failed;
    if (!name.failed) {
        put_next(p, number_of(p, p->lines[0], PAGE_WORD, &p->line_count, PAGE_LINES, name.bytes,
                              name.size));
    }
    free(name.bytes);
}

static void put_values(page_text *t, const uint32_t *values, size_t n)
{
    page_put(t, "[", 1);
    for (size_t k = 0; k < n; k++) {
        page_put(t, ",", k > 0);
        page_put_number(t, values[k]);
    }
    page_put(t, "]", 1);
}

/* [kind, array, role, vector, values, line] */
static void put_state(page_events *p, const upsweep_event *e)
{
    put_array(p, e->array);
    page_put(&p->text, ",", 1);
    page_put_json(&p->text, e->text == NULL ? "" : e->text);
    put_next(p, e->i);
    page_put(&p->text, ",", 1);
    put_values(&p->text, e->values, e->count);
    put_line(p, e);
}

/* [kind, lane, array, i, a, other, j, b, line]; a set ends with a and the line, a move has 0 for
 * b. */
static void put_step(page_events *p, const upsweep_event *e)
{
    put_next(p, e->lane);
    put_array(p, e->array);
    put_next(p, e->i);
    put_next(p, e->a);
    if (e->kind != UPSWEEP_EVENT_SET) {
        put_array(p, e->other);
        put_next(p, e->j);
        put_next(p, e->b);
    }
    put_line(p, e);
}

int page_events_sink(void *events, const upsweep_event *e)
{
    page_events *p = events;
    if (e->kind == UPSWEEP_EVENT_BEGIN) {
        page_put_text(&p->text, "{\"algorithm\":");
        page_put_json(&p->text, e->text);
        page_put_text(&p->text, ",\"events\":[");
        return p->text.failed;
    }
    page_put(&p->text, ",\n[", p->events == 0 ? 0 : 2);
    page_put(&p->text, "[", 1);
    page_put_number(&p->text, (uint64_t)e->kind);
    switch (e->kind) {
    case UPSWEEP_EVENT_PHASE:
    case UPSWEEP_EVENT_ROUND:
    case UPSWEEP_EVENT_NOTE:
        page_put(&p->text, ",", 1);
        page_put_json(&p->text, e->text);
        put_line(p, e);
        break;
    case UPSWEEP_EVENT_ARRAY: put_state(p, e); break;
    case UPSWEEP_EVENT_END_ROUND:
    case UPSWEEP_EVENT_END: break;
    default: put_step(p, e);
    }
    page_put(&p->text, "]", 1);
    p->events++;
    p->too_long = p->most > 0 && p->events > p->most;
    return p->text.failed || p->too_long;
}

static void put_names(page_text *t, const char *key, const char *names, size_t stride, size_t count)
{
    page_put_text(t, key);
    for (size_t k = 0; k < count; k++) {
        page_put(t, ",", k > 0);
        page_put_json(t, names + k * stride);
    }
    page_put(t, "]", 1);
}

void page_events_end(page_events *p, const uint32_t *values, size_t n, uint64_t rounds,
                     uint64_t work)
{
    page_put(&p->text, "]", 1);
    put_names(&p->text, ",\"arrays\":[", p->arrays[0], PAGE_NAME, p->array_count);
    put_names(&p->text, ",\"lines\":[", p->lines[0], PAGE_WORD, p->line_count);
    page_put_text(&p->text, ",\"rounds\":");
    page_put_number(&p->text, rounds);
    page_put_text(&p->text, ",\"work\":");
    page_put_number(&p->text, work);
    page_put_text(&p->text, ",\"input\":");
    put_values(&p->text, values, n);
    page_put(&p->text, "}", 1);
}

void page_events_free(page_events *p)
{
    free(p->text.bytes);
    *p = (page_events){.most = p->most};
}
