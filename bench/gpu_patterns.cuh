/* gpu_patterns.cuh - the inputs of the GPU bench of sorts (gpu_sort.cu), made on the device. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_GPU_PATTERNS_CUH
#define BENCH_GPU_PATTERNS_CUH

#include <cstddef>
#include <cstdint>

namespace
{

/* The first are keys as people have them: reals and numbers in (-1, 1) or below 2^31, with a bell
 * curve, log-normal, ids of a power law, a log in order with a random 1% behind it. The last are in
 * order but for a few: one in 100 or in 1000 is anything, the last 1% is of the last 2% of the
 * range, 1% in the middle falls; files in order one behind the other; keys that are up to 1000 or
 * 10^6 places from theirs; normal numbers whose mean rises by a deviation in each of sqrt(n)
 * stretches; a random walk; even numbers below 10^6, 10^9 or 10^18 with either sign, as their
 * mapped keys; and below 10^6 without one, or below 70% of all; 2^20 and 2^22 random values;
 * log-normal amounts of a median of 20 with two decimals, integers in hundredths. */
const char *const patterns[] = {
    "reals",    "normal", "lognormal", "powerlaw", "log99",    "times",     "uniform", "sorted",
    "reversed", "equal",  "few16",     "and3",     "zipf",     "clusters",  "top24",   "bucket99",
    "sparse",   "unit",   "v5000",     "v65536",   "moved100", "moved1000", "late",    "turned",
    "files2",   "files8", "near1000",  "near1e6",  "rising",   "walk",      "around6", "around9",
    "around18", "below6", "part70",    "v1e6",     "v4e6",     "cents",     nullptr};
enum pattern {
    REALS,
    NORMAL,
    LOGNORMAL,
    POWERLAW,
    LOG99,
    TIMES,
    UNIFORM,
    SORTED,
    REVERSED,
    EQUAL,
    FEW16,
    AND3,
    ZIPF,
    CLUSTERS,
    TOP24,
    BUCKET99,
    SPARSE,
    UNIT,
    V5000,
    V65536,
    MOVED100,
    MOVED1000,
    LATE,
    TURNED,
    FILES2,
    FILES8,
    NEAR1000,
    NEAR1E6,
    RISING,
    WALK,
    AROUND6,
    AROUND9,
    AROUND18,
    BELOW6,
    PART70,
    V1E6,
    V4E6,
    CENTS
};

__device__ unsigned long long mix(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/* A real in (0, 1) of 53 random bits, and a normal one of mean 0 and deviation 1. */
__device__ double real(unsigned long long r)
{
    return (static_cast<double>(r >> 11) + 0.5) * 0x1p-53;
}
__device__ double normal(unsigned long long r, unsigned long long s)
{
    return sqrt(-2 * log(real(r))) * cospi(2 * real(s));
}

/* The bits of a key of this value; integers are rounded, and those below 0 become 0. */
template <typename K> __device__ K bits_of(double value, bool is_float)
{
    if (!is_float) {
        return static_cast<K>(value > 0 ? value : 0);
    }
    if constexpr (sizeof(K) == 8) {
        return static_cast<K>(__double_as_longlong(value));
    }
    return static_cast<K>(__float_as_uint(static_cast<float>(value)));
}

/* Key i of those that people have. Integers: a mean of 2^22 and a deviation of 2^19 (64 bits: 2^40
 * and 2^36); log-normal with a median of 2^14 and deviation 1.5 (2^30 and 2); ids of which half
 * are below the root of their number. */
template <typename K> __device__ K make_real(size_t i, size_t n, int pattern, bool is_float)
{
    constexpr bool wide = sizeof(K) == 8;
    const unsigned long long r = mix((i + 1) * 0x9E3779B97F4A7C15ull), s = mix(r + 1);
    switch (pattern) {
    case REALS:
        return bits_of<K>(is_float ? 2 * real(r) - 1 : real(r) * (wide ? 1e18 : 1e9), is_float);
    case NORMAL: {
        const double mean = wide ? 0x1p40 : 0x1p22, deviation = wide ? 0x1p36 : 0x1p19;
        return bits_of<K>(is_float ? normal(r, s) : mean + deviation * normal(r, s), is_float);
    }
    case LOGNORMAL:
        return bits_of<K>(is_float ? exp(normal(r, s))
                          : wide   ? 0x1p30 * exp(2 * normal(r, s))
                                   : 0x1p14 * exp(1.5 * normal(r, s)),
                          is_float);
    case POWERLAW: return bits_of<K>(pow(1e7, real(r)), is_float);
    default: { /* LOG99 */
        const size_t sorted = n - n / 100;
        const double at =
            i < sorted ? static_cast<double>(i) / static_cast<double>(sorted) : real(r);
        return bits_of<K>(at * (is_float ? 1e6 : wide ? 1e15 : 4e9), is_float);
    }
    }
}

/* Place i of a random walk about 1/2, mostly in [0, 1): lines between random numbers 2^s places
 * apart, for each s, of a height that grows as the root of that. */
__device__ double walk(size_t i, size_t n)
{
    double sum = 0.5, height = 0.1;
    unsigned s = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(n)));
    for (; s-- > 0; height *= 0x1.6a09e667f3bcdp-1) {
        const unsigned long long at = i >> s;
        const double from = real(mix((at + 1) * 0x9E3779B97F4A7C15ull + s));
        const double to = real(mix((at + 2) * 0x9E3779B97F4A7C15ull + s));
        const double share = static_cast<double>(i - (at << s)) / static_cast<double>(1ull << s);
        sum += height * (2 * (from + (to - from) * share) - 1);
    }
    return sum;
}

