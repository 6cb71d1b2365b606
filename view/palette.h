/* palette.h - the colours of the view, 0xRRGGBBAA. What matters differs in lightness, or in blue
 * against orange, so that it can be told apart without seeing red or green. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_PALETTE_H
#define VIEW_PALETTE_H

#include <stddef.h>
#include <stdint.h>

enum { VIEW_RAMP = 6, VIEW_HUES = 8 };

#define VIEW_GROUND 0x0d1117ffu
#define VIEW_CARD 0x151b23ffu
#define VIEW_EDGE 0x2a323dffu
#define VIEW_FAINT 0x8b949effu
#define VIEW_INK 0xe6edf3ffu
#define VIEW_QUIET 0x56637affu  /* values of arrays that do not hold the elements */
#define VIEW_GOLD 0xffc247ffu   /* compared, combined */
#define VIEW_ORANGE 0xff7a1affu /* exchanged, moved */
#define VIEW_WHITE 0xffffffffu
#define VIEW_DONE 0x35d0baffu /* what the final sweep has passed */
#define VIEW_WRONG 0xff5d7affu

/* From the least value to the greatest. */
extern const uint32_t view_ramp[VIEW_RAMP];
/* Of buckets. */
extern const uint32_t view_hues[VIEW_HUES];

/* share: 0 .. 1. */
uint32_t view_ramp_colour(float share);
/* part of b, the rest of a. */
uint32_t view_mix(uint32_t a, uint32_t b, float part);

#endif
