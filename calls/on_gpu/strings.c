/* strings.c - sorts of strings on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"
#include "core/device.h"

typedef struct strings_job {
    const usw_gpu_string_sort *sort;
    uint64_t first; /* offset of the first byte that the call has */
} strings_job;

/* The strings in the order of an index, by a scan of their lengths. */
static upsweep_status gather(const usw_gpu_call *c, const usw_gpu_strings_step *step,
                             usw_gpu_strings *strings)
{
    const char *algorithm;
    const usw_gpu_scan_form *form = usw_gpu_form_for(c, USW_SCANS, NULL, &algorithm);
    usw_scan scan = {.in = strings->out_offsets,
                     .out = strings->out_offsets,
                     .n = strings->n + 1,
                     .type = strings->offset_bytes == 4 ? UPSWEEP_U32 : UPSWEEP_U64,
                     .op = UPSWEEP_SUM,
                     .exclusive = true};
    upsweep_status status = form == NULL ? UPSWEEP_ERROR_UNSUPPORTED : step->lengths(c->g, strings);
    status = status == UPSWEEP_OK ? form->scan(c->g, &scan, false) : status;
    return status == UPSWEEP_OK ? step->copy(c->g, strings) : status;
}

/* The index, by the strings' keys, which are sorted along. */
static upsweep_status sort_keys(usw_gpu_call *c, const usw_gpu_strings *strings)
{
    const usw_gpu_sort_form *form = usw_gpu_form(c, "sort_choice");
    usw_gpu_pairs pairs = {.keys = strings->keys,
                           .out_keys = strings->keys,
                           .out_values = strings->index,
                           .value_bytes = strings->index_bytes,
                           .n = strings->n / strings->stride,
                           .width = 3,
                           .map = usw_keymap_of(UPSWEEP_U64, 0),
                           .bit_end = 64,
                           .stable = true};
    return form == NULL ? UPSWEEP_ERROR_UNSUPPORTED : form->pairs(c->g, &pairs);
}

/* Writes the index of one string of `stride`: where these are many, by a sample of them. */
static upsweep_status sort_index(usw_gpu_call *c, const usw_gpu_strings_step *step,
                                 usw_gpu_strings strings)
{
    size_t samples = strings.n / strings.stride / USW_GPU_STRING_SAMPLE;
    if (strings.n / strings.stride < USW_GPU_MANY_STRINGS) {
        return step->few(c->g, &strings);
    }
    usw_gpu_strings sample = strings;
    sample.stride *= USW_GPU_STRING_SAMPLE;
    sample.index = c->p->scratch(c->g, samples * strings.index_bytes);
    if (sample.index == NULL) {
        return usw_gpu_failed(c, UPSWEEP_ERROR_MEMORY);
    }
    strings.sample = sample.index;
    upsweep_status status = sort_index(c, step, sample);
    status = status == UPSWEEP_OK ? step->keys(c->g, &strings) : status;
    status = status == UPSWEEP_OK ? sort_keys(c, &strings) : status;
    return status == UPSWEEP_OK ? step->tied(c->g, &strings) : status;
}

