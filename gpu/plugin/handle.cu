/* handle.cu - the plugin's side of a handle: its device and stream, faults of kernels, and texts of
 * errors. */
/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/repeat_graph.cuh"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace
{

enum : size_t {
    PLAN_SMS = 192, /* more than any device has */
    PLAN_SHARED = 227 * 1024,
    PLAN_L2 = size_t(60) << 20
};

} // namespace

void usw_gpu_make_current(usw_gpu *g)
{
    g->device_before = g->device;
    if (cudaGetDevice(&g->device_before) == cudaSuccess && g->device_before != g->device) {
        (void)cudaSetDevice(g->device);
    }
}

bool usw_gpu_is_capturing(cudaStream_t stream)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess) {
        (void)cudaGetLastError();
    }
    return capture != cudaStreamCaptureStatusNone;
}

#ifndef USW_EMULATE
/* The limit of a kernel's dynamic shared memory is the process's. Where a launch set it to what it
 * needs itself, another handle's thread could lower it before the launch, which then failed. So it
 * is set once, to all there is. */
cudaError_t usw_gpu_opt_in(const usw_gpu *g, const void *kernel)
{
    const void **known = &g->opted_in[reinterpret_cast<uintptr_t>(kernel) / 16 % USW_GPU_OPTED_IN];
    if (*known == kernel) {
        return cudaSuccess;
    }
    cudaFuncAttributes has;
    cudaError_t error = cudaFuncGetAttributes(&has, kernel);
    if (error == cudaSuccess) {
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(g->shared_bytes - has.sharedSizeBytes));
    }
    *known = error == cudaSuccess ? kernel : *known;
    return error;
}
#endif

/* ---- failures ---- */

upsweep_status usw_gpu_fail(usw_gpu *g, upsweep_status status, const char *format, ...)
{
    if (g->status == UPSWEEP_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(g->error, sizeof g->error, format, args);
        va_end(args);
        g->status = status;
    }
    return status;
}

upsweep_status usw_gpu_check(usw_gpu *g, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return UPSWEEP_OK;
    }
    (void)cudaGetLastError();
    return usw_gpu_fail(
        g, error == cudaErrorMemoryAllocation ? UPSWEEP_ERROR_MEMORY : UPSWEEP_ERROR_DEVICE,
        "cuda:%d: %.80s: %.120s", g->device, what, cudaGetErrorString(error));
}

upsweep_status usw_gpu_fill(usw_gpu *g, void *to, int byte, size_t bytes)
{
    return usw_gpu_plans(g) || bytes == 0
               ? UPSWEEP_OK
               : usw_gpu_check(g, cudaMemsetAsync(to, byte, bytes, g->stream), "cudaMemsetAsync");
}

upsweep_status usw_gpu_copy(usw_gpu *g, void *to, const void *from, size_t bytes)
{
    return usw_gpu_plans(g) || bytes == 0
               ? UPSWEEP_OK
               : usw_gpu_check(g, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, g->stream),
                               "cudaMemcpyAsync");
}

/* ---- a call ---- */

void usw_gpu_begin(usw_gpu *g, bool planning)
{
    g->status = UPSWEEP_OK;
    g->error[0] = '\0';
    g->planning = planning;
    g->sorted_by = planning ? nullptr : g->sorted_by; /* a graph's launches choose nothing anew */
    g->scratch_used = 0;
    g->scratch_peak = 0;
    g->fetches = 0;
    if (g->device < 0) {
        return;
    }
    usw_gpu_make_current(g);
    g->capturing = usw_gpu_is_capturing(g->stream);
    g->captured = g->captured || (g->capturing && !planning);
    usw_gpu_scratch_begin(g);
}

void usw_gpu_end(usw_gpu *g)
{
    g->planning = false;
    if (g->device >= 0 && g->device_before != g->device) {
        (void)cudaSetDevice(g->device_before);
    }
}

namespace
{

/* Waits; *word gets the fault word. */
upsweep_status synchronize(usw_gpu *g, unsigned long long *word)
{
    char *end = static_cast<char *>(g->mailbox) + USW_GPU_MAILBOX;
    void *slot = end - sizeof *word;
    upsweep_status status = usw_gpu_copy(g, slot, g->fault, sizeof *word);
    if (status == UPSWEEP_OK) {
        status = usw_gpu_check(g, cudaStreamSynchronize(g->stream), "while waiting for the stream");
    }
    if (status == UPSWEEP_OK) {
        memcpy(word, slot, sizeof *word);
    }
    return status;
}

} // namespace

upsweep_status usw_gpu_wait(usw_gpu *g, usw_gpu_fault_found *fault)
{
    static const char *const what[USW_FAULTS] = {"",
                                                 "index is no permutation: a place comes twice",
                                                 "an element is in none of the buckets",
                                                 "the rows do not ascend or go beyond n",
                                                 "an index is out of range",
                                                 "a vertex's distance does not fit its type",
                                                 "a weight is negative or NaN",
                                                 "a search of paths did not come to its end"};
    *fault = {0, 0};
    if (usw_gpu_plans(g)) {
        return UPSWEEP_OK;
    }
    if (g->capturing) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                            "a stream that is being captured cannot be waited for: arrays and "
                            "results must be in device memory");
    }
    unsigned long long word = 0;
    upsweep_status status = synchronize(g, &word);
    usw_gpu_fetched(g, status == UPSWEEP_OK && word == 0);
    if (status != UPSWEEP_OK || word == 0) {
        return status;
    }
    unsigned code = static_cast<unsigned>(word >> 56);
    *fault = {code, ~word & ((1ull << 56) - 1)};
    status = usw_gpu_fill(g, g->fault, 0, sizeof *g->fault);
    return status != UPSWEEP_OK ? status
                                : usw_gpu_fail(g, UPSWEEP_ERROR_RANGE, "%s (element %llu)",
                                               what[code < USW_FAULTS ? code : 0],
                                               static_cast<unsigned long long>(fault->position));
}

