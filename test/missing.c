/* missing.c - calls that are not there yet say so. */
#include "upsweep.h"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunused-parameter"
#else
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
__attribute__((weak)) upsweep_status upsweep_sort(upsweep *u, void *keys, size_t n,
                                                  upsweep_type type, const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_sort_pairs(upsweep *u, void *keys, void *values,
                                                        size_t n, upsweep_type type,
                                                        size_t value_bytes,
                                                        const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_argsort(upsweep *u, const void *keys, size_t n,
                                                     upsweep_type type, void *index,
                                                     unsigned index_bits,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_sort_records(upsweep *u, void *records, size_t n,
                                                          size_t record_bytes,
                                                          const upsweep_field *fields,
                                                          size_t field_count,
                                                          const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_sort_by(upsweep *u, void *base, size_t n, size_t bytes,
                                                     upsweep_compare compare, void *context,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_merge(upsweep *u, const void *a, size_t na,
                                                   const void *b, size_t nb, void *out,
                                                   upsweep_type type,
                                                   const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_merge_runs(upsweep *u, const void *const *runs,
                                                        const size_t *counts, size_t k, void *out,
                                                        upsweep_type type,
                                                        const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_is_sorted(upsweep *u, const void *keys, size_t n,
                                                       upsweep_type type, size_t *first,
                                                       const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_nth_element(upsweep *u, void *keys, size_t n, size_t k,
                                                         upsweep_type type,
                                                         const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_top_k(upsweep *u, const void *keys, size_t n, size_t k,
                                                   upsweep_type type, void *out, uint64_t *index,
                                                   const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_unique(upsweep *u, void *keys, size_t n,
                                                    upsweep_type type, size_t *kept,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_run_lengths(upsweep *u, const void *keys, size_t n,
                                                         upsweep_type type, void *out_keys,
                                                         uint64_t *out_counts, size_t *runs,
                                                         const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_reduce(upsweep *u, const void *data, size_t n,
                                                    upsweep_type type, upsweep_op op, void *result,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_type upsweep_reduce_type(upsweep_type type, upsweep_op op)
{
    return (upsweep_type)0;
}
__attribute__((weak)) upsweep_status upsweep_argmin(upsweep *u, const void *data, size_t n,
                                                    upsweep_type type, size_t *index,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_argmax(upsweep *u, const void *data, size_t n,
                                                    upsweep_type type, size_t *index,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_minmax(upsweep *u, const void *data, size_t n,
                                                    upsweep_type type, void *least, void *greatest,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_reduce_by(upsweep *u, const void *data, size_t n,
                                                       size_t bytes, upsweep_combine combine,
                                                       void *context, void *result,
                                                       const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_scan(upsweep *u, const void *in, void *out, size_t n,
                                                  upsweep_type type, upsweep_op op,
                                                  const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status
upsweep_scan_segmented(upsweep *u, const void *in, const uint8_t *heads, void *out, size_t n,
                       upsweep_type type, upsweep_op op, const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status
upsweep_scan_by_key(upsweep *u, const void *keys, upsweep_type key_type, const void *in, void *out,
                    size_t n, upsweep_type type, upsweep_op op, const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_scan_by(upsweep *u, const void *in, void *out,
                                                     size_t n, size_t bytes,
                                                     upsweep_combine combine, void *context,
                                                     const void *identity,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_split(upsweep *u, const void *in, const uint8_t *flags,
                                                   void *out, size_t n, size_t bytes, size_t *zeros,
                                                   const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_compact(upsweep *u, const void *in,
                                                     const uint8_t *flags, void *out, size_t n,
                                                     size_t bytes, size_t *kept,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_histogram(upsweep *u, const void *keys, size_t n,
                                                       upsweep_type type,
                                                       const upsweep_bucketing *buckets,
                                                       uint64_t *counts,
                                                       const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_split_keys(upsweep *u, const void *keys, void *out,
                                                        size_t n, upsweep_type type,
                                                        const upsweep_bucketing *buckets,
                                                        uint64_t *offsets,
                                                        const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_split_ids(upsweep *u, const void *in, const void *ids,
                                                       upsweep_type id_type, size_t count,
                                                       void *out, size_t n, size_t bytes,
                                                       uint64_t *offsets,
                                                       const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_gather(upsweep *u, const void *in, size_t in_count,
                                                    const void *index, unsigned index_bits,
                                                    void *out, size_t n, size_t bytes,
                                                    const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_scatter(upsweep *u, const void *in, const void *index,
                                                     unsigned index_bits, void *out,
                                                     size_t out_count, size_t n, size_t bytes,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_permute(upsweep *u, void *data, const void *index,
                                                     unsigned index_bits, size_t n, size_t bytes,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_reverse(upsweep *u, void *data, size_t n, size_t bytes,
                                                     const upsweep_options *options)
{
    return (upsweep_status)77;
}
__attribute__((weak)) upsweep_status upsweep_trace(const char *name, const uint32_t *values,
                                                   size_t n, uint32_t *result, upsweep_sink sink,
                                                   void *context)
{
    return (upsweep_status)77;
}
