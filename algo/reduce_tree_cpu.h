/* CPU form of the tree reduction.
 *
 * Same as the explained form: lanes meet at halving distance until one of them has everything.
 * Differs: a lane first combines many elements on its own, since a core has a few vectors and not
 * n / 2 lanes; and the tree has two levels, tiles of 4096 elements and their results.
 *
 * Sums and products of floats follow core/order.h. Everything else is exact, so any order will do:
 * integers wrap, and the least and greatest are taken on keys mapped to unsigned integers
 * (core/keymap.h), where NaN is last and -0 before +0 by construction. The loops are plain C that
 * compilers turn into vectors; all of them run at the speed of memory. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/half.h"
#include "core/order.h"

/* ---- loops over one key width ---- */
#if KEY_BITS <= 64

#include "cpu/folds/column_loops.h"
#include "cpu/folds/least_keys.h"

/* A chunk's least key by each map, and where: the first tile that has it. A tile stays in the first
 * cache, so that two maps still read memory once. */
static void FN(least)(const void *data, size_t n, const usw_keymap *maps, size_t map_count,
                      uint64_t *keys, size_t *tiles)
{
    USW_ROUTE("least");
    const KEY *x = data;
    for (size_t m = 0; m < map_count; m++) {
        keys[m] = (KEY)-1;
        tiles[m] = 0;
    }
    for (size_t i = 0; i < n; i += USW_TILE) {
        for (size_t m = 0; m < map_count; m++) {
            KEY here = FN(least_of)(x + i, usw_min(USW_TILE, n - i), &maps[m]);
            if (here < keys[m]) {
                keys[m] = here;
                tiles[m] = i / USW_TILE;
            }
        }
    }
}

static uint64_t FN(product)(const void *data, size_t n, uint64_t flip)
{
    USW_ROUTE_OF("product", USW_INTEGERS);
    enum { LANES = 16 };
    const KEY *x = data;
    KEY sign = (KEY)flip;
    uint64_t lane[LANES], all = 1;
    for (int j = 0; j < LANES; j++) {
        lane[j] = 1;
    }
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            lane[j] *= (uint64_t)(KEY)(x[i + (size_t)j] ^ sign) - flip;
        }
    }
    for (; i < n; i++) {
        all *= (uint64_t)(KEY)(x[i] ^ sign) - flip;
    }
    for (int j = 0; j < LANES; j++) {
        all *= lane[j];
    }
    return all;
}

/* Adds words of 64 bits that hold several keys: even and odd keys apart, each pair in a field of
 * twice the width, so that the fields cannot overflow within a block. Signed keys have their top
 * bit flipped (flip), which adds flip to each of them: taken off at the end. */
static uint64_t FN(sum)(const void *data, size_t n, uint64_t flip)
{
    USW_ROUTE_OF("sum", USW_INTEGERS);
    const KEY *x = data;
    uint64_t all = 0;
    size_t i = 0;
#if KEY_BITS < 64
    enum { PER_WORD = 64 / KEY_BITS, BLOCK = KEY_BITS == 8 ? 128 : 16384 };
    const uint64_t field = (UINT64_C(1) << KEY_BITS) - 1;
    const uint64_t wide = KEY_BITS == 32 ? UINT64_MAX : (UINT64_C(1) << (2 * KEY_BITS % 64)) - 1;
    const uint64_t even = UINT64_MAX / wide * field, flips = UINT64_MAX / field * flip;
    while (n - i >= PER_WORD) {
        size_t words = usw_min((n - i) / PER_WORD, BLOCK);
        uint64_t block = 0;
        USW_UNROLL_4
        for (size_t w = 0; w < words; w++) {
            uint64_t v;
            memcpy(&v, x + i + w * PER_WORD, sizeof v);
            v ^= flips;
            block += (v & even) + ((v >> KEY_BITS) & even);
        }
        for (int shift = 0; shift < 64; shift += 2 * KEY_BITS) {
            all += (block >> shift) & wide;
        }
        i += words * PER_WORD;
    }
#endif
    USW_UNROLL_4
    for (; i < n; i++) {
        all += (KEY)(x[i] ^ (KEY)flip);
    }
    return all - n * flip;
}

#else /* KEY_BITS == 128: included last, once */

/* ---- bits: 64 at a time whatever the type ---- */

static inline __attribute__((always_inline)) uint64_t bits_of(const void *data, size_t bytes,
                                                              upsweep_op op)
{
    const unsigned char *at = data;
    uint64_t all = op == UPSWEEP_AND ? UINT64_MAX : 0, last = all;
    size_t words = bytes / 8;
    for (size_t w = 0; w < words; w++) {
        uint64_t v;
        memcpy(&v, at + 8 * w, sizeof v);
        all = op == UPSWEEP_AND ? all & v : op == UPSWEEP_OR ? all | v : all ^ v;
    }
    memcpy(&last, at + 8 * words, bytes % 8);
    return op == UPSWEEP_AND ? all & last : op == UPSWEEP_OR ? all | last : all ^ last;
}

#include "cpu/folds/column_loops.h"
#include "cpu/folds/float_sums.h"

