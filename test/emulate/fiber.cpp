/* fiber.cpp - on x86-64 a switch is six pushes and six pops, elsewhere the C library's contexts. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/fiber.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

static const char untouched = 0x5a;

/* Stacks lie close together in large pages, without which a switch would mostly wait for the
 * translation of addresses. */
static char *new_stack()
{
    static const size_t many = size_t(2) << 20;
    static char *next, *end;
    if (next == end) {
        void *p = mmap(nullptr, 2 * many, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (p == MAP_FAILED) {
            fprintf(stderr, "emulated CUDA: there is no memory for more threads' stacks\n");
            abort();
        }
        next = static_cast<char *>(p) + (many - reinterpret_cast<uintptr_t>(p) % many) % many;
        end = next + many;
        madvise(next, many, MADV_HUGEPAGE);
    }
    char *stack = next;
    next += fiber_stack_bytes;
    memset(stack, untouched, sizeof(uint64_t));
    return stack;
}

bool fiber_overflowed(const fiber &f)
{
    return std::count(f.stack, f.stack + sizeof(uint64_t), untouched) != sizeof(uint64_t);
}

#if defined(__x86_64__)

extern "C" void emulated_fiber_switch(void **from, void *to);
asm(".text\n"
    ".p2align 4\n"
    ".hidden emulated_fiber_switch\n"
    ".globl emulated_fiber_switch\n"
    ".type emulated_fiber_switch, @function\n"
    "emulated_fiber_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size emulated_fiber_switch, .-emulated_fiber_switch\n");

fiber fiber_make(void (*run)(), size_t colour)
{
    char *lowest = new_stack();
    uintptr_t top = reinterpret_cast<uintptr_t>(lowest) + fiber_stack_bytes;
    top -= 64 + colour * 320 % 4096 / 64 * 64;
    void **stack = reinterpret_cast<void **>(top); // aligned to 64: a call would leave 8 below it
    *--stack = nullptr;
    *--stack = reinterpret_cast<void *>(run);
    for (int saved = 0; saved < 6; saved++) {
        *--stack = nullptr;
    }
    return {stack, lowest};
}

void fiber_switch(fiber *from, fiber *to)
{
    emulated_fiber_switch(&from->place, to->place);
}

#else

#include <ucontext.h>

fiber fiber_make(void (*run)(), size_t)
{
    ucontext_t *context = new ucontext_t;
    char *lowest = new_stack();
    getcontext(context);
    context->uc_stack.ss_sp = lowest;
    context->uc_stack.ss_size = fiber_stack_bytes;
    context->uc_link = nullptr;
    makecontext(context, run, 0);
    return {context, lowest};
}

void fiber_switch(fiber *from, fiber *to)
{
    if (from->place == nullptr) {
        from->place = new ucontext_t;
    }
    swapcontext(static_cast<ucontext_t *>(from->place), static_cast<ucontext_t *>(to->place));
}

#endif
