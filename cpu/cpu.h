/* cpu.h - CPU steps that several algorithms or calls share: one struct of functions per part,
 * exported by cpu/ROOM/NAME_cpu.h for each instruction set. Take them by USW_PICK(u->isa, ...). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_CPU_H
#define USW_CPU_CPU_H

#include "core/forms.h"
#include "core/keymap.h"

/* ---- keys alone ---- */

/* How keys stand: they rise or fall, but for equal ones, or neither. */
typedef enum usw_shape { USW_MIXED, USW_RISING, USW_FALLING } usw_shape;

/* So few keys sort before anything else about a call is worth its time. */
enum { USW_SMALL = 512 };

/* The positions that sort n <= USW_SHORT_POSITIONS raw keys, stable; more go by buckets. mapped and
 * tags: room for n each. */
enum { USW_SHORT_POSITIONS = 8192 }; /* 16,384 u32 take 1.1 times as long as by buckets */
typedef struct usw_short_positions {
    const void *keys;
    size_t n;
    const usw_keymap *map;
    void *out_keys;  /* gets the sorted keys; NULL: not wanted; may be keys */
    void *positions; /* of 4 or 8 bytes, at any address */
    size_t position_bytes;
    void *mapped;
    uint32_t *tags;
} usw_short_positions;

/* Sorts n unsigned keys ascending on one core: in place, unstable, no allocation, no threads, O(n
 * log n) at worst. Meant for keys that fit the cache, right for any n. */
typedef struct usw_cache_sort_steps {
    void (*sort[USW_WIDTHS])(void *keys, size_t n);
    /* Brings the k-th key to its place, none above it before and none below it behind it. k < n.
     * Here and in the next two keys compare as map says, NULL: as unsigned. They stay as they are,
     * which takes less time than to map all and back. */
    void (*select[4])(void *keys, size_t n, size_t k, const usw_keymap *map);
    /* Moves the keys <= *pivot to the front and returns how many they are. */
    size_t (*partition_as[4])(void *keys, size_t n, const void *pivot, const usw_keymap *map);
    /* Moves the keys <= *pivot of two arrays together as far as they go to the front of the first,
     * the others to the back of the second. What is left is partitioned where it stands: fronts[]
     * gets how many stand at the front of each. */
    void (*partition_two_arrays[4])(void *first, size_t n, void *second, size_t m,
                                    const void *pivot, const usw_keymap *map, size_t fronts[2]);
    /* Keys as unsigned, for sorts. */
    size_t (*partition[USW_WIDTHS])(void *keys, size_t n, const void *pivot);
    /* Sorts n <= USW_SMALL raw keys (map NULL: as unsigned) and says how they stood. */
    usw_shape (*sort_small[4])(void *keys, size_t n, const usw_keymap *map);
    /* Sorts raw keys of more than 8 bits without a look at how they stand. */
    void (*sort_row[4])(void *keys, size_t n, const usw_keymap *map);
    /* Sorts n < 2^32 keys of 16 bits; copy: room for as many. NULL in AVX-512. */
    void (*by_bytes)(uint16_t *keys, size_t n, uint16_t *copy);
    /* False, with nothing written: not these keys, of which too many are near one another. NULL: no
     * such method. */
    bool (*positions[4])(const usw_short_positions *p);
    /* Only in AVX2, where 64-bit integers compare as signed ones: keys of 32 and 64 bits as such,
     * without a map; n >= 64 keys are partitioned. */
    void (*sort_signed[4])(void *keys, size_t n);
    size_t (*partition_signed[4])(void *keys, size_t n, const void *pivot);
    /* Only in AVX2, where 64-bit integers compare slowly. plain: none is NaN or -0, so that the
     * order of numbers is that of sort and partition, which are for plain ones only. */
    bool (*plain_doubles)(const void *keys, size_t n);
    void (*sort_doubles)(void *keys, size_t n);
    size_t (*partition_doubles)(void *keys, size_t n, const void *pivot);
    /* NULL in AVX-512. False, with nothing done, if the order or any key does not allow it. */
    bool (*select_doubles)(void *keys, size_t n, size_t k, const usw_keymap *map);
} usw_cache_sort_steps;
#ifdef USW_CHECKED
/* The pivot that its quicksort takes of n keys, more than BASE: for a test that makes keys of which
 * each is a bad one. */
