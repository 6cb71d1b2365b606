/* program_0_1_0_calls.c - the calls of 0.1.0 that sort, fold, move and find paths, each seen to do
 * what it did. */
/* SPDX-License-Identifier: MIT */
#include "program_0_1_0.h"

/* ---- keys ---- */

static int by_remainder(const void *a, const void *b, void *context)
{
    uint32_t x, y, m = *(const uint32_t *)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x % m > y % m) - (x % m < y % m);
}

void call_sorts(upsweep *u)
{
    enum { N = 3000 };
    static uint32_t keys[N], values[N], other[2 * N], index[N];
    size_t first = 0, kept = 0;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    upsweep_options none = {0}; /* a size of 0 is as good */
    fill(keys, N);
    o.flags = UPSWEEP_DESCENDING;
    OK(upsweep_argsort(u, keys, N, UPSWEEP_U32, index, 32, &none));
    OK(upsweep_gather(u, keys, N, index, 32, other, N, 4, &none));
    CHECK(rises(other, N));
    OK(upsweep_sort_pairs(u, keys, values, N, UPSWEEP_U32, 4, &o));
    OK(upsweep_reverse(u, keys, N, 4, NULL));
    OK(upsweep_is_sorted(u, keys, N, UPSWEEP_U32, &first, NULL));
    CHECK(first == N && memcmp(keys, other, sizeof keys) == 0);
    o = (upsweep_options){sizeof o, "sort/radix", 0, 4, 12};
    fill(keys, N);
    OK(upsweep_sort(u, keys, N, UPSWEEP_U32, &o));
    for (size_t i = 1; i < N; i++) {
        CHECK((keys[i - 1] >> 4 & 255) <= (keys[i] >> 4 & 255));
    }
    OK(upsweep_sort_rows(u, keys, N, UPSWEEP_U32, NULL, 30, index, 32, NULL));
    CHECK(rises(keys, N / 30) && rises(keys + N - N / 30, N / 30));
    uint32_t modulus = 97;
    OK(upsweep_sort_by(u, keys, N, 4, by_remainder, &modulus, NULL));
    CHECK(keys[0] % 97 == 0 && keys[N - 1] % 97 == 96);
    OK(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL));
    OK(upsweep_merge(u, keys, N, keys, N, other, UPSWEEP_U32, NULL));
    CHECK(rises(other, 2 * N));
    const void *runs[] = {keys, keys + 1000};
    const size_t counts[] = {1000, 500};
    OK(upsweep_merge_runs(u, runs, counts, 2, other, UPSWEEP_U32, NULL));
    CHECK(rises(other, 1500));
    OK(upsweep_merge(u, keys, N, keys, N, other, UPSWEEP_U32, NULL));
    OK(upsweep_unique(u, other, 2 * N, UPSWEEP_U32, &kept, NULL));
    CHECK(kept == N && memcmp(other, keys, sizeof keys) == 0);
    uint64_t many[4], at[3];
    uint32_t runs_of[] = {5, 5, 5, 9}, distinct[4], top[3];
    OK(upsweep_run_lengths(u, runs_of, 4, UPSWEEP_U32, distinct, many, &kept, NULL));
    CHECK(kept == 2 && many[0] == 3 && many[1] == 1 && distinct[1] == 9);
    o = (upsweep_options){.flags = UPSWEEP_MAX};
    OK(upsweep_top_k(u, keys, N, 3, UPSWEEP_U32, top, at, &o));
    CHECK(top[0] == keys[N - 1] && top[2] == keys[N - 3] && at[0] == N - 1);
    fill(other, N);
    OK(upsweep_nth_element(u, other, N, 77, UPSWEEP_U32, &o));
    CHECK(other[77] == keys[N - 1 - 77]);
    o.flags = 1u << 20;
    CHECK(upsweep_sort(u, keys, N, UPSWEEP_U32, &o) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(strlen(upsweep_error(u)) > 10);
}

typedef struct record {
    char name[6];
    uint16_t number;
    double weight;
} record;

