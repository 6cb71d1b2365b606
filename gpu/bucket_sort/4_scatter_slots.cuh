/* 4_scatter_slots.cuh - step 4 of the bucket sort for keys of 32 bits: each digit has slots of its
 * own in shared memory, so that a key's rank gives its place without a scan. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_4_SCATTER_SLOTS_CUH
#define USW_GPU_BUCKET_SORT_4_SCATTER_SLOTS_CUH

#include "gpu/bucket_sort/4_scatter.cuh"

/* Puts the thread's keys into their digits' slots, C keys a digit. Returns a bit for each key that
 * found its slots full. maps: keys are not mapped yet. U keys are loaded at a time. digit(key) is
 * four times the digit. */
template <typename K, int NT, int I, int U, bool maps, typename Digit>
__device__ __forceinline__ unsigned
hybrid_fill_slots(const hybrid_tile<K> &t, const usw_gpu_keymap<K> &map, const Digit &digit,
                  unsigned *cnt, K *tile, unsigned C)
{
    unsigned unplaced = 0, most = ~0u;
    bool crowd = false;
    if (t.m == NT * I) {
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            K k[U];
            unsigned r[U];
#pragma unroll
            for (int i = 0; i < U; i++) {
                k[i] = t.in[threadIdx.x + (i0 + i) * NT];
            }
            if (maps) {
                map.map_all(k);
            }
            if (i0 == 0) {
                crowd = hybrid_crowd(digit(k[0]), most) >= 8;
            }
            if (crowd) {
#pragma unroll
                for (int i = 0; i < U; i++) {
                    unsigned d = digit(k[i]);
                    r[i] = hybrid_rank_crowd(hybrid_byte<unsigned>(cnt, d), d, true, most);
                }
            } else {
#pragma unroll
                for (int i = 0; i < U; i++) {
                    r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, digit(k[i])), 1);
                }
            }
#pragma unroll
            for (int i = 0; i < U; i++) {
                if (r[i] < C) {
                    *hybrid_slot(tile, digit(k[i]), C, r[i]) = k[i];
                } else {
                    unplaced |= 1u << (i0 + i);
                }
            }
        }
        return unplaced;
    }
#pragma unroll 1
    for (int i = 0; i < I; i++) {
        unsigned p = threadIdx.x + i * NT;
        if (p < t.m) {
            K key = maps ? map.map(t.in[p]) : t.in[p];
            unsigned d = digit(key) / 4, r = atomicAdd(&cnt[d], 1);
            if (r < C) {
                tile[d * C + r] = key;
            } else {
                unplaced |= 1u << i;
            }
        }
    }
    return unplaced;
}

/* Shared memory: of each digit the address, the count and the unplaced keys; then the slots. */
template <typename K> constexpr size_t hybrid_slots_shared(int slots)
{
    return 256 * 16 + 16 + slots * sizeof(K);
}

/* Scatters tile `number`. slots: keys of all digits together. many: the plan is known. digit_of(l)
 * is the digit of this level. */
template <typename K, int NT, int I, bool first, int slots, int U, bool many, typename Make>
__device__ __forceinline__ void
hybrid_slots_tile(const hybrid_scatter_args<K> &a, const hybrid_tile_look<K, first> &look,
                  unsigned number, unsigned char *memory, const Make &digit_of)
{
    static_assert(I <= 32, "a bit a key");
    K **to = reinterpret_cast<K **>(memory);
    unsigned *cnt = reinterpret_cast<unsigned *>(to + 256), *more = cnt + 256, *found = more + 256;
    K *tile = reinterpret_cast<K *>(found + 4);
    const unsigned tid = threadIdx.x, lane = tid % 32;
    for (unsigned d = tid; d < 512; d += NT) {
        cnt[d] = 0;
    }
    hybrid_tile<K> t;
    const hybrid_level<first> l(look.plan);
    if ((!many && !look.to_do(a, false)) ||
        !hybrid_find_tile<K, NT * I, first>(a, look, l, number, found, t)) {
        return;
    }
    const auto digit = digit_of(l);
    const unsigned C =
        slots / l.digits - 1 +
        (slots / l.digits & 1); /* odd, so that lanes of one digit use different banks */
    unsigned unplaced = hybrid_fill_slots<K, NT, I, U, first>(t, a.map, digit, cnt, tile, C);
    __syncthreads();
    if (tid < l.digits && cnt[tid] != 0) {
        to[tid] = a.out + atomicAdd(&t.cursor[tid], static_cast<unsigned long long>(cnt[tid]));
    }
    __syncthreads();
    /* A warp writes the slots of a digit, in whole lines: it begins up to 31 keys early. */
    for (unsigned d = tid / 32; d < l.digits; d += NT / 32) {
        int c = static_cast<int>(cnt[d] < C ? cnt[d] : C);
        K *out = usw_global(to[d]);
        const K *from = tile + d * C;
        int skew = static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(K) % 32);
        for (int j = static_cast<int>(lane) - skew; j < c; j += 32) {
            if (j >= 0) {
                out[j] = from[j];
            }
        }
    }
    unsigned most = ~0u;
    for (unsigned some = __reduce_or_sync(~0u, unplaced); some != 0; some &= some - 1) {
        int i = __ffs(static_cast<int>(some)) - 1;
        bool here = (unplaced >> i & 1) != 0;
        K key = here ? t.in[tid + i * NT] : K(0);
        key = first ? a.map.map(key) : key;
        unsigned d = digit(key) / 4, r = hybrid_rank_crowd(&more[d], d, here, most);
        if (here) {
            usw_global(to[d])[C + r] = key;
        }
    }
}

/* many: a block takes every gridDim.x-th tile of the first scatter, so that a launch that finds
 * nothing to do is short. Otherwise a block takes one tile. */
template <typename K, int NT, int I, bool first, int MB, int slots, int U, bool many>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_slots(hybrid_scatter_args<K> a)
{
    static_assert(first || !many, "the tiles of later ones are counted on the device");
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    const hybrid_tile_look<K, first> look(a);
    const auto digit_of = [&](const hybrid_level<first> &l) {
        return hybrid_digit(l.shift, l.digits, sizeof(K) * 8);
    };
    if constexpr (!many) {
        hybrid_slots_tile<K, NT, I, first, slots, U, many>(a, look, blockIdx.x, memory, digit_of);
    } else if (look.to_do(a, false)) {
        const unsigned tiles = static_cast<unsigned>((a.n + NT * I - 1) / (NT * I));
        for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x) {
            hybrid_slots_tile<K, NT, I, first, slots, U, many>(a, look, i, memory, digit_of);
            __syncthreads();
        }
    }
}

#endif
