/* setjmp.h - a form is left by a call of the page, which throws and gives up the instance. */
/* SPDX-License-Identifier: MIT */
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
#define longjmp(buffer, value) usw_wasm_leave()
_Noreturn void usw_wasm_leave(void);
