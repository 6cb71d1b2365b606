/* part_pairsort_wide.h - how part_pairsort_narrow sorts some thousand keys of which many are close
 * together, so that their tags would be tied: as 64-bit words of the key and the place. That takes
 * twice as long as tags of 32 bits. Included once. */

enum {
    WIDE_FROM = 512,  /* for fewer keys a look costs more than it saves */
    WIDE_MOST = 8191, /* more are split by splitters */
    WIDE_SAMPLE = 32,
    WIDE_PART = 12,     /* so many of the sample in a sixteenth of the range are close together */
    WIDE_DISTINCT = 20, /* fewer values in the sample: many keys are equal, which tags like */
};

typedef enum look { EVEN, CLOSE, FEW } look;

/* What a sample says of keys that differ below bit hi. */
static look look_at(const job_u32 *job, unsigned hi)
{
    uint32_t sample[WIDE_SAMPLE], part = bits_between_u32(0, hi) >> 4;
    unsigned values = 1;
    bool close = false;
    for (size_t i = 0; i < WIDE_SAMPLE; i++) {
        sample[i] = mapped_u32(job->map, job->from[job->n / WIDE_SAMPLE * i]) & job->mask;
    }
    USW_SYMBOL(usw_part_vsort).sort[2](sample, WIDE_SAMPLE);
    for (size_t i = 1; i < WIDE_SAMPLE; i++) {
        values += sample[i] != sample[i - 1];
    }
    for (size_t i = WIDE_PART; i < WIDE_SAMPLE; i++) {
        close |= sample[i] - sample[i - WIDE_PART] <= part;
    }
    return values <= WIDE_DISTINCT ? FEW : close ? CLOSE : EVEN;
}

/* Sorts n words by the keys & mask to the outputs at position `at`; spare is room for n. */
static void sort_wide(const usw_pair_sort *p, uint32_t mask, const uint64_t *words, uint64_t *spare,
                      size_t n, size_t at)
{
    sort_places(words, spare, n, (uint64_t)mask << 32);
    put_words(p, spare, n, at);
}
