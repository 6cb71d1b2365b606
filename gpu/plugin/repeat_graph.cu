/* repeat_graph.cu - calls of sorts that repeat: remembered, captured, launched as graphs
 * (gpu/plugin/repeat_graph.cuh). */
/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/repeat_graph.cuh"

#include <cstring>

namespace
{

enum { CAPTURED_AT = 3 /* calls, so that who sorts an array once or twice pays for no graph */ };

/* Moves the call of that key to the front of g->repeats. A new key takes the place of the call that
 * was not repeated for longest. */
usw_repeat_call *remember(usw_gpu_whole *g, const usw_repeat_key &key)
{
    unsigned at = 0;
    while (at + 1 < usw_gpu_whole::CALLS && memcmp(&g->repeats[at].key, &key, sizeof key) != 0) {
        at++;
    }
    usw_repeat_call call = g->repeats[at];
    if (memcmp(&call.key, &key, sizeof key) != 0) {
        if (call.graph != nullptr) {
            (void)cudaGraphExecDestroy(call.graph);
        }
        call = {};
        call.key = key;
    }
    memmove(&g->repeats[1], &g->repeats[0], at * sizeof call);
    g->repeats[0] = call;
    g->repeats[0].calls += call.calls <= CAPTURED_AT ? 1 : 0;
    return &g->repeats[0];
}

/* Captures what `queue` queues, without running it. Returns false where it cannot be captured. */
template <typename F> bool capture(usw_gpu_whole *g, usw_repeat_call *call, F queue)
{
    const cudaStream_t stream = g->stream;
    const void *scratch = usw_gpu_scratch_start(g);
    const size_t used = g->scratch_used;
    cudaGraph_t graph = nullptr;
    if (g->capture_stream == nullptr &&
        cudaStreamCreateWithFlags(&g->capture_stream, cudaStreamNonBlocking) != cudaSuccess) {
        return false;
    }
    if (cudaStreamBeginCapture(g->capture_stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) {
        return false;
    }
    /* The library has reserved the scratch before. Launches are chained as without a capture. */
    g->stream = g->capture_stream;
    const bool queued = queue() == UPSWEEP_OK && usw_gpu_scratch_start(g) == scratch;
    g->stream = stream;
    const bool ended =
        cudaStreamEndCapture(g->capture_stream, &graph) == cudaSuccess && graph != nullptr;
    if (ended && queued && cudaGraphInstantiate(&call->graph, graph, 0) != cudaSuccess) {
        call->graph = nullptr;
    }
    if (ended) {
        (void)cudaGraphDestroy(graph);
    }
    call->peak = g->scratch_peak;
    if (call->graph == nullptr) { /* the call goes on as if no capture had been tried */
        g->status = UPSWEEP_OK;
        g->error[0] = '\0';
        g->scratch_used = used;
    }
    return call->graph != nullptr;
}

/* Captures although another stream of this process may be captured, too. */
template <typename F> bool capture_isolated(usw_gpu_whole *g, usw_repeat_call *call, F queue)
{
#ifdef USW_EMULATE
    return capture(g, call, queue);
#else
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    const bool done = capture(g, call, queue);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    (void)cudaGetLastError();
    return done;
#endif
}

template <typename F> upsweep_status repeat(usw_gpu *any, const usw_repeat_key &key, F queue)
{
    if (usw_gpu_plans(any) || any->capturing || any->captured || any->film != nullptr) {
        return queue();
    }
    auto *g = static_cast<usw_gpu_whole *>(any);
    usw_repeat_call *call = remember(g, key);
    if (call->calls == CAPTURED_AT) {
        (void)capture_isolated(g, call, queue);
    }
    if (call->graph == nullptr) {
        return queue();
    }
    g->scratch_peak = call->peak;
    return usw_gpu_check(g, cudaGraphLaunch(call->graph, g->stream), "cudaGraphLaunch");
}

uint64_t word(const void *p)
{
    return reinterpret_cast<uintptr_t>(p);
}

} // namespace

void usw_gpu_repeats_free(usw_gpu_whole *g)
{
    for (usw_repeat_call &call : g->repeats) {
        if (call.graph != nullptr) {
            (void)cudaGraphExecDestroy(call.graph);
        }
        call = {};
    }
    if (g->capture_stream != nullptr) {
        (void)cudaStreamDestroy(g->capture_stream);
        g->capture_stream = nullptr;
    }
}

upsweep_status usw_gpu_sort_repeat(usw_gpu *g, const usw_gpu_sort *s,
                                   upsweep_status (*queue)(usw_gpu *, const usw_gpu_sort *))
{
    const usw_repeat_key key = {{reinterpret_cast<uintptr_t>(queue), word(usw_gpu_scratch_start(g)),
                                 g->scratch_used, word(s->keys), s->n, s->width, s->map.bits,
                                 s->map.neg, s->map.pos, s->map.add, s->bit_begin, s->bit_end,
                                 s->stable, s->in_place, word(s->from)}};
    return repeat(g, key, [=] { return queue(g, s); });
}

upsweep_status usw_gpu_pairs_repeat(usw_gpu *g, const usw_gpu_pairs *p,
                                    upsweep_status (*queue)(usw_gpu *, const usw_gpu_pairs *))
{
    const usw_repeat_key key = {{reinterpret_cast<uintptr_t>(queue), word(usw_gpu_scratch_start(g)),
                                 g->scratch_used, word(p->keys), word(p->out_keys), word(p->values),
                                 word(p->out_values), p->value_bytes, p->n, p->width, p->map.bits,
                                 p->map.neg, p->map.pos, p->map.add, p->bit_begin, p->bit_end,
                                 p->stable}};
    return repeat(g, key, [=] { return queue(g, p); });
}
