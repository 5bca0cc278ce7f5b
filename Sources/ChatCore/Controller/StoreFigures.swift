package import ChatStore

/// The limits of a store, and its use of resources.
package struct StoreFigures: Sendable {
    package let limits: StoreLimits
    package let resourceUse: StoreUse
    /// The size of the events in the journal in bytes, before later compression.
    package let journalBytes: Int64
    /// The number of connections with received data that exceeds a limit. This data waits, and is not acknowledged.
    package let overLimitConnectionCount: Int
    /// The number of commands that were refused since the databases were opened.
    package let refusalCount: Int
    /// The objects in the object storage; nil if the store has no object storage.
    package let objectFigures: ObjectFigures?
}
