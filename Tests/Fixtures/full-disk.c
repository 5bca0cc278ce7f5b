// A library that is preloaded into a process. It makes the disk of one folder full after a number of writes, and frees the
// disk again, as a control file says that the process and the test have mapped. Each call that needs disk space counts as a
// write: new files and folders, renames, bytes of any file, and syncs, at which some file systems report a full disk.
//
// FULL_DISK_FOLDER   the folder
// FULL_DISK_CONTROL  a file outside of the folder with five 64-bit numbers: the number of writes that still succeed (negative:
//                    any number), the number of attempted writes, the number of refused writes, the number of refusals after
//                    which the disk is free again, and whether the process is killed (-9) in place of the first refusal
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
    _Atomic int64_t room, asked, refused, patience, kills;
};

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FULL_DISK_CONTROL"), *of = getenv("FULL_DISK_FOLDER");
    if (!path || !of || !realpath(of, folder)) return;
    folder_length = strlen(folder);
    int file = REAL(open)(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map != MAP_FAILED) control = map;
}

static int is_under(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int is_meant(int directory, const char *path) {
    if (!control || !path) return 0;
    if (path[0] == '/') return is_under(path);
    char link[64], real[PATH_MAX];
    if (directory == AT_FDCWD) return getcwd(real, sizeof real) && is_under(real);
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t count = readlink(link, real, sizeof real - 1);
    if (count < 0) return 0;
    real[count] = 0;
    return is_under(real);
}

static int is_meant_file(int file) {
    if (!control || file < 0) return 0;
    int error = errno;
    char link[64], real[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, real, sizeof real - 1);
    errno = error;
    if (count < 0) return 0;
    real[count] = 0;
    return is_under(real);
}

enum room { none, half, plenty };

static void refuse(void) {
    int64_t refused = atomic_fetch_add(&control->refused, 1) + 1;
    if (atomic_load(&control->kills)) kill(getpid(), SIGKILL);
    if (refused >= atomic_load(&control->patience)) atomic_store(&control->room, -1);
}

// Takes the space of one write. Returns `half` if only a part of a divisible write succeeds.
static enum room take(int divisible) {
    atomic_fetch_add(&control->asked, 1);
    int64_t room = atomic_load(&control->room);
    while (room >= 0) {
        if (room == 0) {
            refuse();
            errno = ENOSPC;
            return none;
        }
        if (!atomic_compare_exchange_weak(&control->room, &room, room - 1)) continue;
        if (room > 1 || !divisible) return plenty;
        refuse();
        return half;
    }
    return plenty;
}

// A write of bytes. Half of the bytes of the last possible write are written.
#define WRITE(file, call, part) \
    switch (is_meant_file(file) ? take(count > 1) : plenty) { \
    case none: return -1; \
    case half: return part; \
    default: return call; \
    }

ssize_t write(int file, const void *bytes, size_t count) {
    WRITE(file, REAL(write)(file, bytes, count), REAL(write)(file, bytes, (count + 1) / 2))
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    WRITE(file, REAL(pwrite)(file, bytes, count, offset), REAL(pwrite)(file, bytes, (count + 1) / 2, offset))
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    WRITE(file, REAL(pwrite64)(file, bytes, count, offset), REAL(pwrite64)(file, bytes, (count + 1) / 2, offset))
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    WRITE(file, REAL(writev)(file, parts, count), REAL(writev)(file, parts, (count + 1) / 2))
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    WRITE(file, REAL(pwritev)(file, parts, count, offset), REAL(pwritev)(file, parts, (count + 1) / 2, offset))
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
    WRITE(file, REAL(pwritev64)(file, parts, count, offset), REAL(pwritev64)(file, parts, (count + 1) / 2, offset))
}

ssize_t sendfile(int file, int source, off_t *offset, size_t count) {
    WRITE(file, REAL(sendfile)(file, source, offset, count), REAL(sendfile)(file, source, offset, (count + 1) / 2))
}

ssize_t sendfile64(int file, int source, off64_t *offset, size_t count) {
    WRITE(file, REAL(sendfile64)(file, source, offset, count), REAL(sendfile64)(file, source, offset, (count + 1) / 2))
}

ssize_t copy_file_range(int source, off64_t *from, int file, off64_t *to, size_t count, unsigned flags) {
    WRITE(file, REAL(copy_file_range)(source, from, file, to, count, flags), REAL(copy_file_range)(source, from, file, to, (count + 1) / 2, flags))
}

// The C library writes its buffers without the functions above, so the calls that fill the buffers are counted.
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
    if (is_meant_file(fileno(stream)) && take(0) == none) return 0;
    return REAL(fwrite)(bytes, size, count, stream);
}

