/* sort_tournament.c - a tree of losers (Knuth 5.4.1): in each node the sequence that lost there, so
 * that a line costs one comparison a level. While one sequence is first again and again, it is
 * compared with the next best alone. Node i has the nodes 2 i and 2 i + 1 below it; sequence k is
 * node count + k. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_tournament.h"

/* Whether the next line of sequence a comes before that of sequence b. */
static bool is_first(const sort_tournament *t, size_t a, size_t b)
{
    const sort_head *x = &t->heads[a], *y = &t->heads[b];
    if (x->ended || y->ended) {
        return y->ended && (!x->ended || a < b);
    }
    if (x->key != y->key) {
        return x->key < y->key;
    }
    int order = sort_compare(t->order, 0, x->line, y->line);
    return order != 0 ? order < 0 : a < b;
}

/* The winner below a node. */
static size_t play(sort_tournament *t, size_t node)
{
    if (node >= t->count) {
        return node - t->count;
    }
    size_t a = play(t, 2 * node), b = play(t, 2 * node + 1);
    bool first = is_first(t, a, b);
    t->losers[node] = first ? b : a;
    return first ? a : b;
}

/* The next best has lost to the winner itself. */
static size_t next_best(const sort_tournament *t)
{
    size_t node = (t->count + t->winner) / 2, best = t->losers[node];
    while ((node /= 2) > 0) {
        best = is_first(t, t->losers[node], best) ? t->losers[node] : best;
    }
    return best;
}

void sort_tournament_begin(sort_tournament *t)
{
    t->again = false;
    t->winner = t->count > 1 ? play(t, 1) : 0;
}

void sort_tournament_next(sort_tournament *t)
{
    if (t->count == 1 || (t->again && is_first(t, t->winner, t->second))) {
        return;
    }
    size_t last = t->winner, winner = last;
    for (size_t node = (t->count + last) / 2; node > 0; node /= 2) {
        if (is_first(t, t->losers[node], winner)) {
            size_t won = t->losers[node];
            t->losers[node] = winner;
            winner = won;
        }
    }
    t->winner = winner;
    t->again = winner == last;
    t->second = t->again ? next_best(t) : 0;
}
