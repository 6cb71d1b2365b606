/* gpu_sort.cu - one cell of the GPU bench of sorts: upsweep and CUB in turn on the same input.
 *
 * Reads lines "op type size pattern rounds" and answers each with one line of JSON. A size below
 * 64 is log2(n), any other is n. op is keys, pairs (values as wide as keys, or of 4 bytes) or
 * argsort. upsweep is called as users call it, on device arrays; its input is restored before each
 * run, outside of the time. Results are compared byte for byte. Times are medians between events,
 * the first round warms up. On an idle stream, where a short call waits for the host's launches:
 * "times", ours each time at another address, and "again", at the same one, which the library
 * remembers. Queued before they begin, so that the host's speed does not matter: "queued". */
/* SPDX-License-Identifier: MIT */
#include "bench/gpu_patterns.cuh"
#include "upsweep.h"

#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace
{

void must(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}
#define MUST(call) must(call, #call)

upsweep *u;
cudaStream_t stream;

template <typename V> __global__ void count_up(V *values, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        values[i] = static_cast<V>(i);
    }
}
__global__ void compare(const unsigned char *a, const unsigned char *b, size_t bytes,
                        unsigned *differ)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < bytes;
         i += size_t(gridDim.x) * blockDim.x) {
        if (a[i] != b[i]) {
            *differ = 1;
        }
    }
}

struct cell {
    std::string op, type, pattern;
    size_t n;
    unsigned rounds;
    int pattern_id() const
    {
        int p = 0;
        while (patterns[p] != nullptr && pattern != patterns[p]) {
            p++;
        }
        return p;
    }
};

/* Keeps the stream busy until *open is set, or for a fifth of a second. */
__global__ void gate(const volatile unsigned *open)
{
    for (unsigned tries = 0; *open == 0 && tries < 200000; tries++) {
        __nanosleep(1000);
    }
}

/* From event to event, us. queued: all of it is queued before the first of it begins, so the time
 * is the device's alone; else it begins on an idle stream, and waits for each launch as a caller
 * would. */
template <typename F> float time_of(bool queued, F run)
{
    static cudaEvent_t begin, end;
    static unsigned *open;
    if (begin == nullptr) {
        MUST(cudaEventCreate(&begin));
        MUST(cudaEventCreate(&end));
        MUST(cudaMallocHost(&open, sizeof *open));
    }
    float ms;
    MUST(cudaStreamSynchronize(stream));
    if (queued) {
        *static_cast<volatile unsigned *>(open) = 0;
        gate<<<1, 1, 0, stream>>>(open);
    }
    MUST(cudaEventRecord(begin, stream));
    run();
    MUST(cudaEventRecord(end, stream));
    *static_cast<volatile unsigned *>(open) = 1;
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1000;
}

float median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

void call(upsweep_status status)
{
    if (status != UPSWEEP_OK) {
        fprintf(stderr, "upsweep: %s\n", upsweep_error(u));
        exit(1);
    }
}

/* Terabytes a second, read and written, of a device copy of 1 GB: the roofline of every cell. */
double copy_rate()
{
    static double rate = 0;
    if (rate == 0) {
        const size_t bytes = size_t(1) << 30;
        void *from, *to;
        MUST(cudaMalloc(&from, bytes));
        MUST(cudaMalloc(&to, bytes));
        std::vector<float> times;
        for (unsigned r = 0; r < 5; r++) {
            times.push_back(time_of(
                false, [&] { MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)); }));
        }
        rate = 2.0 * static_cast<double>(bytes) / median(times) / 1e6;
        MUST(cudaFree(from));
        MUST(cudaFree(to));
    }
    return rate;
}

struct measured {
    std::vector<float> fresh, again, queued, cub, cub_queued;
};

