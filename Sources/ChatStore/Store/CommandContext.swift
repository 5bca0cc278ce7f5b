package import ChatAPI
internal import SQLCipher
import Synchronization

/// A command with its request and its progress, as the store needs them. It is a part of a ``RunningCommand``.
package final class CommandContext: Sendable {
    /// The id of a read whose result is published in the order of the changes; nil for other commands.
    package let orderedReadID: UInt64?
    /// The request from which the command comes, if the request has an idempotency key; otherwise nil.
    package let claim: RequestClaim?
    private let state: Mutex<State>

    /// A function that checks, before the first change of a command, whether the stored state is the state that the
    /// client expects. A command without a condition accepts any state.
    package typealias Condition = @Sendable (StoreConnection) throws -> Bool

    private struct State {
        var command: ChatCommand
        /// The condition of the command; nil after the first transaction of the command.
        var condition: Condition?
        var isRefused = false
        let isFromTerminal: Bool
        var hasWritten = false
        var hasPublished = false
        var isAnswerStored = false
    }

    /// - Parameter condition: checked in the first transaction that the command writes.
    package init(
        _ command: ChatCommand,
        origin: UInt64? = nil,
        claim: RequestClaim? = nil,
        if condition: Condition? = nil
    ) {
        let isOfTheTerminal = if case .console = command { true } else { false }
        state = Mutex(State(command: command, condition: condition, isFromTerminal: isOfTheTerminal))
        self.orderedReadID = origin
        self.claim = claim
    }

    package var command: ChatCommand { state.withLock { $0.command } }

    /// Replaces a terminal command, which contains names of chats, by the equivalent command, which contains ids. Has
    /// no effect on other commands.
    package func setCommand(_ command: ChatCommand) {
        state.withLock { state in
            if state.isFromTerminal { state.command = command }
        }
    }

    /// The purpose of the command's writes. The purpose decides which limits of the store apply to the writes.
    package var writePurpose: StoreQuota.Purpose { command.quotaNeeds.map(StoreQuota.Purpose.command) ?? .upkeep }

    package var isOrderedRead: Bool { orderedReadID != nil }

    package func recordWrite(published: Bool) {
        state.withLock { state in
            state.hasWritten = true
            state.hasPublished = state.hasPublished || published
        }
    }

    package var isPublished: Bool { state.withLock { $0.hasPublished } }

    /// Returns whether the response has to be published separately, because no transaction has published it.
    package func needsPublishing(_ response: ChatResponse) -> Bool {
        switch response {
        case .chatStarted, .chatStopped: true
        default: state.withLock { $0.hasWritten && !$0.hasPublished }
        }
    }

    /// Marks the answer to the request as stored. A repetition of the request gets the stored answer.
    package func recordStoredAnswer() { state.withLock { $0.isAnswerStored = true } }

    /// Checks the condition of the command. The first transaction of the command calls this function. If the
    /// transaction is repeated, it calls this function again.
    /// - Throws: an error if the condition is not met.
    func checkCondition(_ db: StoreConnection) throws {
        guard let condition = state.withLock({ $0.condition }) else { return }
        let isMet = try condition(db)
        state.withLock { $0.isRefused = !isMet }
        guard isMet else { throw ChatFailure.commandError("another client has changed this meanwhile") }
    }

    /// Removes the condition of the command after its first transaction, since later transactions have no condition.
    func removeCondition() { state.withLock { $0.condition = nil } }

    /// Whether the condition was not met, so that the command has changed nothing.
    package var isRefused: Bool { state.withLock { $0.isRefused } }

    package var isAnswerStored: Bool { state.withLock { $0.isAnswerStored } }
}