void usw_gpu_set_stream(usw_gpu *g, void *stream)
{
    cudaStream_t next = stream == nullptr ? g->own_stream : static_cast<cudaStream_t>(stream);
    if (g->device < 0 || next == g->stream) {
        return;
    }
    usw_gpu_make_current(g);
    /* Work queued in the old stream ends before work of the new one begins, since both use the same
     * scratch. A capture cannot wait for another stream: there the host waits instead. */
    bool old_captures = usw_gpu_is_capturing(g->stream);
    if (!old_captures && !usw_gpu_is_capturing(next)) {
        (void)cudaEventRecord(g->moved_on, g->stream);
        (void)cudaStreamWaitEvent(next, g->moved_on, 0);
    } else if (!old_captures) {
        /* While one is captured in the global mode, only a thread in the relaxed mode may wait. */
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        (void)cudaThreadExchangeStreamCaptureMode(&mode);
        (void)cudaStreamSynchronize(g->stream);
        (void)cudaThreadExchangeStreamCaptureMode(&mode);
    }
    (void)cudaGetLastError();
    g->stream = next;
    usw_gpu_end(g);
}

/* ---- open and close ---- */

namespace
{

size_t attribute(cudaDeviceAttr name, int device)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, name, device) == cudaSuccess && value > 0
               ? static_cast<size_t>(value)
               : 0;
}

upsweep_status make_ready(usw_gpu *g)
{
    usw_gpu_make_current(g);
    upsweep_status status = usw_gpu_check(g, cudaSetDevice(g->device), "cudaSetDevice");
    void *fault = nullptr;
    if (status == UPSWEEP_OK) {
        /* This stream keeps order with the legacy default stream, so that a caller who uses no
         * streams gets the order that they expect. */
        status = usw_gpu_check(g, cudaStreamCreateWithFlags(&g->own_stream, cudaStreamDefault),
                               "cudaStreamCreate");
    }
    if (status == UPSWEEP_OK) {
        g->stream = g->own_stream;
        status = usw_gpu_check(g, cudaEventCreateWithFlags(&g->moved_on, cudaEventDisableTiming),
                               "cudaEventCreate");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_check(g, cudaMallocHost(&g->mailbox, USW_GPU_MAILBOX), "cudaMallocHost");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_check(g, cudaMalloc(&fault, 256 + USW_GPU_NODE_BYTES), "cudaMalloc");
    }
    if (status == UPSWEEP_OK) {
        g->fault = static_cast<unsigned long long *>(fault);
        g->barrier = reinterpret_cast<unsigned *>(g->fault + 16);
        g->nodes = g->fault + 32;
        status = usw_gpu_fill(g, g->fault, 0, 256 + USW_GPU_NODE_BYTES);
    }
    g->sms = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount, g->device));
    g->shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, g->device);
    g->l2_bytes = attribute(cudaDevAttrL2CacheSize, g->device);
    usw_gpu_end(g);
    return status;
}

} // namespace

upsweep_status usw_gpu_open(usw_gpu **g, int device, size_t scratch_limit, char *error,
                            size_t error_bytes)
{
    *g = nullptr;
    error[0] = '\0';
    char why[256];
    if (device >= 0 && !usw_gpu_usable(device, why, sizeof why)) {
        snprintf(error, error_bytes, "%s", why);
        return UPSWEEP_ERROR_DEVICE;
    }
    usw_gpu_whole *made = new (std::nothrow) usw_gpu_whole();
    if (made == nullptr) {
        snprintf(error, error_bytes, "no memory for a handle");
        return UPSWEEP_ERROR_MEMORY;
    }
    made->device = device;
    made->scratch_limit = scratch_limit;
    made->sms = PLAN_SMS;
    made->shared_bytes = PLAN_SHARED;
    made->l2_bytes = PLAN_L2;
    upsweep_status status = device < 0 ? UPSWEEP_OK : make_ready(made);
    if (status != UPSWEEP_OK) {
        snprintf(error, error_bytes, "%s", made->error);
        usw_gpu_close(made);
        return status;
    }
    *g = made;
    return UPSWEEP_OK;
}

void usw_gpu_close(usw_gpu *g)
{
    if (g == nullptr) {
        return;
    }
    auto *whole = static_cast<usw_gpu_whole *>(g);
    if (g->device >= 0) {
        usw_gpu_make_current(g);
        usw_gpu_scratch_free(g);
        if (g->stream != nullptr) {
            (void)cudaStreamSynchronize(g->stream);
        }
        usw_gpu_repeats_free(whole);
        (void)cudaFree(g->fault);
        for (int i = 0; i < 2; i++) {
            (void)cudaFreeHost(g->staging[i]);
            if (g->staged[i] != nullptr) {
                (void)cudaEventDestroy(g->staged[i]);
            }
        }
        (void)cudaFreeHost(g->mailbox);
        if (g->moved_on != nullptr) {
            (void)cudaEventDestroy(g->moved_on);
        }
        if (g->own_stream != nullptr) {
            (void)cudaStreamDestroy(g->own_stream);
        }
        (void)cudaGetLastError();
        usw_gpu_end(g);
    }
    delete whole;
}