typedef struct usw_vsort_pivots {
    void (*choose[USW_WIDTHS])(const void *keys, size_t n, void *pivot);
} usw_vsort_pivots;
USW_DECLARE_PER_ISA(usw_vsort_pivots, usw_vsort_pivots);
#endif
USW_DECLARE_PER_ISA(usw_cache_sort_steps, usw_cache_sort_steps);

/* How keys are compared: by the bits of the mapped key that remain after shifting left, then right.
 */
typedef struct usw_key_order {
    usw_keymap map;
    unsigned left, right;
} usw_key_order;

/* The key map (keymap.h) over whole arrays of 8 to 64-bit keys; out may be in. */
typedef struct usw_keymap_steps {
    void (*map[4])(void *out, const void *in, size_t n, const usw_keymap *map);
    void (*unmap[4])(void *out, const void *in, size_t n, const usw_keymap *map);
    /* The least i in [1, n) where keys[i] is less (rising: false: greater) than keys[i - 1], or n.
     * far: the keys are more than a core's own cache has. */
    size_t (*first_break[4])(const void *keys, size_t n, const usw_key_order *order, bool rising,
                             bool far);
    /* Keys of 32 and 64 bits. Bit i % 64 of breaks[i / 64], 0 < i < n: whether keys[i] is less
     * than keys[i - 1]; n > 0. Other bits of the words that hold these are 0. */
    void (*mark_breaks[4])(const void *keys, size_t n, const usw_key_order *order,
                           uint64_t *breaks);
    /* Keys of 32 and 64 bits. far: the keys are not in a core's own cache. */
    void (*fill[4])(void *keys, size_t n, uint64_t value, bool far);
    /* Exchanges low[i] with high[n - 1 - i]; the two do not overlap. */
    void (*mirror[4])(void *low, void *high, size_t n);
} usw_keymap_steps;
USW_DECLARE_PER_ISA(usw_keymap_steps, usw_keymap_steps);

/* Whether all bits of all keys in `bytes` are the same. By itself, since a call that asks this at
 * first would have to fetch a table. */
bool usw_all_same_portable(const void *keys, size_t bytes, unsigned width);
bool usw_all_same_avx2(const void *keys, size_t bytes, unsigned width);
bool usw_all_same_avx512(const void *keys, size_t bytes, unsigned width);

/* At most USW_VALUES_MAX values, raw, in the order asked for, and a hash under which no two agree:
 * x goes to slot (x * multiplier, in as many bits as a key has) >> (bits - USW_VALUE_SLOT_BITS). */
enum { USW_VALUES_MAX = 16, USW_VALUE_SLOT_BITS = 6, USW_VALUE_SLOTS = 1 << USW_VALUE_SLOT_BITS };
typedef struct usw_value_set {
    unsigned values;
    uint64_t value[USW_VALUES_MAX], multiplier;
    uint8_t id[USW_VALUE_SLOTS]; /* the number in value of a slot's value; 0 of a free slot */
} usw_value_set;

/* Inputs that need no sort, and what is found of them: how many runs, values, keys out of order. */
typedef enum usw_pattern {
    USW_NO_PATTERN,
    USW_IN_ORDER,
    USW_REVERSED,
    USW_RUNS,
    USW_FEW_VALUES,
    USW_NARROW_RANGE,
    USW_NEARLY_SORTED
} usw_pattern;
typedef struct usw_found {
    usw_pattern pattern;
    size_t x;
} usw_found;

/* How 16 pairs of neighbours stand at the beginning and in the middle. */
enum { USW_GLANCE = 16 };
typedef struct usw_glance {
    unsigned falls[2], rises[2];
} usw_glance;

