/// Takes the events of all stores, for programs outside: one stream for each tenant.
public protocol EventBroker: Sendable {
    /// Whether it has taken or answered what it was given last.
    var isUp: Bool { get }
    /// How far it has got in a journal.
    /// - Returns: nil where it has nothing of the journal.
    func position(_ journal: BrokerJournal) async throws -> UInt64?
    /// Appends entries to the stream of the journal's tenant, and moves the position: both or nothing. Only if the position is where the caller believes it
    /// to be, so that of two who append one does.
    /// - Returns: where the position is when it is elsewhere; nil when it was done.
    func append(_ entries: [BrokerEntry], of journal: BrokerJournal, from expected: UInt64?, to position: UInt64) async throws -> BrokerPosition?
}

/// A position that another one has changed.
public struct BrokerPosition: Sendable, Hashable {
    /// Nil: the broker has nothing of the journal.
    public let seq: UInt64?

    public init(seq: UInt64?) { self.seq = seq }
}

/// The journal of a store.
public struct BrokerJournal: Sendable, Hashable {
    /// The name of the stream.
    public let tenant: String
    public let store: String
    public let epoch: String

    public init(tenant: String, store: String, epoch: String) {
        self.tenant = tenant
        self.store = store
        self.epoch = epoch
    }
}

/// An event as it is appended.
public struct BrokerEntry: Sendable, Hashable {
    /// The cursor, the same however often it is appended.
    public let id: String
    public let type: String
    /// As on every other transport: `{"id":…,"time":…,"event":…}`.
    public let json: [UInt8]

    public init(id: String, type: String, json: [UInt8]) {
        self.id = id
        self.type = type
        self.json = json
    }
}

/// Names of tenants, to whom stores belong.
enum Tenant {
    /// That of stores that were made without one.
    static let standard = "default"

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
