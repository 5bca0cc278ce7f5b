public import ChatCore

extension ChatController: GatewayCore {
    public var eventSource: any EventSource { JournalSource(journal: journal) }
    public var storedFiles: ChatFiles? { fileBytes }
    public var archives: ChatArchives? { ownArchives }
    public var storeFigures: StoreFigures? { get async { try? await storeFigures() } }
    public var eventSubscriptions: EventSubscriptions? { subscriptions }

    public var remoteCtrlSession: RemoteCtrlStatus? { get async { await remoteCtrlStatus } }

    public func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)? {
        let host: ConnectedHost? = connectedHost(id)
        return host.map { (self, $0) }
    }
}

/// The journal of the core as a source of events.
struct JournalSource: EventSource {
    let journal: EventJournal

    var epoch: String { journal.epoch }
    var origin: JournalOrigin? { journal.origin }
    var oldest: UInt64 { journal.oldest }
    var latest: UInt64 { journal.latest }
    var inactiveHiddenUsers: Set<Int64> { journal.inactiveHiddenUsers }

    func entries(after seq: UInt64, limit: Int) async throws -> [Event] {
        try await journal.entries(after: seq, limit: limit).map(Event.init)
    }

    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) {
        journal.onPublish { handler($0.map(Event.init)) }
    }
}

extension Event {
    init(_ entry: JournalEntry) {
        self.init(
            seq: entry.cursor.seq,
            time: entry.time.fullText,
            userId: entry.userId,
            audience: entry.audience,
            json: entry.event
        )
    }
}
