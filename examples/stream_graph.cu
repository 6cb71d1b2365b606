/* stream_graph.cu - sorts in a CUDA stream of one's own, and in a graph that is captured from it:
 * what is queued is recorded once and replayed on new keys, without a call of the library in
 * between.
 *
 *     nvcc stream_graph.cu $(pkg-config --cflags --libs upsweep) -o stream_graph
 *
 * Prints:
 *     round 1: sorted
 *     round 2: sorted
 *     round 3: sorted
 */
/* SPDX-License-Identifier: MIT */
#include <cstdio>
#include <cstdlib>
#include <upsweep.h>

int main()
{
    const size_t n = 1 << 20;
    uint32_t *keys, *host = static_cast<uint32_t *>(malloc(n * sizeof *host));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    upsweep *u;
    const char *why;
    int gpus = 0;

    /* CUDA first, then a handle: one that is opened on "auto" looks whether CUDA is in use. */
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("stream_graph: there is no GPU here\n");
        return 77;
    }
    if (upsweep_open_why(&u, "cuda", nullptr, &why) != UPSWEEP_OK) {
        printf("stream_graph: %s\n", why);
        return 77;
    }
    cudaStreamCreate(&stream);
    cudaMalloc(&keys, n * sizeof *keys);
    upsweep_set_stream(u, stream);

    /* Nothing may be allocated while a stream is captured. So the call is planned, which touches no
     * array, and the handle makes room for it. */
    upsweep *plan;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_open(&plan, "cuda:plan", nullptr);
    upsweep_sort(plan, keys, n, UPSWEEP_U32, nullptr);
    upsweep_last_report(plan, &report);
    upsweep_close(plan);
    upsweep_reserve(u, report.scratch_bytes);

    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    upsweep_status status = upsweep_sort(u, keys, n, UPSWEEP_U32, nullptr);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiateWithFlags(&replay, graph, 0);

    for (int round = 1; status == UPSWEEP_OK && round <= 3; round++) {
        for (size_t i = 0; i < n; i++) {
            host[i] = static_cast<uint32_t>(rand());
        }
        cudaMemcpyAsync(keys, host, n * sizeof *keys, cudaMemcpyHostToDevice, stream);
        cudaGraphLaunch(replay, stream);
        cudaMemcpyAsync(host, keys, n * sizeof *keys, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        size_t i = 1;
        while (i < n && host[i - 1] <= host[i]) {
            i++;
        }
        printf("round %d: %s\n", round, i == n ? "sorted" : "not sorted");
    }
    cudaGraphExecDestroy(replay); /* before the handle, whose scratch it uses */
    upsweep_close(u);
    cudaStreamDestroy(stream);
    cudaFree(keys);
    free(host);
    return status == UPSWEEP_OK ? 0 : 1;
}
