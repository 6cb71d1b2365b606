/* networks.cpp - proves the networks of the CPU's vector sorts (cache_sort) for every length they
 * serve, and, in networks_plain.cpp and networks_cuda.cpp, those of the other sorts. */
/* SPDX-License-Identifier: MIT */
#include "proofs/networks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define KEY Key
#define restrict __restrict
#define USW_IN_REGISTERS static inline
#define USW_UNROLL
struct usw_keymap;

static size_t usw_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static size_t usw_div_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* AVX2: 4 lanes of 64-bit keys, signed ones and doubles; 8 of 32 bits. AVX-512: 4 to 32 for keys of
 * 128 to 16 bits; half vectors have 4 and 8 of 64 and 32. By blocks: AVX2, and 64 and 32 bits. */
#define BY_BLOCKS 1
#define LANES 4
#define FN(name) name##_4
#include "proofs/vsort_record.hpp"
#undef LANES
#undef FN
#define LANES 8
#define FN(name) name##_8
#include "proofs/vsort_record.hpp"
#undef LANES
#undef FN
#define LANES 16
#define FN(name) name##_16
#include "proofs/vsort_record.hpp"
#undef LANES
#undef FN
#undef BY_BLOCKS
#define LANES 32
#define FN(name) name##_32
#include "proofs/vsort_record.hpp"
#undef LANES

namespace
{

using sorter = void (*)(Key *, size_t);

/* Records the sort of n keys, told that they are `told`, those from n on as great as can be; and
 * whether it left alone what lies behind. */
bool record(sorter sort, size_t n, size_t told, std::vector<Key> *out)
{
    std::vector<Key> k;
    for (size_t i = 0; i < told + 64; i++) {
        k.push_back(i < n ? Key::of(i) : i < told ? Key(-1) : Key::of(0x80000000u + i));
    }
    const std::vector<Key> before = k;
    circuit.begin(n);
    sort(k.data(), told);
    out->assign(k.begin(), k.begin() + static_cast<std::ptrdiff_t>(n));
    for (size_t i = n; i < k.size(); i++) {
        if (!same(k[i], before[i])) {
            return false;
        }
    }
    return true;
}

/* Whether n keys go through the network of `told` that has greatest keys at its end. */
bool is_part_of(sorter sort, size_t n, size_t told)
{
    std::vector<Key> part, whole;
    bool equal = record(sort, n, told, &whole);
    const std::vector<Circuit::Node> nodes = circuit.nodes;
    equal = record(sort, n, n, &part) && equal && nodes.size() == circuit.nodes.size();
    for (size_t i = 0; equal && i < n; i++) {
        equal = same(part[i], whole[i]);
    }
    for (size_t i = 0; equal && i < nodes.size(); i++) {
        const Circuit::Node &a = nodes[i], &b = circuit.nodes[i];
        equal = a.a == b.a && a.b == b.b && a.greater == b.greater;
    }
    return equal;
}

/* All lengths up to `most`, or some of them without UPSWEEP_TEST_LONG. Vectors are 1, 2, 4, 8 and
 * 16, and then blocks of 16: what fills them is proved, and less is that, with greatest keys at the
 * end; or is proved by itself. */
void lengths(Proof *p, const char *name, sorter sort, size_t lanes, size_t most)
{
    const bool every = std::getenv("UPSWEEP_TEST_LONG") != nullptr;
    for (size_t n = 1; n <= most && p->failed < 20; n++) {
        /* The check takes those that fill vectors, with their neighbours, and one of eleven. */
        const bool edge = n % lanes <= 1 || n % lanes == lanes - 1;
        if (!every && n > 64 && n % 11 != 0 && !(edge && n % (4 * lanes) < 2)) {
            continue;
        }
        const std::string what = std::string(name) + ", " + std::to_string(n) + " keys";
        size_t full = lanes;
        while (full < n) {
            full = full < 16 * lanes ? 2 * full : full + 16 * lanes;
        }
        std::vector<Key> out;
        if (full != n && is_part_of(sort, n, full)) {
            p->check(true);
            continue;
        }
        if (!record(sort, n, n, &out)) {
            std::printf("  %s: FAILS: writes behind the keys\n", what.c_str());
            p->check(false);
            continue;
        }
        p->check(circuit_sorts(what, out));
    }
}

} // namespace

void prove_vector_sorts(Proof *p)
{
    lengths(p, "cache_sort of 4 lanes", base_sort_4, 4, 8 * 64);
    lengths(p, "cache_sort of 8 lanes", base_sort_8, 8, 8 * 128);
    lengths(p, "cache_sort of 16 lanes", base_sort_16, 16, 4 * 256);
    lengths(p, "cache_sort of 32 lanes", base_sort_32, 32, 512);
}

/* All families, or the one that is named: explained, plain, cuda, vector. */
int main(int argc, char **argv)
{
    const std::string only = argc > 1 ? argv[1] : "";
    Proof p = {"networks"};
    timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (only.empty() || only == "plain") {
        prove_plain_networks(&p);
    }
    if (only.empty() || only == "explained") {
        prove_explained_networks(&p);
    }
    if (only.empty() || only == "cuda") {
        prove_cuda_networks(&p);
    }
    if (only.empty() || only == "vector") {
        prove_vector_sorts(&p);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                           1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
    std::printf("proof: %s: %s (%zu cases, %.1f s)\n", p.name, p.failed == 0 ? "holds" : "FAILED",
                p.cases, seconds);
    return p.failed == 0 ? 0 : 1;
}
