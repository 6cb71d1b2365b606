/* sanitized.h - whether this was compiled for a sanitizer whose library must be loaded before any
 * other, so that a program cannot be run with another one preloaded. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_SANITIZED_H
#define USW_TEST_SHARED_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
enum { SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif

#endif
