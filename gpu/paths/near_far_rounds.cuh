/* near_far_rounds.cuh - one search by near and far vertices: the rounds and phases of a team
 * (gpu/paths/near_far.cuh has the idea, and what a lane does). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PATHS_NEAR_FAR_ROUNDS_CUH
#define USW_GPU_PATHS_NEAR_FAR_ROUNDS_CUH

#include "gpu/paths/near_far.cuh"

namespace
{

/* ---- a round ---- */

/* The block takes its share of the team's queue. All of the block call. */
template <typename W, typename T>
__device__ __forceinline__ void take_share(near_lane<W, T> &l, size_t count, unsigned block,
                                           unsigned blocks)
{
    const near_job<W> &j = l.j;
    const near_entry<W> *queue = j.queue[l.round.k % 2];
    const unsigned groups = 32 / j.group, rank = threadIdx.x % j.group;
    const unsigned warps = blockDim.x / 32 * blocks;
    /* Neighbouring entries go to warps of different blocks, so that many blocks share few
     * entries. */
    const unsigned warp = threadIdx.x / 32 * blocks + block;
    for (size_t i = static_cast<size_t>(warp) * groups; i < count;
         i += static_cast<size_t>(warps) * groups) {
        const size_t at = i + threadIdx.x % 32 / j.group;
        const bool mine = at < count;
        const near_entry<W> e = mine ? queue[at] : near_entry<W>{0, 0};
        l.take(mine, e.distance, e.vertex, mine ? j.net.word(e.vertex) : 0, rank);
    }
}

/* The block's share where entries are many: each lane takes an entry of its own. */
template <typename W, typename T>
__device__ __forceinline__ void take_by_lanes(near_lane<W, T> &l, size_t count, unsigned block,
                                              unsigned blocks)
{
    const near_entry<W> *queue = l.j.queue[l.round.k % 2];
    const size_t step = static_cast<size_t>(blockDim.x) * blocks;
    for (size_t i = static_cast<size_t>(threadIdx.x / 32 * blocks + block) * 32; i < count;
         i += step) {
        const size_t at = i + threadIdx.x % 32;
        const bool mine = at < count;
        const near_entry<W> e = mine ? queue[at] : near_entry<W>{0, 0};
        l.take_many(mine, e.distance, e.vertex);
    }
}

template <typename W, typename T>
__device__ __forceinline__ void take_chunks(near_lane<W, T> &l, size_t count, unsigned block,
                                            unsigned blocks)
{
    const near_chunk *heavy = l.j.heavy[l.round.k % 2];
    for (size_t c = block; c < count; c += blocks) {
        const near_chunk k = heavy[c];
        const size_t a = k.begin + threadIdx.x, end = k.begin + k.count;
        const usw_arc_of<W> arc = a < end ? l.j.net.arc(k.vertex, a) : usw_arc_of<W>{0, 0};
        l.relax(true, __ldcg(&l.j.distance[k.vertex]), k.vertex, a, end, blockDim.x, arc);
    }
}

/* Moves the entries that are left in the block's queue to the team's. */
template <typename W, typename T>
__device__ __forceinline__ void hand_over(near_lane<W, T> &l, unsigned count)
{
    near_queue<W, T> *own = l.own;
    const unsigned side = l.hop.k % 2;
    if (threadIdx.x == 0) {
        own->base =
            atomicAdd(&l.j.words->entries[l.round.next()], static_cast<unsigned long long>(count));
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const auto d = own->distance[side][i];
        if (own->base + i < l.j.queue_most) {
            l.j.queue[(l.round.k + 1) % 2][own->base + i] = {d, own->vertex[side][i]};
        } else {
            l.far = d < l.far ? d : l.far;
        }
    }
}

/* Publishes the least far distance of the block's lanes to the team. All of the block call. */
template <typename W, typename T>
__device__ __forceinline__ void publish_far(near_lane<W, T> &l, unsigned long long *far)
{
    unsigned long long least = l.far;
    for (int b = 16; b > 0; b /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, least, b);
        least = other < least ? other : least;
    }
    if (threadIdx.x % 32 == 0 && least < usw_distances<W>::unreached) {
        atomicMin(&l.own->far, least);
    }
    __syncthreads();
    if (threadIdx.x == 0 && l.own->far < usw_distances<W>::unreached) {
        atomicMin(far, l.own->far);
        l.own->far = ~0ull;
    }
    l.far = usw_distances<W>::unreached;
}

/* One round of the team; entries and chunks: as many as were wanted, which may be more than the
 * queues hold. */
template <typename W, typename T>
__device__ __forceinline__ void one_round(near_lane<W, T> &l, const usw_team &team, size_t entries,
                                          size_t chunks, unsigned phase)
{
    const near_job<W> &j = l.j;
    entries = entries < j.queue_most ? entries : j.queue_most;
    chunks = chunks < j.heavy_most ? chunks : j.heavy_most;
    size_t wanted = (entries + T::share - 1) / T::share;
    wanted = wanted > chunks ? wanted : chunks;
    const unsigned active = static_cast<unsigned>(wanted < team.blocks ? wanted : team.blocks);
    if (team.block >= active) {
        return;
    }
    const bool many_entries = entries > static_cast<size_t>(active) * T::many;
    const unsigned hops = many_entries ? 0 : active == 1 ? T::hops_one_block : j.hops;
    if (many_entries) {
        take_by_lanes(l, entries, team.block, active);
    } else {
        take_share(l, entries, team.block, active);
    }
    take_chunks(l, chunks, team.block, active);
    unsigned count = l.next_hop();
    for (unsigned hop = 0; hop < hops && count > 0 && count < T::many; hop++) {
        l.one_hop(count);
        count = l.next_hop();
    }
    if (count > 0) {
        hand_over(l, count);
    }
    publish_far(l, &j.words->far[phase % 3]);
}

