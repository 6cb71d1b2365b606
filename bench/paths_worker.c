/* paths_worker.c - the process around one rival for shortest paths. It reads cells, one a line,
 *     KIND SIZE THREADS SOURCE             grid 1000 2 0, uniform 20 1 7, hubs 20 2 7
 * answers each with milliseconds for distances from the source and a checksum of them, or "skip".
 * Making the graph is outside the clock. bench/paths.py lets the workers take turns. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "bench/paths_rival.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 1;
static uint64_t random_u64(void) /* splitmix64, Steele, Lea and Flood 2014 */
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void add(bench_graph *g, size_t tail, size_t head)
{
    g->tail[g->m] = (uint32_t)tail;
    g->head[g->m] = (uint32_t)head;
    g->weight[g->m++] = 1 + (uint32_t)(random_u64() >> 40) % 255;
}

/* One end of an edge of a Kronecker graph with the parameters of Graph500. */
static void hub_edge(unsigned log, size_t *tail, size_t *head)
{
    *tail = *head = 0;
    for (unsigned bit = 0; bit < log; bit++) {
        uint64_t p = random_u64() % 100;
        *tail = *tail << 1 | (p >= 76);
        *head = *head << 1 | ((p >= 57 && p < 76) || p >= 95);
    }
}

/* grid: SIZE x SIZE; uniform and hubs: 2^SIZE vertices and 16 edges for each. All edges go both
 * ways; weights are 1 .. 255. */
static int make_graph(bench_graph *g, const char *kind, size_t size)
{
    int grid = strcmp(kind, "grid") == 0, hubs = strcmp(kind, "hubs") == 0;
    if (!grid && !hubs && strcmp(kind, "uniform") != 0) {
        return 0;
    }
    size_t edges = grid ? 2 * size * size : (size_t)16 << size;
    free(g->tail), free(g->head), free(g->weight);
    *g = (bench_graph){.n = grid ? size * size : (size_t)1 << size};
    g->tail = malloc(edges * sizeof *g->tail);
    g->head = malloc(edges * sizeof *g->head);
    g->weight = malloc(edges * sizeof *g->weight);
    if (g->tail == NULL || g->head == NULL || g->weight == NULL) {
        exit(2);
    }
    state = 1;
    for (size_t v = 0; grid && v < g->n; v++) {
        if (v % size + 1 < size) {
            add(g, v, v + 1);
        }
        if (v + size < g->n) {
            add(g, v, v + size);
        }
    }
    for (size_t e = 0; !grid && e < edges; e++) {
        size_t tail, head;
        if (hubs) {
            hub_edge((unsigned)size, &tail, &head);
        } else {
            tail = random_u64() % g->n;
            head = random_u64() % g->n;
        }
        add(g, tail, head);
    }
    return 1;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(void)
{
    char line[128], kind[16], have[16] = "";
    size_t size, had = 0, source;
    unsigned threads, opened = 0;
    bench_graph g = {0};
    uint32_t *distance = NULL;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%15s %zu %u %zu", kind, &size, &threads, &source) != 4) {
            puts("bad");
        } else {
            if (strcmp(kind, have) != 0 || size != had || threads != opened) {
                if (!make_graph(&g, kind, size) || bench_load(&g, threads) != 0) {
                    puts("bad");
                    fflush(stdout);
                    continue;
                }
                free(distance);
                distance = malloc(g.n * sizeof *distance);
                strcpy(have, kind);
                had = size;
                opened = threads;
            }
            double start = now_ms();
            int skip = bench_paths(g.tail[source % g.m], distance);
            double ms = now_ms() - start;
            uint64_t sum = 0;
            for (size_t v = 0; v < g.n; v++) {
                sum = sum * 31 + distance[v];
            }
            skip ? puts("skip") : printf("%.4f %llx\n", ms, (unsigned long long)sum);
        }
        fflush(stdout);
    }
    return 0;
}
