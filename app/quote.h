/* quote.h - names and words in sentences, in the quotes that GNU's tools would give them. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_QUOTE_H
#define APP_QUOTE_H

#include "app/app.h"

/* Each returns a text that lasts until three more of them have been made, and leaves errno alone.
 * A file's name, in quotes where the shell would take it for more than a name or has a colon. */
const char *app_quote(const char *name);
/* The same in quotes always. */
const char *app_quote_always(const char *name);
/* A word of an option. */
const char *app_quote_word(const char *word);

#endif