/* A number in [0, 1) for key i of those that are in order but for a few, or of files. */
__device__ double in_order(size_t i, size_t n, int pattern)
{
    const unsigned long long r = mix((i + 1) * 0x9E3779B97F4A7C15ull);
    const double at = static_cast<double>(i) / static_cast<double>(n), any = real(mix(r + 1));
    switch (pattern) {
    case MOVED100: return r % 100 == 0 ? any : at;
    case MOVED1000: return r % 1000 == 0 ? any : at;
    case LATE: return at > 0.99 ? 0.97 + 0.02 * any : at;
    case TURNED: return at > 0.5 && at < 0.51 ? 1.01 - at : at;
    case FILES2: return (at < 0.5 ? 2 * at : 2 * at - 1) + any / static_cast<double>(n);
    case FILES8: return 8 * at - floor(8 * at) + any / static_cast<double>(n);
    case NEAR1000: return at + any * 1000 / static_cast<double>(n);
    case NEAR1E6: return at + any * 1e6 / static_cast<double>(n);
    case WALK: return walk(i, n);
    default: { /* RISING */
        const double stretches = floor(sqrt(static_cast<double>(n)));
        const double key = floor(at * stretches) + normal(r, mix(r + 2));
        return key / stretches;
    }
    }
}

/* Even numbers up to `most` to either side of the middle of all keys, which signed ones call 0. */
template <typename K> __device__ K around_middle(unsigned long long r, unsigned long long most)
{
    constexpr K middle = static_cast<K>(K(1) << (sizeof(K) * 8 - 1));
    most = sizeof(K) == 4 && most > 1ull << 30 ? 1ull << 30 : most;
    return static_cast<K>(middle - most + r % (2 * most));
}

/* Key i as bits; the type decides what they mean. */
template <typename K> __device__ K make_key(size_t i, size_t n, int pattern, bool is_float)
{
    constexpr unsigned bits = sizeof(K) * 8;
    unsigned long long r = mix((i + 1) * 0x9E3779B97F4A7C15ull), s = mix(r + 1), q = mix(s + 2);
    K key = static_cast<K>(r), full = static_cast<K>(~K(0));
    switch (pattern) {
    case SORTED: return static_cast<K>(static_cast<double>(i) / n * (full >> 1));
    case REVERSED: return static_cast<K>(static_cast<double>(n - 1 - i) / n * (full >> 1));
    case EQUAL: return static_cast<K>(0x5a5a5a5a5a5a5a5aull);
    case FEW16: return static_cast<K>((r >> 60) * 0x1111111111111111ull);
    case AND3: return static_cast<K>(r & s & q);
    case ZIPF: return static_cast<K>(1 / (1e-6 + static_cast<double>(r >> 11) * 0x1p-53));
    case CLUSTERS: return static_cast<K>((r & 0xff) | (s & 1 ? full << (bits - 2) : 0));
    case TOP24: return bits > 24 ? static_cast<K>(key >> 24) : static_cast<K>(key & 3);
    case BUCKET99: return s % 100 != 0 ? static_cast<K>(key >> (bits / 2)) : key;
    case SPARSE: return bits > 16 ? static_cast<K>(key >> (bits - 16) << (bits - 16)) : key;
    case UNIT: {
        if (!is_float) {
            return static_cast<K>(key >> 2);
        }
        if constexpr (sizeof(K) == 8) {
            return __double_as_longlong(static_cast<double>(r >> 11) * 0x1p-53);
        }
        return static_cast<K>(__float_as_uint(static_cast<float>(r >> 40) * 0x1p-24f));
    }
    case AROUND6: return around_middle<K>(r, 1000000);
    case AROUND9: return around_middle<K>(r, 1000000000);
    case AROUND18: return around_middle<K>(r, 1ull << 62);
    case BELOW6: return static_cast<K>(r % 1000000);
    case PART70: return static_cast<K>(static_cast<double>(r >> 11) * 0x1p-53 * 0.7 * full);
    case TIMES: return static_cast<K>(1700000000000ull + i * 3 + r % 1000);
    case V5000: return static_cast<K>(mix(r % 5000 + 1));
    case V65536: return static_cast<K>(mix(r % 65536 + 1));
    case V1E6: return static_cast<K>(mix(r % (1 << 20) + 1));
    case V4E6: return static_cast<K>(mix(r % (1 << 22) + 1));
    case CENTS: {
        const double cents = floor(2000 * exp(normal(r, s)));
        return bits_of<K>(is_float ? cents / 100 : cents, is_float);
    }
    case MOVED100:
    case MOVED1000:
    case LATE:
    case TURNED:
    case FILES2:
    case FILES8:
    case NEAR1000:
    case NEAR1E6:
    case RISING:
    case WALK:
        return bits_of<K>(in_order(i, n, pattern) * (is_float     ? 1e6
                                                     : bits == 64 ? 1e18
                                                                  : 4e9),
                          is_float);
    default: return key;
    }
}

template <typename K> __global__ void fill(K *keys, size_t n, int pattern, bool is_float)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        const K key = pattern < TIMES ? make_real<K>(i, n, pattern, is_float)
                                      : make_key<K>(i, n, pattern, is_float);
        /* CUB holds -0 and +0 for equal, we do not: so there is no -0. */
        keys[i] = is_float && static_cast<K>(key << 1) == 0 ? K(0) : key;
    }
}

} // namespace

#endif
