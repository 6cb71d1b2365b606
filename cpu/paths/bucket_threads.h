/* bucket_threads.h - one search for shortest paths by several threads, for one kind of weights.
 *
 * Every vertex has an owner. The owner alone keeps it in its buckets and writes its distance, so
 * no write needs to be atomic in more than one piece. An arc into another thread's vertex becomes
 * an offer, sent along with others when a bucket is done. There is no barrier: a thread goes on to
 * its next bucket unless that would take it too far ahead of the others, and should an offer come
 * for a bucket that it has left, it goes back. To relax a vertex twice costs time and changes
 * nothing: the distances at the end are the same for any number of threads. A thread whose buckets
 * are empty looks for offers a while, and then yields the processor.
 *
 * Source: the loose order is that of A. Lenharth, D. Nguyen, K. Pingali, Priority queues are not
 * good concurrent priority schedulers, Euro-Par 2015; owners and offers are those of message
 * passing delta-stepping (Chakaravarthy et al., IPDPS 2014). */
/* SPDX-License-Identifier: MIT */

/* One phase of a search: what each thread does before it empties its buckets. */
typedef struct NAME(job) {
    search_threads *c;
    NAME(run) * run; /* [thread] */
    void (*begin)(NAME(run) * r);
} NAME(job);

/* Sends the offer to the vertex's owner. */
static void NAME(send_offer)(NAME(run) * r, NAME(entry) e, size_t owner)
{
    search_thread *m = r->self;
    chunk *out = m->out[owner];
    if (out == NULL) {
        out = take_chunk(m->q);
        if (out == NULL) {
            return;
        }
        m->out[owner] = out;
        m->out_tail[owner] = out->entries;
    }
    *(NAME(entry) *)(void *)m->out_tail[owner] = e;
    m->out_tail[owner] += sizeof e;
    if (((uintptr_t)m->out_tail[owner] & (CHUNK - 1)) == 0) {
        send(r->threads, m, owner);
    }
}

/* Enters the offers that other threads have sent. */
static void NAME(receive)(NAME(run) * r)
{
    search_thread *m = r->self;
    queue *q = r->q;
    if (atomic_load_explicit(&m->inbox, memory_order_relaxed) == NULL) {
        return;
    }
    chunk *c = atomic_exchange_explicit(&m->inbox, NULL, memory_order_acquire);
    size_t count = 0;
    for (; c != NULL; count++) {
        chunk *next = c->next;
        const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
        const NAME(entry) *end = (const NAME(entry) *)(const void *)((unsigned char *)c + c->used);
        for (const NAME(entry) *p = e; p < end; p++) {
            __builtin_prefetch(&r->distance[p->vertex]);
        }
        for (; e < end; e++) {
            if (e->distance < r->distance[e->vertex]) {
                uint64_t k = NAME(number)(r->w, e->distance);
                q->current = k < q->current ? k : q->current;
                NAME(store)(&r->distance[e->vertex], e->distance);
                NAME(push)(q, r->w, q->current, *e, true);
            }
        }
        give_chunk(q, c);
        c = next;
    }
    note_worked(q, count);
    atomic_fetch_sub_explicit(&r->threads->pending, count, memory_order_acq_rel);
}

/* Makes q->current the next bucket that is not empty; false if all are. */
static bool NAME(find_bucket)(NAME(run) * r)
{
    queue *q = r->q;
    if (q->filled == 0) {
        if (q->far_first == NULL) {
            return false;
        }
        q->current = q->far_least;
    }
    for (;; q->current++) {
        if (q->far_least <= q->current) {
            NAME(bring_near)(q, r->w);
        }
        if (q->first[q->current % RING] != NULL) {
            return true;
        }
    }
}

/* What one thread does in a phase: receives offers, empties a bucket, sends offers. */
static void NAME(work)(void *context, size_t task, unsigned thread)
{
    const NAME(job) *j = context;
    search_threads *c = j->c;
    NAME(run) *r = &j->run[task];
    search_thread *m = r->self;
    (void)thread;
    watch w = {0, 0};
    j->begin(r);
    for (unsigned turn = 0; !atomic_load_explicit(&c->failed, memory_order_relaxed);) {
        NAME(receive)(r);
        if (!NAME(find_bucket)(r)) {
            send_all(c, m);
            if (!wait_for_offers(c, m)) {
                return;
            }
            continue;
        }
        uint64_t k = r->q->current;
        if (k != atomic_load_explicit(&m->current, memory_order_relaxed)) {
            atomic_store_explicit(&m->current, k, memory_order_relaxed);
        }
        if (is_ahead(c, m, k)) {
            send_all(c, m);
            wait_and_watch(c, m, turn++, &w);
            continue;
        }
        turn = 0;
        NAME(empty_bucket)(r);
        send_all(c, m);
        r->q->current++;
        if (r->q->failed) {
            atomic_store_explicit(&c->failed, true, memory_order_relaxed);
        }
    }
}

