/* circuit.hpp - records what a sorting network does to keys that have no values, and proves it by
 * the 0-1 principle.
 *
 * A Key is a number of a signal: an input, or the lesser or greater of two signals. Keys cannot be
 * compared, so that code which compiles with them and asks LESSER and GREATER only is oblivious.
 * The proof carries, for every set of signals that have met, all vectors of zeros and ones that
 * can come there. Once such a set is sorted, n + 1 vectors are left of 2^n, so that networks which
 * merge sorted parts are proved for hundreds of inputs, by all sorted halves, and no stage has to
 * be told. */
/* SPDX-License-Identifier: MIT */
#ifndef PROOFS_CIRCUIT_HPP
#define PROOFS_CIRCUIT_HPP

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct Key {
    uint32_t id;
    Key() = default;
    /* (KEY)-1, which no input is greater than. */
    explicit Key(int all_ones) : id(static_cast<uint32_t>(all_ones))
    {
    }
    static Key of(size_t number)
    {
        Key k(0);
        k.id = static_cast<uint32_t>(number);
        return k;
    }
    bool greatest() const
    {
        return id == UINT32_MAX;
    }
};
inline bool same(Key a, Key b)
{
    return a.id == b.id;
}

/* The circuit that is being recorded. */
struct Circuit {
    struct Node {
        uint32_t a, b;
        bool greater;
    };
    size_t inputs = 0;
    std::vector<Node> nodes; /* of signals inputs, inputs + 1, .. */
    std::unordered_map<uint64_t, uint32_t> known;

    void begin(size_t n);
    Key join(Key a, Key b, bool greater);
};
extern Circuit circuit;

inline Key LESSER(Key a, Key b)
{
    return circuit.join(a, b, false);
}
inline Key GREATER(Key a, Key b)
{
    return circuit.join(a, b, true);
}

/* What is proved: if the inputs are sorted in runs of these lengths (1: any), each group of
 * outputs, one behind the other, is sorted, and nothing is lost. Else prints why not. */
bool circuit_sorts(const std::string &name, const std::vector<Key> &outputs,
                   const std::vector<size_t> &runs, const std::vector<size_t> &groups);

/* For n inputs in any order and one group of outputs. */
bool circuit_sorts(const std::string &name, const std::vector<Key> &outputs);

/* A network of neighbours alone sorts everything if it sorts n, .., 2, 1 (Knuth 3, section 5.3.4,
 * exercise 36). */
bool neighbours_sort(const std::string &name, const std::vector<Key> &outputs);

struct Proof {
    const char *name;
    size_t cases = 0, failed = 0;
    void check(bool holds)
    {
        cases++;
        failed += holds ? 0 : 1;
    }
};

#endif
