/* types.c - names and sizes of statuses and types. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [UPSWEEP_U8] = {"u8", 1},     [UPSWEEP_U16] = {"u16", 2}, [UPSWEEP_U32] = {"u32", 4},
    [UPSWEEP_U64] = {"u64", 8},   [UPSWEEP_I8] = {"i8", 1},   [UPSWEEP_I16] = {"i16", 2},
    [UPSWEEP_I32] = {"i32", 4},   [UPSWEEP_I64] = {"i64", 8}, [UPSWEEP_F16] = {"f16", 2},
    [UPSWEEP_BF16] = {"bf16", 2}, [UPSWEEP_F32] = {"f32", 4}, [UPSWEEP_F64] = {"f64", 8},
};
enum { TYPES = sizeof types / sizeof types[0] };

size_t upsweep_type_bytes(upsweep_type type)
{
    USW_CALL_TYPE((unsigned)type < TYPES ? type : 0);
    return (unsigned)type < TYPES ? types[type].bytes : 0;
}

const char *upsweep_type_name(upsweep_type type)
{
    return (unsigned)type < TYPES ? types[type].name : NULL;
}

upsweep_type upsweep_type_from_name(const char *name)
{
    for (unsigned t = UPSWEEP_U8; name != NULL && t < TYPES; t++) {
        if (strcmp(name, types[t].name) == 0) {
            return (upsweep_type)t;
        }
    }
    return (upsweep_type)0;
}

const char *upsweep_status_name(upsweep_status status)
{
    switch (status) {
    case UPSWEEP_OK: return "ok";
    case UPSWEEP_ERROR_ARGUMENT: return "argument";
    case UPSWEEP_ERROR_ALGORITHM: return "algorithm";
    case UPSWEEP_ERROR_UNSUPPORTED: return "unsupported";
    case UPSWEEP_ERROR_MEMORY: return "memory";
    case UPSWEEP_ERROR_RANGE: return "range";
    case UPSWEEP_ERROR_DEVICE: return "device";
    case UPSWEEP_STOPPED: return "stopped";
    case UPSWEEP_ERROR_FILE: return "file";
    }
    return "unknown status";
}

const char *upsweep_version(void)
{
    return UPSWEEP_VERSION_TEXT;
}

unsigned upsweep_version_number(void)
{
    return UPSWEEP_VERSION;
}
