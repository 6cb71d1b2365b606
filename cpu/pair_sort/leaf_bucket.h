/* leaf_bucket.h - pair_sort after a split: one bucket. Included once per key width. */

static void FN(sort_bucket)(void *context, size_t d, unsigned lane)
{
    const FN(job) *job = context;
    const usw_pair_sort *p = job->p;
    size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin, at = job->base + begin;
    if (n == 0 || n > LEAF_KEYS) {
        return;
    }
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (has_units(job)) {
        leaf_of_units(job, job->to + begin, job->to_payloads + begin * p->payload_bytes,
                      (key_map_u64){0}, at, n, lane);
        return;
    }
#endif
    KEY *k = (KEY *)p->way_keys[1] + at;
    char *payloads = (char *)p->way_payloads[1] + at * p->payload_bytes;
    if (job->to_side == 0) { /* the first way may be the output: not read while it is written */
        memcpy(k, job->to + begin, n * sizeof(KEY));
        memcpy(payloads, job->to_payloads + begin * p->payload_bytes, n * p->payload_bytes);
    }
    FN(leaf)(job, k, payloads, at, n, job->below, lane);
}
