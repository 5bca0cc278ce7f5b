internal import ChatAPI
package import ChatStore
internal import JSON
internal import SimpleXCrypto
import Synchronization

/// The newest events of a connected host during its session.
package final class RemoteHostEvents: Sendable {
    /// A random id of the session.
    package let epoch = Hex.encode(RandomBytes.make(count: 6))

    private struct State {
        var entries: [JournalEntry] = []
        var entryBytes = 0
        var latestSeq: UInt64 = 0
        var handlers: [@Sendable ([JournalEntry]) -> Void] = []
        /// The handlers for the end of the session; nil after the end.
        var endHandlers: [@Sendable () -> Void]? = []
    }
    private let state = Mutex(State())
    /// The lock that is held while handlers run, so that handlers receive the events in order.
    private let publishLock = Mutex(())

    private static let maxKeptEvents = (count: 4096, bytes: 8 << 20)

    func add(_ event: JSONValue) {
        publishLock.withLock { _ in
            let (entry, handlers) = state.withLock { state in
                state.latestSeq += 1
                let user = (event["user"] ?? event["user_"])?["userId"]?.integerValue
                let entry = JournalEntry(
                    cursor: EventCursor(epoch: epoch, seq: state.latestSeq),
                    time: .now,
                    userId: user,
                    audience: user == nil ? .keysWithoutUser : nil,
                    event: event.encodeText()
                )
                state.entries.append(entry)
                state.entryBytes += entry.eventJSON.count
                if state.entries.count > Self.maxKeptEvents.count || state.entryBytes > Self.maxKeptEvents.bytes {
                    let dropped = state.entries.prefix(max(1, state.entries.count / 2))
                    state.entryBytes -= dropped.reduce(0) { $0 + $1.eventJSON.count }
                    state.entries.removeFirst(dropped.count)
                }
                return (entry, state.handlers)
            }
            for handler in handlers { handler([entry]) }
        }
    }

    /// Ends the session: removes the handlers for events, and calls the handlers for the end.
    func end() {
        let endings = state.withLock { state in
            defer { (state.handlers, state.endHandlers) = ([], nil) }
            return state.endHandlers ?? []
        }
        for ending in endings { ending() }
    }

    /// Whether the session has ended. No event follows the end.
    package var hasEnded: Bool { state.withLock { $0.endHandlers == nil } }

    package var latestSeq: UInt64 { state.withLock { $0.latestSeq } }
    package var oldestSeq: UInt64 { state.withLock { $0.entries.first?.cursor.seq ?? $0.latestSeq + 1 } }

    package func entries(after seq: UInt64, limit: Int) -> [JournalEntry] {
        state.withLock { state in Array(state.entries.drop { $0.cursor.seq <= seq }.prefix(max(0, limit))) }
    }

    package func onPublish(_ handler: @escaping @Sendable ([JournalEntry]) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Registers a handler for the end of the session. If the session has ended, the handler is called immediately.
    package func onEnd(_ handler: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            state.endHandlers?.append(handler)
            return state.endHandlers == nil
        }
        if hasEnded { handler() }
    }
}
