/* part_pairsort_few.h - how part_pairsort_narrow sorts keys of few values, by one thread: payloads
 * alone are scattered, in one pass, to a stretch for each value that a sample makes large enough.
 * Where a stretch overflows, or a value comes that was not in the sample, the inputs are still
 * there, and other steps begin. Included once. */

enum {
    FEW_DEVIATIONS = 5,         /* of a value's count, for which there must be room */
    FEW_ALONE = 4 * 1024 * 1024 /* keys that one thread places as fast as several split them */
};

/* The values of the sample become groups, and ends[g] where the stretch of group g ends; false if
 * they are too many. */
static bool choose_values(const job_u32 *job, size_t sampled, size_t ends[SPLIT_GROUPS])
{
    splitters *s = job->splitters;
    unsigned groups = 0;
    size_t end = 0;
    for (size_t i = 0, next; i < sampled; i = next, groups++) {
        if (groups == SPLIT_GROUPS) {
            return false;
        }
        size_t count, root = 1;
        for (next = i + 1; next < sampled && s->sample[next] == s->sample[i]; next++) {
        }
        for (count = next - i; root * root < count; root++) {
        }
        count = usw_min(count + FEW_DEVIATIONS * root, sampled);
        s->least[groups] = s->sample[i];
        ends[groups] = end += count * (job->n / sampled + 1);
    }
    plant_tree(s, groups);
    for (unsigned g = groups; g < SPLIT_GROUPS; g++) {
        s->least[g] = s->least[0];
        ends[g] = end;
    }
    /* Overflows are looked for after each block. */
    return (end + NARROW_BLOCK) * sizeof(uint32_t) <=
           job->p->way_room - job->base * sizeof(uint64_t);
}

/* Scatters the payloads i to i + n, at most NARROW_BLOCK; false if a value is unknown. */
static inline bool few_block(const job_u32 *job, size_t i, size_t n, size_t *offset, uint32_t *to)
{
    uint32_t keys[NARROW_BLOCK], payloads[NARROW_BLOCK];
    uint16_t digit[NARROW_BLOCK];
    bool other = false;
    for (size_t k = 0; k < n; k++) {
        keys[k] = mapped_u32(job->map, job->from[i + k]) & job->mask;
        payloads[k] = (uint32_t)(i + k);
    }
    for (size_t k = n; k % SPLIT_LANES != 0; k++) {
        keys[k] = keys[0];
    }
    if (job->from_payloads != NULL) {
        memcpy(payloads, job->from_payloads + 4 * i, 4 * n);
    }
    for (size_t k = 0; k < n; k += SPLIT_LANES) {
        other |= few_lanes(job->splitters, keys + k, digit + k);
    }
    for (size_t k = 0; k < n && !other; k++) {
        to[offset[digit[k]]++] = payloads[k];
    }
    return !other;
}

/* Writes the pairs of group g, n of them, to the outputs at position `at`. */
static void put_few(const job_u32 *job, unsigned g, const uint32_t *payloads, size_t n, size_t at)
{
    const usw_pair_sort *p = job->p;
    char *to = (char *)p->out_payloads + at * p->payload_bytes;
    if (p->payload_bytes == 4) {
        memcpy(to, payloads, n * 4);
    }
    for (size_t i = 0; p->payload_bytes == 8 && i < n; i++) {
        uint64_t position = payloads[i];
        memcpy(to + 8 * i, &position, 8);
    }
    uint32_t key = unmapped_u32(&p->map, job->splitters->least[g]);
    for (size_t i = 0; p->out_keys != NULL && i < n; i++) {
        ((uint32_t *)p->out_keys)[at + i] = key;
    }
}

/* Sorts all pairs of the range, or returns false with nothing done. */
static bool sort_few(const job_u32 *job, size_t sampled)
{
    size_t ends[SPLIT_GROUPS], offset[SPLIT_GROUPS], at = job->base;
    bool whole = job->p->out_keys == NULL || job->mask == UINT32_MAX; /* a value is the key */
    if ((job->chunks > 1 && job->n > FEW_ALONE) || !whole || !choose_values(job, sampled, ends)) {
        return false;
    }
    uint32_t *to = (uint32_t *)(void *)((uint64_t *)job->p->way_keys[1] + job->base);
    for (unsigned g = 0; g < SPLIT_GROUPS; g++) {
        offset[g] = g == 0 ? 0 : ends[g - 1];
    }
    for (size_t i = 0; i < job->n; i += NARROW_BLOCK) {
        bool done = few_block(job, i, usw_min(job->n - i, NARROW_BLOCK), offset, to);
        for (unsigned g = 0; g < SPLIT_GROUPS; g++) {
            done = done && offset[g] <= ends[g];
        }
        if (!done) {
            return false;
        }
    }
    for (unsigned g = 0; g < SPLIT_GROUPS; g++) {
        size_t begin = g == 0 ? 0 : ends[g - 1], n = offset[g] - begin;
        put_few(job, g, to + begin, n, at);
        at += n;
    }
    return true;
}
