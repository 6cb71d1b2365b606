/* abi_graph.h - for test_abi.c and test_abi_outputs.c: a handle and a graph of two arcs that each
 * test uses. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_ABI_GRAPH_H
#define USW_TEST_SHARED_ABI_GRAPH_H

#include "upsweep.h"

static upsweep *u;
static upsweep_graph *graph;

static int begin(void **state)
{
    const uint32_t tail[] = {0, 1}, head[] = {1, 2};
    const upsweep_config config = {.size = sizeof config, .threads = 2};
    (void)state;
    return upsweep_open(&u, "cpu", &config) == UPSWEEP_OK &&
                   upsweep_graph_from_arcs(u, 3, 2, tail, head, NULL, (upsweep_type)0, 0, &graph) ==
                       UPSWEEP_OK
               ? 0
               : 1;
}

static int end(void **state)
{
    (void)state;
    upsweep_graph_free(graph);
    upsweep_close(u);
    return 0;
}

#endif
