/* path_bucket.cu - shortest paths by buckets, CUDA form.
 *
 * Same as the explained form: all that wait in the nearest bucket are taken, and their arcs relaxed
 * side by side; what comes to wait in the same bucket is taken in the next round; when nothing
 * waits there, the least distance that waits begins the next bucket. Differs: only the bucket at
 * hand is a list (near), vertices of all others are found by a scan (far); blocks go on by
 * themselves for some rounds (gpu/paths/near_far.cuh says how); and buckets are wider, since on a
 * GPU a round costs more than relaxing some vertices twice: 48 mean arcs where vertices have few
 * arcs, a quarter of a mean arc where they have many.
 *
 * Shape    search: cooperative, a block a multiprocessor, of 512 lanes where vertices have few arcs
 *          (1024 from 2^22 vertices on) and of 1024 where they have many, 96 KB shared. batch: a
 *          block of 256 for each source, four a multiprocessor, 32 KB.
 * Traffic  each arc 1.2 to 4 times, its head's distance at random; 16 bytes a vertex a bucket.
 * Rounds   on a grid of 1000 x 1000 about 20 buckets and 2300 hops; on a uniform graph of 2^20
 *          vertices and 2^25 arcs about 8 and 50.
 * Source   A. Davidson, S. Baxter, M. Garland, J. Owens, Work-efficient parallel GPU methods for
 *          single-source shortest paths, IPDPS 2014 (near and far); U. Meyer, P. Sanders, 2003. */
/* SPDX-License-Identifier: MIT */
#include "gpu/paths/parents.cuh"
#include "gpu/paths/near_far_rounds.cuh"

