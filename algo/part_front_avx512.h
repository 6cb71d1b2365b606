/* part_front_avx512.h - part_front in AVX-512, included for keys of 32 and 64 bits. */

#undef LANES
#undef LANE
#undef UNSIGNED_MASK
#define LANES (512 / KEY_BITS)
#undef SIGNED
#if KEY_BITS == 32
#define LANE(name) _mm512_##name##_epi32
#define UNSIGNED_MASK(name) _mm512_##name##_epu32_mask
#define SIGNED int
#else
#define LANE(name) _mm512_##name##_epi64
#define UNSIGNED_MASK(name) _mm512_##name##_epu64_mask
#define SIGNED long long
#endif

/* ---- few values ---- */

enum {
    FN(FEW_TURNS) = 15, /* vectors, until a four-bit field may be full */
    FN(FEW_BLOCK) = 17 * FN(FEW_TURNS) * LANES,
    FN(FEW_FIELDS) = KEY_BITS / 4, /* in a lane */
    FN(FEW_TABLES) = USW_FEW / FN(FEW_FIELDS)
};

typedef struct FN(slots) {
    __m512i at[USW_FEW_SLOTS / LANES]; /* the value of each slot */
    __m512i multiplier, place;         /* byte s of place: where in a lane slot s is counted */
} FN(slots);

static inline __m512i FN(value_of)(const FN(slots) * s, __m512i slot)
{
#if KEY_BITS == 32
    return _mm512_permutex2var_epi32(s->at[0], slot, s->at[1]);
#else
    __m512i low = _mm512_permutex2var_epi64(s->at[0], slot, s->at[1]);
    __m512i high = _mm512_permutex2var_epi64(s->at[2], slot, s->at[3]);
    __mmask8 upper = _mm512_test_epi64_mask(slot, _mm512_set1_epi64(16));
    return _mm512_mask_mov_epi64(low, upper, high);
#endif
}

/* One block of keys: value 8 t + 2 j + odd (16 t with 64 bits) is counted in byte j of the lanes of
 * bytes[2 t + odd]. Returns where keys differ from all values. */
static inline __m512i FN(count_few_block)(const KEY *k, const FN(slots) * s,
                                          __m512i bytes[2 * FN(FEW_TABLES)])
{
    __m512i nibbles = _mm512_set1_epi8(0x0f), one = LANE(set1)(1);
    __m512i field = LANE(set1)(KEY_BITS), differ = _mm512_setzero_si512();
    __mmask64 lowest = KEY_BITS == 32 ? 0x1111111111111111 : 0x0101010101010101; /* of a lane */
    for (unsigned b = 0; b < 2 * FN(FEW_TABLES); b++) {
        bytes[b] = _mm512_setzero_si512();
    }
    for (unsigned t = 0; t < 17; t++) {
        __m512i table[FN(FEW_TABLES)];
        for (unsigned f = 0; f < FN(FEW_TABLES); f++) {
            table[f] = _mm512_setzero_si512();
        }
        for (unsigned i = 0; i < FN(FEW_TURNS); i++, k += LANES) {
            __m512i x = _mm512_loadu_si512(k);
            __m512i slot = LANE(srli)(LANE(mullo)(x, s->multiplier), FN(SLOT_SHIFT));
            __m512i other = _mm512_xor_si512(x, FN(value_of)(s, slot));
            differ = _mm512_or_si512(differ, other);
            __m512i place = _mm512_maskz_permutexvar_epi8(lowest, slot, s->place);
            for (unsigned f = 0; f < FN(FEW_TABLES); f++) {
                table[f] = LANE(add)(table[f], LANE(sllv)(one, place)); /* 0 beyond a lane */
                place = LANE(sub)(place, field);
            }
        }
        for (unsigned f = 0; f < FN(FEW_TABLES); f++) {
            __m512i even = _mm512_and_si512(table[f], nibbles);
            __m512i odd = _mm512_and_si512(_mm512_srli_epi16(table[f], 4), nibbles);
            bytes[2 * f] = _mm512_add_epi8(bytes[2 * f], even);
            bytes[2 * f + 1] = _mm512_add_epi8(bytes[2 * f + 1], odd);
        }
    }
    return differ;
}

/* n is a multiple of FEW_BLOCK. */
static bool FN(count_few_blocks)(const KEY *k, size_t n, const usw_few *few, size_t *count)
{
    FN(slots) s = {.multiplier = LANE(set1)((SIGNED)few->multiplier)};
    KEY at[USW_FEW_SLOTS];
    uint8_t place[64] = {0};
    for (unsigned i = 0; i < USW_FEW_SLOTS; i++) {
        at[i] = (KEY)few->at[i];
        place[i] = (uint8_t)(4 * few->id[i]);
    }
    s.place = _mm512_loadu_si512(place);
    for (unsigned i = 0; i < USW_FEW_SLOTS / LANES; i++) {
        s.at[i] = _mm512_loadu_si512(at + i * LANES);
    }
    for (size_t i = 0; i < n; i += FN(FEW_BLOCK)) {
        __m512i bytes[2 * FN(FEW_TABLES)];
        __m512i differ = FN(count_few_block)(k + i, &s, bytes);
        if (_mm512_test_epi32_mask(differ, differ) != 0) {
            return false;
        }
        for (unsigned b = 0; b < 2 * FN(FEW_TABLES); b++) {
            uint8_t byte[64];
            uint16_t sum[sizeof(KEY)] = {0};
            _mm512_storeu_si512(byte, bytes[b]);
            for (unsigned j = 0; j < 64; j++) {
                sum[j % sizeof(KEY)] = (uint16_t)(sum[j % sizeof(KEY)] + byte[j]);
            }
            for (unsigned j = 0; j < sizeof(KEY); j++) {
                count[b / 2 * FN(FEW_FIELDS) + 2 * j + b % 2] += sum[j];
            }
        }
    }
    return true;
}

/* ---- almost in order ---- */

enum { FN(DROP_LANES) = LANES };

/* The whole vectors of k[i .. end), with keys behind them: see drop. *before: the key before i. */
static size_t FN(drop_vectors)(KEY *k, size_t i, size_t end, size_t kept, KEY *out, KEY *before)
{
    __m512i last = LANE(set1)((SIGNED)*before), x = last;
    for (; i + LANES <= end; i += LANES) {
        x = _mm512_loadu_si512(k + i);
        __m512i after = _mm512_loadu_si512(k + i + 1);
        __m512i earlier = LANE(alignr)(x, last, LANES - 1);
        USW_LANE_MASK wrong =
            (USW_LANE_MASK)(UNSIGNED_MASK(cmpgt)(earlier, x) | UNSIGNED_MASK(cmpgt)(x, after));
        if (wrong == 0) {
            _mm512_storeu_si512(k + kept, x);
            kept += LANES;
        } else {
            size_t gone = (size_t)__builtin_popcount(wrong);
            _mm512_storeu_si512(out + (i - kept), LANE(mask_compress)(x, wrong, x));
            _mm512_storeu_si512(k + kept, LANE(mask_compress)(x, (USW_LANE_MASK)~wrong, x));
            kept += LANES - gone;
        }
        last = x;
    }
    KEY lanes[LANES];
    _mm512_storeu_si512(lanes, x);
    *before = lanes[LANES - 1];
    return kept;
}
