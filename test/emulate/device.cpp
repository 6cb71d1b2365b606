/* device.cpp - the one device there is, its limits, errors, and the settings of the environment. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/scheduler.h"
#include "test/emulate/streams.h"

#include <csignal>
#include <sys/mman.h>

static thread_local cudaError_t last_error;

cudaError_t emulated_error(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady) {
        last_error = e;
    }
    return e;
}

cudaError_t cudaGetLastError()
{
    return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError()
{
    return last_error;
}

#define EMULATED_ERRORS(X)                                                                         \
    X(cudaSuccess, "no error")                                                                     \
    X(cudaErrorInvalidValue, "invalid argument")                                                   \
    X(cudaErrorMemoryAllocation, "out of memory")                                                  \
    X(cudaErrorInitializationError, "initialization error")                                        \
    X(cudaErrorInvalidConfiguration, "invalid configuration argument")                             \
    X(cudaErrorInvalidDevice, "invalid device ordinal")                                            \
    X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                     \
    X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                   \
    X(cudaErrorNotReady, "device not ready")                                                       \
    X(cudaErrorHostMemoryAlreadyRegistered, "part or all of the memory is already registered")     \
    X(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered region")      \
    X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")                 \
    X(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing")       \
    X(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error of a capture")

const char *cudaGetErrorString(cudaError_t e)
{
#define EMULATED_TEXT(code, text)                                                                  \
    if (e == code) {                                                                               \
        return text;                                                                               \
    }
    EMULATED_ERRORS(EMULATED_TEXT)
    return "unrecognized error code";
}
const char *cudaGetErrorName(cudaError_t e)
{
#define EMULATED_NAME(code, text)                                                                  \
    if (e == code) {                                                                               \
        return #code;                                                                              \
    }
    EMULATED_ERRORS(EMULATED_NAME)
    return "cudaErrorUnknown";
}

/* ---- settings ---- */

uint64_t emulated_setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != nullptr && *text != '\0' ? strtoull(text, nullptr, 0) : otherwise;
}
uint64_t emulated_seed()
{
    static const uint64_t seed = emulated_setting("UPSWEEP_EMULATE_SEED", 1);
    return seed;
}
unsigned char emulated_poison()
{
    static const unsigned char poison =
        static_cast<unsigned char>(0xa5 ^ (emulated_seed() * 37 & 127));
    return poison;
}

unsigned emulated_sms()
{
    return static_cast<unsigned>(emulated_setting("UPSWEEP_EMULATE_SMS", 4));
}
unsigned emulated_blocks_most()
{
    return static_cast<unsigned>(emulated_setting("UPSWEEP_EMULATE_BLOCKS", 32));
}

/* ---- the device ---- */

cudaError_t cudaSetDevice(int device)
{
    return emulated_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device != 0) {
        return emulated_error(cudaErrorInvalidDevice);
    }
    *p = {};
    snprintf(p->name, sizeof p->name, "emulated GPU");
    size_t available;
    cudaMemGetInfo(&available, &p->totalGlobalMem);
    p->sharedMemPerBlock = emulated_shared_default;
    p->sharedMemPerBlockOptin = emulated_shared_limit;
    p->sharedMemPerMultiprocessor = 228 * 1024;
    p->reservedSharedMemPerBlock = 1024;
    p->totalConstMem = 64 * 1024;
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->multiProcessorCount = static_cast<int>(emulated_sms());
    p->maxThreadsPerMultiProcessor = emulated_threads_per_sm;
    p->maxBlocksPerMultiProcessor = static_cast<int>(emulated_blocks_most());
    p->regsPerBlock = 65536;
    p->l2CacheSize = 1 << 20;
    p->major = 9;
    p->memoryBusWidth = 64;
    p->asyncEngineCount = p->cooperativeLaunch = p->concurrentKernels = p->unifiedAddressing = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr what, int device)
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess) {
        return cudaErrorInvalidDevice;
    }
    switch (what) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(p.sharedMemPerMultiprocessor);
        break;
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(p.sharedMemPerBlockOptin);
        break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: return emulated_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t emulated_set_attribute(emulated_function, cudaFuncAttribute what, int value)
{
    if (what == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || static_cast<size_t>(value) > emulated_shared_limit)) {
        return emulated_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}
