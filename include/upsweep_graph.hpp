// upsweep_graph.hpp - the part of upsweep.hpp for shortest paths: a graph whose type has that of
// its weights, so that distances are what they are, and what queries give.
// SPDX-License-Identifier: MIT
#ifndef UPSWEEP_GRAPH_HPP
#define UPSWEEP_GRAPH_HPP

#include "upsweep_basics.hpp"

namespace usw
{

struct unweighted { // every arc counts 1
};

// The type of distances.
template <class W>
using distance_t = std::conditional_t<std::is_same_v<W, unweighted>, std::uint32_t, W>;

// The parent of a source, and of what is not reached.
inline constexpr std::uint32_t no_vertex = UPSWEEP_NO_VERTEX;

// Vertices 0 .. vertices - 1 and arcs from tails[i] to heads[i] of weights[i]; made once, freed
// with its scope, which must lie within that of the handle. W: std::uint32_t, std::uint64_t, float
// or double; or std::int32_t and std::int64_t where weights may be negative; or usw::unweighted.
template <class W> class graph
{
    static constexpr bool has_weights = !std::is_same_v<W, unweighted>;
    static constexpr bool is_negative =
        std::is_same_v<W, std::int32_t> || std::is_same_v<W, std::int64_t>;
    static_assert(!has_weights || is_negative || type_v<W> == UPSWEEP_U32 ||
                      type_v<W> == UPSWEEP_U64 || type_v<W> == UPSWEEP_F32 ||
                      type_v<W> == UPSWEEP_F64,
                  "weights are integers of 32 or 64 bits, float, double or usw::unweighted");

  public:
    // The type of distances.
    using distance = distance_t<W>;

    // flags: UPSWEEP_GRAPH_UNDIRECTED and so on.
    graph(upsweep *u, std::size_t vertices, span<const std::uint32_t> tails,
          span<const std::uint32_t> heads, span<const W> weights = {}, unsigned flags = 0)
    {
        detail::require(tails.size() == heads.size() &&
                            (!has_weights || weights.size() == tails.size()),
                        "graph: as many heads, and weights, as tails");
        detail::check(u, upsweep_graph_from_arcs(
                             u, vertices, tails.size(), tails.data(), heads.data(),
                             has_weights ? weights.data() : nullptr, type(),
                             flags | (is_negative ? unsigned{UPSWEEP_GRAPH_NEGATIVE} : 0u), &g_));
    }
    // The other one is then empty.
    graph(graph &&other) noexcept : g_(std::exchange(other.g_, nullptr))
    {
    }
    // They change places.
    graph &operator=(graph &&other) noexcept
    {
        std::swap(g_, other.g_);
        return *this;
    }
    ~graph()
    {
        upsweep_graph_free(g_);
    }

    // For calls of upsweep.h.
    const upsweep_graph *get() const noexcept
    {
        return g_;
    }
    // How many vertices and arcs, of which weights, in how much memory.
    upsweep_graph_info info() const
    {
        upsweep_graph_info info = {};
        info.size = sizeof info;
        if (upsweep_graph_describe(g_, &info) != UPSWEEP_OK) {
            throw error(UPSWEEP_ERROR_ARGUMENT, "graph: it was moved from");
        }
        return info;
    }

  private:
    static constexpr upsweep_type type()
    {
        if constexpr (has_weights) {
            return type_v<W>;
        } else {
            return detail::no_type;
        }
    }
    upsweep_graph *g_ = nullptr;
};

// Distances from the nearest source, the greatest value of the type (infinity) where there is no
// path, and the vertex before each on its path, usw::no_vertex where there is none.
template <class D> struct paths {
    std::vector<D> distance;           // one a vertex
    std::vector<std::uint32_t> parent; // the vertex before it

    // The vertices from the source to target.
    std::vector<std::uint32_t> to(std::uint32_t target) const
    {
        std::vector<std::uint32_t> path(parent.size());
        std::size_t length = path.size();
        upsweep_status status =
            upsweep_path_of(parent.data(), parent.size(), target, path.data(), &length);
        if (status != UPSWEEP_OK) {
            throw error(status, "paths: there is no such vertex");
        }
        path.resize(length);
        return path;
    }
};

// From the nearest of the sources to all vertices; with targets the search ends when these are
// reached. Graphs of signed weights go by Bellman and Ford's method, and take no targets.
template <class W>
paths<distance_t<W>> shortest_paths(upsweep *u, const graph<W> &g,
                                    span<const std::uint32_t> sources,
                                    span<const std::uint32_t> targets = {})
{
    std::size_t n = g.info().vertices;
    paths<distance_t<W>> p{std::vector<distance_t<W>>(n), std::vector<std::uint32_t>(n)};
    if constexpr (std::is_signed_v<W> && std::is_integral_v<W>) {
        detail::require(targets.empty(),
                        "shortest_paths: no targets where weights may be negative");
        detail::check(u,
                      upsweep_bellman_ford(u, g.get(), sources.data(), sources.size(),
                                           p.distance.data(), p.parent.data(), nullptr, nullptr));
    } else {
        upsweep_path_options o = {};
        o.size = sizeof o;
        o.targets = targets.data();
        o.target_count = targets.size();
        detail::check(u, upsweep_paths(u, g.get(), sources.data(), sources.size(),
                                       p.distance.data(), p.parent.data(), &o));
    }
    return p;
}
template <class W>
paths<distance_t<W>> shortest_paths(upsweep *u, const graph<W> &g, std::uint32_t source)
{
    return shortest_paths(u, g, span<const std::uint32_t>(&source, 1));
}

// Distances from each source, row by row, to each target (to each vertex where there are none).
template <class W>
std::vector<distance_t<W>> distance_matrix(upsweep *u, const graph<W> &g,
                                           span<const std::uint32_t> sources,
                                           span<const std::uint32_t> targets = {})
{
    upsweep_batch_options o = {};
    o.size = sizeof o;
    o.targets = targets.data();
    o.target_count = targets.size();
    std::size_t columns = targets.empty() ? g.info().vertices : targets.size();
    std::vector<distance_t<W>> d(sources.size() * columns);
    detail::check(
        u, upsweep_paths_matrix(u, g.get(), sources.data(), sources.size(), &o, d.data(), nullptr));
    return d;
}

} // namespace usw
#endif
