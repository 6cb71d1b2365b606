/* sort_choice.cu - which method sorts what on a GPU when nobody asks for one by name: one table,
 * with the name and the sentence by which the report speaks of each method. The rows' forms run
 * what it says; a form that is asked for by name leaves to other rooms what they do faster. */
/* SPDX-License-Identifier: MIT */
#include "gpu/sort_choice.cuh"
#include "gpu/bucket_sort/bucket_sort.cuh"
#include "gpu/digit_sort/digit_sort.cuh"
#include "gpu/digit_sort/one_launch_host.cuh"
#include "gpu/digit_sort/widen_positions.cuh"

extern "C" {
extern const usw_gpu_sort_form usw_sort_bitonic_cuda, usw_sort_hybrid_cuda, usw_sort_radix_cuda,
    usw_sort_split_cuda;
extern const usw_gpu_rows_step usw_rows_cuda;
}

/* ---- numbers of keys between which a line holds ---- */

enum limit {
    ZERO,
    COUNTS,
    BUCKETS,
    BUCKETS_END,
    ONE_LAUNCH,
    ONE_LAUNCH_END,
    RUNS,
    RUNS_END,
    ONE_BLOCK_END,
    SAMPLES_END,
    LONG_KEYS, /* bytes of a record's fields */
    LONG_ROW,
    ENDLESS,
    LIMITS
};

/* COUNTED_LOG2: keys of 8 and 16 bits are counted where there are more than 1 << COUNTED_LOG2 of
 * them for each value. FEW_KEYS, FEW_PAIRS: fewer never go to buckets, whatever else fits.
 * ONE_LAUNCH_FROM: from so many keys on one launch is faster than sampling; a pass of it takes 5 us
 * and more, so keys of few digits have the lower limit. ONE_LAUNCH_64: up to so many keys of 64
 * bits it is faster than buckets. PAIRS_FROM: so many pairs are worth their buckets, by the bytes
 * of key and value. FEW_FOR_RUNS, MOST_FOR_RUNS: up to the one a single block is faster than runs,
 * beyond the other sampling with several barriers is. CHUNKED_BYTES: fields of up to so many bytes
 * are sorted by digits. WIDEN_FROM: from so many keys of 32 bits on their positions travel as 32
 * bits, though 64 are asked for: 7.6 instead of 10.5 ms for 2^28. Measured on an H200
 * (docs/numbers.md); the emulator's are what tests of few keys need to take every line. */
#ifdef USW_EMULATE
static constexpr unsigned COUNTED_LOG2 = 0;
static constexpr size_t ONE_LAUNCH_FROM[] = {1500, 1500, 1500, 1500}, ONE_LAUNCH_64 = SIZE_MAX;
static constexpr size_t PAIRS_FROM[2][2] = {{300, 300}, {300, 300}};
static constexpr size_t FEW_FOR_RUNS = 20, MOST_FOR_RUNS = 200, WIDEN_FROM = 1000;
#else
static constexpr unsigned COUNTED_LOG2 = 3;
static constexpr size_t ONE_LAUNCH_FROM[] = {(1 << 18) + 1, 40000, 200000, (1 << 18) + 1};
static constexpr size_t ONE_LAUNCH_64 = 1100000;
static constexpr size_t PAIRS_FROM[2][2] = {{1 << 22, 1 << 21}, {1 << 20, 1 << 20}};
static constexpr size_t FEW_FOR_RUNS = 64, MOST_FOR_RUNS = 16384, WIDEN_FROM = 1 << 18;
#endif
static constexpr size_t PAIRS_MOST = size_t(1) << 29, CHUNKED_BYTES = 32;
static constexpr size_t LONG_ROW_KEYS = size_t(1) << 22; /* of a row that all blocks sort best */

/* ---- the table ---- */

struct line {
    unsigned widths; /* bits */
    limit from, to;  /* from <= n < to */
    unsigned needs, lacks;
    usw_gpu_method method;
    const usw_gpu_sort_form *form; /* of the row; NULL: the room that asks does it */
    usw_gpu_said says;
};

enum { SHORT = 3, WIDE = 12, MORE = 14, ALL = 15 }; /* widths: 8 and 16, 32 and 64, from 16 on */
enum {                                              /* beside USW_GPU_IF_... */
       IN_PLACE = USW_GPU_IF_IN_PLACE,
       DIGITS = USW_GPU_IF_DIGITS,
       VALUES = 4,  /* keys carry something */
       NO_SPINE = 8 /* two blocks of a pass do not run at once */
};

