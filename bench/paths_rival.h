/* paths_rival.h - what one contestant for shortest paths offers: two functions in one source file
 * in bench/rivals/, and a program of its own (paths_worker.c linked with it). */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PATHS_RIVAL_H
#define BENCH_PATHS_RIVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Edges, each of which goes both ways. */
typedef struct bench_graph {
    size_t n, m;
    uint32_t *tail, *head, *weight;
} bench_graph;

/* Both return 0 when done and 1 for what the rival does not offer. Unreached: UINT32_MAX. */
int bench_load(const bench_graph *g, unsigned threads);
int bench_paths(uint32_t source, uint32_t *distance);

#ifdef __cplusplus
}
#endif
#endif