/* ---- the whole: chunks of tiles by threads, then the chunks' results ---- */

/* A chunk is what one task takes: long enough to be worth waking a thread for. */
enum { CHUNK = 64 * USW_TILE, FAR_BYTES = 4 << 20, PARTS_OWN = 16 };
_Static_assert((int)USW_REDUCE_TASK <= (int)PARTS_OWN * (int)USW_TILE, "a task takes no scratch");

typedef struct job {
    const unsigned char *data;
    size_t n, bytes;
    upsweep_type type;
    upsweep_op op;
    const usw_keymap *maps; /* for least keys: one or two orders */
    size_t map_count;
    uint64_t *part; /* one for each chunk (and map): a result */
    size_t *where;  /* likewise: the tile of a least key */
    double *sums;   /* one for each tile */
} job;

typedef void (*least_fn)(const void *data, size_t n, const usw_keymap *maps, size_t map_count,
                         uint64_t *keys, size_t *tiles);
static least_fn least_of_bytes(size_t bytes)
{
    return bytes == 1 ? least_u8 : bytes == 2 ? least_u16 : bytes == 4 ? least_u32 : least_u64;
}

static uint64_t exact_chunk(upsweep_type type, size_t bytes, upsweep_op op, const void *at,
                            size_t n)
{
    uint64_t flip = usw_type_is_signed(type) ? UINT64_C(1) << (8 * bytes - 1) : 0;
    switch (op) {
    case UPSWEEP_SUM:
        return bytes == 1   ? sum_u8(at, n, flip)
               : bytes == 2 ? sum_u16(at, n, flip)
               : bytes == 4 ? sum_u32(at, n, flip)
                            : sum_u64(at, n, flip);
    case UPSWEEP_PRODUCT:
        return bytes == 1   ? product_u8(at, n, flip)
               : bytes == 2 ? product_u16(at, n, flip)
               : bytes == 4 ? product_u32(at, n, flip)
                            : product_u64(at, n, flip);
    case UPSWEEP_AND: return bits_of(at, n * bytes, UPSWEEP_AND);
    case UPSWEEP_OR: return bits_of(at, n * bytes, UPSWEEP_OR);
    default: return bits_of(at, n * bytes, UPSWEEP_XOR);
    }
}

static uint64_t combine_exact(upsweep_op op, uint64_t a, uint64_t b)
{
    return op == UPSWEEP_SUM       ? a + b
           : op == UPSWEEP_PRODUCT ? a * b
           : op == UPSWEEP_AND     ? a & b
           : op == UPSWEEP_OR      ? a | b
                                   : a ^ b;
}

static void chunk_task(void *context, size_t c, unsigned thread)
{
    const job *j = context;
    size_t begin = c * CHUNK, n = usw_min(CHUNK, j->n - begin);
    const unsigned char *at = j->data + begin * j->bytes;
    (void)thread;
    if (j->maps != NULL) {
        size_t *where = &j->where[c * j->map_count];
        least_of_bytes(j->bytes)(at, n, j->maps, j->map_count, &j->part[c * j->map_count], where);
        for (size_t m = 0; m < j->map_count; m++) {
            where[m] += begin / USW_TILE;
        }
    } else if (j->sums != NULL) {
        bool far = j->n * j->bytes >= FAR_BYTES;
        USW_ROUTE_IF(far, "sums of floats, far", USW_FLOATS);
        USW_ROUTE_IF(!far, "sums of floats", USW_FLOATS);
        tile_fn sum = tile_sums[far][j->op == UPSWEEP_PRODUCT][j->type - UPSWEEP_F16];
        for (size_t i = 0; i < n; i += USW_TILE) {
            j->sums[(begin + i) / USW_TILE] = sum(at + i * j->bytes, usw_min(USW_TILE, n - i));
        }
    } else {
        USW_ROUTE_OF("integers", USW_INTEGERS);
        j->part[c] = exact_chunk(j->type, j->bytes, j->op, at, n);
    }
}

/* Words of AND, OR, XOR hold several keys. */
static uint64_t fold_word(upsweep_op op, uint64_t word, size_t bytes)
{
    for (unsigned half = 32; op >= UPSWEEP_AND && half >= 8 * bytes; half /= 2) {
        word = combine_exact(op, word, word >> half);
    }
    return word;
}

static void store_exact(void *result, size_t bytes, upsweep_op op, uint64_t all)
{
    usw_store_raw(result, op >= UPSWEEP_AND ? bytes : 8, fold_word(op, all, bytes));
}

/* Rounded once to the type of results, of which NaN has one. */
static void store_sum(void *result, upsweep_type to, double sum)
{
    const uint64_t nan = UINT64_C(0x7ff8) << 48;
    const uint32_t small_nan = 0x7fc00000;
    const float small = (float)sum;
    switch (to) {
    case UPSWEEP_F16: usw_store_raw(result, 2, usw_narrow_f16(sum)); break;
    case UPSWEEP_BF16: usw_store_raw(result, 2, usw_narrow_bf16(sum)); break;
    case UPSWEEP_F32:
        memcpy(result, sum != sum ? (const void *)&small_nan : (const void *)&small, sizeof small);
        break;
    default: memcpy(result, sum != sum ? (const void *)&nan : (const void *)&sum, sizeof sum);
    }
}

