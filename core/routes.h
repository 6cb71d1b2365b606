/* routes.h - the ways that a call can take, named and counted, in builds for tests (USW_CHECKED).
 *
 * USW_ROUTE("heap sort") stands where a method begins. In a release it is nothing. In a build for
 * tests it defines a record of that name in the linker section usw_routes and counts in it, by
 * instruction set, type and what keys carry, how often the way was taken. What is compiled for each
 * instruction set and key width has a record for each, and what a compiler sees is never reached
 * has none: so the section is the list of all ways that there are, taken or not. The test `routes`
 * (test/routes/routes.py) reads what all test programs counted, prints the list, and fails for a
 * way that none took, or that was taken for fewer types than it serves: those of its key width or,
 * where there is none, all. USW_ROUTE_OF says otherwise.
 *
 * What a call is about is known from its beginning: usw_enter forgets the call before, the first
 * type that is asked for its size is the call's, and threads that take part in a call know it from
 * who calls. Counters are not exact where threads count at once, but never 0 then. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_ROUTES_H
#define USW_ROUTES_H

#define USW_TYPE_BIT(type) (1u << (type))
/* Types for USW_ROUTE_OF. */
#define USW_NO_TYPES 0u
#define USW_ALL_TYPES 0x1ffeu
#define USW_UNSIGNED 0x1eu
#define USW_SIGNED 0x1e0u
#define USW_INTEGERS (USW_UNSIGNED | USW_SIGNED)
#define USW_FLOATS                                                                                 \
    (USW_TYPE_BIT(UPSWEEP_F16) | USW_TYPE_BIT(UPSWEEP_BF16) | USW_TYPE_BIT(UPSWEEP_F32) |          \
     USW_TYPE_BIT(UPSWEEP_F64))
#define USW_TYPES_OF_16_BITS                                                                       \
    (USW_TYPE_BIT(UPSWEEP_U16) | USW_TYPE_BIT(UPSWEEP_I16) | USW_TYPE_BIT(UPSWEEP_F16) |           \
     USW_TYPE_BIT(UPSWEEP_BF16))
#define USW_TYPES_OF_32_BITS                                                                       \
    (USW_TYPE_BIT(UPSWEEP_U32) | USW_TYPE_BIT(UPSWEEP_I32) | USW_TYPE_BIT(UPSWEEP_F32))
#define USW_TYPES_OF_64_BITS                                                                       \
    (USW_TYPE_BIT(UPSWEEP_U64) | USW_TYPE_BIT(UPSWEEP_I64) | USW_TYPE_BIT(UPSWEEP_F64))

#define USW_SHORT_TYPES (USW_TYPES_OF_16_BITS | USW_TYPE_BIT(UPSWEEP_U8) | USW_TYPE_BIT(UPSWEEP_I8))
#define USW_WIDE_TYPES (USW_TYPES_OF_32_BITS | USW_TYPES_OF_64_BITS)
#define USW_MORE_THAN_BYTES (USW_TYPES_OF_16_BITS | USW_WIDE_TYPES)
/* Instruction sets for USW_ROUTE_ON. */
#define USW_ON_PORTABLE 1u
#define USW_ON_AVX2 2u
#define USW_ON_AVX512 4u
#define USW_ON_ALL 7u

/* What the keys of a call carry. */
typedef enum usw_carried { USW_CARRY_NOTHING, USW_CARRY_VALUES, USW_CARRY_INDEX } usw_carried;

#ifndef USW_CHECKED

#define USW_ROUTE(name) ((void)0)
#define USW_ROUTE_OF(name, types) ((void)0)
#define USW_ROUTE_ON(name, types, isas) ((void)0)
#define USW_ROUTE_IF(condition, name, types) ((void)0)
#define USW_ROUTE_IF_ON(condition, name, types, isas) ((void)0)
#define USW_ROUTE_CARRIED(name, carried) ((void)0)
#define USW_ROUTE_PAIRS(name) ((void)0)
#define USW_ROUTE_PAIRS_OF(name, types) ((void)0)
#define USW_ROUTE_WORK(name, keys) ((void)0)
#define USW_CALL_BEGINS(isa) ((void)0)
#define USW_CALL_TYPE(t) ((void)0)
#define USW_CALL_CARRIES(what) ((void)0)
#define USW_CALL_FIELD
#define USW_CALL_TO(pool) ((void)0)
#define USW_CALL_FROM(pool) ((void)0)

#else

#include <stdint.h>

enum { USW_ROUTE_ISAS = 3, USW_ROUTE_TYPES = 13, USW_ROUTE_CARRIED = 3 };

/* The call that this thread works for. */
typedef struct usw_route_call {
    unsigned isa, type, carried; /* type 0: none */
} usw_route_call;
extern _Thread_local usw_route_call usw_call_now; /* test/routes/routes.c */

enum { USW_ROUTE_DEFAULT = 1 << 30, USW_ROUTE_MARK = 0x726f7574 };

