/* near_far.cuh - one search by near and far vertices: what a lane and a block of path_bucket.cu do.
 *
 * A vertex waits when its distance has become less than the distance at which its arcs were last
 * relaxed. Waiting vertices below the limit are near and are entries of a queue; the others are far
 * and in no list: when no near vertex is left, a scan over all vertices finds those that wait below
 * the next limit. So an entry for which a queue has no place may be dropped: the next scan finds
 * its vertex again.
 *
 * A team works in rounds, in which every block takes its share of the queue. A block keeps the near
 * vertices that it finds in its own queue, in shared memory, and goes on with these, hop after hop,
 * without a barrier; after some hops the entries that are left go to the team's queue. Distances
 * change by atomic minima only, so that the order changes how often vertices are relaxed, and not
 * the results.
 *
 * An entry is a vertex with the distance at which it was entered, and counts only while the vertex
 * has that distance: so each improvement is relaxed once. An entry of a block's queue also has the
 * vertex's row, which was loaded together with the distance, so that a hop costs two loads one
 * after the other: the arcs, and the distances of their heads. A row longer than `heavy` is cut
 * into chunks, each for a whole block in the next round. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PATHS_NEAR_FAR_CUH
#define USW_GPU_PATHS_NEAR_FAR_CUH

#include "gpu/paths/graph.cuh"

namespace
{

template <typename W> struct near_entry { /* in device memory */
    usw_bits<W> distance;
    unsigned vertex;
};
struct near_chunk { /* arcs of one vertex */
    uint64_t begin;
    unsigned vertex, count;
};

/* Words of a team in device memory. Those of the round or phase k are at k % 3: while the words at
 * k % 3 are read, those of k + 1 are written and those of k + 2 made ready. */
struct near_words {
    unsigned long long entries[3], chunks[3]; /* wanted: may be more than the queue holds */
    unsigned long long far[3];  /* least distance of the vertices that wait in no queue */
    unsigned long long open[3]; /* targets whose distance is not final */
};

/* What a team searches in. */
template <typename W> struct near_job {
    using D = usw_bits<W>;
    usw_rows_net<W> net;
    const uint32_t *sources, *targets;
    size_t source_count, target_count;
    D *distance, *relaxed; /* relaxed: the distance at which a vertex's arcs were last relaxed */
    near_entry<W> *queue[2];
    near_chunk *heavy[2];
    size_t queue_most, heavy_most;
    near_words *words;
    unsigned long long *fault;
    unsigned long long rounds_most; /* more than any search takes; then it is given up */
    D most;                         /* vertices that are farther are left out */
    D step;                         /* width of a bucket, as bits */
    unsigned group;                 /* lanes for one vertex: a power of two */
    unsigned hops;                  /* hops of a block by itself, where other blocks work, too */
    bool load_first;                /* a head's distance is loaded before the atomic operation */
};

/* A block's own queue, in shared memory. */
template <typename W, typename T> struct near_queue {
    static constexpr unsigned most = T::queue_bytes / (2 * (12 + sizeof(usw_bits<W>)));
    uint64_t row[2][most];
    usw_bits<W> distance[2][most];
    unsigned vertex[2][most];
    unsigned count[3];
    unsigned long long far;
    unsigned long long base;
};

/* Which of the three words of a round, a phase or a hop is the one at hand. */
struct near_turn {
    unsigned k;
    __device__ __forceinline__ unsigned now() const
    {
        return k % 3;
    }
    __device__ __forceinline__ unsigned next() const
    {
        return (k + 1) % 3;
    }
    __device__ __forceinline__ unsigned after() const
    {
        return (k + 2) % 3;
    }
};

/* The end of the bucket that begins at d: greater than d. */
template <typename W>
__device__ __forceinline__ usw_bits<W> bucket_end(usw_bits<W> d, usw_bits<W> step)
{
    using L = usw_distances<W>;
    usw_bits<W> end = usw_distance_over<W>(d, step);
    end = end > d ? end : d + 1;
    return end > L::unreached ? L::unreached : end;
}

