/* two_gpus.c - sorts one array by two GPUs side by side: each half by a handle and a thread of its
 * own, then the halves are merged on the CPU.
 *
 * Prints:
 *     8000000 keys: sorted
 */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <upsweep_typed.h>

enum { N = 8000000 };

typedef struct half {
    upsweep *u;
    float *keys;
    size_t n;
    upsweep_status status;
} half;

/* Arrays in the host's memory are copied to the GPU and back; the call waits. */
static void *sort_half(void *argument)
{
    half *h = argument;
    h->status = upsweep_sort_f32(h->u, h->keys, h->n, NULL);
    return NULL;
}

int main(void)
{
    const char *const device[2] = {"cuda:0", "cuda:1"};
    upsweep *u[2], *cpu;
    const char *why;
    for (int i = 0; i < 2; i++) {
        if (upsweep_open_why(&u[i], device[i], NULL, &why) != UPSWEEP_OK) {
            printf("two_gpus: %s: %s\n", device[i], why);
            return 77;
        }
    }
    float *keys = malloc(N * sizeof *keys), *out = malloc(N * sizeof *out);
    if (keys == NULL || out == NULL || upsweep_open(&cpu, "cpu", NULL) != UPSWEEP_OK) {
        return 1;
    }
    for (int i = 0; i < N; i++) {
        keys[i] = (float)rand() / 3;
    }

    half halves[2] = {{u[0], keys, N / 2, UPSWEEP_OK}, {u[1], keys + N / 2, N - N / 2, UPSWEEP_OK}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, sort_half, &halves[1]) != 0) {
        return 1;
    }
    sort_half(&halves[0]);
    pthread_join(thread, NULL);

    size_t sorted = 0;
    if (halves[0].status == UPSWEEP_OK && halves[1].status == UPSWEEP_OK &&
        upsweep_merge_f32(cpu, keys, N / 2, keys + N / 2, N - N / 2, out, NULL) == UPSWEEP_OK &&
        upsweep_is_sorted_f32(cpu, out, N, &sorted, NULL) == UPSWEEP_OK) {
        printf("%d keys: %s\n", N, sorted == N ? "sorted" : "not sorted");
    }
    for (int i = 0; i < 2; i++) {
        upsweep_close(u[i]);
    }
    upsweep_close(cpu);
    free(keys);
    free(out);
    return sorted == N ? 0 : 1;
}
