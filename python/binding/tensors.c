/* tensors.c - tensors of other libraries by DLPack: capsules of any, and of types that were
 * registered DLPack's C exchange API, by which an address and a stream take some ns where the
 * attributes of a tensor take microseconds; arrays of cupy, which has no such API, by attributes
 * that take a tenth of a microsecond each. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/dlpack.h"

#include <stdatomic.h>

static upsweep_type tensor_type(const dl_tensor *t)
{
    static const upsweep_type ints[] = {UPSWEEP_I8, UPSWEEP_I16, UPSWEEP_I32, UPSWEEP_I64};
    static const upsweep_type unsigned_ints[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64};
    unsigned bits = t->dtype.bits;
    int log = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : -1;
    if (log < 0 || t->dtype.lanes != 1) {
        return (upsweep_type)0;
    }
    switch (t->dtype.code) {
    case 0: return ints[log];
    case 1: return unsigned_ints[log];
    case 2:
        return log == 3   ? UPSWEEP_F64
               : log == 2 ? UPSWEEP_F32
               : log == 1 ? UPSWEEP_F16
                          : (upsweep_type)0;
    case 4: return log == 1 ? UPSWEEP_BF16 : (upsweep_type)0;
    case 6: return log == 0 ? UPSWEEP_U8 : (upsweep_type)0; /* bool */
    default: return (upsweep_type)0;
    }
}

/* ---- types that are registered ---- */

enum { KINDS = 4 };
typedef struct kind {
    PyTypeObject *type;
    const dl_exchange *exchange;
    PyObject *like, *places; /* functions that make an array like one: of its type, of int64 */
    PyObject *room;          /* .. and n in one dimension, of int64 if the third argument is true */
    PyObject *shaped, *sums; /* of another shape: of its type, for sums of its integers */
    bool gradients;          /* they may have some */
} kind;
static kind kinds[KINDS]; /* never changed once they count */
static atomic_int known;
static PyObject *requires_grad; /* the attribute's name */

static const kind *kind_of(PyObject *o)
{
    for (int i = atomic_load(&known) - 1; i >= 0; i--) {
        if (Py_TYPE(o) == kinds[i].type) {
            return &kinds[i];
        }
    }
    return NULL;
}

static const dl_exchange *exchange_of(PyObject *type)
{
    PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    const dl_exchange *e =
        capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    Py_XDECREF(capsule);
    PyErr_Clear();
    while (e != NULL && e->major > 1) {
        e = e->before;
    }
    return e != NULL && e->major == 1 && e->view != NULL && e->stream != NULL ? e : NULL;
}

/* (type, like, places, room, shaped, sums, stream): True if tensors of this very type are known by
 * their address from now on, False where the type does not offer that and stream, which is asked
 * for a device's current stream, is None. */
static PyObject *register_tensors(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    const dl_exchange *e = count == 7 && PyType_Check(args[0]) ? exchange_of(args[0]) : NULL;
    const bool asked = e == NULL && count == 7 && args[6] != Py_None;
    e = asked ? usp_by_attributes(args[6]) : e;
    const int i = atomic_load(&known);
    requires_grad = requires_grad != NULL ? requires_grad : PyUnicode_FromString("requires_grad");
    if (e == NULL || i == KINDS || requires_grad == NULL) {
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    for (Py_ssize_t k = 0; k < 6; k++) {
        Py_INCREF(args[k]);
    }
    kinds[i] =
        (kind){(PyTypeObject *)args[0], e, args[1], args[2], args[3], args[4], args[5], !asked};
    atomic_store(&known, i + 1);
    Py_RETURN_TRUE;
}

/* ---- their views ---- */

static bool in_one_piece(const dl_tensor *t)
{
    int64_t wanted = 1;
    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        if (t->shape[d] == 0) {
            return true;
        }
        if (t->strides != NULL && t->shape[d] != 1 && t->strides[d] != wanted) {
            return false;
        }
        wanted *= t->shape[d];
    }
    return true;
}

static bool has_gradient(PyObject *o)
{
    PyObject *wanted = PyObject_GetAttr(o, requires_grad);
    const bool has = wanted != NULL && PyObject_IsTrue(wanted) != 0;
    Py_XDECREF(wanted);
    PyErr_Clear();
    return has;
}