static upsweep_status work(usw_gpu_call *c)
{
    const strings_job *j = c->context;
    const usw_gpu_string_sort *s = j->sort;
    const usw_gpu_strings_step *step = usw_gpu_form(c, "strings");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    if (s->n == 0) { /* the one offset of no strings */
        return usw_gpu_store(c, c->arrays[4].at, 0, s->offset_bytes);
    }
    usw_gpu_strings strings = {.bytes = c->arrays[0].at,
                               .offsets = c->arrays[1].at,
                               .n = s->n,
                               .stride = 1,
                               .offset_bytes = s->offset_bytes,
                               .first = j->first,
                               .descending = s->descending,
                               .index = c->arrays[2].at,
                               .index_bytes = s->index_bytes,
                               .out_bytes = c->arrays[3].at,
                               .out_offsets = c->arrays[4].at};
    if (s->out_offsets != NULL) {
        strings.index_bytes = s->n - 1 <= UINT32_MAX ? 4 : 8;
        strings.index = c->p->scratch(c->g, s->n * strings.index_bytes);
        if (strings.index == NULL) {
            return usw_gpu_failed(c, UPSWEEP_ERROR_MEMORY);
        }
    }
    upsweep_status status = step->begin(c->g, &strings);
    status = status == UPSWEEP_OK ? sort_index(c, step, strings) : status;
    const bool few = s->n < USW_GPU_MANY_STRINGS;
    usw_report(c->u, few ? "merge sort" : "sample sort", "%zu strings on the GPU, by %s", s->n,
               few ? "their first 8 bytes that differ"
                   : "their place in a sample and the bytes that differ there");
    return status == UPSWEEP_OK && s->out_offsets != NULL ? gather(c, step, &strings) : status;
}

bool usw_gpu_strings_are_far(upsweep *u, const usw_gpu_string_sort *s)
{
    if (u->device == USW_AUTO && s->n * s->offset_bytes >= 1 << 16) { /* as belongs_on_gpu does */
        usw_gpu_notice(u);
    }
    return usw_gpu_only_plans(u) || usw_gpu_has(u, s->offsets);
}

/* What the call has of offsets in device memory that it must know: where bytes or out_bytes are not
 * there, how many these are. */
static upsweep_status read_ends(upsweep *u, usw_gpu_string_sort *s)
{
    const void *const there[] = {s->bytes, s->out_bytes};
    bool here = false;
    for (unsigned i = 0; i < 2 && !usw_gpu_only_plans(u); i++) {
        here = here || (there[i] != NULL && !usw_gpu_has(u, there[i]));
    }
    const void *first = s->offsets, *end = (const char *)s->offsets + s->n * s->offset_bytes;
    if (!here || s->n == 0) {
        return UPSWEEP_OK;
    }
    upsweep_status status = usw_gpu_bring_home(u, &first, s->offset_bytes, "offsets");
    status =
        status == UPSWEEP_OK ? usw_gpu_bring_home(u, &end, s->offset_bytes, "offsets") : status;
    if (status != UPSWEEP_OK) {
        return status;
    }
    s->first = s->end = 0;
    memcpy(&s->first, first, s->offset_bytes);
    memcpy(&s->end, end, s->offset_bytes);
    return s->first <= s->end
               ? UPSWEEP_OK
               : usw_fail(u, UPSWEEP_ERROR_RANGE, "the last string ends before the first begins");
}

bool usw_gpu_sort_strings(upsweep *u, const usw_gpu_string_sort *given, upsweep_status *status)
{
    usw_gpu_string_sort s = *given;
    *status = s.end == UINT64_MAX ? read_ends(u, &s) : UPSWEEP_OK;
    if (*status != UPSWEEP_OK) {
        return true;
    }
    const bool far = s.end == UINT64_MAX; /* the host does not see how many bytes there are */
    strings_job j = {&s, far ? 0 : s.first};
    size_t bytes = far ? 1 : s.end - s.first, offsets = (s.n + 1) * s.offset_bytes;
    const char *at = s.bytes;
    usw_gpu_array arrays[] = {
        usw_gpu_in("bytes", bytes == 0 || at == NULL ? NULL : at + j.first, bytes),
        usw_gpu_in("offsets", s.n == 0 ? NULL : s.offsets, offsets),
        usw_gpu_out("index", s.index, s.n * s.index_bytes),
        usw_gpu_out("out_bytes", bytes == 0 ? NULL : s.out_bytes, bytes),
        usw_gpu_out("out_offsets", s.out_offsets, s.out_offsets == NULL ? 0 : offsets)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 5, .work = work, .context = &j};
    c.risks[0] = (usw_gpu_risk){USW_FAULT_STRINGS, s.n};
    return usw_gpu_run(&c, status);
}
