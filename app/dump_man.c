/* dump_man.c - the man page and the completions, made of the option tables (`upsweep --dump man`).
 */
#include "app.h"

int app_dump(const char *what)
{
    return app_fail("there is no dump '%s'", what);
}