/* Whether torch has yet to negate the element of o, as of z.conj().imag, whose strides keep it from
 * being in one piece where it has more than one. */
static bool is_negated(PyObject *o)
{
    PyObject *is = PyObject_GetAttrString(o, "is_neg");
    PyObject *said = is == NULL ? NULL : PyObject_CallFunctionObjArgs(is, NULL);
    const bool negated = said != NULL && PyObject_IsTrue(said) != 0;
    Py_XDECREF(is);
    Py_XDECREF(said);
    PyErr_Clear();
    return negated;
}

/* Whether o is a tensor of numbers in one piece; no error is set. */
static bool tensor_of(PyObject *o, dl_tensor *t, usp_view *view)
{
    const kind *k = kind_of(o);
    if (k == NULL) {
        return false;
    }
    if (k->exchange->view(o, t) != 0) {
        PyErr_Clear();
        return false;
    }
    view->type = tensor_type(t);
    if (view->type == 0 || (t->device.type != ON_HOST && t->device.type != ON_CUDA) ||
        !in_one_piece(t) || (k->gradients && has_gradient(o))) {
        return false;
    }
    view->data = (char *)t->data + t->byte_offset;
    view->bytes = t->dtype.bits / 8;
    view->device = t->device.type == ON_CUDA ? t->device.id : -1;
    view->n = 1;
    for (int32_t d = 0; d < t->ndim; d++) {
        view->n *= (size_t)t->shape[d];
    }
    return view->n != 1 || view->type < UPSWEEP_F16 || !k->gradients || !is_negated(o);
}

bool usp_tensor_rows(PyObject *o, usp_view *view, size_t *rows, int *dimensions)
{
    dl_tensor t;
    if (!tensor_of(o, &t, view) || t.ndim < 1) {
        return false;
    }
    *rows = t.ndim == 1 || view->n == 0 ? 1 : view->n / (size_t)t.shape[t.ndim - 1];
    *dimensions = t.ndim;
    return true;
}

bool usp_tensor_shape(PyObject *o, usp_view *view, int64_t *dims, int *dimensions)
{
    dl_tensor t;
    if (!tensor_of(o, &t, view) || t.ndim > USP_DIMENSIONS) {
        return false;
    }
    *dimensions = t.ndim;
    for (int32_t d = 0; d < t.ndim; d++) {
        dims[d] = t.shape[d];
    }
    return true;
}

bool usp_tensor_takes(PyObject *out, PyObject *x)
{
    dl_tensor from, to;
    usp_view a, b;
    if (Py_TYPE(out) != Py_TYPE(x) || !tensor_of(x, &from, &a) || !tensor_of(out, &to, &b)) {
        return false;
    }
    const size_t bytes = a.n * a.bytes;
    const bool apart = a.data == b.data || a.data + bytes <= b.data || b.data + bytes <= a.data;
    return apart && a.device == b.device && memcmp(&from.dtype, &to.dtype, sizeof to.dtype) == 0 &&
           from.ndim == to.ndim &&
           memcmp(from.shape, to.shape, (size_t)to.ndim * sizeof *to.shape) == 0;
}

PyObject *usp_tensor_like(PyObject *x, bool places)
{
    const kind *k = kind_of(x);
    return PyObject_CallFunctionObjArgs(places ? k->places : k->like, x, NULL);
}

/* A tuple. */
static PyObject *numbers(const int64_t *from, int32_t count)
{
    PyObject *all = PyTuple_New(count);
    for (int32_t i = 0; all != NULL && i < count; i++) {
        PyObject *v = PyLong_FromLongLong(from[i]);
        if (v == NULL || PyTuple_SetItem(all, i, v) != 0) {
            Py_CLEAR(all);
        }
    }
    return all;
}

PyObject *usp_tensor_shaped(PyObject *x, bool sums, const int64_t *dims, int dimensions)
{
    const kind *k = kind_of(x);
    PyObject *shape = numbers(dims, dimensions), *made = NULL;
    if (shape != NULL) {
        made = PyObject_CallFunctionObjArgs(sums ? k->sums : k->shaped, x, shape, NULL);
        Py_DECREF(shape);
    }
    return made;
}

PyObject *usp_tensor_room(PyObject *x, size_t n, bool places)
{
    PyObject *count = PyLong_FromSize_t(n), *made = NULL;
    if (count != NULL) {
        made = PyObject_CallFunctionObjArgs(kind_of(x)->room, x, count, places ? Py_True : Py_False,
                                            NULL);
        Py_DECREF(count);
    }
    return made;
}

