/* routes_list.c - a program with all of the library in it, for the test `routes`: it says which
 * instruction sets this machine has and whether the library was optimised, without which ways that
 * are never reached stay in it; at its end the library lists its ways (test/routes/routes.c). */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <stdio.h>

int main(void)
{
    usw_isa best = usw_best_isa();
    printf("isas");
    for (unsigned isa = 0; isa <= (unsigned)best; isa++) {
        printf(" %s", usw_isa_name((usw_isa)isa));
    }
#ifdef __OPTIMIZE__
    printf("\noptimised yes\n");
#else
    printf("\noptimised no\n");
#endif
    return 0;
}
