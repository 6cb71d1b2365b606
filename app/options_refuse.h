/* options_refuse.h - what is said of an option that cannot be taken. Where a verb stands for a
 * tool, in the tool's words, which are those of getopt_long; else in our own. Each returns
 * APP_ERROR. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_OPTIONS_REFUSE_H
#define APP_OPTIONS_REFUSE_H

#include "app/app.h"

/* Options that are told, at most, where a name is cut too short. */
enum { APP_CLOSE_MOST = 8 };

int app_no_letter(const app_usage *usage, char letter);
/* text is what stood behind the dashes; its name has `length` characters. */
int app_no_option(const app_usage *usage, const char *text, size_t length);
int app_ambiguous_option(const app_usage *usage, const char *text, size_t length,
                         const app_option *const *found, size_t count);
int app_takes_no_argument(const app_usage *usage, const app_option *option);
int app_needs_argument(const app_usage *usage, const app_option *option, bool by_letter);

#endif
