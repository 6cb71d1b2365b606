/* test_runtime.cpp - the emulator's other half: mistakes that end a program, memory, streams. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/test_emulate.h"

/* ---- mistakes that end the program ---- */

template <typename F> static std::function<int()> running(unsigned block, size_t shared, F body)
{
    return [=] {
        emulated_launch(2, block, shared, nullptr, body, "mistake", false);
        cudaDeviceSynchronize();
        return 0;
    };
}

void test_caught(void **)
{
    auto overflow = [](unsigned by) {
        return running(32, 100, [=] {
            USW_DYNAMIC_SHARED(unsigned char, bytes);
            bytes[threadIdx.x + 69 + by] = 1;
        });
    };
    assert_int_equal(child(1, overflow(0 - 1u)), 0);
    assert_caught(overflow(0), SIGABRT, "behind dynamic shared memory of 100 bytes");
    assert_caught(overflow(28), SIGSEGV, "behind the shared memory of 100 bytes");
    assert_caught(running(32, 0,
                          [] {
                              USW_SHARED_ARRAY(int, row, [8]);
                              int *p = row;
                              p[threadIdx.x == 5 ? 8 : 0] = 1;
                          }),
                  SIGABRT, "behind static shared memory of 32 bytes");
    assert_caught(running(64, 0,
                          [] {
                              if (threadIdx.x != 7) {
                                  __syncthreads();
                              } else {
                                  __syncwarp();
                              }
                          }),
                  SIGABRT, "wait at the barrier");
    assert_caught(running(32, 0,
                          [] {
                              if (threadIdx.x < 16) {
                                  __shfl_sync(~0u, 1, 0);
                              }
                          }),
                  SIGABRT, "mistake");
    assert_caught(running(64, 0,
                          [] {
                              if (threadIdx.x < 32) {
                                  __shfl_sync(threadIdx.x == 0 ? 3u : 2u, 1, 0);
                                  usw_yield(); // so that no lane has exited when others err
                              }
                          }),
                  SIGABRT, "leaves out the calling lane");
    assert_caught(running(64, 0,
                          [] {
                              while (threadIdx.x == 9) {
                                  usw_yield();
                              }
                              __syncthreads();
                          }),
                  SIGABRT, "spin and nothing happens");
}

/* A kernel that writes outside an array, or outside a piece of one, is told when it ends. */
void test_guards(void **)
{
    auto writes = [](size_t at, size_t bytes) {
        return [=] {
            unsigned char *device;
            cudaMalloc(&device, bytes);
            for (int again = 0; again < 2; again++) { // cut up anew: what was a guard is a piece
                emulated_guard(device, again ? 100 : 200, 512, nullptr);
                emulated_guard(device + 512, again ? 1000 : 900, 3000, nullptr);
            }
            emulated_launch(
                1, 1, 0, nullptr, [=] { device[ptrdiff_t(at)] = 1; }, "overrun", false);
            cudaDeviceSynchronize();
            _exit(0); // and not when the array is freed
            return 0;
        };
    };
    for (size_t inside : {0, 99, 512, 1511, 3512, 3999}) {
        assert_int_equal(child(1, writes(inside, 4000)), 0);
    }
    assert_caught(writes(100, 4000), SIGABRT, "overrun wrote to byte 100 of a piece of scratch");
    assert_caught(writes(511, 4000), SIGABRT, "byte 511 of a piece of scratch of 100 bytes");
    assert_caught(writes(1512, 4000), SIGABRT, "byte 1000 of a piece of scratch of 1000 bytes");
    assert_caught(writes(3511, 4000), SIGABRT, "byte 2999 of a piece");
    assert_caught(writes(4000, 4000), SIGABRT, "overrun wrote to byte 4000 of a device array");
    assert_caught(writes(size_t(0) - 1, 4000), SIGABRT, "byte -1 of a device array");
}

