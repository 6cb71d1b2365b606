/* sort_vmerge.cu - vector merge sort, CUDA form.
 *
 * Same as the explained form: sort inside vectors of 4 keys by three swizzled compare-and-selects,
 * then passes that merge 2 L sorted lists into L; a lane loads a vector of each list, splits them
 * into their lowest and highest four (min and max of one with the other backwards), sorts both
 * inside, outputs low, keeps high, and fetches the next vector from the list with the smaller head.
 * Input and output swap roles each pass.
 * Differs: a lane makes a piece of the output of a merge; merge path tells it where its piece
 * begins in both lists. As long as a piece is as long as both lists this is one lane for a pair of
 * lists. Later each merge is cut into pieces, so that every pass keeps all lanes busy; without that
 * the last pass is the work of one lane. Past the end of a list lie keys that count as the
 * greatest.
 *
 * Shape    sort_inside: grid ceil(n / 1024), block 256, no shared memory; one lane a vector.
 *          merge_lists: grid ceil(pieces / 128), block 128, no shared memory; one lane a piece.
 * Traffic  each key read and written once for the vectors and once in each of log2(n / 4) passes.
 * Source   E. Sintorn, U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm, JPDC 2008;
 *          merge path: see gpu/block/merge_path.cuh. */
/* SPDX-License-Identifier: MIT */
#include "gpu/textbook/vmerge_tuning.cuh"
#include "gpu/block/merge_path.cuh"
#include "gpu/textbook/packed_pairs.cuh"

