/* float16.h - the 16-bit floating-point types as doubles and back. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_FLOAT16_H
#define IO_FLOAT16_H

#include <stdint.h>

double io_from_f16(uint16_t bits);
double io_from_bf16(uint16_t bits);
/* Rounds to the nearest, halfway cases to even; too large becomes infinite. */
uint16_t io_to_f16(double value);
uint16_t io_to_bf16(double value);

#endif
