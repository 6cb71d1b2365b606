/* merge_ring.cuh - the merge of two long runs of keys by blocks that stay.
 *
 * Each block takes neighbouring tiles of the output. Warps, and what they wait for (gates of
 * gpu/block/bulk_copy.cuh):
 *     cutter   finds where 16 tiles begin in a and b, a lane for each, ahead of the others
 *     mover    when a buffer is free: gets the next tile's ranges of a and b by the copy engine
 *     mergers  when a tile has come: the 8 warps of a group merge an eighth of the tile each,
 *              and write it; groups take turns
 * So the next tiles are on their way while a tile is merged, and no merge waits for a search in
 * memory. The first cuts of a block are found by all its warps at once, each of which compares 32
 * places at a time.
 *
 * Runs that are not sorted make cuts that contradict each other. The cutter therefore limits each
 * cut to what lies between its neighbours, and a warp whose lanes disagree copies the keys that it
 * should have merged, so that the output always holds every key once. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_MERGE_RING_CUH
#define USW_GPU_MERGING_MERGE_RING_CUH

#include "gpu/merging/merge_ring_tile.cuh"

template <typename K> struct usw_merge_ring_shared {
    usw_merge_ring_buffer<K> buffers[usw_merge_ring_shape<K>::buffers];
    K out[usw_merge_ring_shape<K>::groups][usw_merge_ring_shape<K>::tile];
    uint64_t begin, end; /* the block's range of a */
    uint64_t cuts[2][USW_MERGE_RING_BATCH];
    usw_gate found[2], used[2], came[usw_merge_ring_shape<K>::gates];
};

/* ---- cuts ---- */

