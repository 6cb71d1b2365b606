/* about.c - reports, the machine, the list of algorithms, and traces. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

static PyObject *report_of(const upsweep_report *r)
{
    return Py_BuildValue("{s:s,s:s,s:s,s:I,s:n,s:s}", "algorithm", r->algorithm, "isa", r->isa,
                         "device", r->device, "threads", r->threads, "scratch_bytes",
                         (Py_ssize_t)r->scratch_bytes, "reason", r->reason);
}

/* (device): the report of this thread's last call there; -1 is the CPU, given as None. */
FUNCTION(report)
{
    (void)self;
    usp_call c;
    PyObject *device;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    if (!usp_arguments(&c, args, count, "o", &device)) {
        return NULL;
    }
    c.u = usp_handle(device == Py_None ? -1 : (int)PyLong_AsLong(device));
    if (PyErr_Occurred() || c.u == NULL) {
        return NULL;
    }
    c.status = upsweep_last_report(c.u, &r);
    return usp_done(&c, c.status == UPSWEEP_OK ? report_of(&r) : NULL);
}

/* (n, type, flags): what upsweep_sort would do. */
FUNCTION(explain_choice)
{
    (void)self;
    usp_call c;
    size_t n;
    unsigned type;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    if (!usp_begin(&c, args, count, "nuf", &n, &type)) {
        return NULL;
    }
    c.status = upsweep_explain_choice(c.u, n, (upsweep_type)type, &c.options, &r);
    return usp_done(&c, c.status == UPSWEEP_OK ? report_of(&r) : NULL);
}

FUNCTION(machine)
{
    (void)self;
    (void)args;
    upsweep_machine m = UPSWEEP_MACHINE_INIT;
    upsweep_status status = count == 0 ? upsweep_describe_machine(&m) : UPSWEEP_ERROR_ARGUMENT;
    if (status != UPSWEEP_OK) {
        return usp_raise(NULL, status);
    }
    return Py_BuildValue("{s:s,s:I,s:s,s:(nnn),s:n,s:I,s:s,s:s}", "cpu", m.cpu, "cores", m.cores,
                         "isa", m.isa, "cache_bytes", (Py_ssize_t)m.cache_bytes[0],
                         (Py_ssize_t)m.cache_bytes[1], (Py_ssize_t)m.cache_bytes[2], "memory_bytes",
                         (Py_ssize_t)m.memory_bytes, "gpus", m.gpus, "gpu", m.gpu, "gpu_plugin",
                         m.gpu_plugin);
}

static PyObject *algorithm_of(const upsweep_algorithm *a)
{
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I}", "name", a->name,
                         "operation", a->operation, "title", a->title, "idea", a->idea, "work",
                         a->work, "depth", a->depth, "source", a->source, "input", a->input,
                         "example", a->example, "text", a->text, "claims", a->claims, "forms",
                         upsweep_forms(a));
}

/* All algorithms, a dict each. */
FUNCTION(algorithms)
{
    (void)self;
    (void)args;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && count == 0 && i < upsweep_algorithm_count(); i++) {
        PyObject *one = algorithm_of(upsweep_algorithm_at(i));
        if (one == NULL || PyList_Append(list, one) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *values_of(const upsweep_event *e)
{
    if (e->kind != UPSWEEP_EVENT_ARRAY) {
        Py_RETURN_NONE;
    }
    PyObject *all = PyTuple_New((Py_ssize_t)e->count);
    for (size_t i = 0; all != NULL && i < e->count; i++) {
        PyObject *v = PyLong_FromUnsignedLong(e->values[i]);
        if (v == NULL || PyTuple_SetItem(all, (Py_ssize_t)i, v) != 0) {
            Py_CLEAR(all);
        }
    }
    return all;
}

/* Gives the caller's function one event; an exception there ends the trace. */
static int to_python(void *context, const upsweep_event *e)
{
    PyObject *values = values_of(e);
    if (values == NULL) {
        return 1;
    }
    PyObject *came = PyObject_CallFunction(
        context, "iKKzzKKIIzN", (int)e->kind, (unsigned long long)e->round,
        (unsigned long long)e->lane, e->array, e->other, (unsigned long long)e->i,
        (unsigned long long)e->j, (unsigned)e->a, (unsigned)e->b, e->text, values);
    int stop = came == NULL || (came != Py_None && PyObject_IsTrue(came) != 0);
    Py_XDECREF(came);
    return stop;
}

/* (name, values, result, function): function gets kind, round, lane, array, other, i, j, a, b,
 * text, values. */
FUNCTION(trace)
{
    (void)self;
    usp_call c;
    const char *name;
    usp_view values, result;
    PyObject *function;
    if (!usp_arguments(&c, args, count, "srWo", &name, &values, &result, &function)) {
        return NULL;
    }
    if (values.type != UPSWEEP_U32 || (result.data != NULL && result.n < values.n)) {
        PyErr_SetString(PyExc_TypeError, "a trace takes numbers of 32 bits");
        return NULL;
    }
    c.status = upsweep_trace(name, (void *)values.data, values.n, (void *)result.data, to_python,
                             function);
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (c.status == UPSWEEP_STOPPED) {
        c.status = UPSWEEP_OK;
    }
    if (c.status == UPSWEEP_ERROR_ALGORITHM) {
        PyErr_Format(PyExc_ValueError, "there is no algorithm %s", name);
        return NULL;
    }
    return usp_done(&c, NULL);
}

/* (name, n): rounds and work by the formulas. */
FUNCTION(cost)
{
    (void)self;
    usp_call c;
    const char *name;
    size_t n;
    if (!usp_arguments(&c, args, count, "sn", &name, &n)) {
        return NULL;
    }
    const upsweep_algorithm *a = upsweep_find(name);
    if (a == NULL) {
        return PyErr_Format(PyExc_ValueError, "there is no algorithm %s", name);
    }
    return Py_BuildValue("KK", (unsigned long long)upsweep_rounds(a, n),
                         (unsigned long long)upsweep_work(a, n));
}

PyMethodDef usp_about[] = {
    USP_METHOD("report", report, "(device or None): upsweep_last_report"),
    USP_METHOD("explain_choice", explain_choice, "(n, type, flags)"),
    USP_METHOD("machine", machine, "(): upsweep_describe_machine"),
    USP_METHOD("algorithms", algorithms, "(): a list of dicts"),
    USP_METHOD("trace", trace, "(name, values, result, function)"),
    USP_METHOD("cost", cost, "(name, n): rounds and work"),
    USP_METHOD("configure", usp_configure, "(threads, scratch_limit): for all handles"),
    USP_METHOD("register_bf16", usp_register_bf16, "(number): arrays of that dtype are of bf16"),
    USP_METHOD("set_stream", usp_set_stream, "(device, stream, its object or None)"),
    USP_METHOD("wait", usp_wait, "(): for all GPUs of this thread"),
    USP_METHOD("trim", usp_trim, "(): the scratch of all this thread's handles"),
    USP_END,
};
