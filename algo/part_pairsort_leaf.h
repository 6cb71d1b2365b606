/* part_pairsort_leaf.h - part_pairsort inside the cache: key and position packed into words, the
 * words sorted, ties put right, payloads fetched. Included once per key width. */
/* ---- a bucket, in the cache ---- */

/* Words that agree in their upper half are put in order by the bits [lo, shift) of the key. */
static void FN(order_ties)(const KEY *k, uint64_t *words, uint64_t *spare, size_t n, unsigned lo,
                           unsigned shift)
{
    uint64_t low = FN(bits_between)(0, shift - lo);
    for (size_t i = 0; i + 1 < n; i++) {
        if (words[i] >> 32 != words[i + 1] >> 32) {
            continue;
        }
        size_t begin = i;
        for (; i + 1 < n && words[i] >> 32 == words[i + 1] >> 32; i++) {
        }
        for (size_t j = begin; j <= i; j++) {
            uint32_t at = (uint32_t)words[j];
            words[j] = ((k[at] >> lo) & low) << 32 | at;
        }
        sort_words(words + begin, spare, i + 1 - begin, low << 32);
        for (size_t j = begin; j <= i; j++) {
            words[j] = (uint32_t)words[j]; /* only the position is needed from here on */
        }
    }
}

ALWAYS void FN(fetch)(const uint64_t *words, size_t n, const char *from, char *to, size_t bytes)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(to + j * bytes, from + (size_t)(uint32_t)words[j] * bytes, bytes);
    }
}

/* Sorts n mapped pairs, which differ in `differ` only, to the outputs at position `at`. */
static void FN(leaf)(const FN(job) * job, const KEY *k, const char *payloads, size_t at, size_t n,
                     KEY differ, unsigned lane)
{
    const usw_pair_sort *p = job->p;
    size_t bytes = p->payload_bytes;
    char *to = (char *)p->out_payloads + at * bytes;
    KEY *out = p->out_keys == NULL ? NULL : (KEY *)p->out_keys + at;
    if (n == 1 || differ == 0) {
        memcpy(to, payloads, n * bytes);
        for (size_t i = 0; out != NULL && i < n; i++) {
            out[i] = FN(unmapped)(&p->map, k[i]);
        }
        return;
    }
    uint64_t *words = job->words + (size_t)lane * 2 * job->words_keys;
    uint64_t *spare = words + job->words_keys;
    unsigned hi = 64 - (unsigned)__builtin_clzll(differ), lo = (unsigned)__builtin_ctzll(differ);
    unsigned shift = hi - lo > 32 ? hi - 32 : lo;
    KEY bits = FN(bits_between)(0, hi - shift);
    for (size_t i = 0; i < n; i++) {
        words[i] = (uint64_t)((k[i] >> shift) & bits) << 32 | (uint32_t)i;
    }
    sort_words(words, spare, n, (uint64_t)bits << 32);
    if (shift > lo) {
        FN(order_ties)(k, words, spare, n, lo, shift);
    }
    if (out != NULL && shift == lo && p->bit_end - p->bit_begin == KEY_BITS) {
        KEY same = (KEY)(k[0] & ~(KEY)(bits << shift));
        for (size_t j = 0; j < n; j++) {
            KEY differs = (KEY)((KEY)(words[j] >> 32) << shift);
            out[j] = FN(unmapped)(&p->map, (KEY)(same | differs));
        }
    } else if (out != NULL) {
        for (size_t j = 0; j < n; j++) {
            out[j] = FN(unmapped)(&p->map, k[(uint32_t)words[j]]);
        }
    }
#define FETCH(size) FN(fetch)(words, n, payloads, to, size)
    FOR_PAYLOAD(bytes, FETCH)
#undef FETCH
}

static void FN(sort_bucket)(void *context, size_t d, unsigned lane)
{
    const FN(job) *job = context;
    const usw_pair_sort *p = job->p;
    size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin, at = job->base + begin;
    if (n == 0 || n > LEAF_KEYS) {
        return;
    }
    KEY *k = (KEY *)p->way_keys[1] + at;
    char *payloads = (char *)p->way_payloads[1] + at * p->payload_bytes;
    if (job->to_side == 0) { /* the first way may be the output: not read while it is written */
        memcpy(k, job->to + begin, n * sizeof(KEY));
        memcpy(payloads, job->to_payloads + begin * p->payload_bytes, n * p->payload_bytes);
    }
    FN(leaf)(job, k, payloads, at, n, job->below, lane);
}
