/* networks.cpp - proves the networks of the CPU's vector sorts (part_vsort) for every length they
 * serve, and, in networks_plain.cpp and networks_cuda.cpp, those of the other sorts. */
#include "networks.hpp"

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
 * 128 to 16 bits, and 8 in half vectors of 32 bits. By blocks: AVX2, and 64 and 32 bits there. */
#define BY_BLOCKS 1
#define LANES 4
#define FN(name) name##_4
#include "vsort_record.hpp"
#undef LANES
#undef FN
#define LANES 8
#define FN(name) name##_8
#include "vsort_record.hpp"
#undef LANES
#undef FN
#define LANES 16
#define FN(name) name##_16
#include "vsort_record.hpp"
#undef LANES
#undef FN
#undef BY_BLOCKS
#define LANES 32
#define FN(name) name##_32
#include "vsort_record.hpp"
#undef LANES

namespace
{

using sorter = void (*)(Key *, size_t);

/* Records the sort of n keys; whether it left alone what lies behind them. */
bool record(sorter sort, size_t n, std::vector<Key> *out)
{
    const size_t room = n + 64;
    std::vector<Key> k;
    for (size_t i = 0; i < room; i++) {
        k.push_back(Key::of(i < n ? i : 0x80000000u + i));
    }
    circuit.begin(n);
    sort(k.data(), n);
    for (size_t i = n; i < room; i++) {
        if (!same(k[i], Key::of(0x80000000u + i))) {
            return false;
        }
    }
    k.resize(n);
    *out = k;
    return true;
}

/* All lengths up to `most`. */
void lengths(Proof *p, const char *name, sorter sort, size_t most)
{
    for (size_t n = 1; n <= most && p->failed < 20; n++) {
        const std::string what = std::string(name) + ", " + std::to_string(n) + " keys";
        std::vector<Key> out;
        if (!record(sort, n, &out)) {
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
    lengths(p, "part_vsort of 4 lanes", base_sort_4, 8 * 64);
    lengths(p, "part_vsort of 8 lanes", base_sort_8, 8 * 128);
    lengths(p, "part_vsort of 16 lanes", base_sort_16, 4 * 256);
    lengths(p, "part_vsort of 32 lanes", base_sort_32, 512);
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
