/* uniques.c - the different elements of a plain array, with what numpy.unique gives beside them. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

/* Goes through n sorted keys: of each run of equal numbers, NaNs too, the key goes to its place
 * among the results. order: the positions that the keys had; the least one of each run goes to the
 * front. inverse: of each position its run. counts: the lengths. Those that are NULL are not
 * wanted; inverse needs order. Returns how many runs there are. */
#define RUNS(name, T)                                                                              \
    static size_t name(T *keys, size_t n, int64_t *order, int64_t *inverse, int64_t *counts)       \
    {                                                                                              \
        size_t runs = 0;                                                                           \
        for (size_t i = 0; i < n; runs++) {                                                        \
            const T key = keys[i];                                                                 \
            const size_t begin = i;                                                                \
            int64_t first = order != NULL ? order[i] : 0;                                          \
            do {                                                                                   \
                if (order != NULL) {                                                               \
                    first = order[i] < first ? order[i] : first;                                   \
                }                                                                                  \
                if (inverse != NULL) {                                                             \
                    inverse[order[i]] = (int64_t)runs;                                             \
                }                                                                                  \
                i++;                                                                               \
            } while (i < n && (keys[i] == key || (key != key && keys[i] != keys[i])));             \
            keys[runs] = key;                                                                      \
            if (order != NULL) {                                                                   \
                order[runs] = first;                                                               \
            }                                                                                      \
            if (counts != NULL) {                                                                  \
                counts[runs] = (int64_t)(i - begin);                                               \
            }                                                                                      \
        }                                                                                          \
        return runs;                                                                               \
    }
RUNS(runs_u8, uint8_t)
RUNS(runs_u16, uint16_t)
RUNS(runs_u32, uint32_t)
RUNS(runs_u64, uint64_t)
RUNS(runs_f32, float)
RUNS(runs_f64, double)

/* Signed numbers are equal if their bits are. */
static size_t find_runs(const usp_view *keys, int64_t *order, int64_t *inverse, int64_t *counts)
{
    const size_t n = keys->n;
    if (keys->type == UPSWEEP_F32) {
        return runs_f32((void *)keys->data, n, order, inverse, counts);
    }
    if (keys->type == UPSWEEP_F64) {
        return runs_f64((void *)keys->data, n, order, inverse, counts);
    }
    switch (keys->bytes) {
    case 1: return runs_u8((void *)keys->data, n, order, inverse, counts);
    case 2: return runs_u16((void *)keys->data, n, order, inverse, counts);
    case 4: return runs_u32((void *)keys->data, n, order, inverse, counts);
    default: return runs_u64((void *)keys->data, n, order, inverse, counts);
    }
}

/* A new array of n places if it is wanted; false: an exception is set. */
static bool room_if(bool wanted, PyObject *x, PyObject **made, usp_view *view)
{
    *made = wanted ? usp_result(x, NULL, true, view) : NULL;
    return !wanted || *made != NULL;
}

/* (x, index, inverse, counts): (keys, their first positions or None, inverse or None, counts or
 * None, n) of a plain array of one dimension that is no f16: the first n of all but the inverse are
 * those of the different elements. None for any other array. */
static PyObject *unique_with(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_call c = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    usp_view x, keys, order = {0}, inverse = {0}, counts = {0};
    PyObject *made[4] = {NULL, NULL, NULL, NULL}, *all = NULL;
    size_t n = 0;
    if (count != 4 || !usp_plain(args[0], &x) || x.type == UPSWEEP_F16 || x.type == UPSWEEP_BF16) {
        Py_RETURN_NONE;
    }
    if (!usp_open(&c, args[0], &x)) {
        return NULL;
    }
    const bool inverted = args[2] == Py_True;
    made[0] = usp_result(args[0], NULL, false, &keys);
    const bool ready = made[0] != NULL &&
                       room_if(inverted || args[1] == Py_True, args[0], &made[1], &order) &&
                       room_if(inverted, args[0], &made[2], &inverse) &&
                       room_if(args[3] == Py_True, args[0], &made[3], &counts);
    if (ready && x.n != 0) {
        usp_release(&c);
        c.status = upsweep_sort_copy(c.u, x.data, x.n, x.type, keys.data, order.data, 64, NULL);
        if (c.status == UPSWEEP_OK) {
            n = find_runs(&keys, (void *)order.data, (void *)inverse.data, (void *)counts.data);
        }
        usp_retake(&c);
    }
    if (ready && c.status == UPSWEEP_OK) {
        all = Py_BuildValue("(OOOOn)", made[0], made[1] != NULL ? made[1] : Py_None,
                            made[2] != NULL ? made[2] : Py_None,
                            made[3] != NULL ? made[3] : Py_None, (Py_ssize_t)n);
    }
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(made[i]);
    }
    return ready ? usp_done(&c, all) : NULL;
}

PyMethodDef usp_uniques[] = {
    USP_METHOD("unique_with", unique_with,
               "(x, index, inverse, counts): of a plain array, or None"),
    USP_END,
};
