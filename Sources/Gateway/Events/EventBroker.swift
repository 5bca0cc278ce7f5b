/// A message broker that gets the events of all stores for other programs, in one stream for each tenant.
package protocol EventBroker: Sendable {
    /// Whether the last command to the broker succeeded.
    var isUp: Bool { get }
    /// Returns the broker's position: the last entry of a store that the broker has. The entry may be of an earlier
    /// journal of the store.
    /// - Returns: nil when the broker has no position under ``BrokerJournal/positionName``.
    func readPosition(_ journal: BrokerJournal) async throws -> BrokerPosition?
    /// Appends entries to the stream of the journal's tenant and moves the broker's position, in one transaction.
    /// Changes nothing if the position differs from `expected`. So when two gateways append at the same time, only one
    /// gateway succeeds.
    /// - Returns: the present position if it differs from `expected`; nil when the entries were appended.
    func appendEntries(
        _ entries: [BrokerEntry],
        of journal: BrokerJournal,
        from expected: BrokerPosition?,
        to seq: UInt64
    ) async throws -> BrokerConflict?
    /// Removes the position of a journal that no longer exists.
    /// - Parameter place: the name of the position, ``BrokerJournal/positionName``.
    func removePosition(_ place: String, of tenant: String) async throws
}

/// Error for a command that was not sent: the broker has failed a short time ago, so it gets no commands for a while.
package struct BrokerPaused: Error, Sendable {
    package let remainingTime: Duration

    package init(time: Duration) { self.remainingTime = time }
}

/// The position of a broker: the last entry of a journal that the broker has.
package struct BrokerPosition: Sendable, Hashable, CustomStringConvertible {
    package let epoch: String
    package let seq: UInt64

    package init(epoch: String, seq: UInt64) { (self.epoch, self.seq) = (epoch, seq) }

    /// Parses a position.
    /// - Returns: nil for a text that ``description`` cannot produce.
    package init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let seq = UInt64(text[text.index(after: dash)...]) else { return nil }
        self.init(epoch: String(text[..<dash]), seq: seq)
    }

    /// The position as text, written like the cursor of a journal entry.
    package var description: String { EventForm.makeCursor(epoch, seq) }
}

/// The result of an append when the broker's position differs from the expected position.
package struct BrokerConflict: Sendable, Hashable {
    /// The present position; nil when the broker has no position for this journal.
    package let position: BrokerPosition?

    package init(position: BrokerPosition?) { self.position = position }
}

/// The identity of a store's journal.
package struct BrokerJournal: Sendable, Hashable {
    /// The tenant of the store, and the name of the tenant's stream.
    package let tenant: String
    package let storeID: String
    package let epoch: String

    package init(tenant: String, store: String, epoch: String) {
        self.tenant = tenant
        self.storeID = store
        self.epoch = epoch
    }

    /// The name under which the broker keeps the position of this store. The first stores of all gateways have the same
    /// name, so a first store is named by its epoch.
    package var positionName: String { storeID == StoreID.firstStore ? epoch : storeID }
}

/// An event as the broker appends it to a stream.
package struct BrokerEntry: Sendable, Hashable {
    /// The cursor of the event. The id stays the same when the event is appended again.
    package let id: String
    package let type: String
    /// The entry in the form that all transports use: `{"id":…,"createdAt":…,"event":…}`.
    package let json: [UInt8]

    package init(id: String, type: String, json: [UInt8]) {
        self.id = id
        self.type = type
        self.json = json
    }
}

/// Names of tenants. Each store belongs to one tenant.
enum Tenant {
    /// The tenant of stores that were created without a tenant.
    static let defaultName = "default"

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
