/* fail_system.c - makes the k-th system call of a family fail, whoever makes it: the program,
 * the C library on its behalf, or the loader. A filter (seccomp) turns each call of the family
 * into the signal SIGSYS; its handler counts, and makes the call in place of the program or
 * returns an error. Calls that come from raw_call below pass the filter. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/fail_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define REGISTER(u, i) ((u)->uc_mcontext.gregs[(i)])
static const int places[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
enum { RESULT = REG_RAX };
__asm__(".text\n.type raw_call,@function\nraw_call:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\n"
        "mov %r9,%r8\nmov 8(%rsp),%r9\nsyscall\n"
        "raw_call_end:\nret\n");
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define REGISTER(u, i) ((u)->uc_mcontext.regs[(i)])
static const int places[6] = {0, 1, 2, 3, 4, 5};
enum { RESULT = 0 };
__asm__(".text\n.type raw_call,%function\nraw_call:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\nsvc 0\n"
        "raw_call_end:\nret\n");
#endif

#ifdef ARCHITECTURE
long raw_call(long number, long a, long b, long c, long d, long e, long f)
    __attribute__((visibility("hidden")));
extern const char raw_call_end[] __attribute__((visibility("hidden")));

static const struct {
    int number, family;
} families[] = {
#ifdef SYS_open
    {SYS_open, FAIL_OPEN},       {SYS_creat, FAIL_OPEN},          {SYS_rename, FAIL_RENAME},
    {SYS_link, FAIL_LINK},       {SYS_unlink, FAIL_UNLINK},       {SYS_pipe, FAIL_PIPE},
    {SYS_stat, FAIL_STAT},       {SYS_readlink, FAIL_STAT},       {SYS_access, FAIL_STAT},
    {SYS_renameat, FAIL_RENAME},
#endif
    {SYS_openat, FAIL_OPEN},     {SYS_read, FAIL_READ},           {SYS_readv, FAIL_READ},
    {SYS_pread64, FAIL_PREAD},   {SYS_write, FAIL_WRITE},         {SYS_writev, FAIL_WRITE},
    {SYS_pwrite64, FAIL_WRITE},  {SYS_ftruncate, FAIL_FTRUNCATE}, {SYS_fallocate, FAIL_FTRUNCATE},
    {SYS_fsync, FAIL_FSYNC},     {SYS_fdatasync, FAIL_FSYNC},     {SYS_renameat2, FAIL_RENAME},
    {SYS_linkat, FAIL_LINK},     {SYS_unlinkat, FAIL_UNLINK},     {SYS_mmap, FAIL_MMAP},
    {SYS_mremap, FAIL_MMAP},     {SYS_close, FAIL_CLOSE},         {SYS_pipe2, FAIL_PIPE},
    {SYS_newfstatat, FAIL_STAT}, {SYS_fstat, FAIL_STAT},          {SYS_lseek, FAIL_STAT},
    {SYS_readlinkat, FAIL_STAT}, {SYS_faccessat, FAIL_STAT},      {SYS_getrandom, FAIL_STAT}};
enum { FAMILIES = sizeof families / sizeof *families };

/* Those of FAIL_ANY are only for signals; the mapping of memory is left out of it. */
static int is_meant(int family)
{
    return family == fail_now.call || (fail_now.call == FAIL_ANY && family != FAIL_MMAP);
}

static int family_of(int number)
{
    for (int i = 0; i < FAMILIES; i++) {
        if (families[i].number == number) {
            return families[i].family;
        }
    }
    return -1;
}

static int to_stderr(int family, long fd)
{
    return (family == FAIL_WRITE || family == FAIL_CLOSE) && fd == 2;
}

static void on_call(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    ucontext_t *u = context;
    int error = errno, number = info->si_syscall, family = family_of(number);
    long a[6], result;
    for (int i = 0; i < 6; i++) {
        a[i] = (long)REGISTER(u, places[i]);
    }
    long flags = number == SYS_openat ? a[2] : a[1];
    int fails = !(is_meant(family) && !to_stderr(family, a[0])) ? 0 : fail_counted();
    if (family == FAIL_OPEN && fail_now.no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
        result = -EOPNOTSUPP;
    } else if (fails && fail_now.how == FAIL_SHORT) {
        a[2] = a[2] > 1 ? a[2] / 2 : a[2];
        result = raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    } else if (fails) {
        if (family == FAIL_CLOSE) { /* a close that fails has closed */
            (void)raw_call(number, a[0], 0, 0, 0, 0, 0);
        }
        result = -fail_now.how;
    } else {
        result = raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    REGISTER(u, RESULT) = result;
    errno = error;
}

static int install_filter(void)
{
    struct sock_filter code[12 + 2 * FAMILIES];
    unsigned short count = 0;
    uint64_t end = (uint64_t)(uintptr_t)raw_call_end;
    const unsigned low = offsetof(struct seccomp_data, instruction_pointer), high = low + 4;
#define ADD(...) code[count++] = (struct sock_filter)__VA_ARGS__
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)end, 0, 3));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, high));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(end >> 32), 0, 1));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (int i = 0; i < FAMILIES; i++) {
        if (is_meant(families[i].family) ||
            (fail_now.no_tmpfile && families[i].family == FAIL_OPEN)) {
            ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)families[i].number, 0, 1));
            ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
        }
    }
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef ADD
    struct sock_fprog program = {count, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

/* The signal must reach its handler in a process that blocks all signals, too. */
typedef int (*masker)(int, const sigset_t *, sigset_t *);

static int mask_but_sigsys(const char *name, int how, const sigset_t *set, sigset_t *old)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    masker real;
    memcpy(&real, &symbol, sizeof real);
    sigset_t most;
    if (set != NULL) {
        most = *set;
        sigdelset(&most, SIGSYS);
    }
    return real(how, set == NULL ? NULL : &most, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return mask_but_sigsys("sigprocmask", how, set, old);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return mask_but_sigsys("pthread_sigmask", how, set, old);
}

void fail_system_start(void)
{
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_RESTART};
    int armed = fail_now.armed;
    fail_now.armed = 0;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0 || install_filter() != 0) {
        atomic_store(&fail_now.counts->refused, 1);
    }
    fail_now.armed = armed;
}
#else
void fail_system_start(void)
{
    atomic_store(&fail_now.counts->refused, 1);
}
#endif
