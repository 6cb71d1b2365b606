/* part_hybrid_rooms.cuh - the hybrid sort's scatter of keys of 32 bits (part_hybrid_scatter.cuh) by
 * rooms: in shared memory every digit has a fixed room, so that a rank is a place at once. */
#ifndef USW_PART_HYBRID_ROOMS_CUH
#define USW_PART_HYBRID_ROOMS_CUH

#include "part_hybrid_scatter.cuh"

/* c keys for this thread's digit: where they go in out. Of a region that is too small (room: its
 * keys, or 0), they may be written to the first one, and the sort is lost. */
template <typename K>
__device__ __forceinline__ K *hybrid_take_room(K *out, unsigned long long *cursor, unsigned c,
                                               unsigned long long room, unsigned *lost)
{
    const unsigned long long at =
        atomicAdd(&cursor[threadIdx.x], static_cast<unsigned long long>(c));
    if (room != 0 && at + c > (threadIdx.x + 1) * room) {
        *lost = 1;
        return out;
    }
    return out + at;
}

/* Puts the thread's keys into their digits' rooms of C keys; the bits of those that found no room
 * are returned. U keys are on their way at a time. */
template <typename K, int NT, int I, int U, bool plain>
__device__ __forceinline__ unsigned
hybrid_fill_rooms(const hybrid_tile<K> &t, const usw_gpu_keymap<K> &map, const hybrid_digit &digit,
                  unsigned *cnt, K *tile, unsigned C, K same, K &differ)
{
    unsigned late = 0, most = ~0u;
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
#pragma unroll
            for (int i = 0; i < U; i++) {
                k[i] = plain ? k[i] : map.map(k[i]);
                differ |= k[i] ^ same;
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
                    tile[digit(k[i]) / 4 * C + r[i]] = k[i];
                } else {
                    late |= 1u << (i0 + i);
                }
            }
        }
        return late;
    }
#pragma unroll 1
    for (int i = 0; i < I; i++) {
        unsigned p = threadIdx.x + i * NT;
        if (p < t.m) {
            K key = plain ? t.in[p] : map.map(t.in[p]);
            differ |= key ^ same;
            unsigned d = digit(key) / 4, r = atomicAdd(&cnt[d], 1);
            if (r < C) {
                tile[d * C + r] = key;
            } else {
                late |= 1u << i;
            }
        }
    }
    return late;
}

/* Shared memory: where each digit's keys go, its count, its count of keys without room, rooms. */
template <typename K> constexpr size_t hybrid_rooms_shared(int room)
{
    return 256 * 16 + 16 + room * sizeof(K);
}

/* The block's tables in shared memory. */
template <typename K> struct hybrid_rooms {
    K **to;
    unsigned *cnt, *more, *found;
    K *tile;
    __device__ __forceinline__ hybrid_rooms(unsigned char *memory)
        : to(reinterpret_cast<K **>(memory)), cnt(reinterpret_cast<unsigned *>(to + 256)),
          more(cnt + 256), found(more + 256), tile(reinterpret_cast<K *>(found + 4))
    {
    }
};

/* Writes what the rooms hold, a warp a room, and then the keys without room; of keys as much as an
 * O holds. Accesses are to whole lines, from -31 on. */
template <typename O, typename K, int NT, bool plain>
__device__ __forceinline__ void
hybrid_empty_rooms(const hybrid_tile<K> &t, const usw_gpu_keymap<K> &map, const hybrid_digit &digit,
                   unsigned digits, const hybrid_rooms<K> &s, unsigned C, unsigned late)
{
    const unsigned tid = threadIdx.x, lane = tid % 32;
    for (unsigned d = tid / 32; d < digits; d += NT / 32) {
        int c = static_cast<int>(s.cnt[d] < C ? s.cnt[d] : C);
        O *out = reinterpret_cast<O *>(s.to[d]);
        const K *from = s.tile + d * C;
        int skew = static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(O) % 32);
        for (int j = static_cast<int>(lane) - skew; j < c; j += 32) {
            if (j >= 0) {
                out[j] = static_cast<O>(from[j]);
            }
        }
    }
    unsigned most = ~0u;
    for (unsigned some = __reduce_or_sync(~0u, late); some != 0; some &= some - 1) {
        int i = __ffs(static_cast<int>(some)) - 1;
        bool here = (late >> i & 1) != 0;
        K key = here ? t.in[tid + i * NT] : K(0);
        key = plain ? key : map.map(key);
        unsigned d = digit(key) / 4, r = hybrid_rank_crowd(&s.more[d], d, here, most);
        if (here) {
            reinterpret_cast<O *>(s.to[d])[C + r] = static_cast<O>(key);
        }
    }
}

/* room: keys, of all rooms together. */
template <typename K, int NT, int I, bool first, bool identity, int MB, int room, int U>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_rooms(hybrid_scatter_args<K> a)
{
    static_assert(I <= 32, "a bit a key");
    constexpr bool plain = !first || identity;
    USW_DYNAMIC_SHARED(unsigned char, memory);
    const hybrid_rooms<K> s(memory);
    const unsigned tid = threadIdx.x;
    for (unsigned d = tid; d < 512; d += NT) {
        s.cnt[d] = 0;
    }
    hybrid_tile<K> t;
    const hybrid_level<first> l(a.plan);
    if (!hybrid_to_do<K, first>(a, false) ||
        !hybrid_find_tile<K, NT * I, first>(a, l, blockIdx.x, s.found, t)) {
        return;
    }
    const hybrid_digit digit(a.plan->shift + l.below, l.digits, sizeof(K) * 8);
    const unsigned C = room / l.digits - 1 + (room / l.digits & 1); /* odd, for the banks */
    const bool slots = a.plan->slots != 0;
    K differ = 0;
    unsigned late = hybrid_fill_rooms<K, NT, I, U, plain>(t, a.map, digit, s.cnt, s.tile, C,
                                                          first ? K(0) : K(a.plan->all), differ);
    __syncthreads();
    if (tid < l.digits && s.cnt[tid] != 0) {
        if (slots && !first) {
            unsigned at;
            unsigned char *slot =
                hybrid_take_slot(a.slots, t.cursor - a.cursor + tid, s.cnt[tid], at);
            s.to[tid] = reinterpret_cast<K *>(slot + at * 2);
        } else {
            s.to[tid] = hybrid_take_room(a.out, t.cursor, s.cnt[tid], slots ? a.slots.room : 0,
                                         a.slots.lost);
        }
    }
    if (!first && slots && hybrid_is_stray(a.plan, differ)) {
        a.slots.lost[0] = a.slots.lost[1] = 1;
    }
    __syncthreads();
    if (slots && !first) {
        hybrid_empty_rooms<uint16_t, K, NT, plain>(t, a.map, digit, l.digits, s, C, late);
    } else {
        hybrid_empty_rooms<K, K, NT, plain>(t, a.map, digit, l.digits, s, C, late);
    }
}

#endif
