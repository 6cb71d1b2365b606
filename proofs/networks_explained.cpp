/* networks_explained.cpp - proves the explained forms that claim to be oblivious sorts, from what
 * they tell as they run: which elements meet, and when they change places. */
/* SPDX-License-Identifier: MIT */
#include "proofs/networks.hpp"

#include "upsweep.h"

#include <cstdio>
#include <cstring>

namespace
{

struct Meeting {
    uint64_t i, j;
};

struct Telling {
    std::vector<Meeting> meetings;
    bool open = false, wrong = false; /* open: the last two met, out of order */
};

int listen(void *context, const upsweep_event *e)
{
    Telling *t = static_cast<Telling *>(context);
    if (e->kind == UPSWEEP_EVENT_COMPARE) {
        t->wrong = t->wrong || t->open || std::strcmp(e->array, e->other) != 0;
        t->open = e->a > e->b;
        t->meetings.push_back({e->i, e->j});
    } else if (e->kind == UPSWEEP_EVENT_SWAP) {
        const Meeting &last = t->meetings.back();
        t->wrong = t->wrong || !t->open || e->i != last.i || e->j != last.j;
        t->open = false;
    } else if (e->kind == UPSWEEP_EVENT_MOVE || e->kind == UPSWEEP_EVENT_SET) {
        t->wrong = true; /* elements move by meeting alone */
    }
    return 0;
}

void prove(Proof *p, const char *name, uint32_t n)
{
    const std::string what = std::string(name) + ", explained, " + std::to_string(n) + " keys";
    std::vector<uint32_t> rising, falling;
    for (uint32_t i = 0; i < n; i++) {
        rising.push_back(i);
        falling.push_back(n - i);
    }
    Telling one, other;
    if (upsweep_trace(name, rising.data(), n, nullptr, listen, &one) != UPSWEEP_OK ||
        upsweep_trace(name, falling.data(), n, nullptr, listen, &other) != UPSWEEP_OK ||
        one.wrong || one.open || other.wrong || other.open ||
        one.meetings.size() != other.meetings.size()) {
        std::printf("  %s: FAILS: does not exchange exactly what meets out of order\n",
                    what.c_str());
        p->check(false);
        return;
    }
    std::vector<Key> k;
    circuit.begin(n);
    for (size_t i = 0; i < n; i++) {
        k.push_back(Key::of(i));
    }
    bool neighbours = true, equal = true;
    for (size_t m = 0; m < one.meetings.size(); m++) {
        const Meeting &a = one.meetings[m], &b = other.meetings[m];
        const Key low = LESSER(k[a.i], k[a.j]), high = GREATER(k[a.i], k[a.j]);
        equal = equal && a.i == b.i && a.j == b.j;
        neighbours = neighbours && a.i + 1 == a.j;
        k[a.i] = low;
        k[a.j] = high;
    }
    if (!equal) {
        std::printf("  %s: FAILS: other keys meet where the input is another\n", what.c_str());
    }
    p->check(equal && (neighbours ? neighbours_sort(what, k) : circuit_sorts(what, k)));
}

} // namespace

void prove_explained_networks(Proof *p)
{
    for (size_t i = 0; i < upsweep_algorithm_count(); i++) {
        const upsweep_algorithm *a = upsweep_algorithm_at(i);
        if (std::strcmp(a->operation, "sort") == 0 && (a->claims & UPSWEEP_CLAIM_OBLIVIOUS) != 0) {
            for (uint32_t n = 1; n <= 130; n++) {
                prove(p, a->name, n);
            }
        }
    }
}