/* ---- phases ---- */

/* Enters all vertices that wait below the limit, with which a phase begins. */
template <typename W, typename T>
__device__ __forceinline__ void scan_waiting(near_lane<W, T> &l, const usw_team &team,
                                             unsigned phase)
{
    const near_job<W> &j = l.j;
    const size_t n = j.net.vertices;
    for (size_t base = team.lane() / 32 * 32; base < n; base += team.lanes()) {
        const size_t v = base + threadIdx.x % 32;
        usw_bits<W> d = usw_distances<W>::unreached;
        if (v < n) {
            d = __ldcg(&j.distance[v]);
            d = d < __ldcg(&j.relaxed[v]) ? d : usw_distances<W>::unreached;
        }
        bool near = d < l.limit;
        if (__any_sync(~0u, near) != 0) {
            const auto at = l.place(near, &j.words->entries[l.round.next()]);
            if (near && at < j.queue_most) {
                j.queue[(l.round.k + 1) % 2][at] = {d, static_cast<unsigned>(v)};
            }
            near = near && at < j.queue_most;
        }
        l.far = !near && d < l.far ? d : l.far;
    }
    publish_far(l, &j.words->far[phase % 3]);
}

template <typename W>
__device__ __forceinline__ void count_open(const near_job<W> &j, const usw_team &team,
                                           usw_bits<W> limit, unsigned phase)
{
    for (size_t t = team.lane(); t < j.target_count; t += team.lanes()) {
        if (__ldcg(&j.distance[j.targets[t]]) >= limit) {
            atomicAdd(&j.words->open[phase % 3], 1ull);
        }
    }
}

/* Begins a search: only the sources are reached, and they wait in the first round's queue. */
template <typename W, typename T>
__device__ __forceinline__ void begin_search(near_lane<W, T> &l, usw_team &team)
{
    const near_job<W> &j = l.j;
    for (size_t v = team.lane(); v < j.net.vertices; v += team.lanes()) {
        j.distance[v] = j.relaxed[v] = usw_distances<W>::unreached;
    }
    if (threadIdx.x == 0) {
        l.own->count[0] = l.own->count[1] = l.own->count[2] = 0;
        l.own->far = ~0ull;
        if (team.block == 0) {
            for (unsigned i = 0; i < 3; i++) {
                j.words->entries[i] = j.words->chunks[i] = j.words->open[i] = 0;
                j.words->far[i] = ~0ull;
            }
        }
    }
    team.barrier();
    for (size_t base = team.lane() / 32 * 32; base < j.source_count; base += team.lanes()) {
        const size_t s = base + threadIdx.x % 32;
        const unsigned v = s < j.source_count ? j.sources[s] : 0;
        const bool first = s < j.source_count && atomicMin(&j.distance[v], usw_bits<W>(0)) != 0;
        const auto at = l.place(first, &j.words->entries[0]);
        if (first && at < j.queue_most) {
            j.queue[0][at] = {0, v};
        }
    }
    team.barrier();
}

/* A whole search, by all of the team. Within a phase each round makes paths of one more arc final,
 * or those over a chunk, and each phase makes at least one vertex final, so that a few times n
 * rounds are enough, whatever the order. After j.rounds_most rounds the search is given up with a
 * fault, so that no loop is without an end. */
template <typename W, typename T>
__device__ void search_near(const near_job<W> &j, usw_team &team, near_queue<W, T> *own)
{
    near_lane<W, T> l = {j, own, {0}, {0}, bucket_end<W>(0, j.step), usw_distances<W>::unreached};
    near_words *w = j.words;
    unsigned phase = 0;
    begin_search(l, team);
    for (unsigned long long turn = 0;; turn++, l.round.k++) {
        const size_t entries = usw_load_relaxed(&w->entries[l.round.now()]);
        const size_t chunks = usw_load_relaxed(&w->chunks[l.round.now()]);
        if (team.lane() == 0) {
            w->entries[l.round.after()] = w->chunks[l.round.after()] = 0;
        }
        if (turn == j.rounds_most) {
            if (team.lane() == 0) {
                usw_gpu_fault(j.fault, USW_FAULT_ENDLESS, turn);
            }
            break;
        }
        if (entries + chunks > 0) {
            one_round(l, team, entries, chunks, phase);
            team.barrier();
            continue;
        }
        const unsigned long long least = usw_load_relaxed(&w->far[phase % 3]);
        if (least >= usw_distances<W>::unreached) {
            break;
        }
        if (team.lane() == 0) {
            w->far[(phase + 2) % 3] = ~0ull;
            w->open[(phase + 1) % 3] = 0;
        }
        /* All vertices nearer than the limit are final, if no near vertex was left out. */
        const bool final = least >= l.limit;
        count_open(j, team, final ? l.limit : 0, phase);
        l.limit =
            least < l.limit ? l.limit : bucket_end<W>(static_cast<usw_bits<W>>(least), j.step);
        scan_waiting(l, team, phase + 1);
        team.barrier();
        if (j.target_count > 0 && usw_load_relaxed(&w->open[phase % 3]) == 0) {
            break;
        }
        phase++;
    }
}

} // namespace

#endif
