internal import CSchemas
internal import SQLCipher

/// The schema of `simplex_v1_chat.db` (`Sources/CSchemas/chat`).
enum ChatSchema {
    static let migrations = Migration.all(sxgw_chat_migrations)
}
