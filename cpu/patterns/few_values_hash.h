/* few_values_hash.h - prepares the counting of keys with few values: collects the values of a
 * sample, orders them, and finds a hash that sends no two of them to one slot. Included once:
 * values of both widths are 64 bits wide here. */
/* SPDX-License-Identifier: MIT */

/* Adds the values of a sample, in the order in which they are met; false if there are too many. */
static bool note_values(usw_value_set *few, const uint64_t *sample, size_t n)
{
    for (unsigned v = few->values; v < USW_VALUES_MAX; v++) {
        few->value[v] = sample[0]; /* free places hold a known value, since all are compared */
    }
    few->values += few->values == 0;
#if USW_LEVEL == 2
    __m512i low = _mm512_loadu_si512(few->value), high = _mm512_loadu_si512(few->value + 8);
    for (size_t i = 0; i < n; i++) {
        __m512i x = _mm512_set1_epi64((long long)sample[i]);
        if ((_mm512_cmpeq_epi64_mask(low, x) | _mm512_cmpeq_epi64_mask(high, x)) == 0) {
            if (few->values == USW_VALUES_MAX) {
                return false;
            }
            unsigned place = 1U << few->values++;
            low = _mm512_mask_mov_epi64(low, (__mmask8)place, x);
            high = _mm512_mask_mov_epi64(high, (__mmask8)(place >> 8), x);
        }
    }
    _mm512_storeu_si512(few->value, low);
    _mm512_storeu_si512(few->value + 8, high);
#else
    for (size_t i = 0; i < n; i++) {
        uint64_t known = 0;
        for (unsigned v = 0; v < USW_VALUES_MAX; v++) {
            known |= few->value[v] == sample[i];
        }
        if (known == 0) {
            if (few->values == USW_VALUES_MAX) {
                return false;
            }
            few->value[few->values++] = sample[i];
        }
    }
#endif
    return true;
}

/* Each value goes to the place that is the number of lesser values: no branch depends on a value.
 */
static void order_values(usw_value_set *few, const usw_keymap *map)
{
    uint64_t mapped[USW_VALUES_MAX], below[USW_VALUES_MAX] = {0}, value[USW_VALUES_MAX];
    for (unsigned v = 0; v < USW_VALUES_MAX; v++) {
        value[v] = few->value[v];
        mapped[v] = v < few->values ? usw_map_key(map, value[v]) : UINT64_MAX;
    }
    for (unsigned v = 0; v < few->values; v++) {
        for (unsigned w = 0; w < USW_VALUES_MAX; w++) {
            below[w] += mapped[v] < mapped[w];
        }
    }
    for (unsigned v = 0; v < few->values; v++) {
        few->value[below[v]] = value[v];
    }
}

/* One multiplier in eight will do for 16 values: a vector of them, all odd, is tried at once. It
 * has 256 bits with AVX-512 too: see cpu/patterns/patterns_avx512.h. */
static bool find_hash(usw_value_set *few, unsigned bits)
{
#if USW_LEVEL == 0
    typedef uint64_t vector;
#else
    typedef uint64_t vector __attribute__((vector_size(32)));
#endif
    enum { MULTIPLIERS = 1024, WAYS = sizeof(vector) / sizeof(uint64_t) };
    uint64_t lane[WAYS];
    vector multiplier, none = {0};
    for (unsigned w = 0; w < WAYS; w++) {
        lane[w] = (w + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    }
    memcpy(&multiplier, lane, sizeof lane);
    for (unsigned i = 0; i < MULTIPLIERS; i += WAYS) {
        vector taken = none, twice = none; /* a bit for each slot */
        vector scaled = multiplier << (64 - bits);
        for (unsigned v = 0; v < few->values; v++) {
            vector slot = (none + 1) << (scaled * few->value[v] >> (64 - USW_VALUE_SLOT_BITS));
            twice |= taken & slot;
            taken |= slot;
        }
        memcpy(lane, &twice, sizeof lane);
        unsigned found = WAYS;
        for (unsigned w = WAYS; w-- > 0;) {
            found = lane[w] == 0 ? w : found;
        }
        if (found < WAYS) {
            memcpy(lane, &multiplier, sizeof lane);
            few->multiplier = lane[found];
            return true;
        }
        multiplier = multiplier * UINT64_C(0xd1342543de82ef95) + UINT64_C(0x2545f4914f6cdd1c);
    }
    return false;
}

static bool hash_values(usw_value_set *few, unsigned bits, const usw_keymap *map)
{
    order_values(few, map);
    if (!find_hash(few, bits)) {
        return false;
    }
    memset(few->id, 0,
           sizeof few->id); /* a free slot has number 0, whose value is in another slot */
    for (unsigned v = 0; v < few->values; v++) {
        uint64_t slot = few->multiplier << (64 - bits);
        few->id[slot * few->value[v] >> (64 - USW_VALUE_SLOT_BITS)] = (uint8_t)v;
    }
    return true;
}