/* What is done with keys that need no sort; [width], those of 32 and 64 bits but for glance. */
typedef struct usw_pattern_steps {
    /* n >= 4 USW_GLANCE. */
    void (*glance[4])(const void *keys, size_t n, const usw_keymap *map, usw_glance *g);
    /* sample[i] = a raw key of the i-th of `count` equal parts of the keys; n >= count. */
    void (*sample[4])(const void *keys, size_t n, uint64_t *sample, size_t count);
    /* Of some neighbours from all over the n > 64 keys: 1: few fall, -1: few rise, 0: neither. */
    int (*leaning[4])(const void *keys, size_t n, const usw_keymap *map);
    /* Adds the values of a sample, not in order yet; false if there are more than
     * USW_VALUES_MAX. */
    bool (*note_values)(usw_value_set *few, const uint64_t *sample, size_t n);
    /* Puts few's values, of 32 or 64 bits, in order and finds a hash; false: none that was tried
     * will do. */
    bool (*hash_values)(usw_value_set *few, unsigned bits, const usw_keymap *map);
    /* Adds to count[v] how many keys equal value[v]; false, and counts undefined, if a key equals
     * none. */
    bool (*count_values[4])(const void *keys, size_t n, const usw_value_set *few, size_t *count);
    /* Adds to count[x] and count[span + x] together how many mapped keys are low + x, x < span;
     * false, and counts undefined, if a key is none of these. n < 2^32. */
    bool (*count_range[4])(const void *keys, size_t n, const usw_keymap *map, uint64_t low,
                           size_t span, uint32_t *count);
    /* Writes places [begin, end) of the sorted keys; start[x] is the first place of low + x,
     * start[span] = n. */
    void (*write_range[4])(void *keys, size_t begin, size_t end, const usw_keymap *map,
                           uint64_t low, const size_t *start, size_t span);
    /* Unsigned keys: moves those that are not less than the key before and not greater than the key
     * after them to the front, and returns how many they are; the others go to dropped, which has
     * room for limit + 1024. Gives up where more than limit are dropped: these go back behind the
     * kept, so that all keys are in the array, and *complete is false. */
    size_t (*drop[4])(void *keys, size_t n, void *dropped, size_t limit, bool *complete);
    /* Merges kept[0 .. n) and loose[0 .. m), both in order, into out, which overlaps neither. */
    void (*weave[4])(const void *kept, size_t n, const void *loose, size_t m, void *out);
} usw_pattern_steps;
USW_DECLARE_PER_ISA(usw_pattern_steps, usw_pattern_steps);

/* The hybrid sort with the key map fused in (NULL: none); the result is in place, and it never
 * fails. in_place: partition by vectors instead of a scatter, with no scratch beyond 1 MB a
 * thread; where vectors are wide that is also the faster way. */
typedef struct usw_hybrid_steps {
    upsweep_status (*sort[USW_WIDTHS])(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                       bool in_place);
} usw_hybrid_steps;
USW_DECLARE_PER_ISA(usw_hybrid_steps, usw_hybrid_steps);

/* The vector quicksort with the key map fused in (NULL: none), in place, by all threads where there
 * are keys enough; it takes no scratch and never fails. */
typedef struct usw_quick_steps {
    upsweep_status (*sort[USW_WIDTHS])(upsweep *u, void *keys, size_t n, const usw_keymap *map);
} usw_quick_steps;
USW_DECLARE_PER_ISA(usw_quick_steps, usw_quick_steps);

/* From how many keys of 8 (width 0) and 16 bits (width 1) on their values are counted: fewer keys
 * sort faster than the tables are cleared. */
static inline size_t usw_count_from(usw_isa isa, unsigned width)
{
    return (size_t)1 << (width == 0 ? 15 : isa == USW_AVX512 ? 20 : 18);
}

/* ---- pairs: keys and what belongs to them, packed into records ---- */

/* A record is an unsigned integer: the key, mapped to unsigned order, in its upper half, and a
 * payload in its lower half: a value, or the position i it came from. Records of 64 bits serve keys
 * of up to 32 bits, records of 128 bits all keys. */
typedef struct usw_pairs {
    void *keys;         /* read by pack, written by unpack; unpack may be given NULL */
    void *values;       /* written by unpack: the payloads; read by pack; NULL: positions */
    size_t key_bytes;   /* 1, 2, 4, 8 */
    size_t value_bytes; /* of one element of values: 1, 2, 4, 8 */
    usw_keymap map;
    unsigned bit_begin, bit_end; /* pack puts only these bits of the mapped key into the record */
    void *records;
    size_t record_bytes; /* 8 or 16 */
} usw_pairs;

/* Keys of 32 or 64 bits, none less than low: a word has what a key is more, without its lowest
 * `drop` bits, above a position of place_bits. */
typedef struct usw_close_keys {
    usw_key_order order;
    uint64_t low;
    unsigned drop, place_bits;
} usw_close_keys;

typedef struct usw_pack_steps {
    void (*pack)(const usw_pairs *p, size_t begin, size_t end);
    /* Words of raw keys; their positions begin at `position`. */
    void (*pack_close)(const usw_close_keys *c, const void *keys, size_t n, uint64_t position,
                       uint64_t *words);
    /* The raw keys of words that have all of them; order has no left and right then. */
    void (*unpack_close)(const usw_close_keys *c, const uint64_t *words, size_t n, void *keys);
    void (*unpack)(const usw_pairs *p, size_t begin, size_t end);
    /* out[i] = in[position i], elements of `bytes` bytes, begin <= i < end. Position i is the
     * lowest index_bytes (4 or 8) of the record_bytes at i. */
    void (*gather)(const void *records, size_t record_bytes, size_t index_bytes, const void *in,
                   void *out, size_t bytes, size_t begin, size_t end);
} usw_pack_steps;
USW_DECLARE_PER_ISA(usw_pack_steps, usw_pack_steps);

