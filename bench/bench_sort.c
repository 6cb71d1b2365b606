/* bench_sort.c - nanoseconds per key of upsweep_sort and of the C library's qsort.
 *
 *     bench_sort [--types u32,u64,f32] [--sizes 10,16,20,24] [--patterns uniform,...]
 *                [--threads 1,2] [--repeat 5] [--no-qsort] [--algorithm sort/radix] [--in-place]
 *
 * Sizes are powers of two. The programs take turns on fresh copies of one input, the median of the
 * rounds is printed. Small arrays are sorted many at a time, each a different part of the input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <upsweep.h>

enum { ROUNDS_MAX = 99, BATCH_KEYS = 1 << 17 };

typedef struct settings {
    const char *types, *sizes, *patterns, *threads, *algorithm;
    int rounds, with_qsort;
    unsigned flags;
} settings;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t state;
static uint64_t next(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static const char *const pattern_names[] = {
    "uniform",   "sorted",   "reversed",  "equal",  "few16",    "zipf",   "organpipe", "almost1pct",
    "sharedtop", "clusters", "onebucket", "killer", "sawtooth", "normal", NULL};

/* Key i of n as 64 bits, most significant first. */
static uint64_t key_of(int pattern, size_t i, size_t n)
{
    uint64_t r = next(), step = UINT64_MAX / n;
    switch (pattern) {
    case 0: return r;
    case 1: return i * step;
    case 2: return (n - 1 - i) * step;
    case 3: return UINT64_C(0x5a5a5a5a5a5a5a5a);
    case 4: return r % 16 * UINT64_C(0x0f1e2d3c4b5a6978);
    case 5: {
        /* rank k with probability proportional to 1 / k, 1 <= k <= 10^6; its key is a hash of k */
        double u = (double)(r >> 11) * 0x1p-53, k = 1, power = u * 19.931568569324174;
        for (; power >= 1; power--) {
            k *= 2;
        }
        uint64_t rank = (uint64_t)(k * (1 + power));
        return rank * UINT64_C(0x9e3779b97f4a7c15) ^ (rank * UINT64_C(0xbf58476d1ce4e5b9)) >> 32;
    }
    case 6: return (i < n / 2 ? i : n - i) * step;
    case 7: return r % 100 == 0 ? next() : i * step;
    case 8: return UINT64_C(0xabcdef0000000000) | r % 256 << 32 | r % 256;
    case 9: return r & 1 ? UINT64_C(0xfffff00000000000) + (r >> 21) : r >> 21;
    case 10: return r % 100 == 0 ? next() : UINT64_C(0x3000000000000000) + (r >> 14);
    case 11: return (i % 2 ? n / 2 + i / 2 : i / 2) * step;
    case 12: return i % 1000 * (UINT64_MAX / 1000);
    default: {
        uint64_t sum = 0;
        for (int k = 0; k < 8; k++) {
            sum += next() >> 3;
        }
        return sum;
    }
    }
}

static void fill(void *keys, size_t n, upsweep_type type, int pattern)
{
    size_t bytes = upsweep_type_bytes(type);
    state = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t k = key_of(pattern, i, n) >> (64 - 8 * bytes);
        if (type == UPSWEEP_F32) {
            float f = (float)k;
            memcpy((char *)keys + 4 * i, &f, 4);
        } else if (type == UPSWEEP_F64) {
            double d = (double)k;
            memcpy((char *)keys + 8 * i, &d, 8);
        } else {
            memcpy((char *)keys + bytes * i, &k, bytes); /* little-endian */
        }
    }
}

#define COMPARE(name, type)                                                                        \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        type x = *(const type *)a, y = *(const type *)b;                                           \
        return (x > y) - (x < y);                                                                  \
    }
COMPARE(by_u8, uint8_t)
COMPARE(by_u16, uint16_t)
COMPARE(by_u32, uint32_t)
COMPARE(by_u64, uint64_t)
COMPARE(by_i32, int32_t)
COMPARE(by_i64, int64_t)
COMPARE(by_f32, float)
COMPARE(by_f64, double)

static int (*comparator(upsweep_type type))(const void *, const void *)
{
    switch (type) {
    case UPSWEEP_U8: return by_u8;
    case UPSWEEP_U16: return by_u16;
    case UPSWEEP_U32: return by_u32;
    case UPSWEEP_U64: return by_u64;
    case UPSWEEP_I32: return by_i32;
    case UPSWEEP_I64: return by_i64;
    case UPSWEEP_F32: return by_f32;
    case UPSWEEP_F64: return by_f64;
    default: return NULL;
    }
}

static int ascending(const void *a, const void *b)
{
    return by_f64(a, b);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    return times[count / 2];
}

