/* folds.cu - scan, reduce, split and compact on a GPU beside CUB's, in turns, over n: ms, the bytes
 * that must be moved over that time, and the share of a device copy's rate in the same run. Medians
 * of eleven. Outcomes are checked by the tests, not here. */
#include "../cuda/gpu.cuh"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>

extern "C" {
extern const usw_gpu_scan_form usw_scan_sweep_cuda;
extern const usw_gpu_reduce_form usw_reduce_tree_cuda;
extern const usw_gpu_split_form usw_split_flags_cuda;
}

namespace
{

enum : size_t { REPEATS = 11, WORDS_MOST = size_t(1) << 28, ROOM = size_t(512) << 20 };

struct arrays {
    usw_gpu *g;
    unsigned char *in, *out, *room;
    uint8_t *flags;
    uint64_t *result;
    cudaEvent_t begin, end;
    bool failed;
};

/* One way to do a thing, and the fewest bytes that it has to move. */
struct entry {
    std::string name;
    double bytes;
    std::function<void()> run;
    std::vector<float> ms;
};

void check(arrays *a, cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(error));
        a->failed = true;
    }
}

/* Numbers without a pattern, by a kernel, so that nothing is zero or repeats. */
__global__ void fill(uint32_t *words, uint8_t *flags, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        words[i] = 0x3f800000u | (static_cast<uint32_t>(z >> 41) & 0x807fffffu);
        flags[i] = z >> 63;
    }
}

template <typename F> std::function<void()> ours(arrays *a, F form)
{
    return [=] {
        usw_gpu_begin(a->g, false);
        a->failed = form() != UPSWEEP_OK || a->failed;
        usw_gpu_end(a->g);
    };
}

std::function<void()> scan_of(arrays *a, upsweep_type type, size_t n)
{
    return ours(a, [=] {
        usw_scan s = {};
        s.in = a->in;
        s.out = a->out;
        s.n = n;
        s.type = type;
        s.op = UPSWEEP_SUM;
        return usw_scan_sweep_cuda.scan(a->g, &s, false);
    });
}

std::function<void()> reduce_of(arrays *a, upsweep_type type, upsweep_op op, size_t n)
{
    return ours(
        a, [=] { return usw_reduce_tree_cuda.reduce(a->g, a->in, n, type, op, false, a->result); });
}

std::function<void()> split_of(arrays *a, bool keep, size_t n, size_t bytes)
{
    return ours(a, [=] {
        auto form = keep ? usw_split_flags_cuda.compact : usw_split_flags_cuda.split;
        return form(a->g, a->in, a->flags, a->out, n, bytes, a->result);
    });
}

template <typename T>
void add_scan_and_reduce(arrays *a, std::vector<entry> *to, upsweep_type type, const char *name,
                         size_t words)
{
    const size_t n = words * 4 / sizeof(T);
    T *in = reinterpret_cast<T *>(a->in), *out = reinterpret_cast<T *>(a->out);
    const std::string t = name;
    to->push_back({"scan " + t, 8.0 * words, scan_of(a, type, n), {}});
    to->push_back({"  CUB",
                   8.0 * words,
                   [=] {
                       size_t room = ROOM;
                       check(a,
                             cub::DeviceScan::InclusiveSum(a->room, room, in, out, n, a->g->stream),
                             "CUB scan");
                   },
                   {}});
    to->push_back({"reduce " + t, 4.0 * words, reduce_of(a, type, UPSWEEP_SUM, n), {}});
    to->push_back({"  CUB",
                   4.0 * words,
                   [=] {
                       size_t room = ROOM;
                       check(a,
                             cub::DeviceReduce::Sum(a->room, room, in,
                                                    reinterpret_cast<T *>(a->result), n,
                                                    a->g->stream),
                             "CUB reduce");
                   },
                   {}});
}

