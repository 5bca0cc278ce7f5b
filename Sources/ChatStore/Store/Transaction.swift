package import ChatAPI
package import ChatProtocol
internal import JSON
internal import SQLCipher

/// A write transaction of the chat database. It must not be used outside of its closure.
package final class Transaction {
    package let db: StoreConnection
    /// The time of all writes of the transaction.
    package let now = Timestamp.now
    private let journal: EventJournal
    /// The command of the transaction; nil for received data and the work of the core itself.
    private let command: CommandContext?
    /// The answers to the commands of the transaction.
    private(set) var answers: [CommandAnswer] = []
    /// The epoch of the journal, which identifies the store.
    package var epoch: String { journal.epoch }
    private(set) var entries: [JournalEntry] = []
    package private(set) var events: [ChatEvent] = []
    struct EmittedError: Sendable {
        package let event: ChatEvent
        package let user: Int64?
    }
    /// The errors emitted by the transaction.
    private(set) var emittedErrors: [EmittedError] = []
    /// The deliveries that this transaction writes to the outbox. They are passed to the agent after the commit.
    package var deliveries: [Delivery] = []
    /// Whether the steps of messages are needed for traces.
    package let reportsMessageSteps: Bool
    /// The steps of messages, such as encryption, that this transaction reports for traces after the commit.
    private(set) var messageSteps: [MessageStepReport] = []
    /// Whether the commit must not be delayed, even if the caller allows a delay.
    package var isUrgent = false
    package var followUpWork: FollowUp = []
    /// The deleted content that must also be redacted in the journal.
    var redactions = Redactions()
    /// The number of the last journal entry that the transaction has changed or deleted.
    private(set) var redactedUpToSeq: UInt64?
    /// Whether the hidden users or the active user may have changed.
    package var hasChangedUsers = false
    /// The limits of the store. Functions use them to check resources that are not counted at the commit.
    package let quota: StoreQuota
    package let sendingCheck: SendingCheck
    /// The keys that verify badges.
    package let badgeKeys: BadgeKeys
    /// The number of badges whose proof the transaction has checked.
    package var badgeCheckCount = 0
    private let recentTexts: RecentTexts

    init(
        db: StoreConnection,
        journal: EventJournal,
        command: CommandContext?,
        quota: StoreQuota,
        gate: SendingCheck,
        badgeKeys: BadgeKeys,
        texts: RecentTexts,
        reportsMessageSteps: Bool
    ) {
        self.recentTexts = texts
        self.reportsMessageSteps = reportsMessageSteps
        self.quota = quota
        self.sendingCheck = gate
        self.badgeKeys = badgeKeys
        self.db = db
        self.journal = journal
        self.command = command
    }

    /// Reports a step of a message, such as its encryption, after the commit. Does nothing if messages are not traced.
    package func reportStep(_ report: @autoclosure () throws -> MessageStepReport) rethrows {
        if reportsMessageSteps { messageSteps.append(try report()) }
    }

    /// Stores the response to the command in the same transaction as its effect, and returns the response.
    package func storeAnswer(_ response: ChatResponse) throws -> ChatResponse {
        if let command { try storeAnswer(response, to: command) }
        return response
    }

    /// Stores the response to one of the commands that the transaction runs.
    package func storeAnswer(_ response: ChatResponse, to command: CommandContext) throws {
        answers.append(CommandAnswer(command: command, response: response))
        try command.claim?.storeAnswer(response, at: now, in: db)
    }

    /// Marks an entry of the journal as changed or deleted. After the commit, the entries up to this entry are removed
    /// from memory.
    func recordRedaction(_ seq: Int64) { redactedUpToSeq = max(redactedUpToSeq ?? 0, UInt64(clamping: seq)) }

    /// Emits an event. The event is written to the journal immediately, and published after the commit.
    /// - Parameter owner: the user of an event without a user id, if the user is known.
    package func emit(_ event: ChatEvent, user userId: Int64?, of owner: Int64? = nil) throws {
        events.append(event)
        switch event {
        case .chatError, .chatErrors: emittedErrors.append(EmittedError(event: event, user: userId))
        // These events can make a chat ready for its planned messages, so the worker for planned messages is woken.
        case .contactConnected, .contactSndReady, .userJoinedGroup: followUpWork.insert(.plannedMessages)
        default: break
        }
        let subjects = event.subjects
        if let userId {
            // An item that is marked as deleted still exists, so this event may repeat the content of the item. The
            // content is then removed from the journal once more.
            for item in subjects where item.isDeleted {
                redactions.addItem(item.itemId, of: .init(userId: userId, subjectText: item.chatText))
            }
        }
        let audience: EventAudience =
            event.isForEverybody ? .everybody : owner.map(EventAudience.user) ?? .keysWithoutUser
        entries.append(
            try journal.append(
                JSONEncoder(recentTexts).encode(event),
                userId: userId,
                audience: audience,
                subjects: subjects,
                time: now,
                in: db
            )
        )
    }
}