__device__ __forceinline__ uint64_t usw_merge_ring_between(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* All warps, one cut each: the block's begin and end, and its first tiles' ends. */
template <bool plain, typename K>
__device__ __forceinline__ void usw_merge_ring_open(const usw_merge_ring_args<K> &a,
                                                    usw_merge_ring_shared<K> &s)
{
    const unsigned warp = threadIdx.x / 32;
    const uint64_t first = a.first(blockIdx.x), last = a.first(blockIdx.x + 1);
    const uint64_t tile = warp == 0   ? first
                          : warp == 1 ? last
                                      : first + warp - USW_MERGE_RING_MERGER + 1;
    if (warp < USW_MERGE_RING_MERGER + USW_MERGE_RING_BATCH) {
        const uint64_t cut = usw_merge_path_wide(
            a.na, a.nb, a.rank(tile < last ? tile : last), [&](uint64_t i, uint64_t j) {
                return !(a.template key<plain>(a.b[j]) < a.template key<plain>(a.a[i]));
            });
        if (threadIdx.x % 32 == 0) {
            *(warp == 0   ? &s.begin
              : warp == 1 ? &s.end
                          : &s.cuts[0][warp - USW_MERGE_RING_MERGER]) = cut;
        }
    }
    __syncthreads();
    const uint64_t here = a.rank(last) - a.rank(first);
    const bool bad = s.end < s.begin || s.end - s.begin > here;
    if (usw_merge_any(a.barrier, bad) && threadIdx.x < 2) {
        const uint64_t r = a.rank(threadIdx.x == 0 ? first : last);
        *(threadIdx.x == 0 ? &s.begin : &s.end) = r < a.na ? r : a.na;
    }
    __syncthreads();
}

/* A warp: the cuts of one batch after the other; usw_merge_ring_open has found the first batch. */
template <bool plain, typename K>
__device__ __forceinline__ void usw_merge_ring_cut(const usw_merge_ring_args<K> &a,
                                                   usw_merge_ring_shared<K> &s)
{
    constexpr unsigned tile = usw_merge_ring_shape<K>::tile, batch = USW_MERGE_RING_BATCH;
    const unsigned lane = threadIdx.x % 32;
    const uint64_t first = a.first(blockIdx.x), last = a.first(blockIdx.x + 1), end = s.end;
    uint64_t before = s.begin;
    for (uint64_t k = 0; first + k < last; k += batch) {
        const unsigned half = k / batch % 2;
        usw_gate_wait(&s.used[half], (k / batch / 2 + 1) % 2);
        const uint64_t to = first + k + lane + 1, rank = a.rank(to < last ? to : last);
        const uint64_t left = a.rank(last) - rank;
        const uint64_t low = end > left && end - left > before ? end - left : before;
        const uint64_t most = before + (lane + 1) * uint64_t(tile), high = most < end ? most : end;
        uint64_t cut = s.cuts[0][lane % batch];
        if (k > 0 && lane < batch) {
            cut = low;
            for (uint64_t top = high; cut < top;) {
                const uint64_t middle = cut + (top - cut) / 2;
                if (a.template key<plain>(a.b[rank - 1 - middle]) <
                    a.template key<plain>(a.a[middle])) {
                    top = middle;
                } else {
                    cut = middle + 1;
                }
            }
        }
        for (unsigned i = 0; i < batch; i++) {
            if (lane == i) {
                cut = usw_merge_ring_between(cut, low > before ? low : before,
                                             before + tile < end ? before + tile : end);
            }
            before = __shfl_sync(~0u, cut, static_cast<int>(i));
        }
        __syncwarp();
        if (lane < batch) {
            s.cuts[half][lane] = cut;
        }
        usw_gate_arrive_warp(&s.found[half]);
    }
}

/* ---- tiles in ---- */

/* A range of a run that goes to a buffer: whole vectors, which the copy engine takes, and the keys
 * before and behind them, less than a vector each, of which each lane takes one. */
template <typename K> struct usw_merge_ring_range {
    const K *from;
    unsigned lead, count; /* keys in front of `from` in its vector; keys of the range */
    unsigned head, bulk;  /* keys before the first whole vector; keys in whole ones */
    K edge;

    __device__ __forceinline__ usw_merge_ring_range(const K *list, uint64_t begin, uint64_t end)
        : from(list + begin), count(static_cast<unsigned>(end - begin)), edge(0)
    {
        constexpr unsigned per = usw_merge_ring_shape<K>::per;
        lead = reinterpret_cast<uintptr_t>(from) % 16 / sizeof(K);
        head = (per - lead) % per;
        head = head < count ? head : count;
        bulk = (count - head) / per * per;
        if (at() < count) {
            edge = from[at()];
        }
    }
    /* The place of this lane's key at one of the ends; count or more: the lane has none. */
    __device__ __forceinline__ unsigned at() const
    {
        const unsigned lane = threadIdx.x % 32;
        return lane < head ? lane : lane < 16 ? count : head + bulk + lane - 16;
    }
    __device__ __forceinline__ void put_edge(K *x) const
    {
        if (at() < count) {
            x[lead + at()] = edge;
        }
    }
};

template <typename K>
__device__ __forceinline__ void usw_merge_ring_move(const usw_merge_ring_args<K> &a,
                                                    usw_merge_ring_shared<K> &s)
{
    constexpr unsigned batch = USW_MERGE_RING_BATCH, buffers = usw_merge_ring_shape<K>::buffers;
    constexpr unsigned per = usw_merge_ring_shape<K>::per;
    const uint64_t first = a.first(blockIdx.x), last = a.first(blockIdx.x + 1);
    uint64_t cut = s.begin;
    for (uint64_t k = 0; first + k < last; k++) {
        const unsigned half = k / batch % 2;
        if (k % batch == 0) {
            usw_gate_wait(&s.found[half], k / batch / 2 % 2);
        }
        const uint64_t end = s.cuts[half][k % batch];
        if (k % batch == batch - 1) {
            usw_gate_arrive_warp(&s.used[half]);
        }
        const usw_merge_ring_range<K> one(a.a, cut, end);
        const usw_merge_ring_range<K> two(a.b, a.rank(first + k) - cut,
                                          a.rank(first + k + 1) - end);
        cut = end;
        usw_merge_ring_buffer<K> &buffer = s.buffers[k % buffers];
        usw_gate_wait(&buffer.free, (k / buffers + 1) % 2);
        const unsigned second = (one.lead + one.count + per - 1) / per * per;
        one.put_edge(buffer.x);
        two.put_edge(buffer.x + second);
        if (threadIdx.x % 32 == 0) {
            buffer.a = one.lead;
            buffer.na = one.count;
            buffer.b = second + two.lead;
            buffer.nb = two.count;
        }
        usw_gate *came = &s.came[k % usw_merge_ring_shape<K>::gates];
        K *to_one = buffer.x + one.lead + one.head,
          *to_two = buffer.x + second + two.lead + two.head;
        const unsigned bytes_one = one.bulk * sizeof(K), bytes_two = two.bulk * sizeof(K);
        if (bytes_one != 0) {
            usw_gate_get(came, to_one, one.from + one.head, bytes_one, to_two, two.from + two.head,
                         bytes_two);
        } else if (bytes_two != 0) {
            usw_gate_get(came, to_two, two.from + two.head, bytes_two);
        } else {
            usw_gate_arrive_warp(came);
        }
    }
}

/* ---- tiles merged, and out ---- */

template <bool plain, typename K>
__device__ __forceinline__ void usw_merge_ring_merge(const usw_merge_ring_args<K> &a,
                                                     usw_merge_ring_shared<K> &s, unsigned group,
                                                     unsigned w)
{
    constexpr unsigned items = usw_merge_ring_shape<K>::items;
    constexpr unsigned piece = usw_merge_ring_shape<K>::piece;
    const unsigned lane = threadIdx.x % 32;
    const uint64_t first = a.first(blockIdx.x), last = a.first(blockIdx.x + 1);
    K *own = s.out[group] + w * piece;
    for (uint64_t k = group; first + k < last; k += usw_merge_ring_shape<K>::groups) {
        usw_merge_ring_buffer<K> &buffer = s.buffers[k % usw_merge_ring_shape<K>::buffers];
        usw_gate_wait(&s.came[k % usw_merge_ring_shape<K>::gates],
                      k / usw_merge_ring_shape<K>::gates % 2);
        const usw_merge_ring_piece p = usw_merge_ring_pieces<plain>(a, buffer, w);
        K mine[items];
        if (!usw_merge_ring_keys<plain>(a, buffer.x, p, mine)) {
            usw_merge_ring_copy(buffer.x, p, mine);
        }
        usw_gate_arrive_warp(&buffer.free);
        if (lane == 0) {
            usw_bulk_put_done();
        }
        __syncwarp();
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            own[lane * items + i] = mine[i];
        }
        K *to = a.out + a.rank(first + k) + w * piece;
        if (p.na + p.nb == piece) {
            usw_bulk_written();
            __syncwarp();
            if (lane == 0) {
                usw_merge_ring_put(to, own, piece * sizeof(K));
            }
        } else {
            __syncwarp();
            for (unsigned i = lane; i < p.na + p.nb; i += 32) {
                to[i] = own[i];
            }
        }
    }
    if (lane == 0) {
        usw_bulk_put_done();
    }
}

