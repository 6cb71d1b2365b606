/* streams.cpp - streams, events and copies. Work is queued and runs when somebody waits for it, so
 * that a caller who forgot to wait reads old values. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/streams.h"
#include "test/emulate/scheduler.h"

#include <deque>

struct emulated_graph {
    std::vector<std::function<void()>> steps;
    bool spoiled = false, global = false;
};
struct emulated_stream {
    std::deque<std::function<void()>> queue;
    emulated_graph *capture = nullptr; // records instead of queueing
};
struct event_mark { // one recording of an event
    emulated_stream *stream;
    bool done;
    unsigned long long time_ns;
};
struct emulated_event {
    std::shared_ptr<event_mark> mark;
    emulated_graph *capture = nullptr;
};
static std::vector<emulated_stream *> streams;
static emulated_stream legacy;
static thread_local cudaStreamCaptureMode mode_here = cudaStreamCaptureModeGlobal;

std::recursive_mutex &emulated_lock()
{
    static std::recursive_mutex mutex;
    return mutex;
}
typedef std::lock_guard<std::recursive_mutex> lock;

static emulated_stream *stream_of(cudaStream_t s)
{
    return s == nullptr ? &legacy : s;
}

/* ---- queues ---- */

void stream_drain(cudaStream_t s)
{
    lock held(emulated_lock());
    emulated_stream *q = stream_of(s);
    while (!q->queue.empty()) {
        std::function<void()> work = std::move(q->queue.front());
        q->queue.pop_front();
        work();
    }
}

void stream_drain_all()
{
    lock held(emulated_lock());
    stream_drain(&legacy);
    for (size_t i = 0; i < streams.size(); i++) {
        stream_drain(streams[i]);
    }
}

cudaError_t stream_add(cudaStream_t s, std::function<void()> work)
{
    lock held(emulated_lock());
    emulated_stream *q = stream_of(s);
    if (q->capture != nullptr) {
        if (q->capture->spoiled) {
            return emulated_error(cudaErrorStreamCaptureInvalidated);
        }
        q->capture->steps.push_back(std::move(work));
        return cudaSuccess;
    }
    if (q == &legacy) { // waits for all others
        cudaError_t e = stream_no_capture();
        if (e != cudaSuccess) {
            return e;
        }
        stream_drain_all();
    }
    q->queue.push_back(std::move(work));
    return cudaSuccess;
}

cudaError_t stream_no_capture()
{
    lock held(emulated_lock());
    cudaError_t e = cudaSuccess;
    for (emulated_stream *s : streams) {
        if (s->capture != nullptr) {
            s->capture->spoiled = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
    }
    return emulated_error(e);
}

/* ---- copies and fills ---- */

/* Whether p may be used as `wanted` says; host memory of any kind is no device memory. */
static bool fits(const void *p, size_t bytes, bool device, bool any)
{
    size_t left;
    cudaMemoryType type = memory_type(p, &left);
    return bytes <= left && (any || (type == cudaMemoryTypeDevice) == device ||
                             (device && type == cudaMemoryTypeHost));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t s)
{
    bool any = kind == cudaMemcpyDefault;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!fits(to, bytes, to_device, any) || !fits(from, bytes, from_device, any)) {
        return emulated_error(cudaErrorInvalidValue);
    }
    lock held(emulated_lock());
    size_t left;
    bool capturing = stream_of(s)->capture != nullptr;
    if (memory_type(from, &left) == cudaMemoryTypeUnregistered && !capturing) {
        // Pageable memory is read before the call returns.
        auto copy = std::make_shared<std::vector<char>>(static_cast<const char *>(from),
                                                        static_cast<const char *>(from) + bytes);
        return stream_add(s, [=] { memcpy(to, copy->data(), bytes); });
    }
    cudaError_t e = stream_add(s, [=] { memmove(to, from, bytes); });
    if (memory_type(to, &left) == cudaMemoryTypeUnregistered && !capturing) {
        stream_drain(s); // pageable memory is written before it returns
    }
    return e;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaError_t e = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    if (e == cudaSuccess) {
        stream_drain(nullptr);
    }
    return e;
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t s)
{
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (!fits(to, bytes, true, false)) {
        return emulated_error(cudaErrorInvalidValue);
    }
    return stream_add(s, [=] { memset(to, byte, bytes); });
}
cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    return cudaMemsetAsync(to, byte, bytes, nullptr);
}

/* ---- streams ---- */

