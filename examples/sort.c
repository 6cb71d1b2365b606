/* sort.c - sorts an array of floats, up and down, and adds it up.
 *
 *     cc sort.c $(pkg-config --cflags --libs upsweep) -o sort
 *
 * Prints:
 *     up:   1 1 2 3 4 5 6 9
 *     down: 9 6 5 4 3 2 1 1
 *     sum:  31
 */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep_typed.h> /* the calls by type: the compiler checks arrays and results */

static void print(const char *what, const float *keys, size_t n)
{
    printf("%s", what);
    for (size_t i = 0; i < n; i++) {
        printf(" %g", keys[i]);
    }
    printf("\n");
}

int main(void)
{
    float keys[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const size_t n = sizeof keys / sizeof keys[0];

    /* A handle holds threads and scratch. "cpu": do not look for a GPU. */
    upsweep *u;
    const char *why;
    if (upsweep_open_why(&u, "cpu", NULL, &why) != UPSWEEP_OK) {
        fprintf(stderr, "sort: %s\n", why);
        return 1;
    }

    /* Every call returns a status; upsweep_error has a sentence on what went wrong. */
    if (upsweep_sort_f32(u, keys, n, NULL) != UPSWEEP_OK) {
        fprintf(stderr, "sort: %s\n", upsweep_error(u));
        upsweep_close(u);
        return 1;
    }
    print("up:  ", keys, n);

    /* Options are a struct that begins as UPSWEEP_OPTIONS_INIT. */
    upsweep_options down = UPSWEEP_OPTIONS_INIT;
    down.flags = UPSWEEP_DESCENDING;
    upsweep_sort_f32(u, keys, n, &down);
    print("down:", keys, n);

    /* Sums of floats are doubles, and the same bits for any number of threads. */
    double sum;
    upsweep_sum_f32(u, keys, n, &sum, NULL);
    printf("sum:  %g\n", sum);

    upsweep_close(u);
    return 0;
}
