/* near_far.cuh - one search by near and far: the device side of path_bucket.cu.
 *
 * A vertex waits when its distance has become less than the one its arcs were last relaxed at. Of
 * those, the near ones, below the limit, are entries in a queue; the far ones are in no list: when
 * nothing near is left, a scan over all vertices finds what waits below the next limit. So an entry
 * that finds no room may be dropped: the next scan finds its vertex again.
 *
 * A team works in rounds, all blocks taking their shares of the queue. What a block finds near it
 * keeps in its own queue in shared memory and goes on with, hop after hop, without asking the
 * others; after some hops it hands what is left to all. Distances meet by atomic minima only, so
 * this changes how often vertices are relaxed, and not the outcome.
 *
 * An entry is a vertex with the distance it was entered at, and counts only while that is its
 * distance: so each improvement is relaxed once. In a block's queue it also has its row, which was
 * asked for beside the distance, so that a hop costs two looks at memory: the arcs, and their
 * heads. A row longer than `heavy` is cut into chunks, each for a whole block in the next round. */
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

/* Words of a team in device memory. Those of the round or phase k are at k % 3: while one is read,
 * the next is written and the one after is made ready. */
struct near_words {
    unsigned long long entries[3], chunks[3]; /* asked for: may be more than have room */
    unsigned long long far[3];                /* least distance of what waits in no queue */
    unsigned long long open[3];               /* targets that are not final */
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
    unsigned long long rounds_most; /* more than any search takes: after them it is given up */
    D most;                         /* what is farther is left out */
    D step;                         /* width of a bucket, as bits */
    unsigned group;                 /* lanes for one vertex: a power of two */
    unsigned hops;                  /* that a block goes on by itself, beside others */
    bool load_first;                /* at a head's distance, before the atomic operation */
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

/* Which of the three words, in turn. */
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
    D limit;         /* what is nearer is near */
    D far;           /* the least of what this lane left to the far ones */

    /* Lanes that want one get places from *count, in the order of the lanes. All of the warp. */
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

    /* Enters an improved vertex, if it is near: in the block's queue, else in the team's, else
     * nowhere. All of the warp. */
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

    /* Offers a way over one arc, if `has`. All of the warp. */
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
     * warp, whose lanes may have rows of their own. */
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

    /* Takes an entry with a group of lanes; rank: of the lane in its group. All of the warp. The
     * first arcs are read before it is known whether the entry counts. Should lanes of a group see
     * different distances, then a shorter one has just come, and v waits again: so no arc is
     * lost. */
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

    /* Takes an entry a lane, and the arcs of all of them together: arc after arc to lane after
     * lane, whatever vertex has it. All of the warp. */
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
            const int o = __ffs(static_cast<int>(rest)) - 1; /* long, and no chunk had room */
            const unsigned tail = __shfl_sync(~0u, v, o);
            const D far_off = __shfl_sync(~0u, d, o);
            const usw_span row = j.net.span(tail);
            for (size_t a = row.begin + lane; a - lane < row.end; a += 32) {
                const bool has = a < row.end;
                offer(has, far_off, has ? j.net.arc(tail, a) : usw_arc_of<W>{0, 0});
            }
        }
    }

    /* Leaves the row to the next round, in chunks; false: they found no room. */
    __device__ __forceinline__ bool cut(unsigned v, usw_span s)
    {
        const size_t count = (s.end - s.begin + T::chunk - 1) / T::chunk;
        const auto at =
            atomicAdd(&j.words->chunks[round.next()], static_cast<unsigned long long>(count));
        const bool room = at + count <= j.heavy_most;
        for (size_t c = 0; c < count && at + c < j.heavy_most; c++) {
            const size_t begin = s.begin + c * T::chunk, left = s.end - begin;
            const size_t some = left < T::chunk ? left : T::chunk;
            j.heavy[(round.k + 1) % 2][at + c] = {begin, v,
                                                  room ? static_cast<unsigned>(some) : 0u};
        }
        return room;
    }

    /* One hop over the block's own queue: how many were in it. All of the block. */
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

    /* Begins the next hop; returns how many wait in its queue. All of the block. */
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
