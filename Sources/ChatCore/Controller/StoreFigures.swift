public import ChatStore

/// The limits of a store, and its use of resources.
public struct StoreFigures: Sendable {
    public let limits: StoreLimits
    public let use: StoreUse
    /// The size of the events in the journal in bytes, before later compression.
    public let journalBytes: Int64
    /// The number of connections with received data that exceeds a limit. This data waits, and is not acknowledged.
    public let waiting: Int
    /// The number of commands that were refused since the databases were opened.
    public let refusals: Int
    /// The objects in the object storage; nil if the store has no object storage.
    public let objects: ObjectFigures?
}
