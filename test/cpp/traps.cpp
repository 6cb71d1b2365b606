// traps.cpp - what must not compile, by number: TRAP 0 is right and compiles, every other one has
// one mistake that C takes without a word. cpp.sh compiles them all.
// SPDX-License-Identifier: MIT
#include <deque>
#include <string>
#include <upsweep.hpp>
#include <upsweep_typed.h>

struct unmovable {
    std::string text;
    int key;
    bool operator<(const unmovable &other) const
    {
        return key < other.key;
    }
};

void trap(upsweep *u)
{
    std::vector<float> x(9), y(9);
    std::vector<std::uint32_t> index(9), tails(9);
    const std::vector<float> fixed(9);
    double d = 0;
#if TRAP == 0
    usw::sort(u, x, usw::descending);
    d = usw::reduce(u, x);
    upsweep_sum_f32(u, x.data(), 9, &d);
    usw::graph<float> g(u, 9, tails, index, x);
    std::vector<float> far = usw::shortest_paths(u, g, 0).distance;
#elif TRAP == 1 // a sum is a double, which writes past a float
    float sum;
    upsweep_sum_f32(u, x.data(), 9, &sum);
#elif TRAP == 2 // an operator is no flag
    usw::sort(u, x, UPSWEEP_GREATEST);
#elif TRAP == 3 // nor is a flag an operator
    d = usw::reduce(u, x, usw::largest);
#elif TRAP == 4 // a constant array cannot be sorted
    usw::sort(u, fixed);
#elif TRAP == 5 // bits are packed
    std::vector<bool> bits(9);
    usw::sort(u, bits);
#elif TRAP == 6 // no type of the library
    std::vector<long double> wide(9);
    usw::sort(u, wide);
#elif TRAP == 7 // not contiguous
    std::deque<int> queue(9);
    usw::sort(u, queue.begin(), queue.end());
#elif TRAP == 8 // results of another type than the elements
    std::vector<double> out(9);
    usw::inclusive_scan(u, x, out);
#elif TRAP == 9
    std::vector<double> out(18);
    usw::merge(u, x, y, out);
#elif TRAP == 10 // positions are unsigned, of 32 or 64 bits
    std::vector<std::uint16_t> order(9);
    usw::argsort(u, x, order);
#elif TRAP == 11 // bits of floats are not combined
    usw::reduce(u, x, std::bit_and<>());
#elif TRAP == 12 // strings are not moved as bytes
    std::vector<unmovable> texts(9);
    usw::sort(u, texts, std::less<>());
#elif TRAP == 13 // nor carried as values
    std::vector<std::string> texts(9);
    usw::sort_by_key(u, x, texts);
#elif TRAP == 14 // distances are of the type of weights
    usw::graph<float> g(u, 9, tails, index, x);
    std::vector<std::uint32_t> near = usw::shortest_paths(u, g, 0).distance;
#elif TRAP == 15 // weights are of the graph's type
    usw::graph<std::uint32_t> g(u, 9, tails, index, x);
#elif TRAP == 16 // a handle is one's own
    usw::handle a;
    usw::handle b = a;
#elif TRAP == 17 // keys of one type, edges of another
    usw::histogram(u, x, index);
#elif TRAP == 18 // f16 is no u16
    std::uint16_t least;
    usw::f16 halves[4];
    upsweep_min(u, halves, 4, &least);
#elif TRAP == 19 // a member that is no number
    std::vector<unmovable> texts(9);
    usw::sort_records(u, texts, &unmovable::text);
#else
#define NO_MORE_TRAPS
#endif
    (void)d;
}
#ifdef NO_MORE_TRAPS
int there_are_no_more_traps;
#endif