void tell(const cell &c, size_t least_bytes, bool right, const measured &t)
{
    printf("{\"op\": \"%s\", \"type\": \"%s\", \"n\": %zu, \"pattern\": \"%s\", \"right\": %s, "
           "\"least_bytes\": %zu, \"copy_tbs\": %.3f, "
           "\"times\": {\"upsweep\": %.2f, \"cub\": %.2f}, \"again\": {\"upsweep\": %.2f}, "
           "\"queued\": {\"upsweep\": %.2f, \"cub\": %.2f}}\n",
           c.op.c_str(), c.type.c_str(), c.n, c.pattern.c_str(), right ? "true" : "false",
           least_bytes, copy_rate(), median(t.fresh), median(t.cub), median(t.again),
           median(t.queued), median(t.cub_queued));
    fflush(stdout);
}

constexpr size_t SHIFT = 64, SHIFTS = 16; /* elements between the addresses of "times" */

/* restored_to(place) restores the input there, at 0 or elsewhere, and returns what sorts it. */
template <typename Ours, typename Cubs>
measured take_turns(unsigned rounds, Ours restored_to, Cubs cub_sort)
{
    static size_t shift; /* goes on from cell to cell, whose arrays are often at the same address */
    measured t;
    for (unsigned r = 0; r <= rounds; r++) {
        const bool warm = r != 0;
        shift = shift % (SHIFTS - 1) + 1;
        t.fresh.push_back(time_of(false, restored_to(shift * SHIFT)));
        t.cub.push_back(time_of(false, cub_sort));
        t.again.push_back(time_of(false, restored_to(0)));
        t.queued.push_back(time_of(warm, restored_to(0)));
        t.cub_queued.push_back(time_of(warm, cub_sort));
        if (!warm) {
            t = measured();
        }
    }
    return t;
}

/* K: the type CUB sorts. B: its bits. V: of values; the same sizes. */
template <typename K, typename B, typename V> void measure(const cell &c, upsweep_type type)
{
    size_t n = c.n, scratch = 0;
    bool keys_only = c.op == "keys", argsort = c.op == "argsort";
    B *input, *ours, *out; /* device */
    V *values = nullptr, *our_values = nullptr, *out_values = nullptr;
    unsigned *differ, wrong = 0;
    void *temp = nullptr;
    MUST(cudaMalloc(&input, n * sizeof(B)));
    MUST(cudaMalloc(&ours, (n + SHIFT * SHIFTS) * sizeof(B)));
    MUST(cudaMalloc(&out, n * sizeof(B)));
    MUST(cudaMalloc(&differ, 4));
    MUST(cudaMemsetAsync(differ, 0, 4, stream));
    if (!keys_only) {
        MUST(cudaMalloc(&values, n * sizeof(V)));
        MUST(cudaMalloc(&our_values, (n + SHIFT * SHIFTS) * sizeof(V)));
        MUST(cudaMalloc(&out_values, n * sizeof(V)));
        count_up<<<1024, 256, 0, stream>>>(values, n);
    }
    fill<<<1024, 256, 0, stream>>>(input, n, c.pattern_id(), std::is_floating_point<K>::value);
    auto cub_sort = [&] {
        const K *in = reinterpret_cast<const K *>(input);
        K *to = reinterpret_cast<K *>(out);
        MUST(keys_only ? cub::DeviceRadixSort::SortKeys(temp, scratch, in, to, int64_t(n), 0,
                                                        sizeof(K) * 8, stream)
                       : cub::DeviceRadixSort::SortPairs(temp, scratch, in, to, values, out_values,
                                                         int64_t(n), 0, sizeof(K) * 8, stream));
    };
    /* CUB orders floats by their bits, so ours does too here. */
    upsweep_options raw = UPSWEEP_OPTIONS_INIT;
    raw.flags = std::is_floating_point<K>::value ? UPSWEEP_NAN_RAW : 0;
    size_t at = 0;
    auto our_sort = [&] {
        B *keys = ours + at;
        V *with = our_values + at;
        call(keys_only ? upsweep_sort(u, keys, n, type, &raw)
             : argsort ? upsweep_argsort(u, keys, n, type, with, sizeof(V) * 8, &raw)
                       : upsweep_sort_pairs(u, keys, with, n, type, sizeof(V), &raw));
    };
    auto restored_to = [&](size_t place) {
        at = place;
        MUST(cudaMemcpyAsync(ours + at, input, n * sizeof(B), cudaMemcpyDefault, stream));
        if (!keys_only) {
            MUST(
                cudaMemcpyAsync(our_values + at, values, n * sizeof(V), cudaMemcpyDefault, stream));
        }
        return our_sort;
    };
    cub_sort();
    MUST(cudaMalloc(&temp, scratch));
    const measured t = take_turns(c.rounds, restored_to, cub_sort);
    if (!argsort) {
        compare<<<1024, 256, 0, stream>>>(reinterpret_cast<unsigned char *>(ours),
                                          reinterpret_cast<unsigned char *>(out), n * sizeof(B),
                                          differ);
    }
    if (!keys_only) {
        compare<<<1024, 256, 0, stream>>>(reinterpret_cast<unsigned char *>(our_values),
                                          reinterpret_cast<unsigned char *>(out_values),
                                          n * sizeof(V), differ);
    }
    MUST(cudaMemcpyAsync(&wrong, differ, 4, cudaMemcpyDefault, stream));
    call(upsweep_wait(u));
    size_t least = 2 * n * (sizeof(B) + (keys_only ? 0 : sizeof(V)));
    tell(c, least, wrong == 0, t);
    for (void *p : {static_cast<void *>(input), static_cast<void *>(ours), static_cast<void *>(out),
                    static_cast<void *>(values), static_cast<void *>(our_values),
                    static_cast<void *>(out_values), temp, static_cast<void *>(differ)}) {
        MUST(cudaFree(p));
    }
}

