/* sample_splitters.cuh - the numbers of the sample sort on a GPU, and what follows from them for n
 * keys: how many levels, how many buckets, how much scratch. */
#ifndef USW_GPU_TEXTBOOK_SAMPLE_SPLITTERS_CUH
#define USW_GPU_TEXTBOOK_SAMPLE_SPLITTERS_CUH

#include "gpu/gpu.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256;
    static constexpr unsigned place_threads = 1024;
    static constexpr unsigned blocks = 8; /* a multiprocessor */
    static constexpr unsigned tile_rounds = 16, tile = threads * tile_rounds;
    static constexpr unsigned bucket_bytes = 32 * 1024, bucket_keys = 4096; /* sorted in a block */
    static constexpr unsigned buckets_most = 512, buckets_spare = 64;
    static constexpr unsigned oversampling = 16, sample_bytes = 64 * 1024;
    static constexpr unsigned filling = 4; /* a bucket should be filled to a quarter */
    static constexpr unsigned levels_spare = 3, levels_most = 12;
};

template <typename E>
constexpr unsigned bucket_room = tuning::bucket_bytes / sizeof(E) < tuning::bucket_keys
                                     ? tuning::bucket_bytes / sizeof(E)
                                     : tuning::bucket_keys;

struct range {
    unsigned long long begin, end;
};

/* How many levels there are, how they split, and how many buckets they may be given. */
struct plan {
    unsigned levels, buckets[tuning::levels_most];
    size_t count_most[tuning::levels_most + 1]; /* a bucket that is too large is larger than room */
    size_t rows;                                /* new buckets of a level, at most */
};

plan plan_for(size_t n, size_t room)
{
    plan p = {};
    unsigned bits = 0, needed = 0;
    while ((n * tuning::filling - 1) / room >> bits != 0) {
        bits++;
    }
    while (needed == 0 || (tuning::buckets_most >> ((bits + needed - 1) / needed)) == 0) {
        needed++;
    }
    p.levels = needed + tuning::levels_spare;
    p.count_most[0] = 1;
    for (unsigned i = 0; i < p.levels; i++) {
        p.buckets[i] = i < needed ? 1u << (bits + needed - 1) / needed : tuning::buckets_spare;
        const size_t here = p.count_most[i] * p.buckets[i], most = n / room;
        p.count_most[i + 1] = here < most ? here : most;
        p.rows = here > p.rows ? here : p.rows;
    }
    return p;
}

/* Scratch of a sort. */
template <typename E> struct room {
    E *other, *splitters;
    unsigned long long *ends, *before;
    unsigned *counts;
    range *lists[2];
};

template <typename E> bool take_room(usw_gpu *g, const plan &p, size_t n, room<E> *w)
{
    size_t list = 1;
    for (unsigned i = 0; i <= p.levels; i++) {
        list = p.count_most[i] > list ? p.count_most[i] : list;
    }
    w->other = static_cast<E *>(usw_gpu_scratch(g, n * sizeof(E)));
    w->splitters = static_cast<E *>(usw_gpu_scratch(g, p.rows * sizeof(E)));
    w->ends = static_cast<unsigned long long *>(usw_gpu_scratch(g, p.rows * sizeof *w->ends));
    w->before =
        static_cast<unsigned long long *>(usw_gpu_scratch(g, (list + 1) * sizeof *w->before));
    w->counts =
        static_cast<unsigned *>(usw_gpu_scratch(g, (tuning::levels_most + 1) * sizeof *w->counts));
    w->lists[0] = static_cast<range *>(usw_gpu_scratch(g, list * sizeof(range)));
    w->lists[1] = static_cast<range *>(usw_gpu_scratch(g, list * sizeof(range)));
    return w->other != nullptr && w->splitters != nullptr && w->ends != nullptr &&
           w->before != nullptr && w->counts != nullptr && w->lists[0] != nullptr &&
           w->lists[1] != nullptr;
}

} // namespace

#endif