static upsweep_status no_scratch(upsweep *u, size_t bytes)
{
    return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu bytes of partial results", bytes);
}

static upsweep_status reduce(upsweep *u, const void *data, size_t n, upsweep_type type,
                             upsweep_op op, upsweep_type to, void *result)
{
    size_t bytes = usw_type_bytes(type), chunks = usw_div_up(n, CHUNK);
    job j = {.data = data, .n = n, .bytes = bytes, .type = type, .op = op};
    bool is_float = usw_type_is_float(type);
    size_t parts = is_float ? usw_div_up(n, USW_TILE) : chunks;
    uint64_t own[PARTS_OWN]; /* of a call so short that taking scratch would tell, or of a row */
    j.part = parts <= PARTS_OWN ? own : usw_scratch(u, parts * sizeof(uint64_t));
    if (j.part == NULL) {
        return no_scratch(u, parts * sizeof(uint64_t));
    }
    j.sums = is_float ? (double *)(void *)j.part : NULL;
    usw_parallel(u, chunks, chunk_task, &j);
    if (is_float) {
        usw_carry_tree o;
        usw_carry_tree_start(&o, op == UPSWEEP_PRODUCT);
        for (size_t t = 0; t < parts; t++) {
            usw_carry_tree_add(&o, j.sums[t], false);
        }
        store_sum(result, to, usw_carry_tree_carry(&o));
        return UPSWEEP_OK;
    }
    uint64_t all = j.part[0];
    for (size_t c = 1; c < chunks; c++) {
        all = combine_exact(op, all, j.part[c]);
    }
    store_exact(result, bytes, op, all);
    return UPSWEEP_OK;
}

static upsweep_status least(upsweep *u, const void *data, size_t n, const usw_keymap *maps,
                            size_t map_count, uint64_t *keys, size_t *index)
{
    size_t bytes = maps->bits / 8, chunks = usw_div_up(n, CHUNK), parts = chunks * map_count;
    job j = {.data = data, .n = n, .bytes = bytes, .maps = maps, .map_count = map_count};
    uint64_t own[PARTS_OWN];
    size_t own_where[PARTS_OWN];
    j.part = parts <= PARTS_OWN ? own : usw_scratch(u, parts * sizeof *j.part);
    j.where = parts <= PARTS_OWN ? own_where : usw_scratch(u, parts * sizeof *j.where);
    if (j.part == NULL || j.where == NULL) {
        return no_scratch(u, parts * 2 * sizeof *j.part);
    }
    usw_parallel(u, chunks, chunk_task, &j);
    for (size_t m = 0; m < map_count; m++) {
        size_t best = m;
        for (size_t c = m; c < parts; c += map_count) {
            best = j.part[c] < j.part[best] ? c : best;
        }
        keys[m] = j.part[best];
        if (index == NULL) {
            continue;
        }
        size_t i = j.where[best] * USW_TILE;
        while (usw_map_key(&maps[m], usw_load_raw(j.data + i * bytes, bytes)) != keys[m]) {
            i++;
        }
        index[m] = i;
    }
    return UPSWEEP_OK;
}

/* ---- rows of up to a tile ---- */

static void reduce_row(const usw_reduce_rows *s, const usw_keymap *map, const void *at, size_t n,
                       unsigned char *result)
{
    if (map != NULL) {
        USW_ROUTE_OF("the least of a row", USW_ALL_TYPES);
        uint64_t key;
        size_t tile;
        least_of_bytes(s->bytes)(at, n, map, 1, &key, &tile);
        usw_store_raw(result, s->bytes, usw_unmap_key(map, key));
    } else if (usw_type_is_float(s->type)) {
        USW_ROUTE_OF("a row of floats", USW_FLOATS);
        store_sum(result, s->to, row_sum(at, n, s->type, s->op == UPSWEEP_PRODUCT));
    } else {
        USW_ROUTE_OF("a row of integers", USW_INTEGERS);
        store_exact(result, s->bytes, s->op, exact_chunk(s->type, s->bytes, s->op, at, n));
    }
}

static void rows(const usw_reduce_rows *s, size_t first, size_t end)
{
    bool is_least = s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST;
    usw_keymap map = usw_keymap_of(s->type, s->op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
    for (size_t r = first; r < end; r++) {
        size_t at = s->begin == NULL ? r * s->length : (size_t)s->begin[r];
        size_t n = s->begin == NULL ? s->length : (size_t)s->begin[r + 1] - at;
        unsigned char *result = s->results + r * s->result_bytes;
        if (n == 0) {
            usw_store_raw(result, s->result_bytes, s->identity);
        } else if (n <= USW_TILE) {
            reduce_row(s, is_least ? &map : NULL, s->data + at * s->bytes, n, result);
        }
    }
}

#include "cpu/folds/reduce_columns.h"

const usw_reduce_form USW_SYMBOL(usw_reduce_tree_cpu) = {reduce, least, rows, columns};
#endif
