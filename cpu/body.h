/* body.h - what a CPU form (algo/STEM_cpu.h) is compiled with.
 *
 * cmake/cpu_forms.cmake makes one small .c file per stem and instruction set; it sets USW_ISA
 * (portable, avx2, avx512), USW_LEVEL (0, 1, 2) and includes the body. A body that mentions
 * KEY_BITS is included five times, with KEY_BITS 8, 16, 32, 64, 128 in this order, and sees
 *     KEY       the unsigned key type: uint8_t .. uint64_t, or usw_u128
 *     FN(name)  name_u8 .. name_u128: a name of its own for each width
 *     USW_WIDTH the width's index, 0 .. 4
 *     USW_LANE_MASK  the mask type of a 512-bit register of keys, where USW_LEVEL is 2
 * At its end, when KEY_BITS is 128, it exports one const struct named by USW_SYMBOL(usw_STEM), e.g.
 *     #if KEY_BITS == 128
 *     USW_SORT_FORM(sort_oddeven, .in_place = true)
 *     #endif
 * Other bodies are included once. All functions are static: nothing but that struct is exported, so
 * code for one instruction set cannot leak into another. */
/* SPDX-License-Identifier: MIT */
#include "core/forms.h"

#ifndef USW_CPU_BODY_H
#define USW_CPU_BODY_H

#define USW_CAT_(a, b) a##_##b
#define USW_CAT(a, b) USW_CAT_(a, b)
/* The name of an exported struct for this instruction set: stem_avx512, ... */
#define USW_SYMBOL(stem) USW_CAT(stem, USW_ISA)

#if USW_HAVE_X86
#include <immintrin.h>
#endif

/* Before a loop that is worth four turns in one. */
#if defined(__clang__)
#define USW_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define USW_UNROLL_4 _Pragma("GCC unroll 4")
#endif

/* Ends a body that no instruction set makes faster: cmake/cpu_forms.cmake compiles the body once,
 * as the portable one, and the structs for the other sets hold the same functions. */
#if USW_HAVE_X86
#define USW_FOR_ALL_SETS(type, stem, ...)                                                          \
    const type stem##_portable = __VA_ARGS__, stem##_avx2 = __VA_ARGS__,                           \
               stem##_avx512 = __VA_ARGS__;
#else
#define USW_FOR_ALL_SETS(type, stem, ...) const type stem##_portable = __VA_ARGS__;
#endif

#define USW_SORT_FORM(stem, ...)                                                                   \
    const usw_sort_form USW_SYMBOL(usw_##stem##_cpu) = {                                           \
        .sort = {sort_u8, sort_u16, sort_u32, sort_u64, sort_u128}, __VA_ARGS__};
#endif

#undef KEY
#undef FN
#undef USW_WIDTH
#undef USW_LANE_MASK
#ifdef KEY_BITS
#if KEY_BITS == 8
#define KEY uint8_t
#define FN(name) name##_u8
#define USW_WIDTH 0
#define USW_LANE_MASK __mmask64
#elif KEY_BITS == 16
#define KEY uint16_t
#define FN(name) name##_u16
#define USW_WIDTH 1
#define USW_LANE_MASK __mmask32
#elif KEY_BITS == 32
#define KEY uint32_t
#define FN(name) name##_u32
#define USW_WIDTH 2
#define USW_LANE_MASK __mmask16
#elif KEY_BITS == 64
#define KEY uint64_t
#define FN(name) name##_u64
#define USW_WIDTH 3
#define USW_LANE_MASK __mmask8
#else
#define KEY usw_u128
#define FN(name) name##_u128
#define USW_WIDTH 4
#define USW_LANE_MASK __mmask8
#endif
#endif
