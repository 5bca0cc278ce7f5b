#ifndef SXGW_CFILECALLS_SHIM_H
#define SXGW_CFILECALLS_SHIM_H
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>
/* Of the C library since 2.28 (renameat2(2)), where Swift does not see it. */
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned int flags);
#define SXGW_RENAME_NOREPLACE 1u
/* O_PATH of open(2), which Swift does not see. */
#define SXGW_O_PATH 010000000
/* Opens a folder beneath another one, over no symbolic link (openat2(2), which the C library does not have). */
static inline int sxgw_open_beneath(int folder, const char *path) {
    struct open_how how = {
        .flags = SXGW_O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
#endif
