/// How much a store may hold; nil for no limit. What is there stays when a limit is lowered: only nothing is added any more.
public struct StoreLimits: Sendable, Hashable {
    /// What is limited. The names are part of the interface.
    public enum Resource: String, Sendable, CaseIterable {
        /// Bytes of both databases, without the pages in them that are free.
        case databaseBytes
        /// Messages and whatever else chats show.
        case items
        /// Files that are kept on the disk or are being received, and uploads.
        case files
        /// Bytes of these.
        case fileBytes
        /// Connections with contacts and members of groups, invitations and addresses.
        case connections
    }

    private var values: [Resource: Int64]

    public init(_ values: [Resource: Int64] = [:]) { self.values = values }

    public subscript(_ resource: Resource) -> Int64? {
        get { values[resource] }
        set { values[resource] = newValue }
    }

    public var isEmpty: Bool { values.isEmpty }

    /// Whether there are any of files.
    var limitsFiles: Bool { values[.files] != nil || values[.fileBytes] != nil }
}

/// How much of what can be limited a store holds.
public struct StoreUse: Sendable, Hashable {
    public private(set) var values: [StoreLimits.Resource: Int64]

    init(_ values: [StoreLimits.Resource: Int64]) { self.values = values }

    public subscript(_ resource: StoreLimits.Resource) -> Int64 { values[resource] ?? 0 }
}

/// The limits of a store beside what it holds.
public struct StoreFigures: Sendable {
    public let limits: StoreLimits
    public let use: StoreUse
    /// Bytes of the events that the journal keeps, as they were written first.
    public let journalBytes: Int64
    /// Connections from which something has come for which there is no room: it waits, and has not been acknowledged.
    public let waiting: Int
    /// Commands that were refused since the databases were opened.
    public let refusals: Int
    /// What it has in the object storage; nil where it has none.
    public let objects: ObjectFigures?
}

/// A store has no room for what is to be added.
public struct QuotaExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    public let resource: StoreLimits.Resource
    public let limit: Int64

    public var description: String {
        let amount =
            switch resource {
            case .databaseBytes: "\(limit) bytes of databases"
            case .items: "\(limit) messages"
            case .files: "\(limit) files"
            case .fileBytes: "\(limit) bytes of files"
            case .connections: "\(limit) connections"
            }
        return "the store may hold \(amount) at most, and has no room for more"
    }
}
