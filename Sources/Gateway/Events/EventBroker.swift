/// Takes the events of all stores for other programs, in one stream for each tenant.
public protocol EventBroker: Sendable {
    /// Whether the last command to the broker succeeded.
    var isUp: Bool { get }
    /// Position of the broker for a store. It may be in an earlier journal of the store.
    /// - Returns: nil when the broker has no position for this journal.
    func position(_ journal: BrokerJournal) async throws -> BrokerPosition?
    /// Appends entries to the stream of the journal's tenant and moves the position, both or nothing. It does so only
    /// if the position is the expected one: when two gateways append, one succeeds.
    /// - Returns: the present position when it is not the expected one; nil when the entries were appended.
    func append(
        _ entries: [BrokerEntry],
        of journal: BrokerJournal,
        from expected: BrokerPosition?,
        to seq: UInt64
    ) async throws -> BrokerConflict?
    /// Removes the position of a journal that no longer exists.
    func forget(_ place: String, of tenant: String) async throws
}

/// Error for a broker that has just failed and is not asked for a while. Nothing was sent.
public struct BrokerResting: Error, Sendable {
    public let time: Duration

    public init(time: Duration) { self.time = time }
}

/// The last entry of a journal that a broker has.
public struct BrokerPosition: Sendable, Hashable, CustomStringConvertible {
    public let epoch: String
    public let seq: UInt64

    public init(epoch: String, seq: UInt64) { (self.epoch, self.seq) = (epoch, seq) }

    /// - Returns: nil for a text that ``description`` cannot produce.
    public init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let seq = UInt64(text[text.index(after: dash)...]) else { return nil }
        self.init(epoch: String(text[..<dash]), seq: seq)
    }

    /// The form of an entry's cursor.
    public var description: String { EventForm.cursor(epoch, seq) }
}

/// Result of an append when the position is not the expected one.
public struct BrokerConflict: Sendable, Hashable {
    /// The present position; nil when the broker has none for this journal.
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

    /// The name under which the broker keeps the position of this store. The first stores of all gateways have the same
    /// name, so a first store is named by its epoch.
    public var place: String { store == StoresResource.first ? epoch : store }
}

/// An event in the form in which it is appended.
public struct BrokerEntry: Sendable, Hashable {
    /// The cursor of the event. It stays the same when the event is appended again.
    public let id: String
    public let type: String
    /// The entry as on every other transport: `{"id":…,"time":…,"event":…}`.
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
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
