internal import ChatCore
internal import ChatStore

/// The durable journal of events.
protocol EventSource: Sendable {
    var epoch: String { get }
    /// The earlier journal that this journal continues, if the store was made from a copy; otherwise nil.
    var originJournal: JournalOrigin? { get }
    /// The number of the oldest entry; `latest + 1` when the journal has no entries.
    var oldestSeq: UInt64 { get }
    var latestSeq: UInt64 { get }
    /// Hidden users that are not active. Only keys that are bound to such a user get its events.
    var inactiveHiddenUsers: Set<Int64> { get }
    /// Returns up to `limit` entries with numbers greater than `seq`, in order. The result is also empty when all
    /// entries up to `latestSeq` were deleted. Then the reader continues from the `latestSeq` that it saw before the
    /// call.
    func readEntries(after seq: UInt64, limit: Int) async throws -> [Event]
    /// Adds a handler that gets the new entries after each commit. It gets each entry once, in order. The handler must
    /// not block.
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void)
    /// Adds a handler that is called after the journal was replaced by the journal of another store, or was opened
    /// again.
    func onJournalReplaced(_ handler: @escaping @Sendable () -> Void)
}

/// An entry of the journal.
struct Event: Sendable, Hashable {
    let seq: UInt64
    /// The time in ISO 8601, UTC.
    let time: String
    let userId: Int64?
    /// The id of the connected phone on which the event happened; nil for an event of this gateway.
    var remoteHostId: Int64?
    /// The keys that get the event.
    let audience: EventAudience
    /// The JSON object of the event.
    let json: [UInt8]
    let traits: LazyEventTraits

    /// - Parameter audience: nil for the keys of the user, or for all keys if there is no user.
    init(seq: UInt64, time: String, userId: Int64?, audience: EventAudience? = nil, json: [UInt8]) {
        self.seq = seq
        self.time = time
        self.userId = userId
        self.audience = audience ?? userId.map(EventAudience.user) ?? .everybody
        self.json = json
        traits = LazyEventTraits(json)
    }

    init(_ entry: JournalEntry) {
        self.init(
            seq: entry.cursor.seq,
            time: entry.time.fullText,
            userId: entry.userId,
            audience: entry.audience,
            json: entry.eventJSON
        )
    }

    /// Returns the event with other JSON.
    func withJSON(json: [UInt8]) -> Event {
        var event = Event(seq: seq, time: time, userId: userId, audience: audience, json: json)
        event.remoteHostId = remoteHostId
        return event
    }
}
