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

/* AVX2: 64-bit keys, signed ones and doubles; 32-bit keys. AVX-512: LANES 4 to 32 for 128 to 16 bits,
 * and half vectors of 32 bits. Blocks: both kinds of AVX2; 64 and 32 bits with AVX-512. */
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

/* n signals, and behind them what may not be touched: as many as are counted as greatest, then any. */
std::vector<Key> signals(size_t n, size_t greatest, size_t room)
{
    std::vector<Key> k;
    for (size_t i = 0; i < room; i++) {
        k.push_back(i < n ? Key::of(i) : i < greatest ? Key(-1) : Key::of(0x80000000u + i));
    }
    return k;
}

/* Records the sort of n keys; whether it left alone what lies behind them. */
bool record(sorter sort, size_t n, size_t padded, std::vector<Key> *out)
{
    const size_t room = padded + 64;
    std::vector<Key> k = signals(n, padded, room);
    circuit.begin(n);
    sort(k.data(), padded);
    const std::vector<Key> fresh = signals(n, padded, room);
    for (size_t i = n; i < room; i++) {
        if (!same(k[i], fresh[i])) {
            return false;
        }
    }
    k.resize(n);
    *out = k;
    return true;
}

/* All lengths up to `most`; those beyond `base` keys by blocks, which is the sort of the next power of
 * two of blocks with keys at the end that are as great as can be. */
void lengths(Proof *p, const char *name, sorter sort, size_t base, size_t most)
{
    for (size_t n = 1; n <= most; n++) {
        const std::string what = std::string(name) + ", " + std::to_string(n) + " keys";
        std::vector<Key> out, whole;
        if (!record(sort, n, n, &out)) {
            std::printf("  %s: FAILS: writes behind the keys\n", what.c_str());
            p->check(false);
            continue;
        }
        size_t padded = base;
        while (padded < n) {
            padded *= 2;
        }
        if (n > base && n < padded && record(sort, n, padded, &whole)) {
            bool equal = true; /* signal by signal, in the same numbering */
            std::vector<Circuit::Node> nodes = circuit.nodes;
            circuit.begin(n);
            std::vector<Key> again;
            record(sort, n, n, &again);
            equal = nodes.size() == circuit.nodes.size();
            for (size_t i = 0; equal && i < n; i++) {
                equal = same(whole[i], again[i]);
            }
            for (size_t i = 0; equal && i < nodes.size(); i++) {
                equal = nodes[i].a == circuit.nodes[i].a && nodes[i].b == circuit.nodes[i].b &&
                        nodes[i].greater == circuit.nodes[i].greater;
            }
            if (equal) {
                p->check(true);
                continue;
            }
        }
        record(sort, n, n, &out);
        p->check(circuit_sorts(what, out));
    }
}

} // namespace

void prove_vector_sorts(Proof *p)
{
    lengths(p, "part_vsort of 4 lanes", base_sort_4, 64, 8 * 64);
    lengths(p, "part_vsort of 8 lanes", base_sort_8, 128, 8 * 128);
    lengths(p, "part_vsort of 16 lanes", base_sort_16, 256, 4 * 256);
    lengths(p, "part_vsort of 32 lanes", base_sort_32, 512, 512);
}

int main()
{
    Proof p = {"networks"};
    timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    prove_vector_sorts(&p);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                           1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
    std::printf("proof: %s: %s (%zu cases, %.1f s)\n", p.name, p.failed == 0 ? "holds" : "FAILED",
                p.cases, seconds);
    return p.failed == 0 ? 0 : 1;
}
