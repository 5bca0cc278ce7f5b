internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import Synchronization

/// The latest changes of one document as JSON Patches, in a bounded amount of memory. Readers follow the changes in the
/// same way as the journal of events. A reader whose cursor has expired must read the document again.
final class ModelLog: EventSource {
    private struct State {
        var latestSeq: UInt64 = 0
        var entries: [Event] = []
        var bytes = 0
    }

    /// Limits of the log. When a limit is exceeded, the older half of the changes is dropped.
    struct LogLimits: Sendable {
        var maxCount = 1024
        var maxBytes = 1 << 20
    }

    let epoch: String
    /// Always nil, since a log of patches is never a copy of another journal.
    let originJournal: JournalOrigin? = nil
    /// Always empty, since hidden users have no effect on the log of one document.
    let inactiveHiddenUsers: Set<Int64> = []
    private let logLimits: LogLimits
    private let state = Mutex(State())
    private let publishHandlers = Mutex<[@Sendable ([Event]) -> Void]>([])

    init(epoch: String, limit: LogLimits = LogLimits()) {
        self.epoch = epoch
        self.logLimits = limit
    }

    static func makeEpoch() -> String { Hex.encode(RandomBytes.make(count: 8)) }

    var latestSeq: UInt64 { state.withLock { $0.latestSeq } }
    var oldestSeq: UInt64 { state.withLock { $0.entries.first?.seq ?? $0.latestSeq &+ 1 } }
    var cursor: String { EventForm.makeCursor(epoch, latestSeq) }

    func readEntries(after seq: UInt64, limit: Int) async throws -> [Event] {
        state.withLock { state in
            guard let first = state.entries.first else { return [] }
            let start = seq < first.seq ? 0 : Int(clamping: seq &+ 1 &- first.seq)
            return Array(state.entries.dropFirst(start).prefix(max(0, limit)))
        }
    }

    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { publishHandlers.withLock { $0.append(handler) } }
    /// Ignores the handler, since no other log ever replaces this log.
    func onJournalReplaced(_ handler: @escaping @Sendable () -> Void) {}

    /// Drops all patches, because content in them was deleted. Readers that have read all patches continue. Other
    /// readers must read the document again.
    func dropPatches() {
        state.withLock { state in
            state.entries = []
            state.bytes = 0
        }
    }

    /// Adds a change to the log. Only the owner of the document calls this function.
    /// - Parameter cursor: the cursor of the last event that the changed document includes.
    func publishPatch(_ patch: JSONPatch, cursor: String) {
        let json = JSONValue.object(
            JSONObject([("type", "modelPatch"), ("cursor", .string(cursor)), ("patch", patch.jsonValue)])
        ).encodeText()
        let event = state.withLock { state -> Event in
            state.latestSeq &+= 1
            let event = Event(seq: state.latestSeq, time: Timestamp.now.fullText, userId: nil, json: json)
            state.entries.append(event)
            state.bytes += json.count
            if state.entries.count > logLimits.maxCount || state.bytes > logLimits.maxBytes {
                let dropped = state.entries.prefix(max(1, state.entries.count / 2))
                state.bytes -= dropped.reduce(0) { $0 + $1.json.count }
                state.entries.removeFirst(dropped.count)
            }
            return event
        }
        publishHandlers.withLock { publishHandlers in
            for handler in publishHandlers { handler([event]) }
        }
    }
}

/// The log of a document's changes, and the hub for the readers that follow the log.
struct ModelFeed: Sendable {
    let log: ModelLog
    let hub: EventHub

    init(epoch: String, heartbeatSeconds: Int64, limit: ModelLog.LogLimits = ModelLog.LogLimits()) {
        log = ModelLog(epoch: epoch, limit: limit)
        hub = EventHub(source: log, heartbeatSeconds: heartbeatSeconds)
    }

    var hasReaders: Bool { hub.readerCounts.waiters + hub.readerCounts.streams > 0 }
}