/* Stable, on one core, for keys that fit the cache: only the bits in differ count. */
typedef struct usw_digit_steps {
    void (*sort)(uint64_t *keys, uint64_t *spare, size_t n, uint64_t differ);
    /* A whole sort by digits, stable, by any bit range, with the bits `flip` of every key as their
     * opposites. */
    upsweep_status (*sort_flipped[4])(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                                      unsigned bit_end, uint64_t flip);
} usw_digit_steps;
USW_DECLARE_PER_ISA(usw_digit_steps, usw_digit_steps);

/* The stable sort of keys with payloads that pairs and argsort use unless told otherwise. */
typedef struct usw_pair_sort {
    size_t n;
    const void *keys; /* raw, as the caller has them */
    usw_keymap map;
    unsigned bit_begin, bit_end;
    const void *payloads; /* NULL: payload i is i */
    size_t payload_bytes; /* 1, 2, 4, 8, 16 */
    void *out_keys;       /* raw; NULL: not wanted; may be keys */
    void *out_payloads;   /* may be payloads */
    /* Two buffers, each for n mapped keys and n payloads. The first may be the outputs; the second
     * is aligned to 64 bytes and overlaps nothing else; its payloads follow its keys at the next
     * multiple of 64 bytes. */
    void *buffer_keys[2], *buffer_payloads[2];
    size_t buffer_bytes; /* bytes from buffer_keys[1] on: the second buffer, or more */
    usw_pattern *found;  /* *found gets USW_FEW_VALUES where the keys were counted */
} usw_pair_sort;

/* Writes the positions begin, begin + 1, .. of n keys to any address, 4 or 8 bytes each. */
static inline void usw_put_positions(unsigned char *to, size_t bytes, size_t begin, size_t n)
{
    for (size_t i = 0; bytes == 4 && i < n; i++) {
        uint32_t position = (uint32_t)(begin + i);
        memcpy(to + 4 * i, &position, 4);
    }
    for (size_t i = 0; bytes == 8 && i < n; i++) {
        uint64_t position = begin + i;
        memcpy(to + 8 * i, &position, 8);
    }
}

/* [width of the key]. Takes what other scratch it needs before it writes anything. Call it by
 * usw_sort_carrying (pair_sort.h) only, which knows how large the buffers must be. */
typedef struct usw_pair_sort_steps {
    upsweep_status (*sort[4])(upsweep *u, const usw_pair_sort *p);
    /* Positions of up to USW_SHORT_POSITIONS keys, without buffers but with room for n of either;
     * false, and nothing done: not these keys. NULL: no such method. */
    bool (*positions[4])(const usw_pair_sort *p, uint32_t *tags, void *keys);
} usw_pair_sort_steps;
USW_DECLARE_PER_ISA(usw_pair_sort_steps, usw_pair_sort_steps);

/* ---- merging sorted lists of unsigned keys; [width], as in usw_sort_form ---- */

typedef void (*usw_merge_fn)(const void *a, size_t na, const void *b, size_t nb, void *out);

typedef struct usw_merge_steps {
    /* out gets all keys of a and b in order; lists that are not sorted give a permutation. */
    usw_merge_fn merge[USW_WIDTHS];
    /* The same where out may be b - na, so that b is overwritten from below. */
    usw_merge_fn merge_over[USW_WIDTHS];
    /* How many of the first `rank` keys of the merge come from a (equal keys: a's first). */
    size_t (*split[USW_WIDTHS])(const void *a, size_t na, const void *b, size_t nb, size_t rank);
} usw_merge_steps;
USW_DECLARE_PER_ISA(usw_merge_steps, usw_merge_steps);

/* ---- selection and runs of equals; [width] as far as 64-bit keys ---- */

