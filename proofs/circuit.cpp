/* circuit.cpp - see circuit.hpp. */
/* SPDX-License-Identifier: MIT */
#include "proofs/circuit.hpp"
#include "proofs/vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

Circuit circuit;

void Circuit::begin(size_t n)
{
    inputs = n;
    nodes.clear();
    known.clear();
}

Key Circuit::join(Key a, Key b, bool greater)
{
    if (a.greatest() || b.greatest()) {
        return greater == a.greatest() ? a : b;
    }
    if (std::max(a.id, b.id) >= inputs + nodes.size()) {
        std::puts("  a network reads a key that is not there");
        std::exit(1);
    }
    const uint32_t low = std::min(a.id, b.id), high = std::max(a.id, b.id);
    auto [at, fresh] = known.insert(
        {uint64_t(low) << 32 | high << 1 | greater, static_cast<uint32_t>(inputs + nodes.size())});
    if (fresh) {
        nodes.push_back({low, high, greater});
    }
    return Key::of(at->second);
}

namespace
{

struct Comparator {
    uint32_t a, b;
    int64_t lesser = -1, greater = -1; /* signals; -1: not asked for */
};

struct Run {
    std::vector<Comparator> comparators;
    std::vector<int64_t> user;  /* signal -> comparator */
    std::vector<size_t> part;   /* signal -> part */
    std::vector<size_t> place;  /* signal -> row in it */
    std::vector<unsigned> seen; /* comparator -> live operands */
    std::vector<Part> parts;
    std::vector<size_t> ready;
    std::string why;
};

bool collect(Run &r, const std::vector<Key> &outputs)
{
    const size_t signals = circuit.inputs + circuit.nodes.size();
    std::unordered_map<uint64_t, size_t> found;
    r.user.assign(signals, -1);
    for (size_t i = 0; i < circuit.nodes.size(); i++) {
        const Circuit::Node &n = circuit.nodes[i];
        auto [at, fresh] = found.insert({uint64_t(n.a) << 32 | n.b, r.comparators.size()});
        if (fresh) {
            r.comparators.push_back({n.a, n.b});
            for (uint32_t s : {n.a, n.b}) {
                if (r.user[s] != -1) {
                    r.why = "a key is compared twice and kept twice";
                    return false;
                }
                r.user[s] = static_cast<int64_t>(at->second);
            }
        }
        Comparator &c = r.comparators[at->second];
        (n.greater ? c.greater : c.lesser) = static_cast<int64_t>(circuit.inputs + i);
    }
    for (const Comparator &c : r.comparators) {
        if (c.lesser == -1 || c.greater == -1 || c.a == c.b) {
            r.why = "a comparison loses a key";
            return false;
        }
    }
    std::vector<bool> given(signals, false);
    for (Key k : outputs) {
        if (k.greatest() || k.id >= signals || given[k.id] || r.user[k.id] != -1) {
            r.why = "a key comes out twice or is none of the input's";
            return false;
        }
        given[k.id] = true;
    }
    if (outputs.size() != circuit.inputs) {
        r.why = "not as many keys come out as go in";
        return false;
    }
    return true;
}

void alive(Run &r, uint32_t signal)
{
    const int64_t c = r.user[signal];
    if (c != -1 && ++r.seen[static_cast<size_t>(c)] == 2) {
        r.ready.push_back(static_cast<size_t>(c));
    }
}

void note_places(Run &r, size_t part)
{
    for (size_t i = 0; i < r.parts[part].signals.size(); i++) {
        r.part[r.parts[part].signals[i]] = part;
        r.place[r.parts[part].signals[i]] = i;
    }
}

bool unite(Run &r, size_t one, size_t other)
{
    for (size_t part : {one, other}) {
        exchange_rows(r.parts[part]);
        reduce(r.parts[part]);
    }
    if (r.parts[one].vectors * r.parts[other].vectors > (size_t(1) << 24)) {
        r.why = "too many vectors: parts meet that are not sorted";
        return false;
    }
    r.parts[one] = product(r.parts[one], r.parts[other]);
    r.parts[other] = Part();
    note_places(r, one);
    return true;
}

void exchange(Run &r, const Comparator &c)
{
    Part &p = r.parts[r.part[c.a]];
    const size_t i = r.place[c.a], j = r.place[c.b];
    p.to_do.push_back({i, j});
    const uint32_t to[2] = {static_cast<uint32_t>(c.lesser), static_cast<uint32_t>(c.greater)};
    for (unsigned k = 0; k < 2; k++) {
        r.part[to[k]] = r.part[c.a];
        r.place[to[k]] = k == 0 ? i : j;
        p.signals[r.place[to[k]]] = to[k];
    }
    alive(r, to[0]);
    alive(r, to[1]);
}

/* Comparisons within a part come first, then those that unite the parts of the fewest vectors. */
bool step(Run &r)
{
    size_t best = 0, least = SIZE_MAX;
    for (size_t i = r.ready.size(); i-- > 0;) {
        const Comparator &c = r.comparators[r.ready[i]];
        const size_t a = r.part[c.a], b = r.part[c.b];
        const size_t vectors = a == b ? 0 : r.parts[a].signals.size() + r.parts[b].signals.size();
        if (vectors < least) {
            least = vectors;
            best = i;
        }
        if (vectors == 0) {
            break;
        }
    }
    const Comparator c = r.comparators[r.ready[best]];
    if (r.part[c.a] != r.part[c.b] && !unite(r, r.part[c.a], r.part[c.b])) {
        return false;
    }
    r.ready.erase(r.ready.begin() + static_cast<std::ptrdiff_t>(best));
    exchange(r, c);
    return true;
}

bool groups_sorted(Run &r, const std::vector<Key> &outputs, const std::vector<size_t> &groups)
{
    size_t at = 0;
    for (size_t length : groups) {
        for (size_t i = at; i + 1 < at + length; i++) {
            const uint32_t s = outputs[i].id, t = outputs[i + 1].id;
            if (r.part[s] != r.part[t] && !unite(r, r.part[s], r.part[t])) {
                return false;
            }
            Part &p = r.parts[r.part[s]];
            exchange_rows(p);
            if (!within(p.rows[r.place[s]], p.rows[r.place[t]])) {
                r.why = "a 1 can come out at place " + std::to_string(i) + " before a 0";
                return false;
            }
        }
        at += length;
    }
    return true;
}

/* Looks for an input of zeros and ones that comes out unsorted, to be shown. */
std::string example(const std::vector<Key> &outputs, const std::vector<size_t> &runs,
                    const std::vector<size_t> &groups)
{
    std::mt19937_64 random(1);
    for (unsigned turn = 0; turn < 20000; turn++) {
        std::vector<bool> x;
        for (size_t length : runs) {
            const size_t above = random() % (length + 1);
            for (size_t i = 0; i < length; i++) {
                x.push_back(i >= above);
            }
        }
        std::vector<bool> v = x;
        for (const Circuit::Node &n : circuit.nodes) {
            v.push_back(n.greater ? v[n.a] || v[n.b] : v[n.a] && v[n.b]);
        }
        size_t at = 0;
        for (size_t length : groups) {
            for (size_t i = at; i + 1 < at + length; i++) {
                if (v[outputs[i].id] && !v[outputs[i + 1].id]) {
                    std::string text = "; for instance for ";
                    for (bool b : x) {
                        text += b ? '1' : '0';
                    }
                    return text;
                }
            }
            at += length;
        }
    }
    return "";
}

bool fails(const std::string &name, const std::string &why)
{
    std::printf("  %s: FAILS: %s\n", name.c_str(), why.c_str());
    return false;
}

} // namespace

