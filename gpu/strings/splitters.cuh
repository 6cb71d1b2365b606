/* splitters.cuh - keys that tell many strings apart: where a string lies in a sorted sample, and
 * bytes that the strings there do not have in common.
 *
 * Strings between two neighbours of the sample begin with all bytes that these two have in common,
 * so that a key has bits of the strings behind those: of URLs or paths, whose beginnings are alike,
 * the first that differ. A key, from its highest bit:
 *     splitters before the string, in as many bits as their number has
 *     1 bit    the string equals the next splitter: all with this key are equal
 *     the rest else its bytes behind the common beginning, as a number
 * A search keeps how many bytes of the string the splitters on both sides begin with, and compares
 * from there on (Manber and Myers 1990). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_SPLITTERS_CUH
#define USW_GPU_STRINGS_SPLITTERS_CUH

#include "gpu/strings/string_order.cuh"

/* keys: sorted ones, or those of the strings in their order. beginnings[i]: bytes that a string
 * between splitters i - 1 and i begins with, as both do. */
struct usw_string_keys {
    uint64_t *keys;
    unsigned *beginnings;
    unsigned text_bits; /* of a key */

    __device__ __forceinline__ bool whole(uint64_t key) const
    {
        return (key >> text_bits & 1) != 0;
    }
    /* The bytes that all strings with this key begin with. */
    __device__ __forceinline__ uint64_t known(uint64_t key) const
    {
        return uint64_t(beginnings[key >> text_bits >> 1]) + text_bits / 8;
    }
};

/* A sorted sample. words: the first USW_SPLITTER_WORDS times 8 bytes of each behind the common
 * beginning, as numbers; what lies behind them is looked up in the strings. */
enum : unsigned { USW_SPLITTER_WORDS = 12, USW_SPLITTER_THREADS = 256 };
struct usw_splitters {
    usw_string *strings;
    uint64_t *words;
    uint64_t count;
};

/* A thread a word. to.beginnings[0 .. count]: up to `most` bytes. */
template <typename I>
static __global__ void __launch_bounds__(USW_SPLITTER_THREADS)
    usw_write_splitters(const __grid_constant__ usw_string_order sample, const I *index,
                        unsigned most, usw_splitters splitters, usw_string_keys to)
{
    const uint64_t at = blockIdx.x * uint64_t(USW_SPLITTER_THREADS) + threadIdx.x;
    const uint64_t i = at / USW_SPLITTER_WORDS, word = at % USW_SPLITTER_WORDS;
    if (i > splitters.count) {
        return;
    }
    const unsigned common = sample.strings.beginning();
    usw_string b = {nullptr, 0};
    if (i < splitters.count) {
        b = sample.strings.string(index[i]);
        const uint64_t known = common + 8 * word;
        splitters.words[at] = sample.text(b, known, b.length > known ? b.length - known : 0);
    }
    if (word == 0) {
        unsigned known = common;
        if (i > 0 && i < splitters.count) {
            const usw_string a = sample.strings.string(index[i - 1]);
            const uint64_t both = a.length < b.length ? a.length : b.length;
            known = sample.strings.common_of(a.at, b.at,
                                             static_cast<unsigned>(both < most ? both : most));
        }
        to.beginnings[i] = known;
        splitters.strings[i] = b;
    }
}

/* A string that is looked for; its words are as far from each other as a block has threads. */
struct usw_string_search {
    usw_string_order order;
    usw_string x;
    uint64_t common;
    uint64_t *words;

    __device__ __forceinline__ void load()
    {
        for (unsigned i = 0; i < USW_SPLITTER_WORDS; i++) {
            const uint64_t begin = common + 8 * i;
            words[i * USW_SPLITTER_THREADS] =
                order.text(x, begin, x.length > begin ? x.length - begin : 0);
        }
    }
    /* As usw_string_order::compare; `known` counts words, and is more of them in the end. */
    __device__ __forceinline__ int compare(const usw_splitters &splitters, uint64_t i,
                                           unsigned &known) const
    {
        const uint64_t *const others = splitters.words + i * USW_SPLITTER_WORDS;
        for (; known < USW_SPLITTER_WORDS; known++) {
            const uint64_t mine = words[known * USW_SPLITTER_THREADS], other = others[known];
            if (mine != other) {
                return mine < other ? -1 : 1;
            }
            if (x.length <= common + 8 * known + 8) { /* one is the other's beginning */
                const uint64_t length = splitters.strings[i].length;
                return x.length == length ? 0 : (x.length < length) != order.descending ? -1 : 1;
            }
        }
        return compare_rest(splitters.strings[i]);
    }
    __device__ __noinline__ int compare_rest(usw_string y) const
    {
        return order.compare(x, y, common + 8 * USW_SPLITTER_WORDS);
    }
};

static __global__ void __launch_bounds__(USW_SPLITTER_THREADS)
    usw_write_string_keys(const __grid_constant__ usw_string_order order, uint64_t n,
                          usw_splitters splitters, usw_string_keys to)
{
    USW_SHARED_ARRAY(uint64_t, words, [USW_SPLITTER_WORDS * USW_SPLITTER_THREADS]);
    const uint64_t all = uint64_t(gridDim.x) * USW_SPLITTER_THREADS;
    const uint64_t common = order.strings.beginning();
    for (uint64_t i = blockIdx.x * uint64_t(USW_SPLITTER_THREADS) + threadIdx.x; i < n; i += all) {
        usw_string_search search = {order, order.strings.string(i), common, words + threadIdx.x};
        search.load();
        uint64_t low = 0, high = splitters.count;
        unsigned low_known = 0, high_known = 0;
        bool equal = false;
        while (low < high) {
            const uint64_t middle = (low + high) / 2;
            unsigned known = low_known < high_known ? low_known : high_known;
            const int side = search.compare(splitters, middle, known);
            if (side > 0) {
                low = middle + 1;
                low_known = known;
            } else {
                high = middle;
                high_known = known;
                equal = side == 0;
            }
        }
        const unsigned known = to.beginnings[low];
        const uint64_t text =
            order.text(search.x, known, search.x.length - known) >> (64 - to.text_bits);
        to.keys[i] = (low << 1 | equal) << to.text_bits | (equal ? 0 : text);
    }
}

#endif
