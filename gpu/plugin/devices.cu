/* devices.cu - lists the GPUs, and says in one sentence why none can be used. */
/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.cuh"

#include <cstdio>
#include <cstring>

namespace
{

enum { MAJOR_MIN = 8 }; /* compute capability */

/* Whether the runtime finds a driver that it can work with. */
bool driver_serves(char *why, size_t bytes)
{
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0) {
        snprintf(why, bytes, "no NVIDIA driver was found (libcuda.so.1 cannot be loaded)");
        return false;
    }
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    if (error == cudaErrorInsufficientDriver) {
        snprintf(why, bytes,
                 "the NVIDIA driver is too old: it is for CUDA %d.%d, and the plugin needs one for "
                 "CUDA %d.0 or later",
                 driver / 1000, driver % 1000 / 10, runtime / 1000);
        return false;
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        snprintf(why, bytes, "there is an NVIDIA driver but no GPU that this process may use");
        return false;
    }
    if (error != cudaSuccess) {
        snprintf(why, bytes, "the NVIDIA driver fails: %s", cudaGetErrorString(error));
        return false;
    }
    return true;
}

/* The device's name, and whether it is new enough. */
bool new_enough(int device, char *text, size_t bytes)
{
    int major = 0, minor = 0;
    cudaDeviceProp p;
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(text, bytes, "cuda:%d does not answer", device);
        return false;
    }
    bool good = major >= MAJOR_MIN;
    snprintf(text, bytes,
             good ? "cuda:%d %s (%d.%d)"
                  : "cuda:%d %s has compute capability %d.%d, and 8.0 is needed",
             device, p.name, major, minor);
    return good;
}

} // namespace

bool usw_gpu_usable(int device, char *why, size_t bytes)
{
    int count = 0;
    if (!driver_serves(why, bytes)) {
        return false;
    }
    (void)cudaGetDeviceCount(&count);
    if (device >= count) {
        snprintf(why, bytes, "there is no cuda:%d: this process may use %d GPU%s", device, count,
                 count == 1 ? ", cuda:0" : "s");
        return false;
    }
    return new_enough(device, why, bytes);
}

unsigned usw_gpu_devices(char *text, size_t bytes)
{
    int count = 0;
    unsigned usable = 0;
    if (bytes > 0) {
        text[0] = '\0';
    }
    if (!driver_serves(text, bytes)) {
        return 0;
    }
    (void)cudaGetDeviceCount(&count);
    for (int d = 0; d < count; d++) {
        char one[160];
        usable += new_enough(d, one, sizeof one);
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s", d == 0 ? "" : "; ", one);
    }
    return usable;
}
