/* host_copies.cu - copies between host and device, and tells which memory a pointer points to.
 *
 * Memory of the host that is not pinned goes through two pinned buffers: while the device copies
 * from (or to) one, the host fills (or empties) the other. Pinned memory is copied as it is. Small
 * results go through the mailbox, a page of pinned memory. */
/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.cuh"

#include <cstring>

namespace
{

enum : size_t {
    STAGING_BYTES = size_t(8) << 20,
    MAIL_BYTES = USW_GPU_MAILBOX /
                 2, /* of the mailbox for downloads; the other half is for fetches and the fault */
    FETCHES_AT = MAIL_BYTES
};

upsweep_status staging_ready(usw_gpu *g)
{
    for (int i = 0; i < 2; i++) {
        if (g->staging[i] == nullptr) {
            upsweep_status status =
                usw_gpu_check(g, cudaMallocHost(&g->staging[i], STAGING_BYTES), "cudaMallocHost");
            if (status != UPSWEEP_OK) {
                g->staging[i] = nullptr;
                return status;
            }
        }
        if (g->staged[i] == nullptr) {
            upsweep_status status =
                usw_gpu_check(g, cudaEventCreateWithFlags(&g->staged[i], cudaEventDisableTiming),
                              "cudaEventCreate");
            if (status != UPSWEEP_OK) {
                g->staged[i] = nullptr;
                return status;
            }
        }
    }
    return UPSWEEP_OK;
}

void move_host(usw_gpu *g, void *to, const void *from, size_t bytes)
{
    if (g->move != nullptr) {
        g->move(g->move_context, to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

bool is_pinned(const void *pointer)
{
    cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, pointer) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return a.type == cudaMemoryTypeHost;
}

upsweep_status refuse_capture(usw_gpu *g)
{
    return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                        "an array or a result is in the host's memory, but the stream is being "
                        "captured: all of them must be in device memory");
}

upsweep_status copy_and_wait(usw_gpu *g, void *to, const void *from, size_t bytes)
{
    upsweep_status status = usw_gpu_copy(g, to, from, bytes);
    return status != UPSWEEP_OK
               ? status
               : usw_gpu_check(g, cudaStreamSynchronize(g->stream), "while copying");
}

} // namespace

usw_gpu_place usw_gpu_place_of(const usw_gpu *g, const void *pointer)
{
    cudaPointerAttributes a;
    if (g != nullptr && g->device < 0) {
        return USW_ON_DEVICE;
    }
    if (cudaPointerGetAttributes(&a, pointer) != cudaSuccess) {
        (void)cudaGetLastError();
        return USW_ON_HOST;
    }
    if (a.type == cudaMemoryTypeManaged) {
        return g == nullptr ? USW_ON_HOST : USW_ON_DEVICE; /* host and device can reach it */
    }
    return a.type != cudaMemoryTypeDevice          ? USW_ON_HOST
           : g == nullptr || a.device == g->device ? USW_ON_DEVICE
                                                   : USW_ON_OTHER_DEVICE;
}

void usw_gpu_set_move(usw_gpu *g, void (*move)(void *, void *, const void *, size_t), void *context)
{
    g->move = move;
    g->move_context = context;
}

upsweep_status usw_gpu_upload(usw_gpu *g, void *device, const void *host, size_t bytes)
{
    if (usw_gpu_plans(g) || bytes == 0) {
        return UPSWEEP_OK;
    }
    if (g->capturing) {
        return refuse_capture(g);
    }
    if (bytes > MAIL_BYTES && is_pinned(host)) {
        return copy_and_wait(g, device, host, bytes);
    }
    upsweep_status status = staging_ready(g);
    for (size_t done = 0, turn = 0; done < bytes && status == UPSWEEP_OK; turn ^= 1) {
        size_t some = bytes - done < STAGING_BYTES ? bytes - done : size_t(STAGING_BYTES);
        /* A copy from the buffer may still be under way, of this upload or of an earlier one. */
        status = usw_gpu_check(g, cudaEventSynchronize(g->staged[turn]), "while copying");
        if (status == UPSWEEP_OK) {
            move_host(g, g->staging[turn], static_cast<const char *>(host) + done, some);
            status = usw_gpu_copy(g, static_cast<char *>(device) + done, g->staging[turn], some);
        }
        if (status == UPSWEEP_OK) {
            status =
                usw_gpu_check(g, cudaEventRecord(g->staged[turn], g->stream), "cudaEventRecord");
        }
        done += some;
    }
    return status;
}

namespace
{

/* Downloads through both buffers: piece i + 1 is on its way while piece i is copied out. */
upsweep_status download_staged(usw_gpu *g, char *host, const char *device, size_t bytes)
{
    upsweep_status status = staging_ready(g);
    size_t pieces = (bytes + STAGING_BYTES - 1) / STAGING_BYTES;
    for (size_t i = 0; i <= pieces && status == UPSWEEP_OK; i++) {
        if (i < pieces) {
            size_t at = i * STAGING_BYTES;
            size_t some = bytes - at < STAGING_BYTES ? bytes - at : size_t(STAGING_BYTES);
            status = usw_gpu_copy(g, g->staging[i & 1], device + at, some);
            if (status == UPSWEEP_OK) {
                status = usw_gpu_check(g, cudaEventRecord(g->staged[i & 1], g->stream),
                                       "cudaEventRecord");
            }
        }
        if (i > 0 && status == UPSWEEP_OK) {
            size_t at = (i - 1) * STAGING_BYTES;
            size_t some = bytes - at < STAGING_BYTES ? bytes - at : size_t(STAGING_BYTES);
            status =
                usw_gpu_check(g, cudaEventSynchronize(g->staged[(i - 1) & 1]), "while copying");
            if (status == UPSWEEP_OK) {
                move_host(g, host + at, g->staging[(i - 1) & 1], some);
            }
        }
    }
    return status;
}

} // namespace

upsweep_status usw_gpu_download(usw_gpu *g, void *host, const void *device, size_t bytes)
{
    if (usw_gpu_plans(g) || bytes == 0) {
        return UPSWEEP_OK;
    }
    if (g->capturing) {
        return refuse_capture(g);
    }
    if (bytes <= MAIL_BYTES) {
        upsweep_status status = copy_and_wait(g, g->mailbox, device, bytes);
        if (status == UPSWEEP_OK) {
            memcpy(host, g->mailbox, bytes);
        }
        return status;
    }
    return is_pinned(host) ? copy_and_wait(g, host, device, bytes)
                           : download_staged(g, static_cast<char *>(host),
                                             static_cast<const char *>(device), bytes);
}

upsweep_status usw_gpu_fetch(usw_gpu *g, void *host, const void *device, size_t bytes)
{
    if (usw_gpu_plans(g) || bytes == 0) {
        return UPSWEEP_OK;
    }
    if (g->capturing) {
        return refuse_capture(g);
    }
    if (bytes > USW_GPU_FETCH || g->fetches == USW_GPU_FETCHES) {
        return usw_gpu_download(g, host, device, bytes);
    }
    char *slot = static_cast<char *>(g->mailbox) + FETCHES_AT + g->fetches * USW_GPU_FETCH;
    g->fetched[g->fetches++] = {host, bytes};
    return usw_gpu_copy(g, slot, device, bytes);
}

void usw_gpu_fetched(usw_gpu *g, bool deliver)
{
    for (unsigned i = 0; i < g->fetches && deliver; i++) {
        memcpy(g->fetched[i].host,
               static_cast<const char *>(g->mailbox) + FETCHES_AT + i * USW_GPU_FETCH,
               g->fetched[i].bytes);
    }
    g->fetches = 0;
}
