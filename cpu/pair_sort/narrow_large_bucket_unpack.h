/* narrow_large_bucket_unpack.h - what narrow_keys.h does with a bucket that is too large
 * for the cache. Included once. */

/* A bucket that is too large: written out if its keys do not differ, else taken apart. */
typedef struct narrow_rest {
    const job_u32 *job;
    size_t bucket;
    uint64_t key; /* a word of it */
    bool equal;
} narrow_rest;

static void rest_look(void *context, size_t c, unsigned lane)
{
    const narrow_rest *r = context;
    piece some = piece_of(r->job, r->bucket, c);
    uint32_t differ = differ_in(some.words, some.n);
    (void)lane;
    r->job->chunk_differ[c] = some.n == 0 ? 0 : differ | (uint32_t)((some.words[0] ^ r->key) >> 32);
}

static void rest_move(void *context, size_t c, unsigned lane)
{
    const narrow_rest *r = context;
    const usw_pair_sort *p = r->job->p;
    size_t at = r->job->base + bucket_start(r->job, r->bucket);
    for (size_t before = 0; before < c; before++) {
        at += piece_of(r->job, r->bucket, before).n;
    }
    piece some = piece_of(r->job, r->bucket, c);
    (void)lane;
    if (r->equal) {
        put_words(p, some.words, some.n, at);
    } else {
        take_apart(p, some.words, some.n, (uint32_t *)p->way_keys[0] + at,
                   (char *)p->way_payloads[0] + at * p->payload_bytes, false);
    }
}

/* Whether the bucket is done. */
static bool finish_rest(upsweep *u, const job_u32 *job, size_t bucket)
{
    USW_ROUTE("a large bucket");
    narrow_rest r = {.job = job, .bucket = bucket};
    for (size_t c = job->chunks; c-- > 0;) {
        piece some = piece_of(job, bucket, c);
        r.key = some.n == 0 ? r.key : some.words[0];
    }
    usw_parallel(u, job->chunks, rest_look, &r);
    uint32_t differ = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c];
    }
    r.equal = (differ & job->mask) == 0;
    USW_ROUTE_IF(r.equal, "a large bucket of one key", USW_ROUTE_DEFAULT);
    usw_parallel(u, job->chunks, rest_move, &r);
    return r.equal;
}
