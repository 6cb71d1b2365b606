/* exchange.c - arrays of other libraries: DLPack and the Arrow C data interface. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

/* ---- DLPack: the structs of dlpack.h, version 0 and 1 ---- */

typedef struct dl_tensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *);
} dl_managed;

typedef struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *);
    uint64_t flags; /* bit 0: read-only */
    dl_tensor tensor;
} dl_versioned;

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
                         (int)t->device.id, shape, strides);
}

/* ---- the Arrow C data interface ---- */

typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *);
    void *private_data;
} arrow_schema;

typedef struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *);
    void *private_data;
} arrow_array;

typedef struct arrow_stream {
    int (*get_schema)(struct arrow_stream *, arrow_schema *);
    int (*get_next)(struct arrow_stream *, arrow_array *);
    const char *(*get_last_error)(struct arrow_stream *);
    void (*release)(struct arrow_stream *);
    void *private_data;
} arrow_stream;

static void drop_arrow(PyObject *capsule)
{
    arrow_array *a = PyCapsule_GetPointer(capsule, "upsweep.arrow");
    if (a != NULL) {
        if (a->release != NULL) {
            a->release(a);
        }
        PyMem_Free(a);
    }
}

/* Takes the array over: (owner, address of the values or 0, address of the bits that say which are
 * no nulls or 0, offset, length, nulls or -1). */
static PyObject *taken(arrow_array *from)
{
    arrow_array *a = PyMem_Malloc(sizeof *a);
    if (a == NULL) {
        return PyErr_NoMemory();
    }
    *a = *from;
    from->release = NULL;
    PyObject *owner = PyCapsule_New(a, "upsweep.arrow", drop_arrow);
    if (owner == NULL || a->n_buffers != 2) {
        Py_XDECREF(owner);
        PyErr_SetString(PyExc_TypeError, "only Arrow arrays of numbers are taken");
        return NULL;
    }
    return Py_BuildValue("NnnLLL", owner, (Py_ssize_t)(uintptr_t)a->buffers[1],
                         (Py_ssize_t)(uintptr_t)a->buffers[0], (long long)a->offset,
                         (long long)a->length, (long long)a->null_count);
}

/* (capsule of a schema, capsule of an array): (format, [array]). */
static PyObject *from_arrow(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    arrow_schema *schema = count == 2 ? PyCapsule_GetPointer(args[0], "arrow_schema") : NULL;
    arrow_array *array = schema == NULL ? NULL : PyCapsule_GetPointer(args[1], "arrow_array");
    if (array == NULL) {
        return NULL;
    }
    if (schema->dictionary != NULL) {
        PyErr_SetString(PyExc_TypeError, "only Arrow arrays of numbers are taken");
        return NULL;
    }
    PyObject *one = taken(array);
    return one == NULL ? NULL : Py_BuildValue("s[N]", schema->format, one);
}

/* (capsule of a stream): (format, [array, ...]). */
static PyObject *from_arrow_stream(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    arrow_stream *s = count == 1 ? PyCapsule_GetPointer(args[0], "arrow_array_stream") : NULL;
    arrow_schema schema = {0};
    if (s == NULL) {
        return NULL;
    }
    if (s->get_schema(s, &schema) != 0) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream has no schema");
        return NULL;
    }
    PyObject *list = PyList_New(0);
    if (schema.dictionary != NULL) {
        PyErr_SetString(PyExc_TypeError, "only Arrow arrays of numbers are taken");
        Py_CLEAR(list);
    }
    while (list != NULL) {
        arrow_array array = {0};
        if (s->get_next(s, &array) != 0) {
            const char *why = s->get_last_error(s);
            PyErr_SetString(PyExc_ValueError, why == NULL ? "the Arrow stream failed" : why);
            Py_CLEAR(list);
        } else if (array.release == NULL) {
            break;
        } else {
            PyObject *one = taken(&array);
            if (one == NULL || PyList_Append(list, one) != 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(one);
        }
    }
    PyObject *both = list == NULL ? NULL : Py_BuildValue("sN", schema.format, list);
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    return both;
}

PyMethodDef usp_exchange[] = {
    USP_METHOD("from_dlpack", from_dlpack, "(capsule)"),
    USP_METHOD("from_arrow", from_arrow, "(schema, array)"),
    USP_METHOD("from_arrow_stream", from_arrow_stream, "(stream)"),
    USP_END,
};
