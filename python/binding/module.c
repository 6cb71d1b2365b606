/* module.c - the extension module upsweep._core: its functions, and how it starts. */
/* SPDX-License-Identifier: MIT */
#define USP_MODULE
#include "python/binding/binding.h"

/* (x): whether x is a numpy array that the library takes as it is, in one dimension. */
static PyObject *plain(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_view view;
    return PyBool_FromLong(count == 1 && usp_plain(args[0], &view));
}

static PyMethodDef own[] = {
    USP_METHOD("plain", plain, "(x): whether the library takes this array as it is"),
    USP_END,
};

static PyObject *numpy_is_here(void)
{
    import_array();
    Py_RETURN_NONE;
}

static int start(PyObject *module)
{
    PyMethodDef *tables[] = {own,       usp_sorts,  usp_lexsort, usp_selects, usp_folds,
                             usp_moves, usp_graphs, usp_about,   usp_tensors, usp_arrow,
                             usp_axes,  usp_quick,  usp_uniques, usp_distinct};
    PyObject *numpy = numpy_is_here();
    if (numpy == NULL) {
        return -1;
    }
    Py_DECREF(numpy);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (PyModule_AddFunctions(module, tables[i]) != 0) {
            return -1;
        }
    }
    if (!usp_handles_start()) {
        PyErr_SetString(PyExc_RuntimeError, "upsweep could not start: no thread-local storage");
        return -1;
    }
    return PyModule_AddStringConstant(module, "version", upsweep_version());
}

/* CPython wants a function as void *, which ISO C has not. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)start},
#ifdef Py_GIL_DISABLED /* said here, since a word of `start` comes too late */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "upsweep._core",
    "The calls of upsweep.h on views of arrays; the functions of upsweep are made of these.",
    0,
    NULL,
    slots,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
