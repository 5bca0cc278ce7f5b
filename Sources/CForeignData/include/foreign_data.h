#ifndef SXGW_FOREIGN_DATA_H
#define SXGW_FOREIGN_DATA_H

#include <stdint.h>

/// Removes all rights from this process, which must have one thread. Afterwards the process has only the descriptors up
/// to `file`. It cannot open or write files, use the network, or start processes.
/// Limits the memory to the present memory plus `memory` bytes, and the processor time to `cpu_seconds`.
/// Returns null, or the name of the step that the system has refused.
const char *sxgw_confine(int file, uint64_t memory, uint64_t cpu_seconds);

/// Makes SQLite open the descriptor `file` as the database, for any name. The file is only read. All bytes that SQLite
/// writes are in memory, at most `bytes`.
/// Returns a result code of SQLite.
int sxgw_register_file(int file, uint64_t bytes);

/// Turns on SQLITE_DBCONFIG_DEFENSIVE, and turns off SQLITE_DBCONFIG_TRUSTED_SCHEMA, if this version of SQLite has
/// these options. `database` is a `sqlite3 *`.
void sxgw_defend(void *database);

/// Calls posix_spawn_file_actions_addclosefrom_np(3), whose declaration is hidden from Swift. `actions` is a
/// `posix_spawn_file_actions_t *`.
int sxgw_close_from(void *actions, int first);

/// Returns the path of the program or library that contains this code; null when it is not known. The loader owns the
/// memory.
const char *sxgw_image_path(void);

#endif
