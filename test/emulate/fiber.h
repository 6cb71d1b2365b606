/* fiber.h - contexts with a stack of their own, and the switch from one to another. */
/* SPDX-License-Identifier: MIT */
#ifndef FIBER_H
#define FIBER_H

#include <cstddef>

struct fiber {
    void *place = nullptr; // where it goes on: a stack pointer, or a ucontext_t
    char *stack = nullptr; // its lowest byte
};
/* A fiber that calls run() on a fresh stack, which lives as long as the program; run() never
 * returns. `colour` spreads stacks over the sets of the caches. */
fiber fiber_make(void (*run)(), size_t colour);
/* Leaves `from`, which is running, for `to`. */
void fiber_switch(fiber *from, fiber *to);

/* Whether its stack was ever too short. */
bool fiber_overflowed(const fiber &f);

enum { fiber_stack_bytes = 32 * 1024 };

#endif
