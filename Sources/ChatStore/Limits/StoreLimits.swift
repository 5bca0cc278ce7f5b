/// The limits of a store: at most one number for each resource. A limit below the present use deletes nothing, but
/// prevents additions.
package struct StoreLimits: Sendable, Hashable {
    /// The limited resources. Their names are part of the API.
    package enum Resource: String, Sendable, CaseIterable {
        /// The size of both databases in bytes, without their free pages.
        case databaseBytes
        /// The number of items in chats. Every kind of item counts, not only messages.
        case items
        /// The number of files that are on the disk or being received, including uploads.
        case files
        /// The size of the files that `files` counts, in bytes.
        case fileBytes
        /// The number of connections to contacts and to members of groups, and of the connections that belong to
        /// invitations and addresses.
        case connections
    }

    private var limitsByResource: [Resource: Int64]

    package init(_ values: [Resource: Int64] = [:]) { self.limitsByResource = values }

    package subscript(_ resource: Resource) -> Int64? {
        get { limitsByResource[resource] }
        set { limitsByResource[resource] = newValue }
    }

    package var isEmpty: Bool { limitsByResource.isEmpty }

    /// Whether the number or the size of files is limited.
    var limitsFiles: Bool { limitsByResource[.files] != nil || limitsByResource[.fileBytes] != nil }
}

/// The use of the limited resources by a store.
package struct StoreUse: Sendable, Hashable {
    package private(set) var amounts: [StoreLimits.Resource: Int64]

    init(_ values: [StoreLimits.Resource: Int64]) { self.amounts = values }

    package subscript(_ resource: StoreLimits.Resource) -> Int64 { amounts[resource] ?? 0 }
}

/// The error for an addition that would exceed a limit of the store.
package struct QuotaExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    package let resource: StoreLimits.Resource
    package let limit: Int64

    package init(resource: StoreLimits.Resource, limit: Int64) {
        (self.resource, self.limit) = (resource, limit)
    }

    package var description: String {
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
