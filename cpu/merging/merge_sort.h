/* merge_sort.h - a stable serial merge sort by a caller's order, for elements of any size.
 *
 * The array is read as a sequence of runs that are in order already (falling runs are reversed,
 * short ones are made longer by binary insertion), and the runs are merged in the order that
 * powersort gives, which is within O(n) of the best there is: sorted input takes n - 1 compares,
 * any input at most about n log2 n. Before a merge both ends are trimmed of what stays where it is;
 * then the shorter run goes to the buffer and the two are merged back. Where the buffer is too
 * small a rotation splits the merge in two, so that no buffer is needed, at the price of moves.
 *
 * Every index is bounded by counts, never by an answer of compare: a compare function that
 * contradicts itself gives some permutation. All functions take `bytes` and are always inlined, so
 * that a caller with a constant size gets plain loads and stores in place of memcpy calls.
 *
 * Sources: J. I. Munro, S. Wild, "Nearly-optimal mergesorts" (ESA 2018); T. Peters, listsort.txt
 * (2002) for trimming and run extension; K. Dudzinski, A. Dydek, "On a stable minimum storage
 * merging algorithm" (1981) for the split by rotation. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_MERGING_MERGE_SORT_H
#define USW_CPU_MERGING_MERGE_SORT_H

#include "core/frame.h"

#define USW_INLINE static inline __attribute__((always_inline))

enum {
    USW_STRIP_BYTES = 64, /* exchanged at a time */
    USW_RUN_MIN = 16,     /* elements; shorter runs are made so long by insertion */
    USW_RUN_STACK = 72,   /* runs not merged yet; the depths of their borders rise, up to 65 */
    USW_FETCH_AHEAD = 8   /* elements */
};

typedef struct usw_sorter {
    upsweep_compare compare;
    void *context;
    unsigned char *buffer;
    size_t buffer_elements;
    bool by_pointer; /* the elements are pointers to what compare takes */
} usw_sorter;

USW_INLINE const void *usw_target(const void *at)
{
    const void *target;
    memcpy(&target, at, sizeof(void *));
    return target;
}

USW_INLINE bool usw_before(usw_sorter s, const void *a, const void *b)
{
    if (s.by_pointer) {
        a = usw_target(a);
        b = usw_target(b);
    }
    return s.compare(a, b, s.context) < 0;
}

USW_INLINE void usw_swap_bytes(unsigned char *x, unsigned char *y, size_t bytes)
{
    unsigned char strip[USW_STRIP_BYTES];
    for (size_t at = 0; at < bytes; at += USW_STRIP_BYTES) {
        size_t width = bytes - at < USW_STRIP_BYTES ? bytes - at : USW_STRIP_BYTES;
        memcpy(strip, x + at, width);
        memcpy(x + at, y + at, width);
        memcpy(y + at, strip, width);
    }
}

/* Element `from` moves down to `to`; those between move up by one. */
USW_INLINE void usw_insert_at(unsigned char *base, size_t to, size_t from, size_t bytes)
{
    unsigned char strip[USW_STRIP_BYTES];
    if (bytes <= USW_STRIP_BYTES) {
        memcpy(strip, base + from * bytes, bytes);
        memmove(base + (to + 1) * bytes, base + to * bytes, (from - to) * bytes);
        memcpy(base + to * bytes, strip, bytes);
        return;
    }
    for (size_t i = from; i > to; i--) {
        usw_swap_bytes(base + i * bytes, base + (i - 1) * bytes, bytes);
    }
}

/* The number of elements of a that are not after key, if a is in order. With `step` 0 the whole of
 * a is halved; with 1 the search starts at the front and doubles its steps. */
USW_INLINE size_t usw_count_not_after(usw_sorter s, const unsigned char *a, size_t n,
                                      const void *key, size_t step, size_t bytes)
{
    size_t low = 0, high = n;
    for (; step != 0 && step <= high - low; step *= 2) {
        if (usw_before(s, key, a + (low + step - 1) * bytes)) {
            high = low + step - 1;
            break;
        }
        low += step;
    }
    for (size_t left = high - low; left != 0;) {
        size_t half = left / 2, up = (size_t)usw_before(s, key, a + (low + half) * bytes) - 1;
        low += (half + 1) & up; /* arithmetic for a choice, as in usw_merge_step */
        left = half - ((2 * half + 1 - left) & up);
    }
    return low;
}