/* One lane's view of a search, in registers. */
template <typename W, typename T> struct near_lane {
    using D = usw_bits<W>;
    const near_job<W> &j;
    near_queue<W, T> *own;
    near_turn round; /* of the team */
    near_turn hop;   /* of the block */
    D limit;         /* vertices below the limit are near */
    D far;           /* least distance of the vertices that this lane left far */

    /* Lanes with `wanted` get places from *count, in the order of the lanes. All of the warp
     * call. */
    template <typename N> __device__ __forceinline__ N place(bool wanted, N *count) const
    {
        const unsigned lanes = __ballot_sync(~0u, wanted), lane = threadIdx.x % 32;
        N base = 0;
        if (lanes != 0) {
            const int first = __ffs(static_cast<int>(lanes)) - 1;
            if (static_cast<int>(lane) == first) {
                base = atomicAdd(count, static_cast<N>(__popc(lanes)));
            }
            base = __shfl_sync(~0u, base, first);
        }
        return base + static_cast<N>(__popc(lanes & ((1u << lane) - 1)));
    }

    /* Enters an improved vertex, if it is near, in the block's queue; if that is full, in the
     * team's; if that is full, too, nowhere. All of the warp call. */
    __device__ __forceinline__ void enter(bool improved, D offered, unsigned v, uint64_t row)
    {
        bool near = improved && offered < limit;
        bool left = improved && !near;
        if (__any_sync(~0u, near) != 0) {
            const unsigned at = place(near, &own->count[hop.next()]);
            if (near && at < near_queue<W, T>::most) {
                const unsigned side = (hop.k + 1) % 2;
                own->row[side][at] = row;
                own->distance[side][at] = offered;
                own->vertex[side][at] = v;
                near = false;
            }
            if (__any_sync(~0u, near) != 0) {
                const auto all = place(near, &j.words->entries[round.next()]);
                if (near && all < j.queue_most) {
                    j.queue[(round.k + 1) % 2][all] = {offered, v};
                    near = false;
                }
                left = left || near;
            }
        }
        far = left && offered < far ? offered : far;
    }

    /* Offers a distance over one arc to the arc's head, if `has`. All of the warp call. */
    __device__ __forceinline__ void offer(bool has, D d, usw_arc_of<W> arc)
    {
        bool improved = false;
        uint64_t row = 0;
        const D offered = usw_distance_over<W>(d, arc.weight);
        bool worth = has && offered <= j.most;
        if (worth && j.load_first) {
            worth = offered < __ldcg(&j.distance[arc.head]);
        }
        if (worth) {
            row = j.net.word(arc.head);
            improved = offered < atomicMin(&j.distance[arc.head], offered);
        }
        enter(improved, offered, arc.head, row);
    }

    /* The arcs a, a + step, .. of v, which is d away; the first of them was read before. All of the
     * warp call; each lane may have a row of its own. */
    __device__ __forceinline__ void relax(bool mine, D d, unsigned v, size_t a, size_t end,
                                          size_t step, usw_arc_of<W> arc)
    {
        while (__any_sync(~0u, mine && a < end) != 0) {
            const bool has = mine && a < end;
            const usw_arc_of<W> now = arc;
            a += step;
            if (mine && a < end) {
                arc = j.net.arc(v, a);
            }
            offer(has, d, now);
        }
    }

    /* Takes an entry with a group of lanes; rank: the lane's in its group. All of the warp call.
     * The first arcs are loaded before it is known whether the entry counts. Where lanes of a group
     * load different distances, a shorter one has just been written, and v waits again: so no arc
     * is lost. */
    __device__ __forceinline__ void take(bool mine, D d, unsigned v, uint64_t row, unsigned rank)
    {
        usw_span s = {0, 0};
        usw_arc_of<W> arc = {0, 0};
        D now = d;
        if (mine) {
            s = j.net.span(v, row);
            now = __ldcg(&j.distance[v]);
            if (s.begin + rank < s.end) {
                arc = j.net.arc(v, s.begin + rank);
            }
        }
        mine = mine && now == d;
        if (mine && rank == 0) {
            atomicMin(&j.relaxed[v], d);
        }
        const bool is_long = mine && s.end - s.begin > T::heavy;
        if (__any_sync(~0u, is_long) != 0) {
            const int first = static_cast<int>(threadIdx.x % 32 - rank);
            const bool done = is_long && rank == 0 && cut(v, s);
            mine = __shfl_sync(~0u, static_cast<int>(done), first) == 0 && mine;
        }
        relax(mine, d, v, s.begin + rank, s.end, j.group, arc);
    }

    /* Takes an entry a lane, and the arcs of all 32 entries together: neighbouring arcs go to
     * neighbouring lanes, whichever vertex they belong to. All of the warp call. */
    __device__ __forceinline__ void take_many(bool mine, D d, unsigned v)
    {
        const unsigned lane = threadIdx.x % 32;
        usw_span s = {0, 0};
        if (mine && __ldcg(&j.distance[v]) == d) {
            atomicMin(&j.relaxed[v], d);
            s = j.net.span(v);
        }
        const bool is_long = s.end - s.begin > T::heavy;
        const bool left = is_long && !cut(v, s);
        const unsigned count = is_long ? 0 : static_cast<unsigned>(s.end - s.begin);
        unsigned before = count;
        for (unsigned k = 1; k < 32; k *= 2) {
            const unsigned below = __shfl_up_sync(~0u, before, k);
            before += lane >= k ? below : 0;
        }
        const unsigned all = __shfl_sync(~0u, before, 31);
        before -= count;
        for (unsigned i = lane; i - lane < all; i += 32) {
            unsigned owner = 0;
            for (unsigned k = 16; k > 0; k /= 2) {
                owner += __shfl_sync(~0u, before, static_cast<int>(owner + k)) <= i ? k : 0;
            }
            const int o = static_cast<int>(owner);
            const unsigned tail = __shfl_sync(~0u, v, o);
            const D far_off = __shfl_sync(~0u, d, o);
            const unsigned long long first =
                __shfl_sync(~0u, static_cast<unsigned long long>(s.begin) - before, o);
            const bool has = i < all;
            offer(has, far_off, has ? j.net.arc(tail, first + i) : usw_arc_of<W>{0, 0});
        }
        for (unsigned rest = __ballot_sync(~0u, left); rest != 0; rest &= rest - 1) {
            const int o = __ffs(static_cast<int>(rest)) - 1; /* a row without chunks */
            const unsigned tail = __shfl_sync(~0u, v, o);
            const D far_off = __shfl_sync(~0u, d, o);
            const usw_span row = j.net.span(tail);
            for (size_t a = row.begin + lane; a - lane < row.end; a += 32) {
                const bool has = a < row.end;
                offer(has, far_off, has ? j.net.arc(tail, a) : usw_arc_of<W>{0, 0});
            }
        }
    }

    /* Leaves the row to the next round, in chunks; returns false where there is no place for all of
     * them. */
    __device__ __forceinline__ bool cut(unsigned v, usw_span s)
    {
        const size_t count = (s.end - s.begin + T::chunk - 1) / T::chunk;
        const auto at =
            atomicAdd(&j.words->chunks[round.next()], static_cast<unsigned long long>(count));
        const bool fits = at + count <= j.heavy_most;
        for (size_t c = 0; c < count && at + c < j.heavy_most; c++) {
            const size_t begin = s.begin + c * T::chunk, left = s.end - begin;
            const size_t some = left < T::chunk ? left : T::chunk;
            j.heavy[(round.k + 1) % 2][at + c] = {begin, v,
                                                  fits ? static_cast<unsigned>(some) : 0u};
        }
        return fits;
    }

    /* One hop over the `count` entries of the block's own queue. All of the block call. */
    __device__ __forceinline__ void one_hop(unsigned count)
    {
        const unsigned side = hop.k % 2, rank = threadIdx.x % j.group;
        for (unsigned i = threadIdx.x / j.group; i - threadIdx.x % 32 / j.group < count;
             i += blockDim.x / j.group) {
            const bool mine = i < count;
            take(mine, mine ? own->distance[side][i] : 0, mine ? own->vertex[side][i] : 0,
                 mine ? own->row[side][i] : 0, rank);
        }
    }

    /* Begins the next hop; returns how many entries its queue has. All of the block call. */
    __device__ __forceinline__ unsigned next_hop()
    {
        if (threadIdx.x == 0) {
            own->count[hop.after()] = 0;
        }
        __syncthreads();
        hop.k++;
        const unsigned count = own->count[hop.now()];
        return count < near_queue<W, T>::most ? count : near_queue<W, T>::most;
    }
};

} // namespace

#endif