cudaError_t emulated_get_attributes(cudaFuncAttributes *a, emulated_function)
{
    *a = {0, 0, 0, 1024, 32, 90, 90, static_cast<int>(emulated_shared_default)};
    return cudaSuccess;
}

unsigned emulated_blocks_per_sm(unsigned threads, size_t shared_bytes)
{
    size_t by_shared = 228 * 1024 / (shared_bytes + 1024);
    return static_cast<unsigned>(std::min<size_t>(
        {by_shared, emulated_threads_per_sm / ((threads + 31) / 32 * 32), emulated_blocks_most()}));
}
cudaError_t emulated_occupancy(int *blocks, int threads, size_t shared_bytes)
{
    if (threads <= 0 || threads > 1024) {
        return emulated_error(cudaErrorInvalidValue);
    }
    *blocks = shared_bytes > emulated_shared_limit
                  ? 0
                  : static_cast<int>(
                        emulated_blocks_per_sm(static_cast<unsigned>(threads), shared_bytes));
    return cudaSuccess;
}

/* ---- launches ---- */

static cudaError_t shape_error(dim3 grid, dim3 block, size_t shared_bytes, bool cooperative,
                               unsigned cluster)
{
    uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
    if (threads == 0 || threads > 1024 || block.z > 64 || grid.x == 0 || grid.x > 0x7fffffff ||
        grid.y == 0 || grid.y > 65535 || grid.z == 0 || grid.z > 65535) {
        return cudaErrorInvalidConfiguration;
    }
    if (shared_bytes > emulated_shared_limit) {
        return cudaErrorInvalidValue;
    }
    if (cluster == 0 || cluster > 8 || grid.x % cluster != 0) {
        return cudaErrorInvalidConfiguration;
    }
    uint64_t together =
        emulated_sms() * emulated_blocks_per_sm(static_cast<unsigned>(threads), shared_bytes);
    if ((cooperative || cluster > 1) &&
        static_cast<uint64_t>(grid.x) * grid.y * grid.z > together) {
        return cudaErrorCooperativeLaunchTooLarge;
    }
    return cudaSuccess;
}

void emulated_launch(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t s,
                     std::function<void()> body, const char *name, bool cooperative,
                     unsigned cluster)
{
    cudaError_t e = shape_error(grid, block, shared_bytes, cooperative, cluster);
    if (e == cudaSuccess) {
        emulated_grid g{grid, block, shared_bytes, name, cooperative, cluster, std::move(body)};
        e = stream_add(s, [g = std::move(g)] {
            emulated_run(g);
            check_memory(g.name);
        });
    }
    emulated_error(e);
}

/* ---- faults ---- */

static void say_fault(int signal, siginfo_t *info, void *)
{
    std::string what = emulated_describe(info->si_addr);
    fflush(stdout);
    fprintf(stderr, "emulated CUDA: %s: touches address %p, which is %s\n",
            emulated_whereabouts().c_str(), info->si_addr, what.c_str());
    ::signal(signal, SIG_DFL); // and the instruction faults again
}

void emulated_watch_faults()
{
    static thread_local bool has_stack;
    if (!has_stack) { // the stack is never given back: a thread's end may not allocate
        void *stack = mmap(nullptr, 128 * 1024, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        stack_t s = {};
        s.ss_sp = stack;
        s.ss_size = 128 * 1024;
        has_stack = stack != MAP_FAILED && sigaltstack(&s, nullptr) == 0;
    }
    // At every launch, since test frameworks put their own handlers in place.
    struct sigaction action = {};
    action.sa_sigaction = say_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}
