#ifndef SXGW_SCHEMAS_H
#define SXGW_SCHEMAS_H

#include <stddef.h>
#include <stdint.h>

/// A migration: a file with a change of a schema.
struct sxgw_migration {
    /// The name of the database and of the file, so that a migration of the chat database differs from one of the agent.
    const char *name;
    const uint8_t *sql;
    /// Size of `sql` in bytes.
    size_t size;
};

/// Returns the files of the chat database in the order in which they are applied, and sets `count` to their number.
const struct sxgw_migration *sxgw_chat_migrations(size_t *count);
/// Returns the files of the agent's database, and sets `count` to their number.
const struct sxgw_migration *sxgw_agent_migrations(size_t *count);

#endif
