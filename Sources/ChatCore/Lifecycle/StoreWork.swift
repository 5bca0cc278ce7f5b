internal import SQLCipher

/// Long work on a store: statements of both databases, and the reading of databases from outside. Another thread can
/// end it.
public final class StoreWork: Sendable {
    let statements = StatementLimit()
    public let reading = ForeignReading()

    public init() {}

    /// Ends running work, and work that begins later.
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
