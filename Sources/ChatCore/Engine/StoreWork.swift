internal import SQLCipher

/// Long work on a store: SQL statements in its two databases, and the reading of databases from archives and copies.
/// Another thread can end the work.
package final class StoreWork: Sendable {
    let statements = StatementLimit()
    package let foreignReads = ForeignReads()

    package init() {}

    /// Ends running work. Work that begins later also ends, until ``allowWork()`` is called.
    package func endWork() {
        foreignReads.endReads()
        statements.endStatements()
    }

    /// Allows long work again, after ``endWork()``.
    package func allowWork() {
        foreignReads.allowReads()
        statements.allowStatements()
    }
}
