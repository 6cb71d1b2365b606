/* fiber.cpp - on x86-64 a switch is six pushes and six pops, elsewhere the C library's contexts. */
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

/* Stacks have a page without access below them, so that an overflow is a fault. */
static char *new_stack()
{
    enum { guard = 4096 };
    void *p = mmap(nullptr, fiber_stack_bytes + guard, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE) != 0) {
        fprintf(stderr, "emulated CUDA: there is no memory for another thread's stack\n");
        abort();
    }
    return static_cast<char *>(p) + guard;
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
    uintptr_t top = reinterpret_cast<uintptr_t>(new_stack()) + fiber_stack_bytes;
    top -= 64 + colour * 320 % 4096 / 64 * 64;
    void **stack = reinterpret_cast<void **>(top); // aligned to 64: a call would leave 8 below it
    *--stack = nullptr;
    *--stack = reinterpret_cast<void *>(run);
    for (int saved = 0; saved < 6; saved++) {
        *--stack = nullptr;
    }
    return {stack};
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
    getcontext(context);
    context->uc_stack.ss_sp = new_stack();
    context->uc_stack.ss_size = fiber_stack_bytes;
    context->uc_link = nullptr;
    makecontext(context, run, 0);
    return {context};
}

void fiber_switch(fiber *from, fiber *to)
{
    if (from->place == nullptr) {
        from->place = new ucontext_t;
    }
    swapcontext(static_cast<ucontext_t *>(from->place), static_cast<ucontext_t *>(to->place));
}

#endif
