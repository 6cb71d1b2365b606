/* binding.h - what the files of the binding share: views of arrays, and calls on a thread's handle.
 *
 * The module is compiled against the limited API of CPython 3.9, so that one binary serves all
 * later versions, and against numpy's C API, through which an address costs a few ns. */
/* SPDX-License-Identifier: MIT */
#ifndef USP_BINDING_H
#define USP_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL usp_numpy
#ifndef USP_MODULE
#define NO_IMPORT_ARRAY
#endif
#if defined(__GNUC__) /* numpy's headers are not written for these warnings */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <numpy/arrayobject.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "upsweep.h"

#include <stdbool.h>
#include <string.h>

/* CPython has called such functions since 3.7; the limited API names the flag from 3.10 on. */
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

/* An array that the library can take: contiguous, aligned, in the machine's order of bytes. */
typedef struct usp_view {
    char *data; /* NULL where None was given */
    size_t n;
    size_t bytes;      /* of one element */
    upsweep_type type; /* 0: bytes that are no number */
    int device;        /* -1: the host's memory; N: that of cuda:N */
} usp_view;

/* One call: the handle of this thread for the device of the arrays, and what came of it. */
typedef struct usp_call {
    upsweep *u;
    int device;     /* of all arrays so far; -1: the host */
    size_t longest; /* elements of the longest array */
    PyThreadState *saved;
    upsweep_status status;
    upsweep_options options;
} usp_call;

/* ---- views.c ---- */

/* Fills view if o is a numpy array of one type that the library takes as it is: no subclass, one
 * dimension, contiguous. No error is set. */
bool usp_plain(PyObject *o, usp_view *view);
/* The same for one dimension or more; *rows is how often the last one comes. */
bool usp_plain_rows(PyObject *o, usp_view *view, size_t *rows);
/* The same for plain arrays and for tensors that tensors.c knows. */
bool usp_array_rows(PyObject *o, usp_view *view, size_t *rows, int *dimensions);
/* The same, and the shape. */
enum { USP_DIMENSIONS = 64 };
bool usp_array_shape(PyObject *o, usp_view *view, int64_t *dims, int *dimensions);
/* A new array for a reduction of x: of x's type, or for sums of integers, of the type that these
 * have where x comes from. *view is its own. NULL: an exception is set. */
PyObject *usp_reduced_array(PyObject *x, const usp_view *given, upsweep_op op, const int64_t *dims,
                            int dimensions, usp_view *view);
/* Whether a result like x can be written to out at once: both as above, of one shape and type, out
 * writable, and one array or none that overlaps. */
bool usp_takes(PyObject *out, PyObject *x);
/* A new array like x, of int64 if it is for places; or out, unless that is NULL or None. *view is
 * its own. NULL: an exception is set. */
PyObject *usp_result(PyObject *x, PyObject *out, bool places, usp_view *view);
/* Opens the handle of a call whose flags were read by usp_arguments, for x and its view. */
bool usp_open(usp_call *c, PyObject *x, const usp_view *view);
/* Whether a scan has the type of its elements in numpy, too, and is worth a way of its own. */
static inline bool usp_scans_as_is(upsweep_type type)
{
    return type == UPSWEEP_F32 || type == UPSWEEP_F64 || type == UPSWEEP_I64 || type == UPSWEEP_U64;
}
/* numpy's number for a type; bf16, which numpy lacks, is -1. */
int usp_numpy_type(upsweep_type type);
PyObject *usp_register_bf16(PyObject *self, PyObject *const *args, Py_ssize_t count);
/* Reads the arguments by a format, a letter each, opens the call's handle and prepares it:
 *     r w   a readable or writable array of numbers    b B   the same of any elements
 *     R W   as r and w, or None                         u     unsigned      n   size_t
 *     d     double              s   const char *, of bytes    o     PyObject *
 * An array is a numpy array, or (address, n, type, bytes, writable, device, owner). f: the flags of
 * the call, which go to its options. False: a Python exception is set. */
bool usp_begin(usp_call *c, PyObject *const *args, Py_ssize_t count, const char *format, ...);
/* The same without a handle. */
bool usp_arguments(usp_call *c, PyObject *const *args, Py_ssize_t count, const char *format, ...);
/* The least and the greatest of a view's integers, as 64 bits; false: the call failed. */
bool usp_ends(usp_call *c, const usp_view *x, uint64_t ends[2]);