bool circuit_sorts(const std::string &name, const std::vector<Key> &outputs,
                   const std::vector<size_t> &runs, const std::vector<size_t> &groups)
{
    Run r;
    if (!collect(r, outputs)) {
        return fails(name, r.why);
    }
    const size_t signals = circuit.inputs + circuit.nodes.size();
    r.part.assign(signals, 0);
    r.place.assign(signals, 0);
    r.seen.assign(r.comparators.size(), 0);
    uint32_t first = 0;
    for (size_t length : runs) {
        r.parts.push_back(sorted_run(first, length));
        note_places(r, r.parts.size() - 1);
        first += static_cast<uint32_t>(length);
    }
    for (uint32_t s = 0; s < circuit.inputs; s++) {
        alive(r, s);
    }
    while (!r.ready.empty()) {
        if (!step(r)) {
            return fails(name, r.why + example(outputs, runs, groups));
        }
    }
    return groups_sorted(r, outputs, groups) || fails(name, r.why + example(outputs, runs, groups));
}

bool circuit_sorts(const std::string &name, const std::vector<Key> &outputs)
{
    return circuit_sorts(name, outputs, std::vector<size_t>(outputs.size(), 1), {outputs.size()});
}

bool neighbours_sort(const std::string &name, const std::vector<Key> &outputs)
{
    Run r;
    if (!collect(r, outputs)) {
        return fails(name, r.why);
    }
    const size_t n = circuit.inputs;
    std::vector<size_t> value, place; /* of signals, where the input falls */
    for (size_t i = 0; i < n; i++) {
        value.push_back(n - i);
        place.push_back(i);
    }
    for (const Circuit::Node &c : circuit.nodes) {
        const size_t a = place[c.a], b = place[c.b];
        if (std::max(a, b) - std::min(a, b) != 1) {
            return fails(name, "keys meet that are no neighbours");
        }
        value.push_back(c.greater ? std::max(value[c.a], value[c.b])
                                  : std::min(value[c.a], value[c.b]));
        place.push_back(c.greater ? std::max(a, b) : std::min(a, b));
    }
    for (size_t i = 0; i < n; i++) {
        if (value[outputs[i].id] != i + 1 || place[outputs[i].id] != i) {
            return fails(name,
                         "keys that fall are not sorted: " + std::to_string(value[outputs[i].id]) +
                             " comes out at place " + std::to_string(i));
        }
    }
    return true;
}
