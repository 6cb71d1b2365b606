/* networks_cuda.cpp - proves the networks of the CUDA forms, as networks.py takes them out of the
 * sources: a thread's, those between the lanes of a warp, a block's in shared memory. */
/* SPDX-License-Identifier: MIT */
#include "proofs/networks.hpp"

#include <cstdio>
#include <cstring>
#include <type_traits>

namespace
{

std::vector<size_t> equal(size_t count, size_t length)
{
    return std::vector<size_t>(count, length);
}

/* ---- a warp: 32 lanes side by side ---- */

namespace warp
{

enum : unsigned { WARP = 32 };

struct E {
    Key lane[WARP];
};
struct Mask {
    bool lane[WARP];
};
struct Numbers { /* of the lanes */
    unsigned lane[WARP];
    Numbers()
    {
        for (unsigned l = 0; l < WARP; l++) {
            lane[l] = l;
        }
    }
    Numbers operator&(unsigned bit) const
    {
        Numbers n;
        for (unsigned l = 0; l < WARP; l++) {
            n.lane[l] = lane[l] & bit;
        }
        return n;
    }
    Mask operator==(unsigned number) const
    {
        Mask m;
        for (unsigned l = 0; l < WARP; l++) {
            m.lane[l] = lane[l] == number;
        }
        return m;
    }
};

E usw_shuffle_xor(const E &v, unsigned lanes)
{
    E out;
    for (unsigned l = 0; l < WARP; l++) {
        out.lane[l] = v.lane[l ^ lanes];
    }
    return out;
}

E LESSER(const E &a, const E &b)
{
    E out;
    for (unsigned l = 0; l < WARP; l++) {
        out.lane[l] = ::LESSER(a.lane[l], b.lane[l]);
    }
    return out;
}

E GREATER(const E &a, const E &b)
{
    E out;
    for (unsigned l = 0; l < WARP; l++) {
        out.lane[l] = ::GREATER(a.lane[l], b.lane[l]);
    }
    return out;
}

/* (other < own) == low ? other : own. */
E kept(const E &other, const E &own, const Mask &low)
{
    E out;
    for (unsigned l = 0; l < WARP; l++) {
        out.lane[l] = low.lane[l] ? ::LESSER(other.lane[l], own.lane[l])
                                  : ::GREATER(other.lane[l], own.lane[l]);
    }
    return out;
}

#include "block_sort.inc"

template <unsigned I, unsigned lanes> void prove(Proof *p)
{
    E a[I];
    std::vector<Key> out;
    circuit.begin(WARP * I);
    for (unsigned l = 0; l < WARP; l++) {
        for (unsigned i = 0; i < I; i++) {
            a[i].lane[l] = Key::of(l * I + i);
        }
    }
    block_sort<I>::template sort_lanes<lanes>(a);
    for (unsigned l = 0; l < WARP; l++) {
        for (unsigned i = 0; i < I; i++) {
            out.push_back(a[i].lane[l]);
        }
    }
    p->check(circuit_sorts("gpu/block/sort_network.cuh, " + std::to_string(I) +
                               " numbers in each of " + std::to_string(lanes) + " lanes",
                           out, equal(WARP * I, 1), equal(WARP / lanes, lanes * I)));
}

template <unsigned I> void prove_lanes(Proof *p)
{
    prove<I, 1>(p);
    prove<I, 2>(p);
    prove<I, 4>(p);
    prove<I, 8>(p);
    prove<I, 16>(p);
    prove<I, 32>(p);
}

} // namespace warp

/* ---- a block: one thread goes through each round, which no two of its exchanges may share ---- */

namespace block
{

struct {
    unsigned x;
} threadIdx = {0}, blockDim = {1};
std::vector<bool> met;
bool apart = true;

template <typename I> void note(I i, I j)
{
    for (I k : {i, j}) {
        apart = apart && !met[k];
        met[k] = true;
    }
}

void __syncthreads()
{
    met.assign(met.size(), false);
}

#include "shared_bitonic.inc"

void prove(Proof *p, size_t most)
{
    for (unsigned n = 1; n <= most; n++) {
        std::vector<Key> k;
        circuit.begin(n);
        for (size_t i = 0; i < n; i++) {
            k.push_back(Key::of(i));
        }
        met.assign(n, false);
        apart = true;
        usw_bitonic_sort(k.data(), n);
        const std::string name = "gpu/block/bitonic.cuh, " + std::to_string(n) + " keys";
        if (!apart) {
            std::printf("  %s: FAILS: two lanes take one key in one round\n", name.c_str());
        }
        p->check(circuit_sorts(name, k) && apart);
    }
}

} // namespace block

/* ---- vectors of four ---- */

namespace four
{

#include "cuda_vmerge.inc"

void prove(Proof *p)
{
    vector<Key> a, b, low, high;
    circuit.begin(LENGTH);
    for (unsigned i = 0; i < LENGTH; i++) {
        a.lane[i] = Key::of(i);
    }
    sort_vector(&a);
    p->check(
        circuit_sorts("sort_vmerge.cu sort_vector", std::vector<Key>(a.lane, a.lane + LENGTH)));
    circuit.begin(2 * LENGTH);
    for (unsigned i = 0; i < LENGTH; i++) {
        a.lane[i] = Key::of(i);
        b.lane[i] = Key::of(LENGTH + i);
    }
    split_low_high(a, b, &low, &high);
    std::vector<Key> out(low.lane, low.lane + LENGTH);
    out.insert(out.end(), high.lane, high.lane + LENGTH);
    p->check(circuit_sorts("sort_vmerge.cu split_low_high", out, {LENGTH, LENGTH}, {2 * LENGTH}));
}

} // namespace four

} // namespace

void prove_cuda_networks(Proof *p)
{
    warp::prove_lanes<1>(p);
    warp::prove_lanes<2>(p);
    warp::prove_lanes<4>(p);
    warp::prove_lanes<8>(p);
    warp::prove_lanes<16>(p);
    block::prove(p, 300);
    four::prove(p);
}
