/* levels.c - numbers as levels, and levels as the density of a picture's cells. */
/* SPDX-License-Identifier: MIT */
#include "view/levels.h"

#include <math.h>
#include <string.h>

/* BODY(T) for the C type T of `type`. */
#define BY_TYPE(type, BODY)                                                                        \
    switch (type) {                                                                                \
    case UPSWEEP_U8: BODY(uint8_t) break;                                                          \
    case UPSWEEP_I8: BODY(int8_t) break;                                                           \
    case UPSWEEP_U16: BODY(uint16_t) break;                                                        \
    case UPSWEEP_I16: BODY(int16_t) break;                                                         \
    case UPSWEEP_U32: BODY(uint32_t) break;                                                        \
    case UPSWEEP_I32: BODY(int32_t) break;                                                         \
    case UPSWEEP_U64: BODY(uint64_t) break;                                                        \
    case UPSWEEP_I64: BODY(int64_t) break;                                                         \
    case UPSWEEP_F32: BODY(float) break;                                                           \
    default: BODY(double) break;                                                                   \
    }

void view_range(const void *numbers, size_t n, upsweep_type type, double range[2])
{
    double low = range[0], high = range[1];
#define WIDEN(T)                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                               \
        double x = (double)((const T *)numbers)[i];                                                \
        bool finite = fabs(x) < INFINITY;                                                          \
        low = finite && x < low ? x : low;                                                         \
        high = finite && x > high ? x : high;                                                      \
    }
    BY_TYPE(type, WIDEN)
    range[0] = low;
    range[1] = high;
}

void view_levels(const void *numbers, size_t n, upsweep_type type, const double range[2],
                 uint32_t *levels)
{
    /* By halves, for the way from the least number to the greatest may be none. */
    double low = range[0] / 2, way = range[1] / 2 - low, scale = way > 0 ? VIEW_LEVELS / way : 0;
#define LEVEL(T)                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                               \
        double level = ((double)((const T *)numbers)[i] / 2 - low) * scale;                        \
        levels[i] = level >= VIEW_LEVELS ? VIEW_LEVELS : level >= 0 ? (uint32_t)level : 0;         \
    }
    BY_TYPE(type, LEVEL)
}

void view_differ(const void *a, const void *b, size_t n, size_t bytes, uint8_t *marks)
{
#define DIFFER(T)                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                               \
        marks[i] = ((const T *)a)[i] != ((const T *)b)[i];                                         \
    }
    switch (bytes) {
    case 1: DIFFER(uint8_t) break;
    case 2: DIFFER(uint16_t) break;
    case 4: DIFFER(uint32_t) break;
    default: DIFFER(uint64_t) break;
    }
}

static void write_column(uint32_t (*counts)[2], size_t rows, size_t elements, uint8_t *cells)
{
    float unit = 254 / log2f(1 + (float)elements);
    for (size_t r = 0; r < rows; r++) {
        uint32_t counted = counts[r][0], changed = counts[r][1];
        uint64_t lit = counted == 0 ? 0 : UINT64_C(255) * changed / counted;
        cells[2 * r] = counted == 0 ? 0 : (uint8_t)(1 + unit * log2f(1 + (float)counted));
        cells[2 * r + 1] = (uint8_t)(changed > 0 && lit == 0 ? 1 : lit);
    }
}

void view_cells(const uint32_t *levels, const uint8_t *marks, size_t n, size_t columns, size_t rows,
                uint8_t *cells)
{
    uint32_t counts[VIEW_CELL_ROWS][2];
    for (size_t c = 0; c < columns; c++) {
        size_t begin = n / columns * c + n % columns * c / columns;
        size_t end = n / columns * (c + 1) + n % columns * (c + 1) / columns;
        memset(counts, 0, rows * sizeof *counts);
        for (size_t i = begin; i < end; i++) {
            size_t row = (size_t)levels[i] * rows / VIEW_LEVELS;
            uint32_t *cell = counts[row < rows ? row : rows - 1];
            cell[0]++;
            cell[1] += marks != NULL && marks[i] != 0;
        }
        write_column(counts, rows, end - begin, cells + 2 * c * rows);
    }
}
