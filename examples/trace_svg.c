/* trace_svg.c - watches an algorithm at work and draws it: bars for the array after each round of
 * bitonic sort, a row a round, as an SVG picture on standard output.
 *
 *     ./trace_svg > bitonic.svg
 */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep.h>

enum { N = 16, BAR = 12, ROW = 60 };

typedef struct drawing {
    int rows;
} drawing;

/* A row of bars, each as high as its element. */
static void draw(drawing *d, const uint32_t *values, size_t count)
{
    int bottom = (d->rows + 1) * ROW;
    for (size_t i = 0; i < count; i++) {
        int height = (int)values[i] * (ROW - 10) / N;
        printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"hsl(%d,60%%,50%%)\"/>\n",
               (int)i * BAR, bottom - height, BAR - 2, height, (int)values[i] * 360 / N);
    }
    d->rows++;
}

/* Is called for every step: comparisons, swaps, ...; here only the array after each round counts.
 * Returning anything but 0 would end the trace. */
static int watch(void *context, const upsweep_event *event)
{
    drawing *d = context;
    if (event->kind == UPSWEEP_EVENT_ARRAY && event->count == N) {
        draw(d, event->values, event->count);
    }
    return 0;
}

int main(void)
{
    const uint32_t values[N] = {7, 13, 2, 16, 9, 4, 11, 1, 14, 6, 3, 15, 8, 12, 5, 10};
    drawing d = {0};
    const upsweep_algorithm *a = upsweep_find("sort/bitonic");
    int rows = (int)upsweep_rounds(a, N) + 1; /* and the array before them */
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
           "<title>%s</title>\n",
           N * BAR, rows * ROW, a->title);
    /* No handle is needed: the explained form runs on this thread. */
    upsweep_status status = upsweep_trace(a->name, values, N, NULL, watch, &d);
    printf("</svg>\n");
    return status == UPSWEEP_OK && d.rows == rows ? 0 : 1;
}
