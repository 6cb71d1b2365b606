/* bucket_number.h - the number of the bucket that a distance belongs to, for one kind of weights
 * (cpu/paths/weight_kind.h). */
/* SPDX-License-Identifier: MIT */

/* The width of buckets, in the form that takes least time: floats are multiplied by the inverse of
 * delta; integers are shifted, so that their width is the greatest power of two up to delta. */
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

/* Distances beyond 2^62 buckets share one. */
static inline uint64_t NAME(number)(NAME(width) w, DIST d)
{
#ifdef DIST_FLOAT
    double k = (double)d * w.inverse;
    return k < 0x1p62 ? (uint64_t)k : UINT64_C(1) << 62;
#else
    return d >> w.shift;
#endif
}
