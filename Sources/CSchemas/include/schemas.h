#ifndef SXGW_SCHEMAS_H
#define SXGW_SCHEMAS_H

#include <stddef.h>
#include <stdint.h>

/// A file with a change of a schema.
struct sxgw_migration {
    /// Name of the database and of the file, so that no database is taken for the other one.
    const char *name;
    const uint8_t *sql;
    /// Size of `sql` in bytes.
    size_t size;
};

/// The files of the chat database, in the order in which they are applied, and their number.
const struct sxgw_migration *sxgw_chat_migrations(size_t *count);
/// The files of the agent's database.
const struct sxgw_migration *sxgw_agent_migrations(size_t *count);

#endif
