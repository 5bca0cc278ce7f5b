/// The limits of a store; nil for a resource without a limit. A lower limit deletes nothing, but prevents additions.
public struct StoreLimits: Sendable, Hashable {
    /// The limited resources. Their names are part of the API.
    public enum Resource: String, Sendable, CaseIterable {
        /// The size of both databases in bytes, without their free pages.
        case databaseBytes
        /// The number of items in chats. Every kind of item counts, not only messages.
        case items
        /// The number of files that are on the disk or being received, including uploads.
        case files
        /// The size of these files in bytes.
        case fileBytes
        /// The number of connections to contacts and to members of groups, and of the connections that belong to
        /// invitations and addresses.
        case connections
    }

    private var values: [Resource: Int64]

    public init(_ values: [Resource: Int64] = [:]) { self.values = values }

    public subscript(_ resource: Resource) -> Int64? {
        get { values[resource] }
        set { values[resource] = newValue }
    }

    public var isEmpty: Bool { values.isEmpty }

    /// Whether the number or the size of files is limited.
    var limitsFiles: Bool { values[.files] != nil || values[.fileBytes] != nil }
}

/// The use of the limited resources by a store.
public struct StoreUse: Sendable, Hashable {
    public private(set) var values: [StoreLimits.Resource: Int64]

    init(_ values: [StoreLimits.Resource: Int64]) { self.values = values }

    public subscript(_ resource: StoreLimits.Resource) -> Int64 { values[resource] ?? 0 }
}

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

/// The error for an addition that would exceed a limit of the store.
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
