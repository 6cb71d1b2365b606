/* page_write.c - a page: the parts of site/, with the algorithms' rows and sources, the glossary,
 * the traces and the explained forms in WebAssembly as one JSON object within. */
/* SPDX-License-Identifier: MIT */
#include "app/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/page/page_events.h"
#include "app/page/page_parts.h"
#include "app/trace/trace_input.h"

/* A page of so many events is a megabyte long. */
enum { PAGE_EVENTS = 40000 };

static int put_trace(page_text *t, const upsweep_algorithm *a, const uint32_t *values, size_t n)
{
    page_events p = {.most = PAGE_EVENTS};
    upsweep_status status = upsweep_trace(a->name, values, n, NULL, page_events_sink, &p);
    int result = APP_OK;
    if (p.too_long) {
        result = app_fail("%s takes more than %d steps on these numbers, too many for a page",
                          a->name, PAGE_EVENTS);
    } else if (status != UPSWEEP_OK) {
        result = app_trace_fail(a, p.text.failed ? UPSWEEP_ERROR_MEMORY : status);
    } else {
        page_events_end(&p, values, n, upsweep_rounds(a, n), upsweep_work(a, n));
        page_put(t, p.text.failed ? "" : p.text.bytes, p.text.failed ? 0 : p.text.size);
        t->failed = t->failed || p.text.failed;
    }
    page_events_free(&p);
    return result;
}

static void put_member(page_text *t, const char *key, const char *text)
{
    page_put_text(t, key);
    page_put_json(t, text);
}

static void put_rows(page_text *t)
{
    const upsweep_algorithm *a;
    page_put_text(t, "\"algorithms\":[");
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        page_put_text(t, k > 0 ? ",\n" : "\n");
        put_member(t, "{\"name\":", a->name);
        put_member(t, ",\"operation\":", a->operation);
        put_member(t, ",\"title\":", a->title);
        put_member(t, ",\"idea\":", a->idea);
        put_member(t, ",\"work\":", a->work);
        put_member(t, ",\"depth\":", a->depth);
        put_member(t, ",\"input\":", a->input);
        put_member(t, ",\"example\":", a->example);
        page_put_text(t, ",\"claims\":");
        page_put_number(t, a->claims);
        page_put_text(t, "}");
    }
    page_put_text(t, "]");
}

static void put_sources(page_text *t)
{
    page_put_text(t, ",\n\"sources\":{");
    for (size_t k = 0; k < page_source_count; k++) {
        page_put_text(t, k > 0 ? ",\n" : "\n");
        page_put_json(t, page_sources[k].name);
        put_member(t, ":", (const char *)page_sources[k].text);
    }
    page_put_text(t, "}");
}

static void put_base64(page_text *t, const unsigned char *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned left = size - i < 3 ? (unsigned)(size - i) : 3, three = 0;
        for (unsigned k = 0; k < 3; k++) {
            three = three << 8 | (k < left ? bytes[i + k] : 0u);
        }
        char four[] = {digit[three >> 18], digit[three >> 12 & 63],
                       (char)(left < 2 ? '=' : digit[three >> 6 & 63]),
                       (char)(left < 3 ? '=' : digit[three & 63])};
        page_put(t, four, sizeof four);
    }
}

static int put_data(page_text *t, const upsweep_algorithm *a, const upsweep_algorithm *beside,
                    const uint32_t *values, size_t n)
{
    put_member(t, "{\"version\":", upsweep_version());
    page_put_text(t, ",\n");
    put_rows(t);
    put_sources(t);
    put_member(t, ",\n\"glossary\":", (const char *)page_part_glossary);
    page_put_text(t, ",\n\"wasm\":\"");
    put_base64(t, page_part_wasm, page_part_wasm_size);
    page_put_text(t, "\",\n\"traces\":[");
    int status = put_trace(t, a, values, n);
    if (status == APP_OK && beside != NULL) {
        page_put_text(t, ",\n");
        status = put_trace(t, beside, values, n);
    }
    page_put_text(t, "]}");
    return status;
}

/* The page, with what belongs in the place of each @word@. */
static void put_page(FILE *f, const upsweep_algorithm *a, const page_text *data)
{
    const struct {
        const char *word;
        const void *bytes;
        size_t size;
    } all[] = {{"@title@", a->title, strlen(a->title)},
               {"@name@", a->name, strlen(a->name)},
               {"@style@", page_part_style, page_part_style_size},
               {"@script@", page_part_script, page_part_script_size},
               {"@data@", data->bytes, data->size}};
    const char *p = (const char *)page_part_html;
    while (*p != '\0') {
        size_t k = 0, count = sizeof all / sizeof *all;
        while (k < count && strncmp(p, all[k].word, strlen(all[k].word)) != 0) {
            k++;
        }
        if (k < count) {
            fwrite(all[k].bytes, 1, all[k].size, f);
            p += strlen(all[k].word);
        } else {
            fputc(*p++, f);
        }
    }
}

int page_write(FILE *f, const upsweep_algorithm *a, const upsweep_algorithm *beside,
               const uint32_t *values, size_t n)
{
    if (n > PAGE_NUMBERS) {
        return app_fail("a page plays at most %d numbers, and there are %zu", PAGE_NUMBERS, n);
    }
    page_text data = {0};
    int status = put_data(&data, a, beside, values, n);
    if (status == APP_OK && data.failed) {
        status = app_fail("out of memory");
    }
    if (status == APP_OK) {
        put_page(f, a, &data);
    }
    free(data.bytes);
    return status;
}
