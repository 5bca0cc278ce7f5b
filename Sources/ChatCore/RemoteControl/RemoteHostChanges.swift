internal import ChatAPI
internal import JSON
import Synchronization

/// The changes on a connected host, for followers that keep its state in memory: its events, and the answers to
/// commands that were sent from here.
final class RemoteHostChanges: Sendable {
    /// Nil after the end of the session.
    private let handlers = Mutex<[@Sendable (ChatChange) -> Void]?>([])

    func add(_ handler: @escaping @Sendable (ChatChange) -> Void) { handlers.withLock { $0?.append(handler) } }
    func end() { handlers.withLock { $0 = nil } }

    func publish(_ event: JSONValue) {
        guard let event = try? JSONDecoder().decode(ChatEvent.self, from: event) else { return }
        publish(ChatChange(events: [event]))
    }

    func publish(_ response: ChatResponse, of command: ChatCommand, origin: UInt64? = nil) {
        publish(ChatChange(events: [], command: command, response: response, origin: origin))
    }

    /// Publishes a change. The lock is held while handlers run, so that all get the changes in one order.
    private func publish(_ change: ChatChange) {
        handlers.withLock { handlers in
            for handler in handlers ?? [] { handler(change) }
        }
    }
}
