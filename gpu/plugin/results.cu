/* results.cu - writes constants and single results to device memory, at the end of a call. */
/* SPDX-License-Identifier: MIT */
#include "gpu/launch_chain.cuh"

namespace
{

__device__ void store_low_bytes(void *to, uint64_t bits, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++) {
        static_cast<unsigned char *>(to)[b] = static_cast<unsigned char>(bits >> (8 * b));
    }
}

__global__ void store_bits(void *to, uint64_t bits, unsigned bytes)
{
    store_low_bytes(to, bits, bytes);
}

upsweep_status store(usw_gpu *g, void *to, uint64_t bits, size_t bytes)
{
    return USW_LAUNCH(g, store_bits, 1, 1, 0, to, bits, static_cast<unsigned>(bytes));
}

__global__ void store_least(const uint64_t *key, const uint64_t *index,
                            usw_gpu_keymap<uint64_t> map, unsigned bits, uint64_t last, void *value,
                            uint64_t *place)
{
    usw_chained();
    if (value != nullptr) {
        uint64_t all = ~uint64_t(0) >> (64 - bits);
        uint64_t y = ((*key - map.add) & all) ^ map.pos;
        store_low_bytes(value, y ^ ((y >> (bits - 1) & 1) != 0 ? map.neg : 0), bits / 8);
    }
    if (place != nullptr) {
        *place = *key > last ? 0 : *index;
    }
}

upsweep_status least(usw_gpu *g, const uint64_t *key, const uint64_t *index, const usw_keymap *map,
                     uint64_t last, void *value, uint64_t *place)
{
    /* Chained, since a launch that begins after the reduction has ended would begin about a
     * microsecond later. */
    return USW_LAUNCH_CHAINED(g, store_least, 1, 1, 0, key, index,
                              usw_gpu_keymap_of<uint64_t>(*map), map->bits, last, value, place);
}

} // namespace

USW_GPU_FORM(usw_gpu_results_step, usw_results_cuda) = {store, least};
