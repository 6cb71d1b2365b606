/* palette.c - the colours of values and buckets. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"

#include <math.h>

const uint32_t view_ramp[VIEW_RAMP] = {0x3b3f9cffu, 0x3f64c4ffu, 0x3f8fd6ffu,
                                       0x4fb8d8ffu, 0x8adcd9ffu, 0xdcf6e6ffu};

/* After Okabe and Ito, light enough for a dark ground. */
const uint32_t view_hues[VIEW_HUES] = {0x56b4e9ffu, 0xe69f00ffu, 0x1fbf92ffu, 0xf0e442ffu,
                                       0x4c7dffffu, 0xee7733ffu, 0xd98cc2ffu, 0xb3bcc6ffu};

uint32_t view_mix(uint32_t a, uint32_t b, float part)
{
    uint32_t colour = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        float from = (float)(a >> shift & 255), to = (float)(b >> shift & 255);
        colour = colour << 8 | (uint32_t)lroundf(from + (to - from) * part);
    }
    return colour;
}

uint32_t view_ramp_colour(float share)
{
    float place = fminf(fmaxf(share, 0), 1) * (VIEW_RAMP - 1);
    size_t k = place < VIEW_RAMP - 1 ? (size_t)place : VIEW_RAMP - 2;
    return view_mix(view_ramp[k], view_ramp[k + 1], place - (float)k);
}
