/* bucket_number.h - which bucket a distance belongs to, by kind of weight
 * (cpu/paths/weight_kind.h). */

/* How a distance becomes the number of a bucket. */
typedef struct NAME(width) {
#ifdef DIST_FLOAT
    double inverse;
#else
    unsigned shift;
#endif
} NAME(width);

static NAME(width) NAME(width_of)(double delta)
{
#ifdef DIST_FLOAT
    return (NAME(width)){1 / delta};
#else
    unsigned shift = 0;
    while (shift < 8 * sizeof(DIST) - 1 && (double)(UINT64_C(2) << shift) <= delta) {
        shift++;
    }
    return (NAME(width)){shift};
#endif
}

static inline uint64_t NAME(number)(NAME(width) w, DIST d)
{
#ifdef DIST_FLOAT
    double k = (double)d * w.inverse;
    return k < 0x1p62 ? (uint64_t)k : UINT64_C(1) << 62;
#else
    return d >> w.shift;
#endif
}
