/* test_quote.c - names and words in quotes: what the shell and C would read, several at a time, and
 * errno as it was, which a sentence may still have to tell. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/quote.c"

/* ---- what quote.c takes from the rest of the program ---- */

bool app_is_tool(void)
{
    return false;
}

/* ---- tests ---- */

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *quoted, *always;
    } some[] = {{"plain", "plain", "'plain'"},
                {"a b", "'a b'", "'a b'"},
                {"it's", "\"it's\"", "\"it's\""},
                {"a:b", "'a:b'", "'a:b'"},
                {"", "''", "''"},
                {"a\nb", "'a'$'\\n''b'", "'a'$'\\n''b'"},
                {"a\xff", "'a'$'\\377'", "'a'$'\\377'"}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        assert_string_equal(app_quote(some[i].name), some[i].quoted);
        assert_string_equal(app_quote_always(some[i].name), some[i].always);
    }
    assert_string_equal(app_quote_word("a'\n\\"), "'a\\'\\n\\\\'");
}

static void errors_stay(void **state)
{
    (void)state;
    const char *(*const all[])(const char *) = {app_quote, app_quote_always, app_quote_word};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        errno = ENOTDIR;
        assert_non_null(all[i]("a\xff'b"));
        assert_int_equal(errno, ENOTDIR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(errors_stay)};
    return cmocka_run_group_tests_name("names in quotes", tests, NULL, NULL);
}