/* Runs one phase of the search with all threads. */
static bool NAME(together)(upsweep *u, NAME(job) * j, void (*begin)(NAME(run) * r), uint64_t from)
{
    search_threads *c = j->c;
    j->begin = begin;
    atomic_store(&c->pending, c->count);
    for (size_t t = 0; t < c->count; t++) {
        atomic_store(&c->thread[t].current, from);
        c->thread[t].last = from;
        c->thread[t].q->current = from;
    }
    usw_parallel(u, c->count, NAME(work), j);
    return !atomic_load(&c->failed);
}

static void NAME(nothing_first)(NAME(run) * r)
{
    (void)r;
}

#if PATH_KIND == 1 || PATH_KIND == 3
/* Runs the statement for each block of vertices [begin, end) that the thread of r owns. */
#define OWN_STRETCHES(r, begin, end)                                                               \
    for (size_t b_ = (size_t)((r)->self - (r)->threads->thread), begin, end;                       \
         begin = b_ << (r)->threads->block_shift,                                                  \
                end = usw_min((r)->g->vertices, begin + ((size_t)1 << (r)->threads->block_shift)), \
                begin < (r)->g->vertices;                                                          \
         b_ += (r)->threads->count)

static void NAME(widen_own)(NAME(run) * r)
{
    OWN_STRETCHES(r, begin, end)
    {
        NAME(widen)(r, begin, end);
    }
}

static void NAME(pull_own)(NAME(run) * r)
{
    OWN_STRETCHES(r, begin, end)
    {
        NAME(pull)(r, begin, end);
    }
}

static void NAME(count_own)(NAME(run) * r)
{
    r->self->reached = 0;
    r->self->left = (arcs_left){0, 0};
    OWN_STRETCHES(r, begin, end)
    {
        NAME(count)(r, begin, end, &r->self->reached, &r->self->left);
    }
}

static void NAME(set_window)(const NAME(job) * j, DIST from, DIST most)
{
    for (size_t t = 0; t < j->c->count; t++) {
        j->run[t].from = from;
        j->run[t].most = most;
    }
}

/* As by_windows (cpu/paths/bucket_windows.h), by all threads; false: no memory for a chunk. */
static bool NAME(windows_together)(upsweep *u, NAME(job) * j, const usw_path_query *query)
{
    NAME(windows) w = {.step = query->delta * WINDOW};
    const NAME(width) width = j->run[0].w;
    bool right = true;
    for (verdict step = GO_ON; step == GO_ON && right;) {
        size_t reached = 0;
        arcs_left left = {0, 0};
        NAME(next_window)(&w);
        NAME(set_window)(j, w.from, w.most);
        right = NAME(together)(u, j, w.from > 0 ? NAME(widen_own) : NAME(nothing_first),
                               NAME(number)(width, w.from));
        right = right && NAME(together)(u, j, NAME(count_own), 0);
        for (size_t t = 0; t < j->c->count; t++) {
            reached += j->c->thread[t].reached;
            left.unreached += j->c->thread[t].left.unreached;
            left.reached += j->c->thread[t].left.reached;
        }
        step = NAME(judge)(&w, query->graph, reached, left);
        if (step == PULL && right) {
            NAME(set_window)(j, w.most, DIST_MAX);
            right = NAME(together)(u, j, NAME(pull_own), NAME(number)(width, w.most));
        }
    }
    return right;
}
#undef OWN_STRETCHES
#endif

/* One search by all threads. */
static upsweep_status NAME(parallel)(upsweep *u, search_threads *c, const usw_path_query *query,
                                     uint32_t *relaxed, uint32_t *culprit)
{
    NAME(run) *run = usw_scratch(u, c->count * sizeof *run);
    if (run == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    for (size_t t = 0; t < c->count; t++) {
        run[t] = (NAME(run)){.q = c->thread[t].q,
                             .g = query->graph,
                             .distance = query->distance,
                             .w = NAME(width_of)(query->delta),
                             .most = DIST_MAX,
                             .large = query->graph->bytes > CACHE,
                             .plain = NAME(is_plain)(query),
                             .threads = c,
                             .self = &c->thread[t]};
        if (query->cutoff != NULL) {
            memcpy(&run[t].most, query->cutoff, sizeof run[t].most);
        }
#if PATH_KIND == 1 || PATH_KIND == 3
        run[t].relaxed = relaxed;
#else
        (void)relaxed;
#endif
    }
    for (size_t s = 0; s < query->source_count; s++) {
        NAME(enter)(&run[owner_of(c, query->sources[s])], query, s);
    }
    NAME(job) j = {.c = c, .run = run};
    bool done = false;
#if PATH_KIND == 1 || PATH_KIND == 3
    if (relaxed != NULL) {
        USW_ROUTE_OF("all threads, by windows", USW_NO_TYPES);
        done = NAME(windows_together)(u, &j, query);
    } else
#endif
    {
        USW_ROUTE_OF("all threads, bucket by bucket", USW_NO_TYPES);
        done = NAME(together)(u, &j, NAME(nothing_first), 0);
    }
    bool lost = false;
    for (size_t t = 0; t < c->count; t++) {
        lost = lost || run[t].q->lost;
    }
    return !done                                       ? UPSWEEP_ERROR_MEMORY
           : lost && usw_distance_lost(query, culprit) ? UPSWEEP_ERROR_RANGE
                                                       : UPSWEEP_OK;
}