bool usp_tensor_stream(upsweep *u, PyObject *o, int device)
{
    const kind *k = kind_of(o);
    void *stream = NULL;
    if (k == NULL || device < 0) {
        return true;
    }
    if (k->exchange->stream(ON_CUDA, device, &stream) != 0) {
        return false;
    }
    const upsweep_status status = upsweep_set_stream(u, stream);
    if (!k->gradients) {
        usp_keep_stream(device, usp_stream_told());
    }
    return status == UPSWEEP_OK || usp_raise(u, status) != NULL;
}

static PyObject *as_tuple(PyObject *o, bool begins)
{
    dl_tensor t;
    usp_view v;
    if (!tensor_of(o, &t, &v)) {
        Py_RETURN_NONE;
    }
    if (begins && v.device >= 0) {
        upsweep *u = usp_handle(v.device);
        if (u == NULL || !usp_tensor_stream(u, o, v.device)) {
            return NULL;
        }
    }
    return Py_BuildValue("KnikiiO", (unsigned long long)(uintptr_t)v.data, (Py_ssize_t)v.n,
                         (int)v.type, (unsigned long)v.bytes, 1, v.device, o);
}

/* (x): the view of a registered tensor, as usp_begin takes it, else None. */
static PyObject *tensor_view(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return as_tuple(count == 1 ? args[0] : Py_None, false);
}

/* (x): the same, and calls that follow go to the stream of its library. */
static PyObject *tensor_begin(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return as_tuple(count == 1 ? args[0] : Py_None, true);
}

/* ---- capsules ---- */

static void drop_tensor(PyObject *capsule)
{
    dl_managed *m = PyCapsule_GetPointer(capsule, "upsweep.tensor");
    if (m != NULL && m->deleter != NULL) {
        m->deleter(m);
    }
}

static void drop_versioned(PyObject *capsule)
{
    dl_versioned *m = PyCapsule_GetPointer(capsule, "upsweep.tensor");
    if (m != NULL && m->deleter != NULL) {
        m->deleter(m);
    }
}

/* (capsule): (owner, address, type, bytes, writable, kind of device, device, shape, strides of
 * elements or None). The owner keeps the array alive. */
static PyObject *from_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *given = count == 1 ? args[0] : Py_None, *owner;
    const dl_tensor *t;
    int writable = 1;
    if (PyCapsule_IsValid(given, "dltensor_versioned")) {
        dl_versioned *m = PyCapsule_GetPointer(given, "dltensor_versioned");
        if (m->major != 1) {
            PyErr_SetString(PyExc_BufferError, "this version of DLPack is not known");
            return NULL;
        }
        t = &m->tensor;
        writable = (m->flags & 1) == 0;
        owner = PyCapsule_New(m, "upsweep.tensor", drop_versioned);
        PyCapsule_SetName(given, "used_dltensor_versioned");
    } else {
        dl_managed *m = PyCapsule_GetPointer(given, "dltensor");
        if (m == NULL) {
            return NULL;
        }
        t = &m->tensor;
        owner = PyCapsule_New(m, "upsweep.tensor", drop_tensor);
        PyCapsule_SetName(given, "used_dltensor");
    }
    PyObject *shape = numbers(t->shape, t->ndim), *strides = Py_None;
    if (t->strides != NULL) {
        strides = numbers(t->strides, t->ndim);
    } else {
        Py_INCREF(strides);
    }
    return Py_BuildValue("NniiiiiNN", owner,
                         (Py_ssize_t)((uintptr_t)t->data + (uintptr_t)t->byte_offset),
                         (int)tensor_type(t), t->dtype.bits / 8, writable, (int)t->device.type,
                         (int)t->dtype.code, shape, strides);
}

PyMethodDef usp_tensors[] = {
    USP_METHOD("register_tensors", register_tensors,
               "(type, like, places, room, shaped, sums, stream): by their address"),
    USP_METHOD("tensor_view", tensor_view, "(x): the view of a registered tensor, else None"),
    USP_METHOD("tensor_begin", tensor_begin, "(x): the same, and the stream is set"),
    USP_METHOD("from_dlpack", from_dlpack, "(capsule)"),
    USP_END,
};