/* Read from the top: the first line that fits holds. The last line of each kind has no condition.
 * A limit is out of reach where the device lacks what the method needs (set_limits). */
/* clang-format off */
static const line sorts[] = {
    /* widths, from,  to,             if,       unless,
     * method, row's form,
     * {name, because} */
    {ALL,   ZERO,       ENDLESS,        IN_PLACE, VALUES,
     USW_GPU_BY_NETWORK, &usw_sort_bitonic_cuda,
     {"sort/bitonic", "no second array may be taken, and compare-exchanges need none"}},
    {SHORT, COUNTS,     ENDLESS,        0,        DIGITS | VALUES,
     USW_GPU_BY_COUNTS, &usw_sort_hybrid_cuda,
     {"values counted", "each of their few possible values is counted, and written so often"}},
    {WIDE,  BUCKETS,    BUCKETS_END,    0,        DIGITS,
     USW_GPU_BY_BUCKETS, &usw_sort_hybrid_cuda,
     {"sort/hybrid", "they are moved to buckets that fit shared memory, and sorted there"}},
    {MORE,  ONE_LAUNCH, ONE_LAUNCH_END, 0,        0,
     USW_GPU_BY_ONE_LAUNCH, &usw_sort_radix_cuda,
     {"sort/radix", "blocks can hold all of them, and sort them by digits in one launch"}},
    {ALL,   RUNS,       RUNS_END,       0,        0,
     USW_GPU_BY_RUNS, &usw_sort_radix_cuda,
     {"runs merged", "each block sorts a short run, and finds its keys' places in all runs"}},
    {ALL,   ZERO,       ONE_BLOCK_END,  0,        0,
     USW_GPU_BY_ONE_BLOCK, &usw_sort_radix_cuda,
     {"one block", "one block sorts so few in its shared memory"}},
    {ALL,   ZERO,       SAMPLES_END,    0,        0,
     USW_GPU_BY_SAMPLES, &usw_sort_radix_cuda,
     {"samples", "each block sorts a share, and samples say which keys each block then collects"}},
    {ALL,   ZERO,       ENDLESS,        NO_SPINE, 0,
     USW_GPU_BY_SPLITS, &usw_sort_split_cuda,
     {"sort/split", "this device does not run two blocks at once, as passes by digits need"}},
    {ALL,   ZERO,       ENDLESS,        0,        0,
     USW_GPU_BY_PASSES, &usw_sort_radix_cuda,
     {"sort/radix", "a pass for each digit moves them, and keeps the order of equal keys"}},
};
static const line records[] = {
    {ALL,   LONG_KEYS,  ENDLESS,        0,        0,
     USW_GPU_BY_MERGES, nullptr,
     {"merge sort", "their fields are long, and are compared"}},
    {ALL,   ZERO,       ENDLESS,        0,        0,
     USW_GPU_BY_PASSES, nullptr,
     {"sort/radix", "their fields are sorted eight bytes at a time, from the last on"}},
};
static const line rows[] = {
    {ALL,   LONG_ROW,   ENDLESS,        0,        0,
     USW_GPU_BY_ROW, nullptr,
     {"long rows one by one", "all blocks sort one row after another"}},
    {ALL,   ZERO,       ENDLESS,        0,        0,
     USW_GPU_BY_LENGTHS, nullptr,
     {"rows by length", "lanes, a warp, a block or all blocks sort a row, by its length"}},
};
/* clang-format on */

/* ---- the choice ---- */

struct sort_case {
    size_t n;
    unsigned width, facts;
    size_t limits[LIMITS];
};

template <size_t lines>
static const line &choose(usw_gpu *g, const char *what, const line (&table)[lines],
                          const sort_case &c)
{
    size_t i = 0;
    while (i + 1 < lines &&
           (((c.facts & table[i].needs) ^ table[i].needs) != 0 || (c.facts & table[i].lacks) != 0 ||
            (table[i].widths >> c.width & 1) == 0 || c.n < c.limits[table[i].from] ||
            c.n >= c.limits[table[i].to])) {
        i++;
    }
#ifdef USW_EMULATE
    for (size_t k = 0; k < lines; k++) {
        if ((c.facts & table[k].lacks & VALUES) == 0) { /* else it is no way of theirs */
            const unsigned widths = table[k].form != nullptr ? table[k].widths : 0;
            emulated_choice(what, table[k].says.because, widths, k == i);
        }
    }
#else
    (void)what;
#endif
    if (g->sorted_by == nullptr) {
        g->sorted_by = &table[i].says;
    }
    return table[i];
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}
static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Limits and facts of keys with `carried` bytes. carries: numbers of short sorts hold positions.
 * one_launch: the most keys that are sorted in one launch. */
