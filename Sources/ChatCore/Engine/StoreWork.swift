internal import SQLCipher

/// Long work on a store: SQL statements in its two databases, and the reading of databases from archives and copies.
/// Another thread can end the work.
package final class StoreWork: Sendable {
    let statements = StatementLimit()
    package let reading = ForeignReading()

    package init() {}

    /// Ends running work. Work that begins later also ends, until ``allow()`` is called.
    package func end() {
        reading.end()
        statements.end()
    }

    /// Allows work again.
    package func allow() {
        reading.allow()
        statements.allow()
    }
}
