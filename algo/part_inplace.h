/* part_inplace.h - parallel quicksort without scratch, included once per width: for callers who
 * allow none, and for parts that buckets could not split.
 *
 * A part is cut into chunks, which all threads partition by one pivot. What then stands on the
 * wrong side of the common border is exchanged piece by piece: keys too great below it with keys
 * not too great above it, equally many of both. When all parts are small enough to share out,
 * each is sorted by one thread. */

#ifndef USW_PART_INPLACE_ONCE
#define USW_PART_INPLACE_ONCE
enum {
    CHUNKS_MAX = 64,
    PARTS_MAX = 256,
    PART_KEYS_MIN = 32 * 1024, /* smaller parts are not worth waking threads for */
    PIVOT_SAMPLE = 256
};
#endif

typedef struct FN(part) {
    KEY *keys;
    size_t n;
    KEY top; /* no key of it is greater */
} FN(part);

typedef struct FN(cut) {
    KEY *keys, pivot;
    size_t n, chunk_keys;
    size_t left[CHUNKS_MAX]; /* keys <= pivot in each chunk */
} FN(cut);

static void FN(cut_chunk)(void *context, size_t i, unsigned lane)
{
    FN(cut) *c = context;
    size_t begin = i * c->chunk_keys;
    (void)lane;
    c->left[i] =
        USW_SYMBOL(usw_part_vsort)
            .partition[USW_WIDTH](c->keys + begin, usw_min(c->chunk_keys, c->n - begin), &c->pivot);
}

/* An exchange of `n` keys at a with as many at b. */
typedef struct FN(trade) {
    KEY *a, *b;
    size_t n;
} FN(trade);

static void FN(trade_piece)(void *context, size_t i, unsigned lane)
{
    const FN(trade) *t = (const FN(trade) *)context + i;
    (void)lane;
    for (size_t k = 0; k < t->n; k++) {
        KEY x = t->a[k];
        t->a[k] = t->b[k];
        t->b[k] = x;
    }
}

/* Moves the keys <= pivot of a part to its front, by all threads, and returns how many they are. */
static size_t FN(cut_part)(upsweep *u, const FN(part) * p, KEY pivot)
{
    size_t chunks = usw_min(usw_min(2 * (size_t)u->threads, CHUNKS_MAX),
                            usw_max(1, p->n / (PART_KEYS_MIN / 2)));
    FN(cut) c = {.keys = p->keys, .pivot = pivot, .n = p->n};
    c.chunk_keys = usw_div_up(p->n, chunks);
    chunks = usw_div_up(p->n, c.chunk_keys);
    usw_parallel(u, chunks, FN(cut_chunk), &c);
    size_t border = 0;
    for (size_t i = 0; i < chunks; i++) {
        border += c.left[i];
    }
    FN(trade) trades[2 * CHUNKS_MAX];
    size_t count = 0, i = 0, j = 0, done_i = 0, done_j = 0;
    while (i < chunks && j < chunks) {
        /* [a, a_end): keys > pivot of chunk i below the border; [b, b_end): others of j above
         * it. */
        size_t a = i * c.chunk_keys + c.left[i] + done_i;
        size_t a_end = usw_min(usw_min(p->n, (i + 1) * c.chunk_keys), border);
        size_t b = usw_max(j * c.chunk_keys, border) + done_j;
        size_t b_end = j * c.chunk_keys + c.left[j];
        if (a >= a_end) {
            i++, done_i = 0;
        } else if (b >= b_end) {
            j++, done_j = 0;
        } else {
            size_t n = usw_min(a_end - a, b_end - b);
            trades[count++] = (FN(trade)){p->keys + a, p->keys + b, n};
            done_i += n, done_j += n;
        }
    }
    usw_parallel(u, count, FN(trade_piece), trades);
    return border;
}

static KEY FN(part_pivot)(const FN(part) * p)
{
    KEY sample[PIVOT_SAMPLE];
    size_t step = p->n / PIVOT_SAMPLE;
    for (size_t i = 0; i < PIVOT_SAMPLE; i++) {
        sample[i] = p->keys[i * step + (i * 0x9e3779b1u >> 8) % step];
    }
    USW_SYMBOL(usw_part_vsort).sort[USW_WIDTH](sample, PIVOT_SAMPLE);
    return sample[PIVOT_SAMPLE / 2 - 1];
}

static void FN(sort_part)(void *context, size_t i, unsigned lane)
{
    const FN(part) *p = (const FN(part) *)context + i;
    (void)lane;
    USW_SYMBOL(usw_part_vsort).sort[USW_WIDTH](p->keys, p->n);
}

static int FN(larger_part)(const void *a, const void *b)
{
    size_t x = ((const FN(part) *)a)->n, y = ((const FN(part) *)b)->n;
    return (x < y) - (x > y);
}

static void FN(sort_in_place)(upsweep *u, KEY *keys, size_t n)
{
    FN(part) parts[PARTS_MAX] = {{keys, n, (KEY)-1}};
    size_t count = 1, share = usw_max(n / (4 * (size_t)u->threads), PART_KEYS_MIN);
    for (size_t i = 0; u->threads > 1 && i < count;) {
        FN(part) *p = &parts[i];
        if (p->n <= share || count == PARTS_MAX) {
            i++;
            continue;
        }
        KEY pivot = FN(part_pivot)(p);
        bool at_top = pivot == p->top; /* then all that is not less is equal, and done */
        if (at_top && pivot == 0) {
            p->n = 0;
            continue;
        }
        KEY border = (KEY)(at_top ? pivot - 1 : pivot);
        size_t left = FN(cut_part)(u, p, border);
        if (!at_top && left < p->n) {
            parts[count++] = (FN(part)){p->keys + left, p->n - left, p->top};
        }
        p->n = left;
        p->top = border;
    }
    qsort(parts, count, sizeof parts[0], FN(larger_part));
    usw_parallel(u, count, FN(sort_part), parts);
}