static size_t set_limits(const usw_gpu *g, sort_case &c, unsigned carried, bool carries)
{
    const size_t small = usw_gpu_small_max(g, c.width, carries);
    const size_t one_launch = least_of(usw_gpu_one_launch_fits(g, c.width, carried),
                                       c.width == 3 && carried == 0 ? ONE_LAUNCH_64 : SIZE_MAX - 1);
    const size_t above = carried != 0   ? c.width == 3 ? 1 : FEW_FOR_RUNS / 2
                         : c.width != 0 ? FEW_FOR_RUNS
                                        : MOST_FOR_RUNS / 4;
    const size_t most = carried != 0 || c.width < 3 ? MOST_FOR_RUNS : MOST_FOR_RUNS / 4 * 3;
    /* A plan counts the scratch of sampling, which needs more than runs. */
    const bool runs = g->device >= 0 && c.n > above && c.n <= least_of(most, small) &&
                      usw_gpu_run_keys(g, c.n, c.width) != 0;
    c.limits[ZERO] = 0;
    c.limits[ENDLESS] = SIZE_MAX;
    c.limits[COUNTS] = c.limits[BUCKETS] = SIZE_MAX;
    c.limits[BUCKETS_END] = SIZE_MAX;
    c.limits[ONE_LAUNCH] = ONE_LAUNCH_FROM[c.width];
    c.limits[ONE_LAUNCH_END] = one_launch + 1;
    c.limits[RUNS] = runs ? above + 1 : SIZE_MAX;
    c.limits[RUNS_END] = most + 1;
    c.limits[ONE_BLOCK_END] = usw_gpu_one_block_max(g, c.width, carries) + 1;
    c.limits[SAMPLES_END] = small + 1;
    c.facts |= carried != 0 ? VALUES : 0;
    return one_launch;
}

/* Up to so many keys other methods are faster than buckets and counts. */
static size_t few_keys(const usw_gpu *g, unsigned width, size_t one_launch, bool pairs)
{
#ifdef USW_EMULATE
    (void)g, (void)width, (void)one_launch;
    return pairs ? 0 : 100;
#else
    return most_of(usw_gpu_small_max(g, width, pairs), one_launch);
#endif
}

usw_gpu_chosen usw_gpu_choose_keys(usw_gpu *g, const usw_gpu_sort *s, unsigned facts)
{
    const bool whole = s->bit_begin == 0 && s->bit_end == 8u << s->width;
    const bool spine = usw_radix_has_spine(g, s->width, 0);
    sort_case c = {s->n,
                   s->width,
                   facts | (whole ? 0u : unsigned(DIGITS)) | (spine ? 0u : unsigned(NO_SPINE)),
                   {}};
    const size_t few = few_keys(g, s->width, set_limits(g, c, 0, !whole), false);
    const unsigned bits = 8u << s->width;
    if (s->width < 2 && size_t(2) << bits <= g->shared_bytes) {
        const size_t counted = size_t(1) << (bits + COUNTED_LOG2);
        c.limits[COUNTS] = s->width == 0 ? counted : most_of(counted, few + 1);
    } else if (s->width >= 2 && s->n > few && spine && usw_bucket_sort_fits(g, s->n, s->width)) {
        c.limits[BUCKETS] = few + 1;
    }
    return {choose(g, "keys", sorts, c).method, 0, false};
}

