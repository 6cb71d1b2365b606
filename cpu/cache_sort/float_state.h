/* float_state.h - steps in the usual floating-point state.
 *
 * Such steps run in the state in which a program starts, and afterwards the caller's state is back
 * with its flags. In a state that reads denormal numbers as zero, keys would be lost; and a thread
 * of the pool need not have the caller's state. The steps are functions of their own, not inlined,
 * so that the compiler moves none of their instructions out of the usual state. Writing the state
 * takes long, so it is written only where it differs. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_CACHE_SORT_FLOAT_STATE_H
#define USW_CPU_CACHE_SORT_FLOAT_STATE_H
#include <immintrin.h>

enum { USUAL_STATE = 0x1f80, STATE_FLAGS = 0x3f }; /* as when a program starts */

static inline unsigned begin_usual(void)
{
    unsigned state = _mm_getcsr();
    if ((state & ~(unsigned)STATE_FLAGS) != USUAL_STATE) {
        _mm_setcsr(USUAL_STATE);
    }
    return state;
}

static inline void end_usual(unsigned state)
{
    if (_mm_getcsr() != state) {
        _mm_setcsr(state);
    }
}
#endif