/* The number of elements of a that are before key; with step 1 the search starts at the back. */
USW_INLINE size_t usw_count_before(usw_sorter s, const unsigned char *a, size_t n, const void *key,
                                   size_t step, size_t bytes)
{
    size_t low = 0, high = n;
    for (; step != 0 && step <= high - low; step *= 2) {
        if (usw_before(s, a + (high - step) * bytes, key)) {
            low = high - step + 1;
            break;
        }
        high -= step;
    }
    for (size_t left = high - low; left != 0;) {
        size_t half = left / 2, up = 0 - (size_t)usw_before(s, a + (low + half) * bytes, key);
        low += (half + 1) & up;
        left = half - ((2 * half + 1 - left) & up);
    }
    return low;
}

/* One merge under way. */
typedef struct usw_merge {
    const unsigned char *a, *a_end, *b, *b_end;
    unsigned char *out;
} usw_merge;

/* Prefetches what the pointer USW_FETCH_AHEAD places after `at` points to: it is compared soon. */
USW_INLINE void usw_fetch_ahead(const unsigned char *at, const unsigned char *end)
{
    size_t ahead = USW_FETCH_AHEAD * sizeof(void *);
    if ((size_t)(end - at) > ahead) {
        __builtin_prefetch(usw_target(at + ahead));
    }
}

/* Moves the lesser head. The choice is arithmetic: no processor could predict a branch. */
USW_INLINE void usw_merge_step(usw_sorter s, usw_merge *m, size_t bytes)
{
    size_t first = (size_t)usw_before(s, m->b, m->a) - 1; /* all ones: take a */
    uintptr_t a = (uintptr_t)m->a, b = (uintptr_t)m->b;
    if (s.by_pointer) {
        usw_fetch_ahead(m->a, m->a_end);
        usw_fetch_ahead(m->b, m->b_end);
    }
    memcpy(m->out, (const void *)(b ^ ((a ^ b) & first)), bytes);
    m->out += bytes;
    m->b += bytes & ~first;
    m->a += bytes & first;
}

/* How many steps can be taken before either run may be empty. */
USW_INLINE size_t usw_sure_steps(const usw_merge *m, size_t bytes)
{
    size_t na = (size_t)(m->a_end - m->a), nb = (size_t)(m->b_end - m->b);
    return (na < nb ? na : nb) / bytes;
}

/* Finishes a merge: steps until one run is empty, then copies the rest of the other. */
USW_INLINE void usw_end_merge(usw_sorter s, usw_merge *m, size_t bytes)
{
    for (size_t steps; (steps = usw_sure_steps(m, bytes)) != 0;) {
        do {
            usw_merge_step(s, m, bytes);
        } while (--steps != 0);
    }
    if (m->a != m->a_end) {
        memcpy(m->out, m->a, (size_t)(m->a_end - m->a));
    } else if (m->b != m->b_end && m->out != m->b) {
        memmove(m->out, m->b, (size_t)(m->b_end - m->b));
    }
}

/* Merges into out, which does not overlap a and may lie at or before b. */
USW_INLINE void usw_merge_up(usw_sorter s, unsigned char *out, const unsigned char *a, size_t na,
                             const unsigned char *b, size_t nb, size_t bytes)
{
    usw_merge m = {a, a + na * bytes, b, b + nb * bytes, out};
    usw_end_merge(s, &m, bytes);
}

/* The cut at k: how many of a are among the first k of the merged runs, within [low, high]. */
USW_INLINE size_t usw_merge_cut(usw_sorter s, const unsigned char *a, const unsigned char *b,
                                size_t k, size_t low, size_t high, size_t bytes)
{
    while (low < high) {
        size_t i = low + (high - low) / 2;
        bool after = usw_before(s, b + (k - 1 - i) * bytes, a + i * bytes);
        high = after ? i : high;
        low = after ? low : i + 1;
    }
    return low;
}

/* Merges into out, which overlaps neither run. A step of a merge waits for the step before it, so
 * the merge is cut at its middle into two halves, whose steps alternate. */