/* Records lie in the section one after another, at multiples of their alignment. */
typedef struct usw_route {
    _Alignas(64) uint32_t mark;
    uint32_t types;   /* that it serves, bits; USW_ROUTE_DEFAULT: as above */
    uint32_t carried; /* what it serves of usw_carried, bits; 0: that is not asked */
    uint32_t isas;    /* that take it, bits 1 << usw_isa */
    uint32_t line;
    const char *name, *function, *file, *unit; /* unit: the file that is compiled */
    const char *bits, *copy; /* as text: KEY_BITS and FN(), where there are such */
    uint64_t work;           /* of all times: keys that were looked at, say */
    uint32_t taken[USW_ROUTE_ISAS][USW_ROUTE_TYPES][USW_ROUTE_CARRIED];
} usw_route;

static inline void usw_route_take(usw_route *r, uint64_t work)
{
    __atomic_store_n(&r->work, __atomic_load_n(&r->work, __ATOMIC_RELAXED) + work,
                     __ATOMIC_RELAXED);
    const usw_route_call c = usw_call_now;
    uint32_t *count = &r->taken[c.isa][c.type][c.carried];
    uint32_t before = __atomic_load_n(count, __ATOMIC_RELAXED);
    __atomic_store_n(count, before == UINT32_MAX ? before : before + 1, __ATOMIC_RELAXED);
}

#define USW_ROUTE_TEXT_(...) #__VA_ARGS__
#define USW_ROUTE_TEXT(...) USW_ROUTE_TEXT_(__VA_ARGS__)
#define USW_ROUTE_RECORD(text, types_, carried_, isas_, work_)                                     \
    do {                                                                                           \
        static usw_route usw_route_here                                                            \
            __attribute__((section("usw_routes"))) = {.mark = USW_ROUTE_MARK,                      \
                                                      .types = (types_),                           \
                                                      .carried = (carried_),                       \
                                                      .isas = (isas_),                             \
                                                      .line = __LINE__,                            \
                                                      .name = (text),                              \
                                                      .function = __func__,                        \
                                                      .file = __FILE__,                            \
                                                      .unit = __BASE_FILE__,                       \
                                                      .bits = USW_ROUTE_TEXT(KEY_BITS),            \
                                                      .copy = USW_ROUTE_TEXT(FN())};               \
        usw_route_take(&usw_route_here, work_);                                                    \
    } while (0)

#define USW_ROUTE(name) USW_ROUTE_RECORD(name, USW_ROUTE_DEFAULT, 0, USW_ON_ALL, 0)
/* Of these types only. */
#define USW_ROUTE_OF(name, types) USW_ROUTE_RECORD(name, types, 0, USW_ON_ALL, 0)
/* And, in what is compiled once for all of them, on these instruction sets only. */
#define USW_ROUTE_ON(name, types, isas) USW_ROUTE_RECORD(name, types, 0, isas, 0)
#define USW_ROUTE_IF(condition, name, types) USW_ROUTE_IF_ON(condition, name, types, USW_ON_ALL)
#define USW_ROUTE_IF_ON(condition, name, types, isas)                                              \
    do {                                                                                           \
        if (condition) {                                                                           \
            USW_ROUTE_RECORD(name, types, 0, isas, 0);                                             \
        }                                                                                          \
    } while (0)
/* Of keys that carry nothing, values, positions: bits 1 << USW_CARRY_... */
#define USW_ROUTE_CARRIED(name, what) USW_ROUTE_RECORD(name, USW_ROUTE_DEFAULT, what, USW_ON_ALL, 0)
/* Of keys that carry values, and of keys that carry their positions. */
#define USW_ROUTE_PAIRS(name) USW_ROUTE_PAIRS_OF(name, USW_ROUTE_DEFAULT)
#define USW_ROUTE_PAIRS_OF(name, types)                                                            \
    USW_ROUTE_RECORD(name, types, 1u << USW_CARRY_VALUES | 1u << USW_CARRY_INDEX, USW_ON_ALL, 0)

/* Adds to the way's work, too. */
#define USW_ROUTE_WORK(name, work) USW_ROUTE_RECORD(name, USW_ROUTE_DEFAULT, 0, USW_ON_ALL, work)

#define USW_CALL_BEGINS(isa) (usw_call_now = (usw_route_call){(unsigned)(isa), 0, 0})
#define USW_CALL_TYPE(t)                                                                           \
    ((void)(usw_call_now.type += usw_call_now.type == 0 ? (unsigned)(t) % USW_ROUTE_TYPES : 0))
#define USW_CALL_CARRIES(what) ((void)(usw_call_now.carried = (what)))
/* What a pool of threads hands on. */
#define USW_CALL_FIELD usw_route_call call;
#define USW_CALL_TO(pool) ((void)((pool)->call = usw_call_now))
#define USW_CALL_FROM(pool) ((void)(usw_call_now = (pool)->call))
#endif
#endif
