/* narrow_large_bucket.h - how narrow_keys.h takes a value that many words of a large bucket
 * have out of it: the words below it, with it and above it are compressed to three stretches, and
 * those with it need no sort. Included once. */

enum { HEAVY_SAMPLE = 16, HEAVY_LEAST = 4 /* of the sample have the value */ };

#if USW_LEVEL == 2
/* The value that most keys & mask of a sample have; false if they are few. */
static bool find_heavy(const uint64_t *words, size_t n, uint32_t mask, uint32_t *value)
{
    uint32_t sample[HEAVY_SAMPLE];
    size_t most = 0;
    for (size_t i = 0; i < HEAVY_SAMPLE; i++) {
        sample[i] = (uint32_t)(words[n / HEAVY_SAMPLE * i] >> 32) & mask;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](sample, HEAVY_SAMPLE);
    for (size_t i = 0, begin = 0; i < HEAVY_SAMPLE; i++) {
        begin = sample[i] == sample[begin] ? begin : i;
        if (i + 1 - begin > most) {
            most = i + 1 - begin;
            *value = sample[i];
        }
    }
    return most >= HEAVY_LEAST;
}

/* The stretches of n words below a value, with it and above it: begin[0] to begin[1], ... */
static void split_heavy(const uint64_t *words, size_t n, uint32_t mask, uint32_t value,
                        uint64_t *restrict to, size_t begin[3])
{
    __m512i keys = _mm512_set1_epi64((long long)((uint64_t)mask << 32));
    __m512i pivot = _mm512_set1_epi64((long long)((uint64_t)value << 32));
    begin[0] = begin[1] = begin[2] = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t at[3] = {0, begin[1], begin[2]};
        for (size_t i = 0; i < n; i += LINE_WORDS) {
            __mmask8 there = n - i < LINE_WORDS ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
            __m512i word = _mm512_maskz_loadu_epi64(there, words + i);
            __m512i key = _mm512_and_si512(word, keys);
            __mmask8 part[3] = {_mm512_mask_cmplt_epu64_mask(there, key, pivot),
                                _mm512_mask_cmpeq_epu64_mask(there, key, pivot),
                                _mm512_mask_cmpgt_epu64_mask(there, key, pivot)};
            UNROLL for (unsigned k = 0; k < 3; k++)
            {
                unsigned count = (unsigned)__builtin_popcount(part[k]);
                if (pass == 1) {
                    _mm512_mask_storeu_epi64(to + at[k], (__mmask8)((1u << count) - 1),
                                             _mm512_maskz_compress_epi64(part[k], word));
                }
                at[k] += count;
            }
        }
        begin[1] = pass == 0 ? at[0] : begin[1];
        begin[2] = pass == 0 ? at[0] + at[1] : begin[2];
    }
}
#endif

static void narrow_leaf(const job_u32 *job, uint64_t *from, size_t n, size_t at, unsigned lane);

/* Sorts a bucket of which one value has a good part; false, with nothing done, if none has. */
static bool leaf_of_heavy(const job_u32 *job, uint64_t *from, size_t n, size_t at, unsigned lane)
{
#if USW_LEVEL == 2
    uint32_t value;
    if (!find_heavy(from, n, job->mask, &value)) {
        return false;
    }
    USW_ROUTE("a leaf with a frequent key");
    uint64_t *to = other_words(job, from, lane);
    size_t begin[3];
    split_heavy(from, n, job->mask, value, to, begin);
    put_words(job->p, to + begin[1], begin[2] - begin[1], at + begin[1]);
    if (begin[1] > 0) {
        narrow_leaf(job, to, begin[1], at, lane);
    }
    if (n > begin[2]) {
        narrow_leaf(job, to + begin[2], n - begin[2], at + begin[2], lane);
    }
    return true;
#else
    (void)job, (void)from, (void)n, (void)at, (void)lane;
    return false;
#endif
}
