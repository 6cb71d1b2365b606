/* textbook.cu - the sorts of the table on a GPU, by name through the public call, beside the fast
 * ones and CUB: time over n; and the time of each pass of the vector merge sort, with every merge
 * cut into pieces (merge path) and with one lane for a pair of lists. Every outcome is compared
 * with std::sort's. Medians of five; keys of 32 bits, uniform. */
/* SPDX-License-Identifier: MIT */
#include "gpu/textbook/vmerge_tuning.cuh"

#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <random>
#include <vector>

#include "upsweep.h"

namespace
{

enum { REPEATS = 5 };

struct setting {
    usw_gpu *g;             /* for the passes of one form by itself */
    upsweep *u;             /* on g's stream */
    uint32_t *keys, *input; /* device */
    void *room;             /* CUB's */
    size_t room_bytes;
    cudaEvent_t begin, end;
    bool right;
};

double median(std::vector<double> t)
{
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

/* The time of call(), in ms. */
template <typename Call> double time_ms(setting *s, size_t n, Call call)
{
    float ms = 0;
    cudaMemcpyAsync(s->keys, s->input, n * 4, cudaMemcpyDeviceToDevice, s->g->stream);
    cudaEventRecord(s->begin, s->g->stream);
    call();
    cudaEventRecord(s->end, s->g->stream);
    s->right = cudaStreamSynchronize(s->g->stream) == cudaSuccess && s->right;
    cudaEventElapsedTime(&ms, s->begin, s->end);
    return ms;
}

void compare(setting *s, const std::vector<uint32_t> &sorted, const char *name)
{
    std::vector<uint32_t> got(sorted.size());
    cudaMemcpy(got.data(), s->keys, got.size() * 4, cudaMemcpyDeviceToHost);
    if (got != sorted) {
        printf("%s: WRONG for %zu keys\n", name, got.size());
        s->right = false;
    }
}

void sort_by_name(setting *s, size_t n, const char *name)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.algorithm = name;
    if (upsweep_sort(s->u, s->keys, n, UPSWEEP_U32, &o) != UPSWEEP_OK) {
        printf("%s: %s\n", name, upsweep_error(s->u));
        s->right = false;
    }
}

void sort_by_cub(setting *s, size_t n)
{
    size_t bytes = s->room_bytes;
    if (cub::DeviceRadixSort::SortKeys(s->room, bytes, s->input, s->keys, n, 0, 32, s->g->stream) !=
        cudaSuccess) {
        s->right = false;
    }
}

void time_sorts(setting *s, size_t n, const std::vector<uint32_t> &sorted)
{
    static const struct {
        const char *name; /* nullptr: CUB */
        size_t most;
    } rows[] = {{"sort/oddeven", size_t(1) << 22}, {"sort/bitonic", SIZE_MAX},
                {"sort/vmerge", SIZE_MAX},         {"sort/split", SIZE_MAX},
                {"sort/sample", SIZE_MAX},         {"sort/radix", SIZE_MAX},
                {"sort/hybrid", SIZE_MAX},         {nullptr, SIZE_MAX}};
    printf("| %zu |", n);
    for (const auto &row : rows) {
        std::vector<double> t;
        for (int r = 0; r <= REPEATS && n <= row.most; r++) {
            const double ms = time_ms(s, n, [&] {
                row.name != nullptr ? sort_by_name(s, n, row.name) : sort_by_cub(s, n);
            });
            if (r > 0) { /* the first one loads kernels and takes scratch */
                t.push_back(ms);
            }
        }
        if (t.empty()) {
            printf(" - |");
        } else {
            printf(" %.3f |", median(t));
            compare(s, sorted, row.name != nullptr ? row.name : "CUB");
        }
    }
    printf("\n");
    fflush(stdout);
}

/* ---- passes ---- */

struct passes {
    cudaStream_t stream;
    bool planning;
    std::vector<cudaEvent_t> after;
    std::vector<size_t> list;
};

void note(void *context, size_t list)
{
    passes *p = static_cast<passes *>(context);
    if (!p->planning) {
        cudaEvent_t e;
        cudaEventCreate(&e);
        cudaEventRecord(e, p->stream);
        p->after.push_back(e);
        p->list.push_back(list);
    }
}

std::vector<double> time_passes(setting *s, size_t n, size_t piece, std::vector<size_t> *lists)
{
    std::vector<std::vector<double>> t;
    const usw_gpu_sort q = {s->keys, n, 2, {32, 0, 0, 0}, 0, 32, false, false, nullptr};
    for (int r = 0; r < REPEATS; r++) {
        passes p = {s->g->stream, true, {}, {}};
        usw_gpu_begin(s->g, true);
        usw_vmerge_tuned(s->g, &q, {piece, note, &p});
        const size_t scratch = s->g->scratch_peak;
        usw_gpu_end(s->g);
        usw_gpu_reserve(s->g, scratch);
        usw_gpu_begin(s->g, false);
        p.planning = false;
        time_ms(s, n, [&] { usw_vmerge_tuned(s->g, &q, {piece, note, &p}); });
        usw_gpu_end(s->g);
        t.resize(p.after.size());
        for (size_t i = 0; i < p.after.size(); i++) {
            float ms = 0;
            cudaEventElapsedTime(&ms, i == 0 ? s->begin : p.after[i - 1], p.after[i]);
            t[i].push_back(ms);
        }
        *lists = p.list;
        for (cudaEvent_t e : p.after) {
            cudaEventDestroy(e);
        }
    }
    std::vector<double> medians;
    for (const auto &pass : t) {
        medians.push_back(median(pass));
    }
    return medians;
}

void show_passes(setting *s, size_t n, const std::vector<uint32_t> &sorted)
{
    std::vector<size_t> lists;
    const std::vector<double> cut = time_passes(s, n, 64, &lists);
    compare(s, sorted, "merge path");
    const std::vector<double> whole = time_passes(s, n, SIZE_MAX, &lists);
    compare(s, sorted, "one lane a pair of lists");
    printf(
        "\nvector merge sort, %zu keys: ms a pass\n\n| lists of | one lane a pair | merge path |\n"
        "|---|---|---|\n",
        n);
    for (size_t i = 0; i < lists.size(); i++) {
        printf("| %zu | %.3f | %.3f |\n", lists[i], whole[i], cut[i]);
    }
}

} // namespace