usw_gpu_chosen usw_gpu_choose_pairs(usw_gpu *g, const usw_gpu_pairs *p, unsigned facts)
{
    const uintptr_t odd =
        reinterpret_cast<uintptr_t>(p->values) | reinterpret_cast<uintptr_t>(p->out_values);
    const unsigned bytes = p->value_bytes <= 8 ? static_cast<unsigned>(p->value_bytes) : 0;
    const bool aligned = bytes != 0 && odd % bytes == 0;
    const bool plain = aligned && (bytes == 4 || bytes == 8);
    const bool whole = p->bit_begin == 0 && p->bit_end == 8u << p->width;
    const bool carry = plain || (aligned && (bytes == 1 || bytes == 2) &&
                                 p->n <= usw_gpu_small_max(g, p->width, true));
    const unsigned carried = carry ? bytes : p->n >> 32 == 0 ? 4 : 8;
    const bool spine = usw_radix_has_spine(g, p->width, carried);
    sort_case c = {p->n, p->width, facts | (spine ? 0u : unsigned(NO_SPINE)), {}};
    const size_t few = few_keys(g, p->width, set_limits(g, c, carried, true), true);
    if (plain && whole && p->width >= 2 && spine && p->n <= PAIRS_MOST) {
        const size_t from = most_of(few + 1, PAIRS_FROM[p->width == 3][bytes == 8]);
        c.limits[BUCKETS] = p->n >= from && usw_bucket_pairs_fit(g, p) ? from : SIZE_MAX;
    }
    return {choose(g, "pairs", sorts, c).method, carried, !carry};
}

usw_gpu_method usw_gpu_choose_records(usw_gpu *g, size_t key_bytes)
{
    sort_case c = {key_bytes, 0, 0, {}};
    c.limits[LONG_KEYS] = CHUNKED_BYTES + 1;
    c.limits[ENDLESS] = SIZE_MAX;
    return choose(g, "records", records, c).method;
}

usw_gpu_method usw_gpu_choose_rows(usw_gpu *g, const usw_gpu_rows *r)
{
    const bool fixed = r->begin == nullptr;
    sort_case c = {r->row_keys, r->width, 0, {}};
    c.limits[LONG_ROW] = !fixed ? SIZE_MAX : r->rows == 1 ? 0 : LONG_ROW_KEYS;
    c.limits[ENDLESS] = SIZE_MAX;
    return choose(g, "rows", rows, c).method;
}

/* ---- sorts by the row that the table names ---- */

static const usw_gpu_sort_form &form_of(usw_gpu_method method)
{
    const line *l = sorts;
    while (l->method != method) {
        l++;
    }
    return *l->form;
}

upsweep_status usw_gpu_sort_keys(usw_gpu *g, const usw_gpu_sort *s)
{
    const unsigned facts = s->in_place ? USW_GPU_IF_IN_PLACE : 0;
    return form_of(usw_gpu_choose_keys(g, s, facts).method).sort(g, s);
}
/* Positions of 64 bits by those of 32. */
static upsweep_status sort_and_widen(usw_gpu *g, const usw_gpu_pairs *p)
{
    usw_gpu_pairs narrow = *p;
    auto *index = static_cast<uint32_t *>(usw_gpu_scratch(g, p->n * sizeof(uint32_t)));
    if (index == nullptr) {
        return g->status;
    }
    narrow.out_values = index;
    narrow.value_bytes = sizeof *index;
    const upsweep_status status = usw_gpu_sort_pairs(g, &narrow);
    const size_t blocks = (p->n + 8191) / 8192, most = size_t(g->sms) * 8;
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, usw_widen_positions,
                            static_cast<unsigned>(blocks < most ? blocks : most), 512, 0, index,
                            static_cast<unsigned long long *>(p->out_values), p->n);
}

upsweep_status usw_gpu_sort_pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    if (p->values == nullptr && p->value_bytes == 8 && p->width == 2 && p->n >= WIDEN_FROM &&
        p->n - 1 <= UINT32_MAX) {
        return sort_and_widen(g, p);
    }
    return form_of(usw_gpu_choose_pairs(g, p, 0).method).pairs(g, p);
}
upsweep_status usw_gpu_sort_keys_by_digits(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_sort_radix_cuda.sort(g, s);
}
upsweep_status usw_gpu_sort_pairs_by_digits(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_sort_radix_cuda.pairs(g, p);
}

upsweep_status usw_gpu_sort_rows(usw_gpu *g, const usw_gpu_rows *r)
{
    return usw_rows_cuda.sort(g, r);
}

USW_GPU_FORM(usw_gpu_sort_step, usw_sort_choice_cuda) = {usw_gpu_sort_keys, usw_gpu_sort_pairs, 0,
                                                         true, true};