bool run(const cell &c)
{
    if (c.type == "u8" && c.op == "keys") {
        measure<uint8_t, uint8_t, uint32_t>(c, UPSWEEP_U8);
    } else if (c.type == "u16" && c.op == "keys") {
        measure<uint16_t, uint16_t, uint32_t>(c, UPSWEEP_U16);
    } else if (c.type == "u32") {
        measure<uint32_t, uint32_t, uint32_t>(c, UPSWEEP_U32);
    } else if (c.type == "i32" && c.op == "keys") {
        measure<int32_t, uint32_t, uint32_t>(c, UPSWEEP_I32);
    } else if (c.type == "i64" && c.op == "keys") {
        measure<int64_t, uint64_t, uint64_t>(c, UPSWEEP_I64);
    } else if (c.type == "f32") {
        measure<float, uint32_t, uint32_t>(c, UPSWEEP_F32);
    } else if (c.type == "u64") {
        measure<uint64_t, uint64_t, uint64_t>(c, UPSWEEP_U64);
    } else if (c.type == "f64") {
        measure<double, uint64_t, uint64_t>(c, UPSWEEP_F64);
    } else {
        return false;
    }
    return true;
}

} // namespace

int main()
{
    if (upsweep_open(&u, "cuda", nullptr) != UPSWEEP_OK) {
        fprintf(stderr, "no GPU can be used: see `upsweep info`\n");
        return 2;
    }
    MUST(cudaStreamCreate(&stream));
    call(upsweep_set_stream(u, stream));
    char op[32], type[32], pattern[32];
    size_t size;
    unsigned rounds;
    while (scanf("%31s %31s %zu %31s %u", op, type, &size, pattern, &rounds) == 5) {
        cell c = {op, type, pattern, size < 64 ? size_t(1) << size : size, rounds};
        if (patterns[c.pattern_id()] == nullptr || c.n > size_t(1) << 31 || rounds == 0 ||
            !run(c)) {
            printf("skip\n");
            fflush(stdout);
        }
    }
    upsweep_close(u);
    return 0;
}
