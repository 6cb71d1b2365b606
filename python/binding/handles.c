/* handles.c - one handle a thread and device, made on demand, closed when the thread ends, and made
 * anew in a child process, where the threads of the parent's handles are not. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DEVICES = 65, RELEASE_FROM = 500 }; /* the host and cuda:0 to cuda:63; elements */

struct handles {
    unsigned forks, settings; /* those that were current when the handles were opened */
    upsweep *u[DEVICES];
    PyObject *streams[DEVICES]; /* that they use, where these end with their objects */
    struct handles *next;       /* of ended */
};

static _Thread_local struct handles *mine;
static pthread_key_t at_exit;
static atomic_uint forks, settings, threads;
static atomic_size_t scratch_limit;
static _Atomic(upsweep *) maker;
static atomic_uint maker_forks;
static _Atomic(struct handles *) ended; /* of threads that did, with streams to let go of */

static void in_child(void)
{
    atomic_fetch_add(&forks, 1);
}

static void close_all(struct handles *h)
{
    for (int i = 0; i < DEVICES; i++) {
        upsweep_close(h->u[i]);
        h->u[i] = NULL;
    }
}

static void drop_streams(struct handles *h)
{
    for (int i = 0; i < DEVICES; i++) {
        Py_CLEAR(h->streams[i]);
    }
}

/* Python may be gone from this thread, so that objects are left to another one. */
static void thread_ends(void *given)
{
    struct handles *h = given;
    if (h->forks == atomic_load(&forks)) {
        close_all(h);
    }
    h->next = atomic_load(&ended);
    while (!atomic_compare_exchange_weak(&ended, &h->next, h)) {
    }
}

static void drop_ended(void)
{
    struct handles *h = atomic_exchange(&ended, NULL), *next;
    for (; h != NULL; h = next) {
        next = h->next;
        drop_streams(h);
        free(h);
    }
}

bool usp_handles_start(void)
{
    return pthread_key_create(&at_exit, thread_ends) == 0 &&
           pthread_atfork(NULL, NULL, in_child) == 0;
}

static upsweep *open_handle(const char *device)
{
    upsweep *u = NULL;
    const char *why = NULL;
    upsweep_config config = {
        sizeof config, atomic_load(&threads), atomic_load(&scratch_limit), NULL, NULL, NULL};
    upsweep_status status = upsweep_open_why(&u, device, &config, &why);
    if (status != UPSWEEP_OK) {
        PyErr_SetString(status == UPSWEEP_ERROR_MEMORY ? PyExc_MemoryError : PyExc_RuntimeError,
                        why == NULL ? upsweep_status_name(status) : why);
        return NULL;
    }
    return u;
}

/* This thread's record, or NULL and an exception. */
static struct handles *record(void)
{
    if (mine == NULL) {
        drop_ended();
        mine = calloc(1, sizeof *mine);
        if (mine == NULL || pthread_setspecific(at_exit, mine) != 0) {
            free(mine);
            mine = NULL;
            PyErr_NoMemory();
            return NULL;
        }
        mine->forks = atomic_load(&forks);
        mine->settings = atomic_load(&settings);
    }
    if (mine->forks != atomic_load(&forks)) { /* their threads are not here: nothing can be ended */
        memset(mine->u, 0, sizeof mine->u);
        memset(mine->streams, 0, sizeof mine->streams);
        mine->forks = atomic_load(&forks);
    }
    if (mine->settings != atomic_load(&settings)) {
        close_all(mine);
        drop_streams(mine);
        mine->settings = atomic_load(&settings);
    }
    return mine;
}

upsweep *usp_handle(int device)
{
    struct handles *h = record();
    if (h == NULL) {
        return NULL;
    }
    if (device < -1 || device + 1 >= DEVICES) {
        PyErr_Format(PyExc_ValueError, "there is no device cuda:%d", device);
        return NULL;
    }
    upsweep **u = &h->u[device + 1];
    if (*u == NULL) {
        char name[32] = "cpu";
        if (device >= 0) {
            PyOS_snprintf(name, sizeof name, "cuda:%d", device);
        }
        *u = open_handle(name);
    }
    return *u;
}

