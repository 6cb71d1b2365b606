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

/* splitters[0 .. count) from the sorted items of a sample, and beginnings[0 .. count], up to `most`
 * bytes. */
static __global__ void usw_write_splitters(usw_string_order sample, const usw_merge_item *items,
                                           uint64_t count, unsigned most, usw_string *splitters,
                                           unsigned *beginnings)
{
    const uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
    if (i > count) {
        return;
    }
    unsigned known = sample.strings.beginning();
    if (i < count) {
        splitters[i] = sample.strings.string(items[i].position);
    }
    if (i > 0 && i < count) {
        const usw_string a = sample.strings.string(items[i - 1].position);
        const usw_string b = sample.strings.string(items[i].position);
        const uint64_t both = a.length < b.length ? a.length : b.length;
        known =
            sample.strings.common_of(a.at, b.at, static_cast<unsigned>(both < most ? both : most));
    }
    beginnings[i] = known;
}

static __global__ void usw_write_string_keys(usw_string_order order, uint64_t n,
                                             const usw_string *splitters, uint64_t count,
                                             usw_string_keys to)
{
    const uint64_t all = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < n; i += all) {
        const usw_string x = order.strings.string(i);
        uint64_t low = 0, high = count;
        uint64_t low_known = order.strings.beginning(), high_known = low_known;
        bool equal = false;
        while (low < high) {
            const uint64_t middle = (low + high) / 2;
            uint64_t known = low_known < high_known ? low_known : high_known;
            const int side = order.compare(x, splitters[middle], known);
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
        const uint64_t text = order.text(x, known, x.length - known) >> (64 - to.text_bits);
        to.keys[i] = (low << 1 | equal) << to.text_bits | (equal ? 0 : text);
    }
}

#endif