USW_INLINE void usw_merge_halves(usw_sorter s, unsigned char *out, const unsigned char *a,
                                 size_t na, const unsigned char *b, size_t nb, size_t bytes)
{
    size_t k = (na + nb) / 2;
    size_t i = usw_merge_cut(s, a, b, k, k > nb ? k - nb : 0, k < na ? k : na, bytes), j = k - i;
    usw_merge x = {a, a + i * bytes, b, b + j * bytes, out};
    usw_merge y = {x.a_end, a + na * bytes, x.b_end, b + nb * bytes, out + k * bytes};
    for (size_t steps = 1; steps != 0;) {
        size_t x_steps = usw_sure_steps(&x, bytes), y_steps = usw_sure_steps(&y, bytes);
        steps = x_steps < y_steps ? x_steps : y_steps;
        for (size_t step = 0; step < steps; step++) {
            usw_merge_step(s, &x, bytes);
            usw_merge_step(s, &y, bytes);
        }
    }
    usw_end_merge(s, &x, bytes);
    usw_end_merge(s, &y, bytes);
}

/* Merges downwards: a lies at the start of the result, and b outside it. */
USW_INLINE void usw_merge_down(usw_sorter s, unsigned char *a, size_t na, const unsigned char *b,
                               size_t nb, size_t bytes)
{
    unsigned char *out = a + (na + nb) * bytes, *a_last = a + na * bytes;
    const unsigned char *b_last = b + nb * bytes;
    while (a_last != a && b_last != b) {
        size_t first = usw_before(s, b_last - bytes, a_last - bytes);
        const unsigned char *from = first ? a_last : b_last;
        out -= bytes;
        memcpy(out, from - bytes, bytes);
        a_last -= bytes & (0 - first);
        b_last -= bytes & (first - 1);
    }
    if (b_last != b) {
        memcpy(a, b, (size_t)(b_last - b));
    }
}

/* [a][b] becomes [b][a], by exchanging blocks of equal length. */
USW_INLINE void usw_rotate(unsigned char *a, size_t na, size_t nb, size_t bytes)
{
    USW_ROUTE_OF("rotation", USW_NO_TYPES);
    while (na != 0 && nb != 0) {
        if (na <= nb) {
            usw_swap_bytes(a, a + na * bytes, na * bytes);
            a += na * bytes;
            nb -= na;
        } else {
            usw_swap_bytes(a + (na - nb) * bytes, a + na * bytes, nb * bytes);
            na -= nb;
        }
    }
}

/* Merges the neighbours *a and b = *a + *na in place, and says whether the buffer was large enough.
 * If it was not, the runs are only trimmed: *a, *na and *nb are what is left to merge. */
USW_INLINE bool usw_merge_buffered(usw_sorter s, unsigned char **a, size_t *na, size_t *nb,
                                   size_t bytes)
{
    unsigned char *b = *a + *na * bytes;
    if (*na == 0 || *nb == 0 || !usw_before(s, b, b - bytes)) {
        return true;
    }
    size_t keep = usw_count_not_after(s, *a, *na - 1, b, 1, bytes);
    *a += keep * bytes;
    *na -= keep;
    *nb = 1 + usw_count_before(s, b + bytes, *nb - 1, b - bytes, 1, bytes);
    if (s.buffer == NULL) {
        return false;
    }
    if (*nb <= s.buffer_elements && *na <= s.buffer_elements - *nb) {
        USW_ROUTE_OF("merge from a buffer that holds both runs", USW_NO_TYPES);
        memcpy(s.buffer, *a, (*na + *nb) * bytes);
        usw_merge_halves(s, *a, s.buffer, *na, s.buffer + *na * bytes, *nb, bytes);
        return true;
    }
    if (*na <= *nb && *na <= s.buffer_elements) {
        USW_ROUTE_OF("merge upwards", USW_NO_TYPES);
        memcpy(s.buffer, *a, *na * bytes);
        usw_merge_up(s, *a, s.buffer, *na, b, *nb, bytes);
        return true;
    }
    if (*nb <= s.buffer_elements) {
        USW_ROUTE_OF("merge downwards", USW_NO_TYPES);
        memcpy(s.buffer, b, *nb * bytes);
        usw_merge_down(s, *a, *na, s.buffer, *nb, bytes);
        return true;
    }
    return false;
}