/* Sorts each part of n keys in the `total` keys at work; u is NULL for qsort. */
static double time_one(upsweep *u, void *work, size_t n, size_t total, upsweep_type type,
                       const settings *s)
{
    upsweep_options o = {.algorithm = s->algorithm, .flags = s->flags};
    size_t bytes = upsweep_type_bytes(type);
    double begin = now_ns();
    for (size_t at = 0; at < total; at += n) {
        char *keys = (char *)work + at * bytes;
        if (u == NULL) {
            qsort(keys, n, bytes, comparator(type));
        } else if (upsweep_sort(u, keys, n, type, &o) != UPSWEEP_OK) {
            fprintf(stderr, "bench_sort: %s\n", upsweep_error(u));
            exit(2);
        }
    }
    return (now_ns() - begin) / (double)total;
}

static void measure(upsweep *u, unsigned threads, size_t n, upsweep_type type, int pattern,
                    const settings *s)
{
    size_t total = n < BATCH_KEYS ? BATCH_KEYS / n * n : n, bytes = upsweep_type_bytes(type);
    void *input = malloc(total * bytes), *work = malloc(total * bytes);
    double ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
    if (input == NULL || work == NULL) {
        fprintf(stderr, "bench_sort: no memory\n");
        exit(2);
    }
    for (size_t at = 0; at < total; at += n) {
        fill((char *)input + at * bytes, n, type, pattern);
    }
    for (int r = -1; r < s->rounds; r++) { /* round -1 warms up */
        memcpy(work, input, total * bytes);
        ours[r < 0 ? 0 : r] = time_one(u, work, n, total, type, s);
        if (s->with_qsort && comparator(type) != NULL) {
            memcpy(work, input, total * bytes);
            theirs[r < 0 ? 0 : r] = time_one(NULL, work, n, total, type, s);
        }
    }
    upsweep_report report;
    upsweep_last_report(u, &report);
    printf("%-4s %10zu %-10s t%u  upsweep %8.3f ns/key", upsweep_type_name(type), n,
           pattern_names[pattern], threads, median(ours, s->rounds));
    if (s->with_qsort && comparator(type) != NULL) {
        double q = median(theirs, s->rounds);
        printf("  qsort %8.2f = %5.1f x", q, q / median(ours, s->rounds));
    }
    printf("  %s\n", report.algorithm);
    fflush(stdout);
    free(input), free(work);
}

/* True if `name` is an item of the comma-separated list. */
static int listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) {
            return 1;
        }
    }
    return 0;
}

static void run(const settings *s)
{
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned threads = 1; listed(s->types, upsweep_type_name(type)) && threads <= 64;
             threads++) {
            char number[8];
            snprintf(number, sizeof number, "%u", threads);
            if (!listed(s->threads, number)) {
                continue;
            }
            upsweep *u;
            upsweep_config c = {.threads = threads};
            if (upsweep_open(&u, "cpu", &c) != UPSWEEP_OK) {
                exit(2);
            }
            for (int power = 0; power <= 32; power++) {
                snprintf(number, sizeof number, "%d", power);
                for (int p = 0; listed(s->sizes, number) && pattern_names[p] != NULL; p++) {
                    if (listed(s->patterns, pattern_names[p])) {
                        measure(u, threads, (size_t)1 << power, type, p, s);
                    }
                }
            }
            upsweep_close(u);
        }
    }
}

int main(int argc, char **argv)
{
    settings s = {"u32,u64,f32",
                  "10,16,20,24",
                  "uniform,sorted,reversed,equal,few16,zipf,organpipe",
                  "1,2",
                  NULL,
                  5,
                  1,
                  0};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--no-qsort") == 0) {
            s.with_qsort = 0;
            continue;
        }
        if (strcmp(argv[i], "--in-place") == 0) {
            s.flags |= UPSWEEP_IN_PLACE;
            continue;
        }
        const char **text = strcmp(argv[i], "--types") == 0       ? &s.types
                            : strcmp(argv[i], "--sizes") == 0     ? &s.sizes
                            : strcmp(argv[i], "--patterns") == 0  ? &s.patterns
                            : strcmp(argv[i], "--threads") == 0   ? &s.threads
                            : strcmp(argv[i], "--algorithm") == 0 ? &s.algorithm
                                                                  : NULL;
        if (text != NULL) {
            *text = value;
        } else if (strcmp(argv[i], "--repeat") == 0 && atoi(value) > 0 &&
                   atoi(value) <= ROUNDS_MAX) {
            s.rounds = atoi(value);
        } else {
            fprintf(stderr, "usage: see the head of bench_sort.c\n");
            return 2;
        }
        i++;
    }
    run(&s);
    return 0;
}