namespace
{

#ifdef USW_EMULATE
/* So small that graphs of few vertices pass all thresholds. */
struct search_tuning {
    static constexpr unsigned threads = 64, threads_few = 32, heavy = 8, chunk = 8;
    static constexpr size_t large = 500;
    static constexpr unsigned queue_bytes = 512, share = 6, many = 12, hops_one_block = 5;
};
struct batch_tuning {
    static constexpr unsigned threads = 32, queue_bytes = 384, heavy = 16, chunk = 8;
    static constexpr unsigned share = 6, many = 12, hops_one_block = 5;
};
struct host_tuning {
    static constexpr unsigned hops = 2, blocks = 2;
    static constexpr double few_arcs = 8, wide = 4, narrow = 0.5;
    static constexpr size_t queue_least = 8, queue_share = 3, batch_bytes = 1 << 20;
};
#else
struct search_tuning {
    static constexpr unsigned threads = 1024;
    static constexpr unsigned threads_few = 512;      /* where vertices have few arcs */
    static constexpr size_t large = size_t(1) << 22;  /* vertices: `threads` in any case */
    static constexpr unsigned queue_bytes = 96 << 10; /* of a block's own queue, in shared memory */
    static constexpr unsigned heavy = 512;            /* arcs that a group of lanes takes at once */
    static constexpr unsigned chunk = 2048;
    static constexpr unsigned share = 64; /* entries for each block that takes part in a round */
    static constexpr unsigned many = 512; /* entries from which on other blocks take part */
    static constexpr unsigned hops_one_block = 256; /* of a block that works alone */
};
struct batch_tuning {
    static constexpr unsigned threads = 256, queue_bytes = 32 << 10, heavy = 512, chunk = 1024;
    static constexpr unsigned share = 1024, many = 1024, hops_one_block = 1u << 20;
};
struct host_tuning {
    static constexpr unsigned hops = 16;  /* of a block, where others work, too */
    static constexpr unsigned blocks = 4; /* of a multiprocessor in a batch */
    static constexpr double few_arcs = 8; /* a vertex; with fewer, no head's distance is loaded */
    static constexpr double wide = 48, narrow = 0.25;            /* mean arcs in a bucket */
    static constexpr size_t queue_least = 1024, queue_share = 1; /* 1 / share of the vertices */
    static constexpr size_t batch_bytes = size_t(2) << 30;       /* for all searches of a batch */
};
#endif

template <typename W>
__global__ void __launch_bounds__(search_tuning::threads)
    search_grid(near_job<W> j, unsigned long long *arrived)
{
    using queue_type = near_queue<W, search_tuning>;
    USW_DYNAMIC_SHARED(queue_type, own);
    usw_team team = usw_team_of_grid(arrived);
    search_near<W, search_tuning>(j, team, own);
}

/* A batch: the job of the first source, from which take_source makes those of others. */
template <typename W> struct batch_job {
    near_job<W> first;
    size_t sources;
    const uint64_t *target_begin;
    const usw_bits<W> *cutoffs;
    unsigned long long *next; /* source */
};

/* One lane makes the job of source s, with the scratch of this block. */
template <typename W>
__device__ __forceinline__ void take_source(const batch_job<W> &b, size_t s, near_job<W> *j)
{
    *j = b.first;
    j->relaxed += blockIdx.x * j->net.vertices;
    for (unsigned i = 0; i < 2; i++) {
        j->queue[i] += blockIdx.x * j->queue_most;
        j->heavy[i] += blockIdx.x * j->heavy_most;
    }
    j->words += blockIdx.x;
    j->sources += s;
    j->distance += s * j->net.vertices;
    if (b.target_begin != nullptr) {
        j->targets += b.target_begin[s] - b.target_begin[0];
        j->target_count = b.target_begin[s + 1] - b.target_begin[s];
    }
    if (b.cutoffs != nullptr) {
        const usw_bits<W> most = usw_distances<W>::unreached - 1;
        j->most = b.cutoffs[s] < most ? b.cutoffs[s] : most;
    }
}

template <typename W>
__global__ void __launch_bounds__(batch_tuning::threads) search_each(batch_job<W> b)
{
    using queue_type = near_queue<W, batch_tuning>;
    USW_DYNAMIC_SHARED(queue_type, own);
    USW_SHARED(near_job<W>, j);
    USW_SHARED(size_t, source);
    for (size_t searches = 0; searches < b.sources; searches++) {
        if (threadIdx.x == 0) {
            source = atomicAdd(b.next, 1ull);
            if (source < b.sources) {
                take_source(b, source, &j);
            }
        }
        __syncthreads();
        if (source >= b.sources) {
            break;
        }
        usw_team team = usw_team_of_block();
        search_near<W, batch_tuning>(j, team, own);
        __syncthreads();
    }
}

/* ---- the whole ---- */

double width_of(const usw_gpu_path_query *q)
{
    const double degree = static_cast<double>(q->net.arcs) / static_cast<double>(q->net.vertices);
    const double mean = q->net.weight_type == 0 ? 1 : q->net.weight_mean;
    const double factor = degree < host_tuning::few_arcs ? host_tuning::wide : host_tuning::narrow;
    return q->delta > 0 ? q->delta : mean * factor;
}

template <typename W> usw_bits<W> bits_of_width(double width)
{
    using D = usw_bits<W>;
    if constexpr (usw_distances<W>::is_float) {
        const W w = static_cast<W>(width);
        D bits;
        memcpy(&bits, &w, sizeof bits);
        return bits;
    } else {
        const double most = static_cast<double>(usw_distances<W>::unreached / 2);
        return width < 1      ? 1
               : width > most ? usw_distances<W>::unreached / 2
                              : static_cast<D>(width);
    }
}

unsigned long long rounds_most(size_t vertices)
{
#ifdef USW_EMULATE
    const unsigned long long few = emulated_setting("UPSWEEP_EMULATE_ROUNDS", 0);
    if (few > 0) { /* so few that tests reach the limit */
        return few;
    }
#endif
    return 8ull * vertices + 64;
}

/* Takes the scratch of `teams` searches side by side, and returns the job that they have in
 * common. */
template <typename W>
near_job<W> job_of(usw_gpu *g, const usw_gpu_path_query *q, size_t teams, unsigned heavy,
                   unsigned chunk)
{
    near_job<W> j = {};
    const size_t n = q->net.vertices;
    const double degree = static_cast<double>(q->net.arcs) / static_cast<double>(n);
    j.net = usw_rows_of<W>(q->net);
    j.sources = q->sources;
    j.targets = q->targets;
    j.source_count = q->each ? 1 : q->source_count;
    j.target_count = q->target_count;
    j.distance = static_cast<usw_bits<W> *>(q->distance);
    j.queue_most = n / host_tuning::queue_share + host_tuning::queue_least;
    j.heavy_most = q->net.arcs / chunk + q->net.arcs / heavy + 16;
    j.relaxed = static_cast<usw_bits<W> *>(usw_gpu_scratch(g, teams * n * sizeof(usw_bits<W>)));
    for (unsigned i = 0; i < 2; i++) {
        j.queue[i] = static_cast<near_entry<W> *>(
            usw_gpu_scratch(g, teams * j.queue_most * sizeof(near_entry<W>)));
        j.heavy[i] = static_cast<near_chunk *>(
            usw_gpu_scratch(g, teams * j.heavy_most * sizeof(near_chunk)));
    }
    j.words = static_cast<near_words *>(usw_gpu_scratch(g, teams * sizeof(near_words)));
    j.fault = g->fault;
    j.rounds_most = rounds_most(n);
    const usw_bits<W> most = usw_distances<W>::unreached - 1;
    j.most = q->has_cutoff && q->cutoff < most ? static_cast<usw_bits<W>>(q->cutoff) : most;
    j.step = bits_of_width<W>(width_of(q));
    j.group = 1;
    while (j.group < 32 && j.group < degree) {
        j.group *= 2;
    }
    j.hops = host_tuning::hops;
    j.load_first = degree >= host_tuning::few_arcs;
    return j;
}

template <typename W>
outcome_job<usw_rows_net<W>> outcome_of(const usw_gpu_path_query *q, const near_job<W> &j)
{
    outcome_job<usw_rows_net<W>> o = {};
    o.net = j.net;
    o.distance = j.distance;
    o.parent = q->parent;
    o.sources = q->sources;
    o.targets = q->targets;
    o.source_count = j.source_count;
    o.target_count = q->target_count;
    o.target_begin = q->target_begin;
    o.rows = q->each ? q->source_count : 1;
    return o;
}

template <typename W> upsweep_status search_as(usw_gpu *g, const usw_gpu_path_query *q)
{
    auto j = job_of<W>(g, q, 1, search_tuning::heavy, search_tuning::chunk);
    auto o = outcome_of(q, j);
    auto *arrived = static_cast<unsigned long long *>(usw_gpu_scratch(g, sizeof(*o.lost)));
    if (!outcome_scratch(g, &o, q, 1)) {
        return g->status;
    }
    usw_gpu_fill(g, arrived, 0, sizeof *arrived);
    const unsigned threads = j.load_first || j.net.vertices >= search_tuning::large
                                 ? search_tuning::threads
                                 : search_tuning::threads_few;
    USW_LAUNCH_COOPERATIVE(g, (search_grid<W>), g->sms, threads,
                           sizeof(near_queue<W, search_tuning>), j, arrived);
    return outcome(g, o, q, 1);
}

upsweep_status search(usw_gpu *g, const usw_gpu_path_query *q)
{
    return usw_by_weight(q->net.weight_type,
                         [=](auto weight) { return search_as<decltype(weight)>(g, q); });
}

/* ---- batches ---- */

size_t bytes_of_search(const usw_gpu_path_query *q)
{
    const bool wide = q->net.weight_type == UPSWEEP_U64 || q->net.weight_type == UPSWEEP_F64;
    const size_t heavy = q->net.arcs / batch_tuning::chunk + q->net.arcs / batch_tuning::heavy;
    return q->net.vertices * (wide ? 48 : 28) + heavy * 2 * sizeof(near_chunk) + 4096;
}

/* Searches side by side. */
size_t teams_of(const usw_gpu *g, const usw_gpu_path_query *q)
{
    const size_t fit = host_tuning::batch_bytes / bytes_of_search(q);
    const size_t most = g->sms * size_t(host_tuning::blocks);
    const size_t teams = fit < 1 ? 1 : fit < most ? fit : most;
    return teams < q->source_count ? teams : q->source_count;
}

template <typename W> upsweep_status batch_as(usw_gpu *g, const usw_gpu_path_query *q)
{
    using D = usw_bits<W>;
    const size_t n = q->net.vertices, cells = q->source_count * n;
    const bool columns = q->target_count > 0 || q->target_begin != nullptr;
    const size_t teams = teams_of(g, q);
    batch_job<W> b = {};
    b.first = job_of<W>(g, q, teams, batch_tuning::heavy, batch_tuning::chunk);
    b.sources = q->source_count;
    b.target_begin = q->target_begin;
    b.cutoffs = static_cast<const D *>(q->cutoffs);
    b.next = static_cast<unsigned long long *>(usw_gpu_scratch(g, sizeof *b.next));
    auto *all = static_cast<D *>(usw_gpu_scratch(g, columns ? cells * sizeof(D) : 1));
    auto *parents = static_cast<unsigned *>(
        usw_gpu_scratch(g, columns && q->parent != nullptr ? cells * sizeof(unsigned) : 1));
    b.first.distance = columns ? all : static_cast<D *>(q->distance);
    auto o = outcome_of(q, b.first);
    o.parent = columns && q->parent != nullptr ? parents : q->parent;
    const unsigned by_block = static_cast<unsigned>(teams);
    if (!outcome_scratch(g, &o, q, by_block)) {
        return g->status;
    }
    usw_gpu_fill(g, b.next, 0, sizeof *b.next);
    USW_LAUNCH(g, (search_each<W>), by_block, batch_tuning::threads,
               sizeof(near_queue<W, batch_tuning>), b);
    outcome(g, o, q, by_block);
    if (columns) {
        using net = usw_rows_net<W>;
        const unsigned rows = static_cast<unsigned>(o.rows < 65535 ? o.rows : 65535);
        USW_LAUNCH(g, (take_columns<net, D>), dim3(4, rows), 256, 0, o, o.distance,
                   static_cast<D *>(q->distance));
        if (q->parent != nullptr) {
            USW_LAUNCH(g, (take_columns<net, unsigned>), dim3(4, rows), 256, 0, o, o.parent,
                       q->parent);
        }
    }
    return g->status;
}

upsweep_status batch(usw_gpu *g, const usw_gpu_path_query *q)
{
    return usw_by_weight(q->net.weight_type,
                         [=](auto weight) { return batch_as<decltype(weight)>(g, q); });
}

} // namespace

USW_GPU_FORM(usw_gpu_path_form, usw_path_bucket_cuda) = {search, batch};
