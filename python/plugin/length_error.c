/* length_error.c - a name that the package's GPU plugin asks of libstdc++, and zig lacks. */
/* SPDX-License-Identifier: MIT */

/* The run-time's: throws std::bad_array_new_length, a std::bad_alloc. */
extern void __cxa_throw_bad_array_new_length(void);

/* std::__throw_length_error(char const *), which libstdc++'s vectors call. */
void _ZSt20__throw_length_errorPKc(const char *what);
void _ZSt20__throw_length_errorPKc(const char *what)
{
    (void)what;
    __cxa_throw_bad_array_new_length();
}
