// The Boost Graph Library: Dijkstra's algorithm with a 4-ary heap over compressed rows, one thread.
// SPDX-License-Identifier: MIT
#include "bench/paths_rival.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace
{
struct Arc {
    uint32_t weight;
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc,
                                                 boost::no_property, uint32_t, uint32_t>;
std::unique_ptr<Graph> graph;
} // namespace

extern "C" int bench_load(const bench_graph *g, unsigned threads)
{
    if (threads != 1) {
        return 1;
    }
    std::vector<std::pair<uint32_t, uint32_t>> ends;
    std::vector<Arc> arcs;
    for (size_t i = 0; i < g->m; i++) {
        ends.emplace_back(g->tail[i], g->head[i]);
        ends.emplace_back(g->head[i], g->tail[i]);
        arcs.push_back({g->weight[i]});
        arcs.push_back({g->weight[i]});
    }
    graph = std::make_unique<Graph>(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(),
                                    arcs.begin(), static_cast<uint32_t>(g->n));
    return 0;
}

extern "C" int bench_paths(uint32_t source, uint32_t *distance)
{
    boost::dijkstra_shortest_paths_no_color_map(
        *graph, source,
        boost::weight_map(boost::get(&Arc::weight, *graph))
            .distance_map(boost::make_iterator_property_map(
                distance, boost::get(boost::vertex_index, *graph)))
            .distance_inf(UINT32_MAX));
    return 0;
}
