/// A message broker that gets the events of all stores for other programs, in one stream for each tenant.
public protocol EventBroker: Sendable {
    /// Whether the last command to the broker succeeded.
    var isUp: Bool { get }
    /// Returns the last entry of a store that the broker has. The entry may be of an earlier journal of the store.
    /// - Returns: nil when the broker has no position under ``BrokerJournal/place``.
    func position(_ journal: BrokerJournal) async throws -> BrokerPosition?
    /// Appends entries to the stream of the journal's tenant and moves the position. Either both happen or neither, and
    /// only if the broker's position equals `expected`. So when two gateways append at the same time, only one
    /// succeeds.
    /// - Returns: the present position if it differs from `expected`; nil when the entries were appended.
    func append(
        _ entries: [BrokerEntry],
        of journal: BrokerJournal,
        from expected: BrokerPosition?,
        to seq: UInt64
    ) async throws -> BrokerConflict?
    /// Removes the position of a journal that no longer exists.
    /// - Parameter place: the name of the position, ``BrokerJournal/place``.
    func forget(_ place: String, of tenant: String) async throws
}

/// Error for a command that was not sent: the broker has failed a short time ago, so it gets no commands for a while.
public struct BrokerResting: Error, Sendable {
    public let time: Duration

    public init(time: Duration) { self.time = time }
}

/// The position of a broker: the last entry of a journal that the broker has.
public struct BrokerPosition: Sendable, Hashable, CustomStringConvertible {
    public let epoch: String
    public let seq: UInt64

    public init(epoch: String, seq: UInt64) { (self.epoch, self.seq) = (epoch, seq) }

    /// Parses a position.
    /// - Returns: nil for a text that ``description`` cannot produce.
    public init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let seq = UInt64(text[text.index(after: dash)...]) else { return nil }
        self.init(epoch: String(text[..<dash]), seq: seq)
    }

    /// The position in the form of an entry's cursor.
    public var description: String { EventForm.cursor(epoch, seq) }
}

/// The result of an append when the broker's position differs from the expected position.
public struct BrokerConflict: Sendable, Hashable {
    /// The present position; nil when the broker has no position for this journal.
    public let position: BrokerPosition?

    public init(position: BrokerPosition?) { self.position = position }
}

/// The identity of a store's journal.
public struct BrokerJournal: Sendable, Hashable {
    /// The tenant of the store, and the name of the tenant's stream.
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

/// An event as the broker appends it to a stream.
public struct BrokerEntry: Sendable, Hashable {
    /// The cursor of the event. The id stays the same when the event is appended again.
    public let id: String
    public let type: String
    /// The entry in the form of the other transports: `{"id":…,"createdAt":…,"event":…}`.
    public let json: [UInt8]

    public init(id: String, type: String, json: [UInt8]) {
        self.id = id
        self.type = type
        self.json = json
    }
}

/// Names of tenants. Each store belongs to one tenant.
enum Tenant {
    /// The tenant of stores that were created without a tenant.
    static let standard = "default"

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
