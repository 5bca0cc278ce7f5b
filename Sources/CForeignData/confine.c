#define _GNU_SOURCE
#include "foreign_data.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Debian 12 has no functions for these system calls (landlock(7)). The numbers are the same on all architectures. */
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_ASK_VERSION 1u

struct landlock_rights {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/* Forbids access to the file system by paths, if the kernel supports this. Returns the name of a failed call,
   or null. */
static const char *restrict_paths(void) {
    long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_ASK_VERSION);
    if (version < 1) return NULL;
    /* The first version has 13 rights. Later versions add REFER, TRUNCATE, no right, and IOCTL_DEV. */
    unsigned count = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    struct landlock_rights rights = {.files = (1ull << count) - 1, .network = version >= 4 ? 3 : 0, .scopes = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &rights, size, 0u);
    if (rules < 0) return "landlock_create_ruleset";
    long answer = syscall(LANDLOCK_RESTRICT_SELF, rules, 0u);
    close(rules);
    return answer == 0 ? NULL : "landlock_restrict_self";
}

static int limit(int what, uint64_t value) {
    struct rlimit limits = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(what, &limits);
}

/* Limits the resources of this process. The memory is limited to its present memory plus `memory` bytes. */
static const char *set_limits(uint64_t memory, uint64_t cpu_seconds) {
    unsigned long all = 0, data = 0;
    FILE *sizes = fopen("/proc/self/statm", "re");
    if (sizes == NULL) return "/proc/self/statm";
    int found = fscanf(sizes, "%lu %*u %*u %*u %*u %lu", &all, &data);
    fclose(sizes);
    if (found != 2) return "/proc/self/statm";
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (limit(RLIMIT_AS, all * page + memory) != 0 || limit(RLIMIT_DATA, data * page + memory) != 0) return "the limit of memory";
    if (limit(RLIMIT_CPU, cpu_seconds) != 0) return "the limit of processor time";
    if (limit(RLIMIT_FSIZE, 0) != 0) return "the limit of files";
    if (limit(RLIMIT_CORE, 0) != 0) return "the limit of core files";
    return NULL;
}

/* Allows only the system calls that reading, decrypting and allocating need. Calls that open or inspect a file by its
   path fail with ENOENT, and all other calls with EPERM. */
static const char *filter_calls(void) {
    static const int allowed[] = {
        SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(pread64), SCMP_SYS(fstat), SCMP_SYS(close),
        SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
        SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(time),
        SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall),
    };
    static const int absent[] = {
        SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(access),
        SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    };
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL) return "seccomp_init";
    int failed = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOENT), absent[i], 0);
    /* These calls are allowed only without PROT_EXEC, so that no memory becomes executable. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    /* The C library may use this call for the size of a file with a descriptor. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH));
    /* A trap must be able to end this process, but no other process. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    const char *fault = failed != 0 ? "seccomp_rule_add" : seccomp_load(filter) != 0 ? "seccomp_load" : NULL;
    seccomp_release(filter);
    return fault;
}

/* Checks that this process has lost its rights. Returns the remaining right, or null. */
static const char *check(void) {
    if (open("/", O_RDONLY | O_CLOEXEC) >= 0) return "paths can still be opened";
    if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) return "sockets can still be made";
    if (fork() >= 0) return "processes can still be started";
    return NULL;
}

const char *sxgw_confine(int file, uint64_t memory, uint64_t cpu_seconds) {
    if (close_range((unsigned)file + 1, ~0u, 0) != 0) return "close_range";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "no_new_privs";
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return "dumpable";
    const char *fault = set_limits(memory, cpu_seconds);
    if (fault == NULL) fault = restrict_paths();
    if (fault == NULL) fault = filter_calls();
    return fault == NULL ? check() : fault;
}

int sxgw_close_from(void *actions, int first) { return posix_spawn_file_actions_addclosefrom_np(actions, first); }

const char *sxgw_image_path(void) {
    Dl_info info;
    return dladdr((const void *)&sxgw_image_path, &info) == 0 ? NULL : info.dli_fname;
}