int fflush(FILE *stream) {
    if (stream && is_meant_file(fileno(stream)) && take(0) == none) return EOF;
    return REAL(fflush)(stream);
}

int fclose(FILE *stream) {
    int is_full = is_meant_file(fileno(stream)) && take(0) == none;
    int code = REAL(fclose)(stream);
    if (!is_full) return code;
    errno = ENOSPC;
    return EOF;
}

int fsync(int file) {
    if (is_meant_file(file) && take(0) == none) return -1;
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    if (is_meant_file(file) && take(0) == none) return -1;
    return REAL(fdatasync)(file);
}

static int grows(int file, off64_t size) {
    struct stat status;
    return fstat(file, &status) == 0 && size > status.st_size;
}

int ftruncate(int file, off_t size) {
    if (is_meant_file(file) && grows(file, size) && take(0) == none) return -1;
    return REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
    if (is_meant_file(file) && grows(file, size) && take(0) == none) return -1;
    return REAL(ftruncate64)(file, size);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    if (is_meant_file(file) && take(0) == none) return -1;
    return REAL(fallocate)(file, mode, offset, length);
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    if (is_meant_file(file) && take(0) == none) return -1;
    return REAL(fallocate64)(file, mode, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    if (is_meant_file(file) && take(0) == none) return ENOSPC;
    return REAL(posix_fallocate)(file, offset, length);
}

int posix_fallocate64(int file, off64_t offset, off64_t length) {
    if (is_meant_file(file) && take(0) == none) return ENOSPC;
    return REAL(posix_fallocate64)(file, offset, length);
}

int mkdir(const char *path, mode_t mode) {
    if (is_meant(AT_FDCWD, path) && access(path, F_OK) != 0 && take(0) == none) return -1;
    return REAL(mkdir)(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
    if (is_meant(directory, path) && faccessat(directory, path, F_OK, 0) != 0 && take(0) == none) return -1;
    return REAL(mkdirat)(directory, path, mode);
}

int rename(const char *from, const char *to) {
    if (is_meant(AT_FDCWD, to) && access(from, F_OK) == 0 && take(0) == none) return -1;
    return REAL(rename)(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    if (is_meant(to_directory, to) && take(0) == none) return -1;
    return REAL(renameat)(from_directory, from, to_directory, to);
}

int link(const char *from, const char *to) {
    if (is_meant(AT_FDCWD, to) && take(0) == none) return -1;
    return REAL(link)(from, to);
}

int symlink(const char *content, const char *path) {
    if (is_meant(AT_FDCWD, path) && take(0) == none) return -1;
    return REAL(symlink)(content, path);
}

static int is_new(int directory, const char *path, int flags) {
    return (flags & O_CREAT) && is_meant(directory, path) && faccessat(directory, path, F_OK, 0) != 0;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    if (is_new(AT_FDCWD, path, flags) && take(0) == none) return -1;
    return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    if (is_new(AT_FDCWD, path, flags) && take(0) == none) return -1;
    return REAL(open64)(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MODE(flags)
    if (is_new(directory, path, flags) && take(0) == none) return -1;
    return REAL(openat)(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    MODE(flags)
    if (is_new(directory, path, flags) && take(0) == none) return -1;
    return REAL(openat64)(directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    if (mode[0] != 'r' && is_new(AT_FDCWD, path, O_CREAT) && take(0) == none) return NULL;
    return REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    if (mode[0] != 'r' && is_new(AT_FDCWD, path, O_CREAT) && take(0) == none) return NULL;
    return REAL(fopen64)(path, mode);
}

int mkstemp(char *path) {
    if (is_meant(AT_FDCWD, path) && take(0) == none) return -1;
    return REAL(mkstemp)(path);
}

int mkstemp64(char *path) {
    if (is_meant(AT_FDCWD, path) && take(0) == none) return -1;
    return REAL(mkstemp64)(path);
}

int mkostemp(char *path, int flags) {
    if (is_meant(AT_FDCWD, path) && take(0) == none) return -1;
    return REAL(mkostemp)(path, flags);
}
