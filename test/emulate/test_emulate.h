/* test_emulate.h - what the tests of the emulator share: launches, arrays, programs that die. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_EMULATE_H
#define TEST_EMULATE_H

#include "test/emulate/cuda_emulated.h"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
}
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

template <typename... P, typename... A>
static void launch(const char *name, void (*kernel)(P...), unsigned grid, unsigned block,
                   size_t shared, cudaStream_t s, A... arguments)
{
    emulated_launch(
        grid, block, shared, s, [=] { kernel(arguments...); }, name, false);
}
#define LAUNCH(kernel, ...) launch(#kernel, kernel, __VA_ARGS__)

template <typename T> struct device_array {
    T *p = nullptr;
    explicit device_array(size_t n)
    {
        assert_int_equal(cudaMalloc(&p, n * sizeof(T)), cudaSuccess);
        assert_int_equal(cudaMemset(p, 0, n * sizeof(T)), cudaSuccess);
        cudaDeviceSynchronize();
    }
    ~device_array()
    {
        cudaFree(p);
    }
    operator T *() const
    {
        return p;
    }
};

/* Runs f in a child with that seed and returns its exit status, or 1000 + the signal's number, with
 * what it said in `said`. */
static inline int child(uint64_t seed, const std::function<int()> &f, std::string *said)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    fflush(stderr);
    pid_t id = fork();
    if (id == 0) {
        dup2(ends[1], 2);
        setenv("UPSWEEP_EMULATE_SEED", std::to_string(seed).c_str(), 1);
        signal(SIGABRT, SIG_DFL);
        _exit(f());
    }
    close(ends[1]);
    char text[4096];
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;) {
        said->append(text, static_cast<size_t>(got));
    }
    close(ends[0]);
    int status;
    waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
static inline int child(uint64_t seed, const std::function<int()> &f)
{
    std::string said;
    return child(seed, f, &said);
}
/* f ends the program by that signal and says why. */
static inline void assert_caught(const std::function<int()> &f, int signal, const char *why)
{
    std::string said;
    int status = child(3, f, &said);
    if (status != 1000 + signal || said.find(why) == std::string::npos) {
        fail_msg("status %d, and it said: %s", status, said.c_str());
    }
}

/* test_runtime.cpp */
void test_caught(void **);
void test_guards(void **);
void test_memory(void **);
void test_graph(void **);

#endif
