/* dlpack.h - the structs of dlpack.h, version 0 and 1, and its C exchange API. */
/* SPDX-License-Identifier: MIT */
#ifndef USP_DLPACK_H
#define USP_DLPACK_H

#include "python/binding/binding.h"

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

/* Of version 1.3. view: fills a tensor whose shape and strides belong to the object; not 0: an
 * exception is set. stream: what the library's current work goes to. */
typedef struct dl_exchange {
    uint32_t major, minor;
    struct dl_exchange *before;
    void (*allocate)(void), (*managed_from)(void), (*managed_to)(void);
    int (*view)(void *object, dl_tensor *tensor);
    int (*stream)(int32_t device_type, int32_t device, void **stream);
} dl_exchange;
enum { ON_HOST = 1, ON_CUDA = 2 }; /* types of devices */

/* ---- attributes.c ---- */

/* Views and streams of arrays that have cupy's attributes and no exchange API; stream: a function
 * that gives a device's current stream, whose address is its ptr. NULL: an exception is set. */
const dl_exchange *usp_by_attributes(PyObject *stream);
/* The stream that this thread was told last, a new reference; NULL: none since. */
PyObject *usp_stream_told(void);

#endif
