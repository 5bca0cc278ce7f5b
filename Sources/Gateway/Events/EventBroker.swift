/// Takes the events of all stores, for programs outside: one stream for each tenant.
public protocol EventBroker: Sendable {
    /// Whether it has taken or answered what it was given last.
    var isUp: Bool { get }
    /// How far it has got in the journal of a store, which may have been another one.
    /// - Returns: nil where it has nothing of it.
    func position(_ journal: BrokerJournal) async throws -> BrokerPosition?
    /// Appends entries to the stream of the journal's tenant, and moves the position: both or nothing. Only if the position is where the caller believes it
    /// to be, so that of two who append one does.
    /// - Returns: where the position is when it is elsewhere; nil when it was done.
    func append(_ entries: [BrokerEntry], of journal: BrokerJournal, from expected: BrokerPosition?, to seq: UInt64) async throws -> BrokerConflict?
    /// Removes a position: its journal is gone.
    func forget(_ place: String, of tenant: String) async throws
}

/// A broker that has just failed is not asked for a while. Nothing was done.
public struct BrokerResting: Error, Sendable {
    public let time: Duration

    public init(time: Duration) { self.time = time }
}

/// The last entry of a journal that a broker has.
public struct BrokerPosition: Sendable, Hashable, CustomStringConvertible {
    public let epoch: String
    public let seq: UInt64

    public init(epoch: String, seq: UInt64) { (self.epoch, self.seq) = (epoch, seq) }

    /// Nil for what ``description`` has not made.
    public init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let seq = UInt64(text[text.index(after: dash)...]) else { return nil }
        self.init(epoch: String(text[..<dash]), seq: seq)
    }

    /// In the form of an entry's cursor.
    public var description: String { EventForm.cursor(epoch, seq) }
}

/// The position is not where who appends has believed it to be.
public struct BrokerConflict: Sendable, Hashable {
    /// Nil: the broker has nothing of the store.
    public let position: BrokerPosition?

    public init(position: BrokerPosition?) { self.position = position }
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

    /// What its position is kept under: one for each store. Every gateway has a first store, and all have the same name.
    public var place: String { store == Stores.first ? epoch : store }
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
    /// The tenant of stores that were made without one.
    static let standard = "default"

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