enum { USW_TAKE_ROOM = 1024 }; /* bytes, at least, that take wants */
typedef struct usw_select_steps {
    /* counts[0], counts[1]: how many mapped keys are less than low, and at most high. */
    void (*count[4])(const void *keys, size_t n, const usw_keymap *map, uint64_t low, uint64_t high,
                     size_t counts[2]);
    /* Writes a record (see usw_pairs) of mapped key and `position` + i, or, where record_bytes is
     * that of a key, the mapped key alone, for all keys less than limit and the first `ties` of
     * those equal to it. */
    void (*collect[4])(const void *keys, size_t n, const usw_keymap *map, uint64_t limit,
                       size_t ties, size_t position, void *records, size_t record_bytes);
    /* The same for all keys up to limit, as long as there is room for USW_TAKE_ROOM bytes more;
     * *count gets how many were written. Returns how many keys were looked at. */
    size_t (*take[4])(const void *keys, size_t n, const usw_keymap *map, uint64_t limit,
                      size_t position, void *records, size_t record_bytes, size_t space,
                      size_t *count);
    /* out[i] = a mapped key from anywhere in the i-th of `count` equal parts; 0 < count <= n. */
    void (*sample[4])(const void *keys, size_t n, const usw_keymap *map, void *out, size_t count);
} usw_select_steps;
USW_DECLARE_PER_ISA(usw_select_steps, usw_select_steps);

/* A head is a key whose bits differ from those of the key before it; `head` says whether keys[0] is
 * one. */
typedef struct usw_unique_steps {
    /* How many heads there are, and in *first where the first is (n: there is none). */
    size_t (*heads[4])(const void *keys, size_t n, bool head, size_t *first);
    /* Copies the heads to out, room for n, which may be keys; returns how many. */
    size_t (*compact[4])(const void *keys, size_t n, bool head, void *out);
    /* Copies the heads, `count` of them, and writes where they are, counted from position. */
    void (*runs[4])(const void *keys, size_t n, bool head, size_t count, uint64_t position,
                    void *out_keys, uint64_t *out_positions);
} usw_unique_steps;
USW_DECLARE_PER_ISA(usw_unique_steps, usw_unique_steps);

/* Searches in keys that are sorted; [width]. */
typedef struct usw_search_steps {
    /* Finds the places of wanted keys [begin, end). sample, NULL or USW_SEARCH_SAMPLE mapped keys:
     * the last of each stretch of as many keys; n is at least as many. */
    void (*search[4])(const usw_search *s, const void *sample, size_t begin, size_t end);
    void (*sample[4])(const usw_search *s, void *sample);
} usw_search_steps;
enum { USW_SEARCH_SAMPLE = 4096 };
USW_DECLARE_PER_ISA(usw_search_steps, usw_search_steps);

/* ---- buckets: from keys to bucket numbers, a tile at a time ---- */

typedef struct usw_histogram_steps {
    /* ids[i] = the bucket of keys[i], or count for none; n is at most a tile (order.h). */
    void (*ids)(const usw_buckets *b, const void *keys, size_t n, uint32_t *ids);
    /* Adds to table[id]: `ways` tables of `stride` counters, which the caller adds up. */
    void (*count)(const uint32_t *ids, size_t n, uint64_t *table, size_t stride, unsigned ways);
    /* out[cursor[id]++] = in[i]. */
    void (*scatter)(const uint32_t *ids, size_t n, const void *in, void *out, size_t bytes,
                    uint64_t *cursor);
    /* [width]: ids and count in one, for b of digits of at most 8 bits; n < 2^32. NULL in
     * AVX-512. */
    void (*count_digits[4])(const usw_buckets *b, const void *keys, size_t n, bool more,
                            uint64_t *table);
} usw_histogram_steps;
USW_DECLARE_PER_ISA(usw_histogram_steps, usw_histogram_steps_cpu);

/* ---- moves of elements of any size, at any address ---- */

typedef struct usw_move_steps {
    /* out[i] = in[index[i]], begin <= i < end; false, and out undefined, if an index is not below
     * limit. index_bytes: 4 or 8. */
    bool (*gather)(const void *in, size_t limit, const void *index, size_t index_bytes, void *out,
                   size_t bytes, size_t begin, size_t end);
    /* out[index[i]] = in[i]; indices have been checked. */
    void (*scatter)(const void *in, const void *index, size_t index_bytes, void *out, size_t bytes,
                    size_t begin, size_t end);
    /* Whether index[i] < limit for begin <= i < end. */
    bool (*below)(const void *index, size_t index_bytes, size_t limit, size_t begin, size_t end);
    /* Exchanges data[i] and data[n - 1 - i], begin <= i < end <= n / 2. */
    void (*reverse)(void *data, size_t n, size_t bytes, size_t begin, size_t end);
} usw_move_steps;
USW_DECLARE_PER_ISA(usw_move_steps, usw_move_steps_cpu);

#endif
