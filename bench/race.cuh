/* race.cuh - what the benches of GPU forms share: arrays, and entries that take turns. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RACE_CUH
#define BENCH_RACE_CUH

#include "gpu/gpu.cuh"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

enum : size_t {
    REPEATS = 11,
    WARM_UPS = 2,
    WORDS_LOG2 = 28, /* of an array, 4 bytes each */
    WORDS_MOST = size_t(1) << WORDS_LOG2,
    ROOM = size_t(512) << 20, /* for CUB */
    FILL_BLOCKS = 1024,
    FILL_THREADS = 256,
};

struct arrays {
    usw_gpu *g;
    unsigned char *in, *out, *work, *room;
    uint8_t *flags;
    uint64_t *result;
    cudaEvent_t begin, end;
    bool failed;
};

static inline void check(arrays *a, cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(error));
        a->failed = true;
    }
}

static inline bool open(arrays *a)
{
    char error[256];
    if (usw_gpu_open(&a->g, 0, 0, error, sizeof error) != UPSWEEP_OK) {
        std::printf("%s\n", error);
        return false;
    }
    check(a, cudaMalloc(&a->in, WORDS_MOST * 4), "cudaMalloc");
    check(a, cudaMalloc(&a->out, WORDS_MOST * 4), "cudaMalloc");
    check(a, cudaMalloc(&a->work, WORDS_MOST * 4), "cudaMalloc");
    check(a, cudaMalloc(&a->room, ROOM), "cudaMalloc");
    check(a, cudaMalloc(&a->flags, WORDS_MOST), "cudaMalloc");
    check(a, cudaMalloc(&a->result, 1 << 20), "cudaMalloc");
    check(a, cudaEventCreate(&a->begin), "event");
    check(a, cudaEventCreate(&a->end), "event");
    return !a->failed;
}

static __device__ __forceinline__ uint64_t mixed(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Reads more than the second cache holds: nothing of it is then still to be written. */
static __global__ void read_room(const uint4 *room, size_t count, uint64_t *result)
{
    unsigned all = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint4 x = room[i];
        all |= x.x | x.y | x.z | x.w;
    }
    if (all == 0) { /* which the compiler cannot know */
        *result = 0;
    }
}

/* A form of ours, as the plugin's handle wants it called. */
template <typename F> static inline std::function<void()> ours(arrays *a, F form)
{
    return [=] {
        usw_gpu_begin(a->g, false);
        a->failed = form() != UPSWEEP_OK || a->failed;
        usw_gpu_end(a->g);
    };
}

/* One way to do a thing, and the fewest bytes that it has to move. */
struct entry {
    std::string name;
    double bytes;
    std::function<void()> run, before; /* before: not timed */
    std::vector<float> ms;
};

/* Entries over the same input; a rival comes right behind ours. */
struct race {
    arrays *a;
    std::vector<std::string> wanted; /* none: all */
    size_t words;
    std::vector<entry> entries;

    void prepare(const std::function<void()> &input) const
    {
        input();
        check(a, cudaGetLastError(), "input");
    }
    void add(const std::string &name, double bytes, const std::function<void()> &run,
             const std::function<void()> &before = nullptr)
    {
        for (const std::string &word : wanted) {
            if (name.find(word) != std::string::npos) {
                entries.push_back({name, bytes, run, before, {}});
                return;
            }
        }
        if (wanted.empty()) {
            entries.push_back({name, bytes, run, before, {}});
        }
    }
    /* cub(room, bytes of it): CUB's way. */
    template <typename C>
    void add(const std::string &name, double bytes, const std::function<void()> &run, C cub,
             const std::function<void()> &before = nullptr)
    {
        const size_t count = entries.size();
        add(name, bytes, run, before);
        if (entries.size() > count) {
            arrays *to = a;
            const auto rival = [=] {
                size_t room = ROOM;
                check(to, cub(to->room, room), "CUB");
            };
            entries.push_back({"  CUB", bytes, rival, nullptr, {}});
        }
    }
    void add_copy()
    {
        arrays *to = a;
        const size_t bytes = words * 4;
        const auto copy = [=] {
            check(to,
                  cudaMemcpyAsync(to->out, to->in, bytes, cudaMemcpyDeviceToDevice, to->g->stream),
                  "copy");
        };
        entries.push_back({"copy", 8.0 * words, copy, nullptr, {}});
    }
    void turn(entry *e) const
    {
        float ms = 0;
        if (e->before) {
            e->before();
        }
        /* Whoever came before may have left writes that this one would pay for. */
        read_room<<<1024, 256, 0, a->g->stream>>>(reinterpret_cast<const uint4 *>(a->room),
                                                  (size_t(128) << 20) / sizeof(uint4), a->result);
        check(a, cudaEventRecord(a->begin, a->g->stream), "event");
        e->run();
        check(a, cudaEventRecord(a->end, a->g->stream), "event");
        check(a, cudaEventSynchronize(a->end), e->name.c_str());
        check(a, cudaEventElapsedTime(&ms, a->begin, a->end), "event");
        e->ms.push_back(ms);
    }
    void run()
    {
        for (size_t r = 0; r < REPEATS + WARM_UPS && !a->failed; r++) {
            for (entry &e : entries) {
                turn(&e);
            }
        }
        double copy = 0, last = 0;
        for (entry &e : entries) {
            std::sort(e.ms.begin() + WARM_UPS, e.ms.end());
            const double ms = e.ms[WARM_UPS + REPEATS / 2], rate = e.bytes / ms / 1e9;
            copy = copy == 0 ? rate : copy;
            std::printf("%10zu x 4 bytes  %-30s %9.4f ms %7.3f TB/s %6.3f of a copy", words,
                        e.name.c_str(), ms, rate, rate / copy);
            e.name == "  CUB" ? std::printf(" %6.2f\n", ms / last) : std::printf("\n");
            last = ms;
        }
        std::fflush(stdout);
    }
};

#endif