template <bool plain, typename K>
__global__ void __launch_bounds__(usw_merge_ring_shape<K>::threads, usw_merge_ring_shape<K>::blocks)
    usw_merge_ring(usw_merge_ring_args<K> a)
{
#if USW_GATES
    USW_DYNAMIC_SHARED(usw_merge_ring_shared<K>, shared);
    usw_merge_ring_shared<K> &s = *shared;
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x < usw_merge_ring_shape<K>::buffers) {
        usw_gate_make(&s.buffers[threadIdx.x].free, USW_GATE_WARP * USW_MERGE_RING_GROUP);
    }
    if (threadIdx.x < usw_merge_ring_shape<K>::gates) {
        usw_gate_make(&s.came[threadIdx.x], USW_GATE_WARP);
    }
    if (threadIdx.x < 2) {
        usw_gate_make(&s.found[threadIdx.x], USW_GATE_WARP);
        usw_gate_make(&s.used[threadIdx.x], USW_GATE_WARP);
    }
    usw_gates_ready();
    __syncthreads();
    usw_merge_ring_open<plain>(a, s);
    if (warp == USW_MERGE_RING_MOVER) {
        usw_merge_ring_move(a, s);
    } else if (warp == USW_MERGE_RING_CUTTER) {
        usw_merge_ring_cut<plain>(a, s);
    } else {
        const unsigned merger = warp - USW_MERGE_RING_MERGER;
        usw_merge_ring_merge<plain>(a, s, merger / USW_MERGE_RING_GROUP,
                                    merger % USW_MERGE_RING_GROUP);
    }
#endif
}

/* ---- host ---- */

template <typename K>
static inline bool usw_merge_ring_takes(const usw_gpu *g, const usw_merge_ring_args<K> &a)
{
    const size_t bytes = sizeof(usw_merge_ring_shared<K>) + 2048;
    return a.tiles >= 2 * usw_merge_ring_shape<K>::blocks * g->sms &&
           a.tiles <= usw_merge_ring_shape<K>::tiles_most && usw_bulk_takes(a.out) &&
           usw_merge_ring_shape<K>::blocks * bytes <= g->shared_bytes + 1024 &&
           (usw_gpu_plans(g) || usw_gate_works(usw_merge_ring<true, K>));
}

template <bool plain, typename K>
static inline upsweep_status usw_merge_ring_launch(usw_gpu *g, const usw_merge_ring_args<K> &a)
{
    return USW_LAUNCH_COOPERATIVE(
        g, (usw_merge_ring<plain, K>), dim3(usw_merge_ring_shape<K>::blocks * g->sms),
        dim3(usw_merge_ring_shape<K>::threads), sizeof(usw_merge_ring_shared<K>) + 256, a);
}

template <typename K>
static inline upsweep_status usw_merge_ring_two(usw_gpu *g, const usw_merge_ring_args<K> &a)
{
    return a.map.neg == 0 && a.map.pos == 0 && a.map.add == 0 ? usw_merge_ring_launch<true>(g, a)
                                                              : usw_merge_ring_launch<false>(g, a);
}

#endif
