internal import SQLCipher

/// Long work on a store: SQL statements in its two databases, and the reading of databases from archives and copies.
/// Another thread can end the work.
package final class StoreWork: Sendable {
    let statements = StatementLimit()
    package let foreignReading = ForeignReading()

    package init() {}

    /// Ends running work. Work that begins later also ends, until ``allow()`` is called.
    package func end() {
        foreignReading.endReads()
        statements.end()
    }

    /// Allows work again.
    package func allow() {
        foreignReading.allowReads()
        statements.allow()
    }
}
