internal import Logging
internal import Synchronization

/// Gathers for a short time the relays to which stores have lost their sessions. So a relay of many stores has one log
/// line instead of one for each store.
final class RelayLosses: Sendable {
    private struct Loss {
        /// The ids of the stores, in the order of their reports.
        var stores: [String] = []
        var queueCount = 0
        var messageCount = 0
    }

    private struct State {
        var losses: [String: Loss] = [:]
        var isWaiting = false
    }

    /// Maximal number of stores whose ids are in one line of the log.
    private static let maxNamedStores = 20

    private let log: Logger
    private let waitForReports: @Sendable () async -> Void
    private let state = Mutex(State())

    /// - Parameter pause: waits before the log lines are written, so that further losses can be reported.
    init(log: Logger, pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }) {
        self.log = log
        self.waitForReports = pause
    }

    /// Records the loss of a store's sessions with a relay.
    /// - Parameters:
    ///   - queues: the number of queues from which nothing arrives now.
    ///   - messages: the number of messages that wait for the relay.
    func recordLoss(of relay: String, in store: String, queues: Int, messages: Int) {
        let isFirst = state.withLock { state in
            if state.losses[relay]?.stores.contains(store) != true {
                state.losses[relay, default: Loss()].stores.append(store)
            }
            state.losses[relay]?.queueCount += queues
            state.losses[relay]?.messageCount += messages
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        guard isFirst else { return }
        Task {
            await waitForReports()
            writeLogLines()
        }
    }

    private func writeLogLines() {
        let losses = state.withLock { state in
            defer { state = State() }
            return state.losses
        }
        for (relay, loss) in losses.sorted(by: { $0.key < $1.key }) {
            var stores = loss.stores.prefix(Self.maxNamedStores).joined(separator: " ")
            let further = loss.stores.count - Self.maxNamedStores
            if further > 0 { stores += " and \(further) more" }
            log.warning(
                "connection to a relay lost",
                metadata: [
                    "relay": "\(relay)", "stores": "\(stores)", "queues": "\(loss.queueCount)",
                    "messages": "\(loss.messageCount)",
                ]
            )
        }
    }
}
