internal import CSchemas
package import SQLCipher

/// The schema of `simplex_v1_chat.db` (`Sources/CSchemas/chat`).
package enum ChatSchema {
    package static let migrations = Migration.loadAll(sxgw_chat_migrations)
}