void test_memory(void **)
{
    int host[4] = {1, 2, 3, 4}, *device, *pinned;
    assert_int_equal(cudaMalloc(&device, sizeof host), cudaSuccess);
    assert_int_equal(cudaMallocHost(&pinned, sizeof host), cudaSuccess);
    cudaPointerAttributes a;
    cudaPointerGetAttributes(&a, device + 3);
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    cudaPointerGetAttributes(&a, device + 4);
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    cudaPointerGetAttributes(&a, host);
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    cudaPointerGetAttributes(&a, pinned);
    assert_int_equal(a.type, cudaMemoryTypeHost);
    assert_int_equal(cudaMemcpy(device, host, 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(host, host, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    // Work on a stream is not done before somebody waits.
    cudaStream_t s;
    cudaStreamCreate(&s);
    pinned[0] = 0;
    cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(pinned, device, sizeof host, cudaMemcpyDeviceToHost, s);
    assert_int_equal(pinned[0], 0);
    assert_int_equal(cudaStreamSynchronize(s), cudaSuccess);
    assert_memory_equal(pinned, host, sizeof host);
    assert_int_equal(cudaStreamQuery(s), cudaSuccess);
    size_t available, total;
    cudaMemGetInfo(&available, &total);
    void *all;
    assert_int_equal(cudaMalloc(&all, available + 1), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    cudaStreamDestroy(s);
    cudaFreeHost(pinned);
    cudaFree(device);
    auto overrun = [](long at) {
        return [=] {
            device_array<char> x(100);
            emulated_launch(
                1, 1, 0, nullptr, [p = x.p, at] { p[at] = 0; }, "overrun", false);
            return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
        };
    };
    assert_int_equal(child(1, overrun(99)), 0);
    assert_caught(overrun(100), SIGABRT, "wrote to byte 100 of a device array of 100 bytes");
    assert_caught(overrun(-1), SIGABRT, "wrote to byte -1 of a device array");
    assert_caught(overrun(256), SIGSEGV, "at byte 256 of a device array of 100 bytes");
}

__global__ void add_one(unsigned *x)
{
    atomicAdd(&x[blockIdx.x * blockDim.x + threadIdx.x], 1u);
}

void test_graph(void **)
{
    device_array<unsigned> x(64), y(64);
    cudaStream_t s, side;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&s);
    cudaStreamCreate(&side);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    unsigned *xp = x, *yp = y;
    assert_int_equal(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
    LAUNCH(add_one, 2, 32, 0, s, xp);
    cudaEventRecord(forked, s);
    cudaStreamWaitEvent(side, forked);
    cudaMemcpyAsync(yp, xp, 256, cudaMemcpyDeviceToDevice, side);
    cudaEventRecord(joined, side);
    cudaStreamWaitEvent(s, joined);
    LAUNCH(add_one, 2, 32, 0, s, yp);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&exec, graph), cudaSuccess);
    cudaGraphDestroy(graph);
    cudaStreamSynchronize(s);
    assert_int_equal(x[0], 0);
    for (unsigned run = 1; run <= 3; run++) {
        cudaGraphLaunch(exec, s);
        cudaStreamSynchronize(s);
        assert_int_equal(x[63], run);
        assert_int_equal(y[63], run + 1);
    }
    cudaGraphExecDestroy(exec);
    // What allocates or waits spoils a capture.
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    void *p;
    assert_int_equal(cudaMalloc(&p, 16), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    assert_int_equal(cudaStreamSynchronize(side), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    // Unless the mode of the capture or of the thread is the relaxed one.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaThreadExchangeStreamCaptureMode(&mode);
    assert_int_equal(cudaStreamSynchronize(side), cudaSuccess);
    cudaThreadExchangeStreamCaptureMode(&mode);
    assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    assert_int_equal(cudaStreamSynchronize(side), cudaSuccess);
    assert_int_equal(cudaStreamEndCapture(s, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    cudaGetLastError();
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(s);
    cudaStreamDestroy(side);
}