upsweep *usp_maker(void)
{
    upsweep *u = atomic_load(&maker);
    if (u == NULL || atomic_load(&maker_forks) != atomic_load(&forks)) {
        upsweep *old = u;
        u = open_handle("cpu");
        if (u != NULL && atomic_compare_exchange_strong(&maker, &old, u)) {
            atomic_store(&maker_forks, atomic_load(&forks));
        } else if (u != NULL) {
            upsweep_close(u);
            u = old;
        }
    }
    return u;
}

PyObject *usp_configure(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_call c;
    unsigned asked;
    size_t limit;
    if (!usp_arguments(&c, args, count, "un", &asked, &limit)) {
        return NULL;
    }
    atomic_store(&threads, asked);
    atomic_store(&scratch_limit, limit);
    atomic_fetch_add(&settings, 1);
    Py_RETURN_NONE;
}

void usp_keep_stream(int device, PyObject *stream)
{
    struct handles *h = record();
    if (h == NULL || device < 0 || device + 1 >= DEVICES) {
        Py_XDECREF(stream);
        return;
    }
    PyObject *before = h->streams[device + 1];
    h->streams[device + 1] = stream;
    Py_XDECREF(before);
    if (atomic_load(&ended) != NULL) {
        drop_ended();
    }
}

PyObject *usp_set_stream(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_call c;
    unsigned device;
    size_t stream;
    PyObject *kept;
    if (!usp_arguments(&c, args, count, "uno", &device, &stream, &kept)) {
        return NULL;
    }
    c.u = usp_handle((int)device);
    if (c.u == NULL) {
        return NULL;
    }
    void *pointer;
    memcpy(&pointer, &stream, sizeof pointer);
    c.status = upsweep_set_stream(c.u, pointer);
    if (kept != Py_None) {
        Py_INCREF(kept);
        usp_keep_stream((int)device, kept);
    }
    return usp_done(&c, NULL);
}

/* This thread's handles of GPUs, waited for; what the first of them says that failed. */
PyObject *usp_wait(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self, (void)args, (void)count;
    struct handles *h = record();
    usp_call failed = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    for (int i = 1; h != NULL && i < DEVICES; i++) {
        usp_call c = {h->u[i], i - 1, RELEASE_FROM, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
        if (c.u != NULL) {
            USP_RUN(c, upsweep_wait(c.u));
            failed = failed.status == UPSWEEP_OK ? c : failed;
        }
    }
    return h == NULL ? NULL : usp_done(&failed, NULL);
}

PyObject *usp_trim(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self, (void)args, (void)count;
    struct handles *h = record();
    for (int i = 0; h != NULL && i < DEVICES; i++) {
        if (h->u[i] != NULL) {
            upsweep_trim(h->u[i]);
        }
    }
    usp_call c = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    return h == NULL ? NULL : usp_done(&c, NULL);
}

/* ---- a call ---- */

void usp_release(usp_call *c)
{
    if (c->longest >= RELEASE_FROM) {
        c->saved = PyEval_SaveThread();
    }
}

void usp_retake(usp_call *c)
{
    if (c->saved != NULL) {
        PyEval_RestoreThread(c->saved);
        c->saved = NULL;
    }
}

PyObject *usp_raise(const upsweep *u, upsweep_status status)
{
    const char *text = u == NULL ? "" : upsweep_error(u);
    PyObject *kind = PyExc_ValueError;
    switch (status) {
    case UPSWEEP_ERROR_MEMORY: kind = PyExc_MemoryError; break;
    case UPSWEEP_ERROR_RANGE: kind = PyExc_IndexError; break;
    case UPSWEEP_ERROR_UNSUPPORTED: kind = PyExc_TypeError; break;
    case UPSWEEP_ERROR_DEVICE: kind = PyExc_RuntimeError; break;
    default: break;
    }
    PyErr_SetString(kind, *text != '\0' ? text : upsweep_status_name(status));
    return NULL;
}

PyObject *usp_lengths(const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s differ in length", what);
    return NULL;
}

PyObject *usp_done(usp_call *c, PyObject *value)
{
    if (c->status != UPSWEEP_OK) {
        Py_XDECREF(value);
        return PyErr_Occurred() ? NULL : usp_raise(c->u, c->status);
    }
    if (value == NULL) {
        if (PyErr_Occurred()) {
            return NULL;
        }
        Py_RETURN_NONE;
    }
    return value;
}
