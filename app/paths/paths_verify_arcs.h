/* paths_verify_arcs.h - looks at some arcs, for distances of one type. Included once a type, with
 * DISTANCE, FN(name), UNREACHED(d) and, for floats, FLOATING set, which it clears. */
/* SPDX-License-Identifier: MIT */
#ifndef VERIFY_PIECE
#define VERIFY_PIECE ((size_t)1 << 16)
#endif

/* One way of an arc; false if it shows a shorter way to its head. */
static inline bool FN(check_way)(check *c, uint32_t tail, uint32_t head, DISTANCE weight)
{
    const DISTANCE *distance = c->distance;
    DISTANCE from = distance[tail], to = distance[head], sum;
#ifdef FLOATING
    bool beyond = false;
    sum = from + weight;
#else
    bool beyond = __builtin_add_overflow(from, weight, &sum); /* too large for the type */
#endif
    if (UNREACHED(from) || beyond || UNREACHED(sum)) {
        return true;
    }
    if (sum == to && c->parent[head] == tail) {
        atomic_store_explicit(&c->proven[head], 1, memory_order_relaxed);
    }
    bool outside = c->limit != NULL && sum > *(const DISTANCE *)c->limit;
    return to <= sum || outside;
}

static void FN(check_piece)(void *context, size_t task, unsigned lane)
{
    (void)lane;
    check *c = context;
    const io_graph *g = c->g;
    const DISTANCE *weight = g->weight;
    size_t from = task * VERIFY_PIECE, end = from + VERIFY_PIECE;
    for (size_t i = from; i < end && i < g->arcs; i++) {
        DISTANCE w = weight != NULL ? weight[i] : (DISTANCE)1;
        if (!FN(check_way)(c, g->tail[i], g->head[i], w) ||
            (g->undirected && !FN(check_way)(c, g->head[i], g->tail[i], w))) {
            size_t fault = atomic_load(&c->fault);
            while (i < fault && !atomic_compare_exchange_weak(&c->fault, &fault, i)) {
            }
            return;
        }
    }
}
#undef DISTANCE
#undef FN
#undef FLOATING
#undef UNREACHED
