internal import SQLCipher

/// Long work on a store: statements of both databases, and the reading of databases of others. Another thread can end it.
public final class StoreWork: Sendable {
    let statements = StatementLimit()
    public let reading = ForeignReading()

    public init() {}

    /// Ends what is done now, and what would begin later.
    public func end() {
        reading.end()
        statements.end()
    }

    /// Work goes on again.
    public func allow() {
        reading.allow()
        statements.allow()
    }
}
