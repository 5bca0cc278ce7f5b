internal import SQLCipher

/// Long work on a store: SQL statements in its two databases, and the reading of databases from archives and copies.
/// Another thread can end the work.
public final class StoreWork: Sendable {
    let statements = StatementLimit()
    public let reading = ForeignReading()

    public init() {}

    /// Ends running work. Work that begins later also ends, until ``allow()`` is called.
    public func end() {
        reading.end()
        statements.end()
    }

    /// Allows work again.
    public func allow() {
        reading.allow()
        statements.allow()
    }
}
