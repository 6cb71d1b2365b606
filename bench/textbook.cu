/* textbook.cu - the textbook sorts on a GPU: time over n, and the time of each pass of the vector
 * merge sort, with every merge cut into pieces (merge path) and with one lane for a pair of lists.
 * Every outcome is compared with std::sort's. Medians of five; keys of 32 bits, uniform. */
#include "../algo/sort_vmerge.cuh"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

extern "C" {
#define FORM(stem) extern const usw_gpu_sort_form usw_##stem##_cuda;
FORM(sort_oddeven)
FORM(sort_bitonic)
FORM(sort_split)
FORM(sort_vmerge)
FORM(sort_sample)
#undef FORM
}

namespace
{

enum { REPEATS = 5 };

struct setting {
    usw_gpu *g;
    uint32_t *keys, *input; /* device */
    cudaEvent_t begin, end;
    bool right;
};

double median(std::vector<double> t)
{
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

usw_gpu_sort all_bits(const setting &s, size_t n)
{
    return {s.keys, n, 2, {32, 0, 0, 0}, 0, 32, false, false};
}

/* Runs sort(), once as a plan, and returns its time in ms. */
template <typename Sort> double time_ms(setting *s, size_t n, Sort sort)
{
    float ms = 0;
    usw_gpu_fault_found fault;
    cudaMemcpyAsync(s->keys, s->input, n * 4, cudaMemcpyDeviceToDevice, s->g->stream);
    usw_gpu_begin(s->g, true);
    sort();
    const size_t scratch = s->g->scratch_peak;
    usw_gpu_end(s->g);
    usw_gpu_reserve(s->g, scratch);
    usw_gpu_begin(s->g, false);
    cudaEventRecord(s->begin, s->g->stream);
    sort();
    cudaEventRecord(s->end, s->g->stream);
    usw_gpu_end(s->g);
    if (usw_gpu_wait(s->g, &fault) != UPSWEEP_OK) {
        printf("failed: %s\n", s->g->error);
        s->right = false;
    }
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

void time_forms(setting *s, size_t n, const std::vector<uint32_t> &sorted)
{
    static const struct {
        const char *name;
        const usw_gpu_sort_form *form;
        size_t most;
    } rows[] = {{"sort/oddeven", &usw_sort_oddeven_cuda, size_t(1) << 22},
                {"sort/bitonic", &usw_sort_bitonic_cuda, SIZE_MAX},
                {"sort/vmerge", &usw_sort_vmerge_cuda, SIZE_MAX},
                {"sort/split", &usw_sort_split_cuda, SIZE_MAX},
                {"sort/sample", &usw_sort_sample_cuda, SIZE_MAX}};
    printf("| %zu |", n);
    for (const auto &row : rows) {
        std::vector<double> t;
        const usw_gpu_sort q = all_bits(*s, n);
        for (int r = 0; r < REPEATS && n <= row.most; r++) {
            t.push_back(time_ms(s, n, [&] { row.form->sort(s->g, &q); }));
        }
        if (t.empty()) {
            printf(" - |");
        } else {
            printf(" %.3f |", median(t));
            compare(s, sorted, row.name);
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
    for (int r = 0; r < REPEATS; r++) {
        passes p = {s->g->stream, true, {}, {}};
        const usw_gpu_sort q = all_bits(*s, n);
        time_ms(s, n, [&] {
            usw_sort_vmerge_tuned(s->g, &q, {piece, note, &p});
            p.planning = false;
        });
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
    setting s = {};
    const size_t most = size_t(1) << 26, passes_of = size_t(1) << 22;
    if (usw_gpu_open(&s.g, 0, 0, error, sizeof error) != UPSWEEP_OK) {
        printf("%s\n", error);
        return 2;
    }
    s.right = cudaMalloc(&s.keys, most * 4) == cudaSuccess &&
              cudaMalloc(&s.input, most * 4) == cudaSuccess;
    cudaEventCreate(&s.begin);
    cudaEventCreate(&s.end);
    std::mt19937 random(1);
    printf("| n | oddeven | bitonic | vmerge | split | sample |\n|---|---|---|---|---|---|\n");
    for (size_t n = 1 << 10; n <= most && s.right; n <<= n < passes_of ? 4 : 2) {
        std::vector<uint32_t> sorted(n);
        std::generate(sorted.begin(), sorted.end(), random);
        cudaMemcpy(s.input, sorted.data(), n * 4, cudaMemcpyHostToDevice);
        std::sort(sorted.begin(), sorted.end());
        time_forms(&s, n, sorted);
        if (n == passes_of) {
            show_passes(&s, n, sorted);
            printf("\n");
        }
    }
    cudaFree(s.keys);
    cudaFree(s.input);
    usw_gpu_close(s.g);
    return s.right ? 0 : 1;
}
