/* emulated_runtime.h - the part of CUDA's runtime API that upsweep uses. Device memory is host
 * memory between fences; work on a stream waits until somebody waits for the stream. */
/* SPDX-License-Identifier: MIT */
#ifndef EMULATED_RUNTIME_H
#define EMULATED_RUNTIME_H

#include "test/emulate/emulated_types.h"

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoDevice = 100,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorIllegalState = 401,
    cudaErrorUnknown = 999,
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t reservedSharedMemPerBlock, totalConstMem;
    int warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], multiProcessorCount;
    int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerBlock;
    int l2CacheSize, persistingL2CacheMaxSize, major, minor, memoryBusWidth, asyncEngineCount;
    int cooperativeLaunch, concurrentKernels, unifiedAddressing, managedMemory, integrated;
    int pciDomainID, pciBusID, pciDeviceID;
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMemoryPoolsSupported = 115,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterReadOnly = 8,
    cudaEventWaitDefault = 0,
};

typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_event *cudaEvent_t;
typedef struct emulated_graph *cudaGraph_t, *cudaGraphExec_t;
#define cudaStreamLegacy (static_cast<cudaStream_t>(nullptr))

extern "C" {
/* ---- errors and devices (device.cpp) ---- */
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

/* ---- memory (memory.cpp) ---- */
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaFreeHost(void *p);

/* ---- streams, events, graphs (streams.cpp, graphs.cpp) ---- */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t s = nullptr);
cudaError_t cudaMemset(void *to, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t s = nullptr);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamQuery(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
}

/* ---- what CUDA declares as templates ---- */

cudaError_t emulated_malloc(void **p, size_t bytes, cudaMemoryType type);
template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return emulated_malloc(reinterpret_cast<void **>(p), bytes, cudaMemoryTypeDevice);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t = nullptr)
{
    return emulated_malloc(reinterpret_cast<void **>(p), bytes, cudaMemoryTypeDevice);
}
template <typename T>
static inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = cudaHostAllocDefault)
{
    return emulated_malloc(reinterpret_cast<void **>(p), bytes, cudaMemoryTypeHost);
}
template <typename T> static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned)
{
    return emulated_malloc(reinterpret_cast<void **>(p), bytes, cudaMemoryTypeHost);
}

typedef void (*emulated_function)();
cudaError_t emulated_set_attribute(emulated_function f, cudaFuncAttribute what, int value);
cudaError_t emulated_get_attributes(cudaFuncAttributes *a, emulated_function f);
cudaError_t emulated_occupancy(int *blocks, int threads, size_t shared_bytes);
template <typename... P>
static inline cudaError_t cudaFuncSetAttribute(void (*f)(P...), cudaFuncAttribute what, int value)
{
    return emulated_set_attribute(reinterpret_cast<emulated_function>(f), what, value);
}
template <typename... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, void (*f)(P...))
{
    return emulated_get_attributes(a, reinterpret_cast<emulated_function>(f));
}
template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*)(P...),
                                                                        int threads,
                                                                        size_t shared_bytes)
{
    return emulated_occupancy(blocks, threads, shared_bytes);
}

/* In the order of the stream: of the `whole` bytes of device memory at p, the first `bytes` are a
 * piece of their own, and no kernel may write the rest, until they are cut up anew or freed. */
cudaError_t emulated_guard(void *p, size_t bytes, size_t whole, cudaStream_t s);

/* Queues a grid; what is wrong with its shape becomes the last error. cluster: so many blocks each
 * share their shared memory; then all blocks are resident together. */
void emulated_launch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t s,
                     std::function<void()> body, const char *name, bool cooperative,
                     unsigned cluster = 1);

/* Counts a launch of this kernel, for the test `routes`. */
void emulated_count(emulated_function kernel);
/* The same for a line of a table of choices: the line that was taken, and each that was not. */
void emulated_choice(const char *what, const char *because, unsigned widths, bool taken);

/* A number from the environment, or what is given. */
uint64_t emulated_setting(const char *name, uint64_t otherwise);

#endif