/* ---- tensors.c ---- */

/* Fills view if o is a tensor of a type that was registered, in one piece, of one dimension or
 * more, without a gradient. No error is set. */
bool usp_tensor_rows(PyObject *o, usp_view *view, size_t *rows, int *dimensions);
/* The same, and the shape. */
bool usp_tensor_shape(PyObject *o, usp_view *view, int64_t *dims, int *dimensions);
/* A new tensor of another shape beside such a one: of its type, or for sums of its integers, which
 * have 64 bits and are, in torch, signed. */
PyObject *usp_tensor_shaped(PyObject *x, bool sums, const int64_t *dims, int dimensions);
/* usp_takes and usp_result of such tensors. */
bool usp_tensor_takes(PyObject *out, PyObject *x);
PyObject *usp_tensor_like(PyObject *x, bool places);
/* n of int64, or of its own type, beside such a tensor. */
PyObject *usp_tensor_room(PyObject *x, size_t n, bool places);
/* Sets the handle's stream to that of the tensor's library; nothing for other arrays. */
bool usp_tensor_stream(upsweep *u, PyObject *o, int device);

/* ---- handles.c ---- */

/* This thread's handle for a device (-1: cpu), made on demand; NULL: an exception is set. */
upsweep *usp_handle(int device);
/* The handle that graphs are made with: one a process, which lasts as long as it. */
upsweep *usp_maker(void);
bool usp_handles_start(void);
PyObject *usp_configure(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *usp_set_stream(PyObject *self, PyObject *const *args, Py_ssize_t count);
/* Holds the object of the stream that this thread's handle of a device has just been given, whose
 * reference it takes, until the handle has another one or is closed: both wait for the stream. */
void usp_keep_stream(int device, PyObject *stream);
PyObject *usp_wait(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *usp_trim(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* Lets other threads of Python run where the call is long enough for that to pay. */
void usp_release(usp_call *c);
void usp_retake(usp_call *c);
#define USP_RUN(c, call)                                                                           \
    do {                                                                                           \
        usp_release(&(c));                                                                         \
        (c).status = (call);                                                                       \
        usp_retake(&(c));                                                                          \
    } while (0)

/* The exception for a status, with the library's sentence; returns NULL. */
PyObject *usp_raise(const upsweep *u, upsweep_status status);
/* A ValueError: arrays whose lengths must agree "differ in length"; returns NULL. */
PyObject *usp_lengths(const char *what);
/* value, whose reference it takes (NULL: None), or the exception for the call's status. */
PyObject *usp_done(usp_call *c, PyObject *value);

/* ---- positions.c ---- */

/* Writes the positions of x that partition it by *pivot, one of its elements; 8 bytes each. False
 * where *pivot is NaN. */
bool usp_write_positions(const usp_view *x, const void *pivot, bool descending, int64_t *index);

/* ---- texts.c ---- */

/* Whether o is a plain array of one dimension of numpy's dtypes S or U, in native order, or one of
 * usp_is_strings. */
bool usp_is_text(PyObject *o);
/* Such an array sorted, the positions that sort it, or a pair of both, as new arrays. */
PyObject *usp_sort_text(PyObject *x, PyObject *flags, bool wants_sorted, bool wants_index);

/* ---- strings.c ---- */

/* Whether o is an array of one dimension, of any stride, of numpy's StringDType. */
bool usp_is_strings(PyObject *o);
/* As usp_sort_text; missing strings come last. */
PyObject *usp_sort_strings(PyObject *x, PyObject *flags, bool wants_sorted, bool wants_index);

/* ---- tables of functions ---- */

extern PyMethodDef usp_sorts[], usp_lexsort[], usp_selects[], usp_folds[], usp_moves[],
    usp_graphs[], usp_about[], usp_tensors[], usp_arrow[], usp_axes[], usp_quick[], usp_uniques[],
    usp_distinct[];

typedef PyObject *(*usp_function)(PyObject *self, PyObject *const *args, Py_ssize_t count);
/* Both casts, since C has none from one type of function to another without a warning. */
#define USP_METHOD(name, function, text)                                                           \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(usp_function)function, METH_FASTCALL, text             \
    }
#define USP_END                                                                                    \
    {                                                                                              \
        NULL, NULL, 0, NULL                                                                        \
    }
#endif