void call_records(upsweep *u)
{
    upsweep_field fields[40];
    memset(fields, RUBBISH, sizeof fields); /* what no field of 0.1.0 covers stays rubbish */
    for (size_t i = 0; i < 40; i++) {
        fields[i].offset = i == 0 ? offsetof(record, number) : offsetof(record, weight);
        fields[i].type = i == 0 ? UPSWEEP_U16 : UPSWEEP_F64;
        fields[i].bytes = 0;
        fields[i].flags = i == 0 ? UPSWEEP_DESCENDING : 0;
    }
    for (size_t count = 2; count <= 40; count += 38) {
        record r[] = {{"a", 1, 3}, {"b", 2, 2}, {"c", 2, 1}, {"d", 1, 0.5}};
        OK(upsweep_sort_records(u, r, 4, sizeof r[0], fields, count, NULL));
        CHECK(r[0].name[0] == 'c' && r[1].name[0] == 'b' && r[2].name[0] == 'd');
    }
    record r[2] = {{"b", 1, 1}, {"a", 1, 1}};
    fields[0] = (upsweep_field){offsetof(record, name), (upsweep_type)0, 6, 0};
    OK(upsweep_sort_records(u, r, 2, sizeof r[0], fields, 1, NULL));
    CHECK(r[0].name[0] == 'a');
    fields[0].offset = sizeof(record);
    CHECK(upsweep_sort_records(u, r, 2, sizeof r[0], fields, 1, NULL) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(upsweep_sort_records(u, r, 2, sizeof r[0], NULL, 1, NULL) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(upsweep_sort_records(NULL, r, 2, 1, fields, 1, NULL) == UPSWEEP_ERROR_ARGUMENT);
}

/* ---- folds, buckets, moves ---- */

static void add(void *accumulator, const void *element, void *context)
{
    uint32_t a, b;
    (void)context;
    memcpy(&a, accumulator, 4);
    memcpy(&b, element, 4);
    a += b;
    memcpy(accumulator, &a, 4);
}

void call_folds(upsweep *u)
{
    uint32_t data[] = {3, 1, 2, 7}, out[4], zero = 0, least = 0, greatest = 0;
    uint8_t heads[] = {1, 0, 1, 0};
    uint64_t sum = 0, product = 0;
    size_t index = 9;
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL));
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_PRODUCT, &product, NULL));
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_LEAST, &least, NULL));
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_GREATEST, &greatest, NULL));
    CHECK(sum == 13 && product == 42 && least == 1 && greatest == 7);
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_AND, out, NULL));
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_OR, out + 1, NULL));
    OK(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_XOR, out + 2, NULL));
    CHECK(out[0] == 0 && out[1] == 7 && out[2] == (3 ^ 1 ^ 2 ^ 7));
    CHECK(upsweep_reduce(u, data, 4, UPSWEEP_U32, (upsweep_op)8, out, NULL) ==
          UPSWEEP_ERROR_ARGUMENT);
    CHECK(upsweep_reduce_type(UPSWEEP_F32, UPSWEEP_SUM) == UPSWEEP_F64);
    CHECK(upsweep_reduce_type(UPSWEEP_F32, UPSWEEP_XOR) == 0);
    OK(upsweep_argmin(u, data, 4, UPSWEEP_U32, &index, NULL));
    CHECK(index == 1);
    OK(upsweep_argmax(u, data, 4, UPSWEEP_U32, &index, NULL));
    CHECK(index == 3);
    OK(upsweep_minmax(u, data, 4, UPSWEEP_U32, &least, &greatest, NULL));
    CHECK(least == 1 && greatest == 7);
    OK(upsweep_reduce_by(u, data, 4, 4, add, NULL, &zero, NULL));
    CHECK(zero == 13);
    OK(upsweep_scan(u, data, out, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    CHECK(out[0] == 3 && out[3] == 13);
    upsweep_options exclusive = {.flags = UPSWEEP_EXCLUSIVE};
    OK(upsweep_scan(u, data, out, 4, UPSWEEP_U32, UPSWEEP_GREATEST, &exclusive));
    CHECK(out[0] == 0 && out[3] == 3);
    OK(upsweep_scan_segmented(u, data, heads, out, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    CHECK(out[1] == 4 && out[3] == 9);
    OK(upsweep_scan_by_key(u, heads, UPSWEEP_U8, data, out, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    CHECK(out[0] == 3 && out[1] == 1);
    zero = 0;
    OK(upsweep_scan_by(u, data, out, 4, 4, add, NULL, &zero, NULL));
    CHECK(out[3] == 13);
}

void call_moves(upsweep *u)
{
    uint32_t data[] = {12, 3, 9, 5}, out[4], low = 0, high = 16, index[] = {2, 0, 3, 1};
    const uint32_t edges[] = {0, 4, 16};
    uint8_t flags[] = {1, 0, 1, 0};
    uint64_t counts[16], offsets[3];
    size_t zeros = 9;
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 4, .count = 16};
    OK(upsweep_histogram(u, data, 4, UPSWEEP_U32, &b, counts, NULL));
    CHECK(counts[12] == 1 && counts[3] == 1 && counts[0] == 0);
    b = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_WIDTH, .count = 2, .low = &low, .high = &high};
    OK(upsweep_histogram(u, data, 4, UPSWEEP_U32, &b, counts, NULL));
    CHECK(counts[0] == 2 && counts[1] == 2);
    b = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_EDGES, .count = 2, .edges = edges};
    OK(upsweep_split_keys(u, data, out, 4, UPSWEEP_U32, &b, offsets, NULL));
    CHECK(out[0] == 3 && out[1] == 12 && offsets[1] == 1 && offsets[2] == 4);
    OK(upsweep_split_ids(u, data, flags, UPSWEEP_U8, 2, out, 4, 4, offsets, NULL));
    CHECK(out[0] == 3 && out[2] == 12 && offsets[1] == 2);
    OK(upsweep_split(u, data, flags, out, 4, 4, &zeros, NULL));
    CHECK(zeros == 2 && out[0] == 3 && out[1] == 5);
    OK(upsweep_compact(u, data, flags, out, 4, 4, &zeros, NULL));
    CHECK(zeros == 2 && out[0] == 12 && out[1] == 9);
    OK(upsweep_scatter(u, data, index, 32, out, 4, 4, 4, NULL));
    CHECK(out[2] == 12 && out[0] == 3);
    OK(upsweep_permute(u, data, index, 32, 4, 4, NULL));
    CHECK(memcmp(data, out, sizeof data) == 0);
}

/* ---- graphs ---- */

static int take_row(void *context, const upsweep_path_row *row)
{
    size_t *rows = context;
    const uint32_t *distance = row->distance;
    CHECK(row->number == *rows && row->parent != NULL && row->count == 3 && row->vertex != NULL);
    CHECK(distance[0] == (row->source == 0 ? 0 : 5));
    *rows += 1;
    return 0;
}

void call_graphs(upsweep *u)
{
    const uint32_t tail[] = {0, 1}, head[] = {1, 2}, weight[] = {5, 7}, sources[] = {0, 1};
    const uint64_t begin[] = {0, 1, 2, 2, 2};
    uint32_t distance[8], parent[4], path[4], cutoff = 6, matrix[4] = {0, 4, 3, 0};
    size_t length = 4, rows = 0;
    upsweep_graph *g;
    GUARDED(upsweep_graph_info) info;
    OK(upsweep_graph_from_arcs(u, 4, 2, tail, head, weight, UPSWEEP_U32, UPSWEEP_GRAPH_UNDIRECTED,
                               &g));
    SPOIL(info);
    upsweep_graph_describe(g, &info.it);
    CHECK(info.it.vertices == 4 && info.it.arcs == 4 && info.it.weight_type == UPSWEEP_U32);
    CHECK(info.it.distance_type == UPSWEEP_U32 && info.it.weight_max == 7 &&
          info.it.degree_max == 2);
    CHECK(info.it.weight_mean == 6 && info.it.bytes > 0);
    CHECK_GUARDS(info);
    upsweep_path_options o = {.size = sizeof o, .algorithm = "path/bucket"};
    OK(upsweep_paths(u, g, sources, 1, distance, parent, &o));
    CHECK(distance[2] == 12 && distance[3] == UINT32_MAX && parent[2] == 1);
    o = (upsweep_path_options){.cutoff = &cutoff};
    OK(upsweep_paths(u, g, sources, 1, distance, NULL, &o));
    CHECK(distance[1] == 5 && distance[2] == UINT32_MAX);
    OK(upsweep_path_of(parent, 4, 2, path, &length));
    CHECK(length == 3 && path[0] == 0 && path[1] == 1 && path[2] == 2);
    upsweep_batch_options each = {.size = sizeof each,
                                  .flags = UPSWEEP_PATHS_REACHED | UPSWEEP_PATHS_PARENTS};
    OK(upsweep_paths_batch(u, g, sources, 2, &each, take_row, &rows));
    CHECK(rows == 2);
    each.flags = 4;
    CHECK(upsweep_paths_batch(u, g, sources, 2, &each, take_row, &rows) == UPSWEEP_ERROR_ARGUMENT);
    OK(upsweep_paths_matrix(u, g, sources, 2, NULL, distance, NULL));
    CHECK(distance[4] == 5 && distance[6] == 7);
    upsweep_graph_free(g);
    CHECK(upsweep_graph_from_arcs(u, 4, 2, tail, head, weight, UPSWEEP_U32, 8, &g) ==
          UPSWEEP_ERROR_ARGUMENT);
    CHECK(upsweep_graph_from_arcs(u, 4, 2, tail, head, weight, UPSWEEP_U32, UPSWEEP_GRAPH_SYMMETRIC,
                                  &g) == UPSWEEP_ERROR_RANGE);
    OK(upsweep_graph_from_rows(u, 4, begin, head, weight, UPSWEEP_I32, UPSWEEP_GRAPH_NEGATIVE, &g));
    length = 0;
    OK(upsweep_bellman_ford(u, g, sources, 1, distance, NULL, NULL, &length));
    CHECK(distance[2] == 12);
    upsweep_graph_free(g);
    OK(upsweep_paths_dense(u, matrix, 2, UPSWEEP_U32, sources, 1, distance, parent, NULL));
    CHECK(distance[1] == 4);
    SPOIL(info);
    upsweep_graph_describe(NULL, &info.it);
    CHECK(info.it.vertices == 0 && info.it.bytes == 0);
    CHECK_GUARDS(info);
}