void add_splits(arrays *a, std::vector<entry> *to, size_t n)
{
    uint32_t *in = reinterpret_cast<uint32_t *>(a->in), *out = reinterpret_cast<uint32_t *>(a->out);
    to->push_back({"split u32", 9.0 * n, split_of(a, false, n, 4), {}});
    to->push_back({"  CUB",
                   9.0 * n,
                   [=] {
                       size_t room = ROOM;
                       check(a,
                             cub::DevicePartition::Flagged(a->room, room, in, a->flags, out,
                                                           a->result, n, a->g->stream),
                             "CUB partition");
                   },
                   {}});
    to->push_back({"compact u32, half kept", 7.0 * n, split_of(a, true, n, 4), {}});
    to->push_back({"  CUB",
                   7.0 * n,
                   [=] {
                       size_t room = ROOM;
                       check(a,
                             cub::DeviceSelect::Flagged(a->room, room, in, a->flags, out, a->result,
                                                        n, a->g->stream),
                             "CUB select");
                   },
                   {}});
}

void race(arrays *a, std::vector<entry> &entries, size_t words)
{
    for (size_t r = 0; r < REPEATS + 2; r++) {
        for (entry &e : entries) {
            float ms = 0;
            check(a, cudaEventRecord(a->begin, a->g->stream), "event");
            e.run();
            check(a, cudaEventRecord(a->end, a->g->stream), "event");
            check(a, cudaEventSynchronize(a->end), e.name.c_str());
            check(a, cudaEventElapsedTime(&ms, a->begin, a->end), "event");
            if (r >= 2) { /* the first two warm up */
                e.ms.push_back(ms);
            }
        }
    }
    double copy = 0;
    for (entry &e : entries) {
        std::sort(e.ms.begin(), e.ms.end());
        const double ms = e.ms[REPEATS / 2], rate = e.bytes / ms / 1e9;
        copy = copy == 0 ? rate : copy;
        std::printf("%10zu x 4 bytes  %-24s %9.4f ms %7.3f TB/s %6.3f of a copy\n", words,
                    e.name.c_str(), ms, rate, rate / copy);
    }
}

bool open(arrays *a)
{
    char error[256];
    if (usw_gpu_open(&a->g, 0, 0, error, sizeof error) != UPSWEEP_OK) {
        std::printf("%s\n", error);
        return false;
    }
    check(a, cudaMalloc(&a->in, WORDS_MOST * 4), "cudaMalloc");
    check(a, cudaMalloc(&a->out, WORDS_MOST * 4), "cudaMalloc");
    check(a, cudaMalloc(&a->room, ROOM), "cudaMalloc");
    check(a, cudaMalloc(&a->flags, WORDS_MOST), "cudaMalloc");
    check(a, cudaMalloc(&a->result, 64), "cudaMalloc");
    check(a, cudaEventCreate(&a->begin), "event");
    check(a, cudaEventCreate(&a->end), "event");
    return !a->failed;
}

} // namespace

int main()
{
    arrays a = {};
    if (!open(&a)) {
        return 1;
    }
    fill<<<1024, 256, 0, a.g->stream>>>(reinterpret_cast<uint32_t *>(a.in), a.flags, WORDS_MOST);
    for (size_t words = 1 << 10; words <= WORDS_MOST && !a.failed;
         words *= words < 1 << 26 ? 16 : 4) {
        std::vector<entry> entries;
        entries.push_back({"copy",
                           8.0 * words,
                           [&] {
                               check(&a,
                                     cudaMemcpyAsync(a.out, a.in, words * 4,
                                                     cudaMemcpyDeviceToDevice, a.g->stream),
                                     "copy");
                           },
                           {}});
        add_scan_and_reduce<uint32_t>(&a, &entries, UPSWEEP_U32, "u32", words);
        add_scan_and_reduce<uint64_t>(&a, &entries, UPSWEEP_U64, "u64", words);
        add_scan_and_reduce<float>(&a, &entries, UPSWEEP_F32, "f32", words);
        add_scan_and_reduce<double>(&a, &entries, UPSWEEP_F64, "f64", words);
        add_splits(&a, &entries, words);
        race(&a, entries, words);
    }
    return a.failed ? 1 : 0;
}
