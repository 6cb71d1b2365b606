/* typed.cpp - upsweep_typed.h and what upsweep.h gives to start structs with, as C++11 and later:
 * no warning, and results as they are. */
/* SPDX-License-Identifier: MIT */
#include <cstdio>
#include <upsweep_typed.h>

static int failures;
#define CHECK(fact)                                                                                \
    do {                                                                                           \
        if (!(fact)) {                                                                             \
            std::fprintf(stderr, "typed.cpp:%d: not so: %s\n", __LINE__, #fact);                   \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void starts()
{
    const upsweep_options options = UPSWEEP_OPTIONS_INIT;
    const upsweep_report report = UPSWEEP_REPORT_INIT;
    const upsweep_machine machine = UPSWEEP_MACHINE_INIT;
    const upsweep_tuning tuning = UPSWEEP_TUNING_INIT;
    const upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    const upsweep_external_report external = UPSWEEP_EXTERNAL_REPORT_INIT;
    const upsweep_graph_info graph = UPSWEEP_GRAPH_INFO_INIT;
    const upsweep_picture picture = UPSWEEP_PICTURE_INIT;
    CHECK(options.size == sizeof options && report.size == sizeof report);
    CHECK(machine.size == sizeof machine && tuning.size == sizeof tuning);
    CHECK(config.size == sizeof config && external.size == sizeof external);
    CHECK(graph.size == sizeof graph && picture.size == sizeof picture);
}

static void calls(upsweep *u)
{
    float keys[] = {3, 1, 2, 1}, least = 0, out[6];
    const float one[] = {1, 4}, two[] = {2, 3, 9, 9};
    const float *const runs[] = {one, two};
    const size_t counts[] = {2, 4};
    uint32_t order[4];
    double sum = 0;
    CHECK(upsweep_argsort(u, keys, 4, order) == UPSWEEP_OK && order[0] == 1 && order[3] == 0);
    CHECK(upsweep_sort_f32(u, keys, 4) == UPSWEEP_OK && keys[0] < keys[3]);
    CHECK(upsweep_sum(u, keys, 4, &sum) == UPSWEEP_OK && sum > 6.5 && sum < 7.5);
    CHECK(upsweep_min(u, keys, 4, &least) == UPSWEEP_OK && least < 1.5F);
    CHECK(upsweep_merge_runs(u, runs, counts, 2, out) == UPSWEEP_OK && out[0] < out[1] &&
          out[3] > 3.5F);
    long long wide[] = {3, -1, 2}, lowest = 0; // which int64_t is not everywhere
    unsigned long long counts_of[] = {3, 1};
    int64_t total = 0;
    CHECK(upsweep_sort(u, wide, 3) == UPSWEEP_OK && wide[0] == -1 && wide[2] == 3);
    CHECK(upsweep_sum(u, wide, 3, &total) == UPSWEEP_OK && total == 4);
    CHECK(upsweep_min(u, wide, 3, &lowest) == UPSWEEP_OK && lowest == -1);
    CHECK(upsweep_sort(u, counts_of, 2) == UPSWEEP_OK && counts_of[0] == 1);
    const uint32_t tail[] = {0, 1}, head[] = {1, 2}, from = 0, weight[] = {5, 6};
    uint32_t far[3];
    upsweep_graph *graph = nullptr;
    CHECK(upsweep_graph_from_arcs_u32(u, 3, 2, tail, head, weight, 0, &graph) == UPSWEEP_OK);
    CHECK(upsweep_paths_u32(u, graph, &from, 1, far, nullptr, nullptr) == UPSWEEP_OK &&
          far[2] == 11);
    upsweep_graph_free(graph);
}

int main()
{
    upsweep *u = nullptr;
    starts();
    CHECK(upsweep_open(&u, nullptr, nullptr) == UPSWEEP_OK);
    calls(u);
    upsweep_close(u);
    return failures != 0;
}