namespace
{

enum : unsigned { LENGTH = 4, INSIDE_THREADS = 256, MERGE_THREADS = 128 };

/* ---- vectors ---- */

template <typename E> struct vector {
    E lane[LENGTH];
};

template <typename E>
__device__ __forceinline__ void compare_and_select(vector<E> *v, unsigned i, unsigned j)
{
    const E a = v->lane[i], b = v->lane[j];
    v->lane[i] = b < a ? b : a;
    v->lane[j] = b < a ? a : b;
}

/* Lanes 0-1 and 2-3, then 0-2 and 1-3, then 1-2. */
template <typename E> __device__ __forceinline__ void sort_vector(vector<E> *v)
{
    compare_and_select(v, 0, 1);
    compare_and_select(v, 2, 3);
    compare_and_select(v, 0, 2);
    compare_and_select(v, 1, 3);
    compare_and_select(v, 1, 2);
}

/* The lowest four of two sorted vectors and the highest four, each sorted. Both are made of the old
 * a and b. */
template <typename E>
__device__ __forceinline__ void split_low_high(const vector<E> &a, const vector<E> &b,
                                               vector<E> *low, vector<E> *high)
{
#pragma unroll
    for (unsigned k = 0; k < LENGTH; k++) {
        const E x = a.lane[k], y = b.lane[LENGTH - 1 - k];
        low->lane[k] = y < x ? y : x;
        high->lane[k] = y < x ? x : y;
    }
    sort_vector(low);
    sort_vector(high);
}

/* from[i .. i + 4), with greatest keys from `end` on. */
template <typename E>
__device__ __forceinline__ vector<E> load_vector(const E *from, size_t i, size_t end)
{
    vector<E> v;
#pragma unroll
    for (unsigned k = 0; k < LENGTH; k++) {
        v.lane[k] = i + k < end ? from[i + k] : usw_greatest_element<E>();
    }
    return v;
}

template <typename E>
__device__ __forceinline__ void store_vector(const vector<E> &v, E *to, size_t i, size_t end)
{
#pragma unroll
    for (unsigned k = 0; k < LENGTH; k++) {
        if (i + k < end) {
            to[i + k] = v.lane[k];
        }
    }
}

/* ---- passes ---- */

template <typename E>
__global__ void __launch_bounds__(INSIDE_THREADS) sort_inside(const E *from, E *to, size_t n)
{
    const size_t i = usw_own_element() * LENGTH;
    if (i < n) {
        vector<E> v = load_vector(from, i, n);
        sort_vector(&v);
        store_vector(v, to, i, n);
    }
}

/* Merges a[0 .. na) and b[0 .. nb) by vectors. */
template <typename E>
__device__ __forceinline__ void merge_vectors(const E *a, size_t na, const E *b, size_t nb, E *to)
{
    if (na == 0 || nb == 0) {
        const E *from = na == 0 ? b : a;
        for (size_t i = 0; i < na + nb; i++) {
            to[i] = from[i];
        }
        return;
    }
    size_t i = LENGTH, j = LENGTH;
    vector<E> stays = load_vector(a, 0, na), next = load_vector(b, 0, nb), low, high;
    for (size_t out = 0; out < na + nb; out += LENGTH) {
        split_low_high(stays, next, &low, &high);
        store_vector(low, to, out, na + nb);
        stays = high;
        const bool take_a = i < na && (j >= nb || !(b[j] < a[i]));
        next = take_a ? load_vector(a, i, na) : load_vector(b, j, nb);
        (take_a ? i : j) += LENGTH;
    }
}

/* One pass over lists of `list` keys; a lane makes `piece` keys of the output, which divides the
 * two lists of a merge. */
template <typename E>
__global__ void __launch_bounds__(MERGE_THREADS)
    merge_lists(const E *from, E *to, size_t n, size_t list, size_t piece)
{
    const size_t begin = usw_own_element() * piece;
    if (begin >= n) {
        return;
    }
    const size_t start = begin / (2 * list) * (2 * list);
    const size_t na = n - start < list ? n - start : list;
    const size_t nb = n - start - na < list ? n - start - na : list;
    const E *a = from + start, *b = a + na;
    const size_t rank = begin - start, end = na + nb - rank < piece ? na + nb : rank + piece;
    const size_t i = usw_merge_path(a, na, b, nb, rank), i_end = usw_merge_path(a, na, b, nb, end);
    merge_vectors(a + i, i_end - i, b + (rank - i), end - i_end - (rank - i), to + begin);
}

/* ---- the whole ---- */

template <typename E>
upsweep_status sort_elements(usw_gpu *g, E *keys, size_t n, const usw_vmerge_tuning &tuning)
{
    E *other = static_cast<E *>(usw_gpu_scratch(g, n * sizeof(E)));
    if (other == nullptr) {
        return g->status;
    }
    unsigned passes = 0;
    for (size_t list = LENGTH; list < n; list *= 2) {
        passes++;
    }
    /* The last pass must end in the keys. */
    E *from = passes % 2 != 0 ? other : keys, *to = passes % 2 != 0 ? keys : other;
    USW_LAUNCH(g, sort_inside<E>, usw_blocks_for(n, INSIDE_THREADS * LENGTH), INSIDE_THREADS, 0,
               keys, from, n);
    tuning.after(tuning.context, 0);
    for (size_t list = LENGTH; list < n && g->status == UPSWEEP_OK; list *= 2) {
        const size_t piece = 2 * list < tuning.piece_keys ? 2 * list : tuning.piece_keys;
        const size_t pieces = (n + piece - 1) / piece;
        USW_LAUNCH(g, merge_lists<E>, usw_blocks_for(pieces, MERGE_THREADS), MERGE_THREADS, 0, from,
                   to, n, list, piece);
        tuning.after(tuning.context, list);
        E *merged = to; /* the arrays swap roles */
        to = from;
        from = merged;
    }
    return g->status;
}

void no_one(void *, size_t)
{
}
const usw_vmerge_tuning usual = {64, no_one, nullptr};

upsweep_status sort(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_vmerge_tuned(g, s, usual);
}

upsweep_status pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_gpu_by_width(p->width, [&](auto key) {
        return usw_gpu_sort_packed<decltype(key)>(
            g, p, [&](auto *items) { return sort_elements(g, items, p->n, usual); });
    });
}

} // namespace

upsweep_status usw_vmerge_tuned(usw_gpu *g, const usw_gpu_sort *s, const usw_vmerge_tuning &tuning)
{
    return usw_gpu_by_width(s->width, [&](auto key) {
        typedef decltype(key) K;
        return usw_gpu_sort_mapped<K>(
            g, s, [&](K *keys) { return sort_elements(g, keys, s->n, tuning); });
    });
}

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_vmerge_cuda) = {sort, pairs, 0, false, false};