/* Merges with any buffer or none. The longer run is halved, the place of its middle in the other
 * run is found, and a rotation leaves two smaller merges, of which the smaller one recurs. */
static void usw_merge_in_place(usw_sorter s, unsigned char *a, size_t na, size_t nb, size_t bytes)
{
    USW_ROUTE_OF("merge in place", USW_NO_TYPES);
    while (!usw_merge_buffered(s, &a, &na, &nb, bytes)) {
        if (na + nb == 2) {
            usw_swap_bytes(a, a + bytes, bytes);
            return;
        }
        unsigned char *b = a + na * bytes;
        size_t i, j;
        if (na >= nb) {
            i = na / 2;
            j = usw_count_before(s, b, nb, a + i * bytes, 0, bytes);
        } else {
            j = nb / 2;
            i = usw_count_not_after(s, a, na, b + j * bytes, 0, bytes);
        }
        usw_rotate(a + i * bytes, na - i, j, bytes);
        unsigned char *right = a + (i + j) * bytes;
        if (i + j < na + nb - i - j) {
            usw_merge_in_place(s, a, i, j, bytes);
            a = right;
            na -= i;
            nb -= j;
        } else {
            usw_merge_in_place(s, right, na - i, nb - j, bytes);
            na = i;
            nb = j;
        }
    }
}

/* The length of the run at the start of a, in order after the call. */
USW_INLINE size_t usw_take_run(usw_sorter s, unsigned char *a, size_t n, size_t bytes)
{
    if (n < 2) {
        return n;
    }
    size_t length = 2;
    if (usw_before(s, a + bytes, a)) { /* strictly falling, so that reversing is stable */
        while (length < n && usw_before(s, a + length * bytes, a + (length - 1) * bytes)) {
            length++;
        }
        for (size_t i = 0, j = length - 1; i < j; i++, j--) {
            usw_swap_bytes(a + i * bytes, a + j * bytes, bytes);
        }
    } else {
        while (length < n && !usw_before(s, a + length * bytes, a + (length - 1) * bytes)) {
            length++;
        }
    }
    size_t wanted = n < USW_RUN_MIN ? n : USW_RUN_MIN;
    for (; length < wanted; length++) {
        const unsigned char *key = a + length * bytes;
        usw_insert_at(a, usw_count_not_after(s, a, length, key, 0, bytes), length, bytes);
    }
    return length;
}

/* The depth, in a perfectly balanced tree of merges over n elements, of the border between the run
 * [start, start + na) and the next one of nb elements: deep borders are merged first. */
USW_INLINE unsigned usw_border_depth(size_t start, size_t na, size_t nb, size_t n)
{
    size_t a = 2 * start + na, b = a + na + nb; /* twice the middles of the two runs */
    unsigned depth = 1;
    for (; (a >= n) == (b >= n); depth++) {
        size_t base = a >= n ? n : 0;
        a = (a - base) * 2;
        b = (b - base) * 2;
    }
    return depth;
}

typedef struct usw_run {
    size_t start, length;
    unsigned depth; /* of the border to the next run */
} usw_run;

USW_INLINE void usw_merge_sort(usw_sorter s, unsigned char *base, size_t n, size_t bytes)
{
    usw_run stack[USW_RUN_STACK];
    unsigned top = 0;
    for (size_t at = 0; at < n || top > 1;) {
        size_t length = usw_take_run(s, base + at * bytes, n - at, bytes);
        unsigned depth = 0; /* past the last run: everything is merged */
        if (top > 0 && length > 0) {
            depth = usw_border_depth(stack[top - 1].start, stack[top - 1].length, length, n);
        }
        while (top > 1 && stack[top - 2].depth > depth) {
            usw_run *left = &stack[top - 2], *right = &stack[top - 1];
            unsigned char *a = base + left->start * bytes;
            size_t na = left->length, nb = right->length;
            left->length += right->length;
            if (!usw_merge_buffered(s, &a, &na, &nb, bytes)) {
                usw_merge_in_place(s, a, na, nb, bytes);
            }
            top--;
        }
        if (top > 0) {
            stack[top - 1].depth = depth;
        }
        if (length > 0) {
            stack[top++] = (usw_run){at, length, 0};
        }
        at += length;
    }
}

#endif
