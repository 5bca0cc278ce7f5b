#include "foreign_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The file system for SQLite (sqlite.org/c3ref/vfs.html): one descriptor is the database, all other files are in
   memory. */
#include <sqlcipher/sqlite3.h>

static int database_file = -1;
static sqlite3_int64 database_size = 0;
static uint64_t bytes_left = 0;

/* The file of the database is never written. A part of it that SQLite has changed is kept in memory, and is read
   instead of the bytes in the file. */
static struct piece {
    struct piece *next;
    sqlite3_int64 offset;
    int count;
    unsigned char bytes[];
} *pieces = NULL;

struct file {
    sqlite3_file base;
    int is_database;
    unsigned char *bytes;
    sqlite3_int64 size;
};

static int grow(struct file *file, sqlite3_int64 size) {
    if (size <= file->size) return SQLITE_OK;
    uint64_t more = (uint64_t)(size - file->size);
    if (more > bytes_left) return SQLITE_FULL;
    unsigned char *bytes = realloc(file->bytes, (size_t)size);
    if (bytes == NULL) return SQLITE_NOMEM;
    memset(bytes + file->size, 0, (size_t)more);
    bytes_left -= more;
    file->bytes = bytes;
    file->size = size;
    return SQLITE_OK;
}

static int shrink(struct file *file, sqlite3_int64 size) {
    if (size < file->size) {
        bytes_left += (uint64_t)(file->size - size);
        file->size = size;
    }
    return SQLITE_OK;
}

/* SQLite writes whole pages. A page is always written at the same offset with the same size. */
static int write_piece(const void *buffer, int count, sqlite3_int64 offset) {
    struct piece *piece = pieces;
    while (piece != NULL && (piece->offset != offset || piece->count != count)) piece = piece->next;
    if (piece == NULL) {
        if ((uint64_t)count > bytes_left) return SQLITE_FULL;
        piece = malloc(sizeof *piece + (size_t)count);
        if (piece == NULL) return SQLITE_NOMEM;
        bytes_left -= (uint64_t)count;
        *piece = (struct piece){.next = pieces, .offset = offset, .count = count};
        pieces = piece;
    }
    memcpy(piece->bytes, buffer, (size_t)count);
    if (offset + count > database_size) database_size = offset + count;
    return SQLITE_OK;
}

static void read_pieces(unsigned char *buffer, sqlite3_int64 count, sqlite3_int64 offset) {
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        sqlite3_int64 start = piece->offset > offset ? piece->offset : offset;
        sqlite3_int64 end = piece->offset + piece->count < offset + count ? piece->offset + piece->count : offset + count;
        if (start < end) memcpy(buffer + (start - offset), piece->bytes + (start - piece->offset), (size_t)(end - start));
    }
}

static int file_close(sqlite3_file *base) {
    struct file *file = (struct file *)base;
    shrink(file, 0);
    free(file->bytes);
    file->bytes = NULL;
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    if (count < 0 || offset < 0 || offset > INT64_MAX - count) return SQLITE_IOERR_READ;
    sqlite3_int64 size = file->is_database ? database_size : file->size;
    sqlite3_int64 there = offset >= size ? 0 : size - offset < count ? size - offset : count;
    memset(buffer, 0, (size_t)count);
    if (file->is_database) {
        for (sqlite3_int64 done = 0; done < there;) {
            ssize_t part = pread(database_file, (char *)buffer + done, (size_t)(there - done), offset + done);
            if (part < 0 && errno == EINTR) continue;
            if (part < 0) return SQLITE_IOERR_READ;
            if (part == 0) break;
            done += part;
        }
        read_pieces(buffer, there, offset);
    } else if (there > 0) {
        memcpy(buffer, file->bytes + offset, (size_t)there);
    }
    return there == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    if (count < 0 || offset < 0 || offset > INT64_MAX - count) return SQLITE_IOERR_WRITE;
    if (file->is_database) return write_piece(buffer, count, offset);
    int code = grow(file, offset + count);
    if (code == SQLITE_OK) memcpy(file->bytes + offset, buffer, (size_t)count);
    return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct file *file = (struct file *)base;
    if (size < 0) return SQLITE_IOERR_TRUNCATE;
    if (!file->is_database) return shrink(file, size);
    if (size < database_size) database_size = size;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct file *file = (struct file *)base;
    *size = file->is_database ? database_size : file->size;
    return SQLITE_OK;
}

/* These functions do nothing: no other process uses the file, and the changes in memory are dropped. */
static int file_sync(sqlite3_file *base, int flags) { return (void)base, (void)flags, SQLITE_OK; }
static int file_lock(sqlite3_file *base, int kind) { return (void)base, (void)kind, SQLITE_OK; }
static int file_is_reserved(sqlite3_file *base, int *answer) { return (void)base, *answer = 0, SQLITE_OK; }
static int file_control(sqlite3_file *base, int what, void *argument) { return (void)base, (void)what, (void)argument, SQLITE_NOTFOUND; }
static int file_sector(sqlite3_file *base) { return (void)base, 4096; }
static int file_device(sqlite3_file *base) { return (void)base, SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN; }

static const sqlite3_io_methods methods = {
    .iVersion = 1, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate, .xSync = file_sync,
    .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_lock, .xCheckReservedLock = file_is_reserved, .xFileControl = file_control,
    .xSectorSize = file_sector, .xDeviceCharacteristics = file_device,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given) {
    struct file *file = (struct file *)base;
    (void)vfs, (void)name;
    memset(file, 0, sizeof *file);
    file->base.pMethods = &methods;
    file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    if (given != NULL) *given = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) { return (void)vfs, (void)name, (void)syncs, SQLITE_OK; }
static int has_file(sqlite3_vfs *vfs, const char *name, int what, int *answer) { return (void)vfs, (void)name, (void)what, *answer = 0, SQLITE_OK; }

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    (void)vfs;
    sqlite3_snprintf(size, path, "%s", name);
    return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) { return (void)vfs, memset(bytes, 0, (size_t)count), count; }
static int rest(sqlite3_vfs *vfs, int microseconds) { return (void)vfs, (void)microseconds, 0; }
static int now(sqlite3_vfs *vfs, double *day) { return (void)vfs, *day = 2440587.5 + (double)time(NULL) / 86400, SQLITE_OK; }
static int last_error(sqlite3_vfs *vfs, int size, char *text) { return (void)vfs, (void)size, (void)text, errno; }

int sxgw_register_file(int descriptor, uint64_t bytes) {
    static sqlite3_vfs vfs;
    struct stat status;
    if (fstat(descriptor, &status) != 0) return SQLITE_CANTOPEN;
    database_file = descriptor;
    database_size = status.st_size;
    bytes_left = bytes;
    vfs = (sqlite3_vfs){
        .iVersion = 1, .szOsFile = sizeof(struct file), .mxPathname = 64, .zName = "foreign", .xOpen = open_file, .xDelete = delete_file,
        .xAccess = has_file, .xFullPathname = full_path, .xRandomness = randomness, .xSleep = rest, .xCurrentTime = now, .xGetLastError = last_error,
    };
    return sqlite3_vfs_register(&vfs, 1);
}

void sxgw_defend(void *database) {
    /* SQLITE_DBCONFIG_DEFENSIVE and SQLITE_DBCONFIG_TRUSTED_SCHEMA. A version without these options returns an error,
       which has no effect. */
    sqlite3_db_config(database, 1010, 1, (int *)0);
    sqlite3_db_config(database, 1017, 0, (int *)0);
}
