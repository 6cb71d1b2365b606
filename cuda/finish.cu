/* finish.cu - the small ends of calls: constants and single results in device memory, and the check
 * of a list of rows. */
#include "gpu.cuh"

namespace
{

enum : unsigned { THREADS = 256 };

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
    return USW_LAUNCH(g, store_least, 1, 1, 0, key, index, usw_gpu_keymap_of<uint64_t>(*map),
                      map->bits, last, value, place);
}

__global__ void check_rows(const uint64_t *begin, size_t rows, size_t n, unsigned *bad,
                           unsigned long long *fault)
{
    for (size_t r = size_t(blockIdx.x) * THREADS + threadIdx.x; r < rows;
         r += size_t(gridDim.x) * THREADS) {
        if (begin[r] > begin[r + 1] || begin[r + 1] > n) {
            usw_gpu_fault(fault, USW_FAULT_ROWS, r);
            atomicOr(bad, 1u);
        }
    }
}

__global__ void copy_rows(const uint64_t *begin, size_t rows, const unsigned *bad,
                          uint64_t *checked)
{
    for (size_t r = size_t(blockIdx.x) * THREADS + threadIdx.x; r <= rows;
         r += size_t(gridDim.x) * THREADS) {
        checked[r] = *bad != 0 ? 0 : begin[r];
    }
}

upsweep_status rows(usw_gpu *g, const uint64_t *begin, size_t count, size_t n, uint64_t *checked)
{
    unsigned *bad = static_cast<unsigned *>(usw_gpu_scratch(g, sizeof *bad));
    if (bad == nullptr) {
        return UPSWEEP_ERROR_MEMORY;
    }
    size_t blocks = count / THREADS + 1, most = size_t(g->sms) * 8;
    unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
    upsweep_status status = usw_gpu_fill(g, bad, 0, sizeof *bad);
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, check_rows, grid, THREADS, 0, begin, count, n, bad, g->fault);
    }
    return status == UPSWEEP_OK
               ? USW_LAUNCH(g, copy_rows, grid, THREADS, 0, begin, count, bad, checked)
               : status;
}

} // namespace

USW_GPU_FORM(usw_gpu_finish_step, usw_finish_cuda) = {store, least, rows};
