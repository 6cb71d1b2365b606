/* small_tables.cuh - small tables from host to device as arguments of kernels: unlike a copy from
 * memory that is not pinned, that neither waits nor leaves a graph with an address that is gone. */
#ifndef USW_GPU_SMALL_TABLES_CUH
#define USW_GPU_SMALL_TABLES_CUH

#include "gpu/gpu.cuh"

#include <cstring>

struct usw_table_piece {
    uint64_t words[448];
};

static __global__ void usw_table_write(usw_table_piece piece, uint64_t *to, unsigned words)
{
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
        to[i] = piece.words[i];
    }
}

/* to: device memory, from: host memory, both of whole words of 8 bytes. */
static inline upsweep_status usw_table_send(usw_gpu *g, void *to, const void *from, size_t bytes)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t at = 0; at < bytes && status == UPSWEEP_OK; at += sizeof(usw_table_piece)) {
        usw_table_piece piece;
        const size_t here = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        memcpy(&piece, static_cast<const char *>(from) + at, here);
        status = USW_LAUNCH(g, usw_table_write, 1, 128, 0, piece,
                            reinterpret_cast<uint64_t *>(static_cast<char *>(to) + at),
                            static_cast<unsigned>(here / sizeof(uint64_t)));
    }
    return status;
}

#endif
