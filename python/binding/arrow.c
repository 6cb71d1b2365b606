/* arrow.c - columns of other libraries, by the Arrow C data interface. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

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

PyMethodDef usp_arrow[] = {
    USP_METHOD("from_arrow", from_arrow, "(schema, array)"),
    USP_METHOD("from_arrow_stream", from_arrow_stream, "(stream)"),
    USP_END,
};
