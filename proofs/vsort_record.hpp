/* vsort_record.hpp - the vector operations of cache_sort on signals instead of keys, so that
 * cpu/cache_sort/network.h and cpu/cache_sort/merge_blocks.h, included as they are, record their
 * networks. Included once per number of LANES, with FN and, where there are blocks, BY_BLOCKS.
 * What an operation does in a lane is proved by lane_orders.py, and tried by leaves.c. */
/* SPDX-License-Identifier: MIT */
#undef V
#undef M
#undef LANE_SET
#define V FN(vector)
#define M uint32_t
#define LANE_SET uint32_t

struct V {
    Key lane[LANES];
};

static inline V FN(vload)(const Key *from)
{
    V v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void FN(vstore)(Key *to, V v)
{
    memcpy(static_cast<void *>(to), &v, sizeof v);
}

static inline V FN(vgreatest)(void)
{
    V v;
    for (Key &k : v.lane) {
        k = Key(-1);
    }
    return v;
}

static inline V FN(vload_some)(const Key *from, size_t count)
{
    V v = FN(vgreatest)();
    memcpy(static_cast<void *>(&v), from, count * sizeof(Key));
    return v;
}

static inline void FN(vstore_some)(Key *to, V v, size_t count)
{
    memcpy(static_cast<void *>(to), &v, count * sizeof(Key));
}

static inline V FN(vmin)(V a, V b)
{
    for (unsigned i = 0; i < LANES; i++) {
        a.lane[i] = LESSER(a.lane[i], b.lane[i]);
    }
    return a;
}

/* Called with least = vmin(a, b) only, which is seen to. */
static inline V FN(vother)(V a, V b, V least)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (!same(least.lane[i], LESSER(a.lane[i], b.lane[i]))) {
            abort();
        }
        a.lane[i] = GREATER(a.lane[i], b.lane[i]);
    }
    return a;
}

static inline V FN(vorder)(V a, V b, M upper)
{
    for (unsigned i = 0; i < LANES; i++) {
        bool greater = (upper >> i & 1) != 0;
        a.lane[i] = greater ? GREATER(a.lane[i], b.lane[i]) : LESSER(a.lane[i], b.lane[i]);
    }
    return a;
}

static inline V FN(vflip)(V v, unsigned x)
{
    V out;
    for (unsigned i = 0; i < LANES; i++) {
        out.lane[i] = v.lane[i ^ x];
    }
    return out;
}

static inline V FN(vpick_flip)(V a, V b, unsigned x, M mask)
{
    for (unsigned i = 0; i < LANES; i++) {
        a.lane[i] = (mask >> i & 1) != 0 ? b.lane[i ^ x] : a.lane[i];
    }
    return a;
}

static inline V FN(vindex)(const unsigned char *from)
{
    V v;
    for (unsigned i = 0; i < LANES; i++) {
        v.lane[i] = Key::of(from[i]);
    }
    return v;
}

static inline V FN(vpermute)(V v, V index)
{
    V out;
    for (unsigned i = 0; i < LANES; i++) {
        out.lane[i] = v.lane[index.lane[i].id];
    }
    return out;
}

static inline M FN(lanes_with)(unsigned d)
{
    M m = 0;
    for (unsigned i = 0; i < LANES; i++) {
        m |= static_cast<M>((i & d) != 0) << i;
    }
    return m;
}

static inline M FN(lanes_without)(unsigned d)
{
    return ~FN(lanes_with)(d);
}

static inline V FN(vturn)(V v)
{
    return v;
}

#ifdef BY_BLOCKS
static void FN(sort_many)(Key *k, size_t n);
#endif
#include "cpu/cache_sort/network.h"
#ifdef BY_BLOCKS
#include "cpu/cache_sort/merge_blocks.h"
#endif
