#ifndef SXGW_CFILECALLS_SHIM_H
#define SXGW_CFILECALLS_SHIM_H
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>
/* A function of the C library since 2.28 (renameat2(2)), whose declaration is hidden from Swift. */
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags);
#define SXGW_RENAME_NOREPLACE 1u
/* The value of O_PATH of open(2), which is hidden from Swift. */
#define SXGW_O_PATH 010000000
/* Opens a folder beneath another folder, and follows no symbolic link. The C library has no function for openat2(2). */
static inline int sxgw_open_beneath(int folder, const char *path) {
    struct open_how how = {
        .flags = SXGW_O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
#endif
