#ifndef SXGW_FOREIGN_DATA_H
#define SXGW_FOREIGN_DATA_H

#include <stdint.h>

/// Takes all rights from this process, which has one thread: it keeps the descriptors 0, 1 and `file`, opens nothing,
/// reaches no network and starts nothing.
/// Memory and processor time get limits, and no file is written.
/// Returns null, or what the system has refused.
const char *sxgw_confine(int file, uint64_t memory, uint64_t cpu_seconds);

/// From here on SQLite opens one database only, by any name: the descriptor `file`, which is read. What SQLite writes
/// is in memory, up to `bytes`.
/// Returns a result code of SQLite.
int sxgw_register_file(int file, uint64_t bytes);

/// SQLITE_DBCONFIG_DEFENSIVE and SQLITE_DBCONFIG_TRUSTED_SCHEMA, where this version of SQLite has them. `database` is
/// a `sqlite3 *`.
void sxgw_defend(void *database);

/// posix_spawn_file_actions_addclosefrom_np(3), which Swift does not see. `actions` is a `posix_spawn_file_actions_t
/// *`.
int sxgw_close_from(void *actions, int first);

/// The path of the file that this code is in: of the program or of the library. Null where it is not known. Belongs
/// to the loader.
const char *sxgw_image_path(void);

#endif