cudaError_t cudaDeviceSynchronize()
{
    cudaError_t e = stream_no_capture();
    if (e == cudaSuccess) {
        stream_drain_all();
    }
    return e;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    lock held(emulated_lock());
    *s = new emulated_stream();
    streams.push_back(*s);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *s)
{
    return cudaStreamCreateWithFlags(s, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(s, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    lock held(emulated_lock());
    auto at = std::find(streams.begin(), streams.end(), s);
    if (at == streams.end()) {
        return emulated_error(cudaErrorInvalidResourceHandle);
    }
    stream_drain(s);
    streams.erase(at);
    delete s;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    lock held(emulated_lock());
    if (stream_of(s)->capture != nullptr) {
        stream_of(s)->capture->spoiled = true;
        return emulated_error(cudaErrorStreamCaptureUnsupported);
    }
    for (emulated_stream *other : streams) {
        emulated_graph *g = other->capture;
        if (g != nullptr && g->global && mode_here != cudaStreamCaptureModeRelaxed) {
            g->spoiled = true;
            return emulated_error(cudaErrorStreamCaptureUnsupported);
        }
    }
    if (s == nullptr) {
        return cudaDeviceSynchronize();
    }
    stream_drain(s);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    lock held(emulated_lock());
    emulated_stream *q = stream_of(s);
    if (q->queue.empty()) {
        return cudaSuccess;
    }
    std::function<void()> work = std::move(q->queue.front());
    q->queue.pop_front();
    work(); // the device goes on while the caller polls
    return cudaErrorNotReady;
}

/* ---- events ---- */

static void wait_for(const event_mark &m)
{
    while (!m.done) {
        cudaStreamQuery(m.stream == &legacy ? nullptr : m.stream);
    }
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
    lock held(emulated_lock());
    if (e->capture != nullptr) { // the stream joins the capture
        stream_of(s)->capture = e->capture;
        return cudaSuccess;
    }
    if (e->mark == nullptr || e->mark->done) {
        return cudaSuccess;
    }
    return stream_add(s, [m = e->mark] { wait_for(*m); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
    *e = new emulated_event();
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    return cudaEventCreateWithFlags(e, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    delete e;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    lock held(emulated_lock());
    emulated_stream *q = stream_of(s);
    e->mark = nullptr;
    e->capture = q->capture;
    if (q->capture != nullptr) {
        return cudaSuccess;
    }
    e->mark = std::make_shared<event_mark>(event_mark{q, false, 0});
    return stream_add(s, [m = e->mark] {
        m->done = true;
        m->time_ns = globaltimer();
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    lock held(emulated_lock());
    if (e->mark != nullptr) {
        wait_for(*e->mark);
    }
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e)
{
    lock held(emulated_lock());
    if (e->mark == nullptr || e->mark->done) {
        return cudaSuccess;
    }
    cudaStreamQuery(e->mark->stream == &legacy ? nullptr : e->mark->stream);
    return cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    lock held(emulated_lock());
    if (from->mark == nullptr || to->mark == nullptr) {
        return emulated_error(cudaErrorInvalidResourceHandle);
    }
    if (!from->mark->done || !to->mark->done) {
        return cudaErrorNotReady;
    }
    *ms = static_cast<float>(static_cast<double>(to->mark->time_ns - from->mark->time_ns) * 1e-6);
    return cudaSuccess;
}

/* ---- graphs ---- */

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    std::swap(*mode, mode_here);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode)
{
    lock held(emulated_lock());
    if (s == nullptr || s->capture != nullptr) {
        return emulated_error(cudaErrorStreamCaptureUnsupported);
    }
    s->capture = new emulated_graph();
    s->capture->global = mode == cudaStreamCaptureModeGlobal;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    lock held(emulated_lock());
    *graph = nullptr;
    emulated_graph *g = s->capture;
    if (g == nullptr) {
        return emulated_error(cudaErrorIllegalState);
    }
    for (emulated_stream *other : streams) {
        other->capture = other->capture == g ? nullptr : other->capture;
    }
    if (g->spoiled) {
        delete g;
        return emulated_error(cudaErrorStreamCaptureInvalidated);
    }
    *graph = g;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status)
{
    lock held(emulated_lock());
    const emulated_graph *g = stream_of(s)->capture;
    *status = g == nullptr ? cudaStreamCaptureStatusNone
              : g->spoiled ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    *exec = new emulated_graph(*graph);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
    for (const std::function<void()> &step : exec->steps) {
        cudaError_t e = stream_add(s, step);
        if (e != cudaSuccess) {
            return e;
        }
    }
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    delete exec;
    return cudaSuccess;
}
