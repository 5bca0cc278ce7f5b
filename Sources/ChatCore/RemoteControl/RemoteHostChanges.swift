internal import ChatAPI
internal import ChatStore
internal import JSON
import Synchronization

/// The changes on a connected host, for clients that keep the state of the host in memory. The changes are the events
/// of the host, and its answers to the commands of this gateway.
final class RemoteHostChanges: Sendable {
    /// The registered handlers; nil after the end of the session.
    private let handlers = Mutex<[@Sendable (ChatChange) -> Void]?>([])

    func addHandler(_ handler: @escaping @Sendable (ChatChange) -> Void) { handlers.withLock { $0?.append(handler) } }
    func end() { handlers.withLock { $0 = nil } }

    func publish(_ event: JSONValue) {
        guard let event = try? JSONDecoder().decode(ChatEvent.self, from: event) else { return }
        publish(ChatChange(events: [event]))
    }

    func publish(_ response: ChatResponse, of command: ChatCommand, origin: UInt64? = nil) {
        publish(ChatChange(events: [], command: command, response: response, origin: origin))
    }

    /// Publishes a change. The lock is held while the handlers run, so that all handlers receive the changes in the
    /// same order.
    private func publish(_ change: ChatChange) {
        handlers.withLock { handlers in
            for handler in handlers ?? [] { handler(change) }
        }
    }
}