int main(void)
{
    char error[256];
    const char *why = "";
    setting s = {};
    const size_t most = size_t(1) << 26, passes_of = size_t(1) << 22;
    if (usw_gpu_open(&s.g, 0, 0, error, sizeof error) != UPSWEEP_OK) {
        printf("%s\n", error);
        return 2;
    }
    if (upsweep_open_why(&s.u, "cuda", nullptr, &why) != UPSWEEP_OK ||
        upsweep_set_stream(s.u, s.g->stream) != UPSWEEP_OK) {
        printf("%s\n", why);
        return 2;
    }
    cub::DeviceRadixSort::SortKeys(nullptr, s.room_bytes, s.input, s.keys, most);
    s.right = cudaMalloc(&s.keys, most * 4) == cudaSuccess &&
              cudaMalloc(&s.input, most * 4) == cudaSuccess &&
              cudaMalloc(&s.room, s.room_bytes) == cudaSuccess;
    cudaEventCreate(&s.begin);
    cudaEventCreate(&s.end);
    std::mt19937 random(1);
    printf("| n | oddeven | bitonic | vmerge | split | sample | radix | hybrid | CUB |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t n = 1 << 10; n <= most && s.right; n <<= n < passes_of ? 4 : 2) {
        std::vector<uint32_t> sorted(n);
        std::generate(sorted.begin(), sorted.end(), random);
        cudaMemcpy(s.input, sorted.data(), n * 4, cudaMemcpyHostToDevice);
        std::sort(sorted.begin(), sorted.end());
        time_sorts(&s, n, sorted);
        if (n == passes_of) {
            show_passes(&s, n, sorted);
            printf("\n");
        }
    }
    cudaFree(s.keys);
    cudaFree(s.input);
    cudaFree(s.room);
    upsweep_close(s.u);
    usw_gpu_close(s.g);
    return s.right ? 0 : 1;
}
