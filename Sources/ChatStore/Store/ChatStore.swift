package import ChatAPI
package import ChatProtocol
package import Concurrency
package import Files
package import JSON
package import SimpleXCrypto
package import SQLCipher
package import Synchronization

/// The chat database with its journal. Every change is written in one transaction together with its events.
package final class ChatStore: Sendable {
    package let database: Database
    package let journal: EventJournal
    package let observers = Mutex(Observers())
    package let changeFeed = ChangeFeed()
    package let chatNames = ChatNames()
    package let searchOutline = SearchOutline()
    package let contactInfoCache = ContactInfoCache()
    package let quota = StoreQuota()
    package let sendingCheck = SendingCheck()
    package let badgeKeys: BadgeKeys
    /// The function that gets the steps of messages after their commit; nil when nobody traces messages.
    package let onMessageSteps: (@Sendable ([MessageStepReport]) -> Void)?
    /// The recent JSON texts of parts of events.
    package let recentTexts = RecentTexts.makeForResponses()

    /// The functions that are called after a commit with the further work of the transaction.
    package struct Observers {
        /// The function that receives the new deliveries in the outbox.
        package var onDeliveries: (@Sendable ([Delivery]) -> Void)?
        package var onFollowUp: (@Sendable (FollowUp) -> Void)?

        package init() {}
    }

    /// A number that increases with every transaction before its caller continues. Data that were read at a revision
    /// are valid until the revision changes.
    package let revision = Atomic<UInt64>(0)

    private init(
        database: Database,
        journal: EventJournal,
        badgeKeys: BadgeKeys,
        onMessageSteps: (@Sendable ([MessageStepReport]) -> Void)?
    ) {
        self.database = database
        self.journal = journal
        self.badgeKeys = badgeKeys
        self.onMessageSteps = onMessageSteps
    }

    /// Opens the chat database, and migrates it to the current schema.
    /// - Parameters:
    ///   - upgrade: whether an older schema is migrated; otherwise it is an error.
    ///   - change: the change of a copy that is opened for the first time; nil for a store that is no copy.
    ///   - onMessageSteps: gets the steps of messages with the id of the store; nil when nobody traces messages.
    package static func open(
        at path: String,
        key: DatabaseKey,
        retention: JournalRetention,
        upgrade: Bool = true,
        fence: WriteFence? = nil,
        limit: StatementLimit = StatementLimit(),
        afterCopying change: (@Sendable (StoreConnection) throws -> Void)? = nil,
        badgeKeys: BadgeKeys = .publicNetwork,
        member: OpenPool.PoolMember? = nil,
        id: String? = nil,
        onMessageSteps: MessageStepReport.Handler? = nil
    ) async throws -> ChatStore {
        let database = try await Database.open(
            at: path,
            key: key,
            migrations: ChatSchema.migrations,
            lendingTime: Database.usualLendingTime,
            upgrade: upgrade,
            fence: fence,
            limit: limit,
            member: member
        )
        if let change { try await database.write(change) }
        let journal = try await EventJournal.open(on: database, retention: retention)
        journal.setInactiveHiddenUsers(try await database.read { try HiddenUsers.findInactiveIds(in: $0) })
        var report: (@Sendable ([MessageStepReport]) -> Void)?
        if let onMessageSteps { report = { steps in onMessageSteps(steps, journal.epoch, id) } }
        return ChatStore(database: database, journal: journal, badgeKeys: badgeKeys, onMessageSteps: report)
    }

    /// Runs `body` in one transaction for the core itself. Commands write with a ``CommandStore``.
    package func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await write(for: .upkeep, body)
    }

    /// Runs `body` in one transaction, and publishes its events after the commit. If a command fails, the errors that
    /// the command has emitted are still stored.
    /// - Parameters:
    ///   - command: the command that writes; nil for received data and the work of the core itself.
    ///   - purpose: decides which limits of the store apply to the transaction.
    ///   - delay: the time for which the commit and its events may wait to join another commit.
    package func write<T: Sendable>(
        of command: CommandContext? = nil,
        for purpose: StoreQuota.Purpose,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        do {
            return try await commitTransaction(of: command, for: purpose, within: delay) { tx in
                do { return try body(tx) } catch let failure as ChatFailure where !tx.emittedErrors.isEmpty {
                    throw RolledBackWrite(failure: failure, emittedErrors: tx.emittedErrors)
                }
            }
        } catch let rolledBack as RolledBackWrite {
            try await commitTransaction(of: command, for: purpose) { tx in
                for error in rolledBack.emittedErrors { try tx.emit(error.event, user: error.user) }
            }
            throw rolledBack.failure
        }
    }

    /// A failure that rolls back a transaction, together with the errors that the transaction has emitted.
    private struct RolledBackWrite: Error {
        let failure: ChatFailure
        let emittedErrors: [Transaction.EmittedError]
    }

    private func commitTransaction<T: Sendable>(
        of command: CommandContext?,
        for purpose: StoreQuota.Purpose,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        let (journal, quota, gate, badgeKeys, texts) = (journal, quota, sendingCheck, badgeKeys, recentTexts)
        let reportsSteps = onMessageSteps != nil
        let committed = try await database.write(
            { db in
                let before = try quota.readInitialState(purpose, db)
                let transaction = Transaction(
                    db: db,
                    journal: journal,
                    command: command,
                    quota: quota,
                    gate: gate,
                    badgeKeys: badgeKeys,
                    texts: texts,
                    reportsMessageSteps: reportsSteps
                )
                let value = try body(transaction)
                try transaction.finishRedactions()
                let counted = try quota.checkLimits(since: before, db)
                return CommittedWrite(
                    value: value,
                    entries: transaction.entries,
                    events: transaction.events,
                    answers: transaction.answers,
                    deliveries: transaction.deliveries,
                    messageSteps: transaction.messageSteps,
                    isUrgent: transaction.isUrgent,
                    followUp: transaction.followUp,
                    redactedUpToSeq: transaction.redactedUpToSeq,
                    deletedContentUserIds: transaction.redactions.userIds,
                    inactiveHiddenUsers: transaction.hasChangedUsers ? try HiddenUsers.findInactiveIds(in: db) : nil,
                    newCounts: counted
                )
            },
            within: { $0.isUrgent ? .zero : delay },
            committed: { [changeFeed] committed in
                for answer in committed.answers { answer.command.recordStoredAnswer() }
                quota.setCounts(committed.newCounts)
                if let unseen = committed.inactiveHiddenUsers { journal.setInactiveHiddenUsers(unseen) }
                if let seq = committed.redactedUpToSeq { journal.dropFromMemory(upTo: seq) }
                changeFeed.publishCommit(
                    committed.events,
                    committed.entries.last?.cursor,
                    answers: committed.answers,
                    of: command,
                    deletedOf: committed.deletedContentUserIds
                )
            }
        )
        publish(committed, of: purpose)
        return committed.value
    }

    /// Publishes the events of a committed transaction, and starts the work that follows.
    private func publish<T>(_ committed: CommittedWrite<T>, of purpose: StoreQuota.Purpose) {
        revision.wrappingAdd(1, ordering: .acquiringAndReleasing)
        if case .receivedData = purpose {} else { quota.wakeAfterWrite() }
        journal.publish(committed.entries)
        if !committed.messageSteps.isEmpty { onMessageSteps?(committed.messageSteps) }
        if !committed.deliveries.isEmpty { observers.withLock { $0.onDeliveries }?(committed.deliveries) }
        if !committed.followUp.isEmpty { observers.withLock { $0.onFollowUp }?(committed.followUp) }
        if journal.beginTrimIfNeeded() {
            // Old entries are deleted in a separate task, so that a failure does not affect the committed change.
            Task { try? await journal.trimEntries(now: .now) }
        }
        if journal.beginPackingIfNeeded() { Task { try? await journal.packEntries() } }
    }

    /// The results of a committed transaction.
    private struct CommittedWrite<Value: Sendable>: Sendable {
        let value: Value
        let entries: [JournalEntry]
        let events: [ChatEvent]
        let answers: [CommandAnswer]
        let deliveries: [Delivery]
        let messageSteps: [MessageStepReport]
        let isUrgent: Bool
        let followUp: FollowUp
        let redactedUpToSeq: UInt64?
        let deletedContentUserIds: Set<Int64>
        /// The ids of hidden users that are not active; nil if they have not changed.
        let inactiveHiddenUsers: Set<Int64>?
        let newCounts: [StoreLimits.Resource: StoreQuota.Count]
    }

    /// Runs `body` on a snapshot of the database.
    package func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        try await database.read(body)
    }
}

/// The work that a transaction leaves for workers. The database contains the work, and these flags only wake the
/// workers.
package struct FollowUp: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Wakes the worker that deletes timed items.
    package static let timedItems = FollowUp(rawValue: 1 << 0)
    /// Wakes the worker that makes the agent delete connections.
    package static let retiredConnections = FollowUp(rawValue: 1 << 1)
    /// Wakes the worker that updates the data of short links of addresses.
    package static let linkData = FollowUp(rawValue: 1 << 2)
    /// Wakes the worker that deletes expired items.
    package static let expiringItems = FollowUp(rawValue: 1 << 3)
    /// Wakes the worker that adds a span to the search index.
    package static let searchIndex = FollowUp(rawValue: 1 << 4)
    /// Wakes the worker that connects to members of groups.
    package static let memberSteps = FollowUp(rawValue: 1 << 5)
    /// Wakes the worker that passes files to the agent, and removes deleted files.
    package static let files = FollowUp(rawValue: 1 << 6)
    /// Wakes the worker that reads the links of channels.
    package static let channelLinks = FollowUp(rawValue: 1 << 7)
    /// Wakes the worker that answers requests of channel owners.
    package static let servedChannels = FollowUp(rawValue: 1 << 8)
    /// Wakes the worker that forwards messages in channels.
    package static let relayDelivery = FollowUp(rawValue: 1 << 9)
    /// Wakes the worker that deletes objects from the object storage.
    package static let objects = FollowUp(rawValue: 1 << 10)
    /// Makes the agent tell the notification server about changed settings of chats.
    package static let notifications = FollowUp(rawValue: 1 << 11)
    /// Wakes the worker that sends scheduled messages and broadcasts.
    package static let plannedMessages = FollowUp(rawValue: 1 << 12)
}

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
    /// Whether somebody traces messages.
    package let reportsMessageSteps: Bool
    /// The steps of messages that this transaction records. They are reported after the commit.
    private(set) var messageSteps: [MessageStepReport] = []
    /// Whether the commit happens without the delay that the caller allows.
    package var isUrgent = false
    package var followUp: FollowUp = []
    /// The deleted content that must also be redacted in the journal.
    var redactions = Redactions()
    /// The number of the last journal entry that the transaction has changed or deleted.
    private(set) var redactedUpToSeq: UInt64?
    /// Whether the hidden users or the active user may have changed.
    package var hasChangedUsers = false
    /// The limits of the store. Functions check them before the commit for resources that are not counted at the
    /// commit.
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

    /// Reports a step of a message after the commit, if somebody traces messages.
    package func reportStep(_ report: @autoclosure () throws -> MessageStepReport) rethrows {
        if reportsMessageSteps { messageSteps.append(try report()) }
    }

    /// Stores the response to the command in the same transaction as its effect.
    package func storeAnswer(_ response: ChatResponse) throws -> ChatResponse {
        if let command { try storeAnswer(response, to: command) }
        return response
    }

    /// Stores the response to one of the commands that the transaction runs.
    package func storeAnswer(_ response: ChatResponse, to command: CommandContext) throws {
        answers.append(CommandAnswer(command: command, response: response))
        try command.claim?.storeAnswer(response, at: now, in: db)
    }

    /// Records that an entry of the journal was changed or deleted.
    func recordRedaction(_ seq: Int64) { redactedUpToSeq = max(redactedUpToSeq ?? 0, UInt64(clamping: seq)) }

    /// Emits an event. It is written immediately, and published after the commit.
    /// - Parameter owner: the user of an event without a user id, if the user is known.
    package func emit(_ event: ChatEvent, user userId: Int64?, of owner: Int64? = nil) throws {
        events.append(event)
        switch event {
        case .chatError, .chatErrors: emittedErrors.append(EmittedError(event: event, user: userId))
        // After these events, a chat may be ready for which planned messages wait. So the worker for planned messages
        // is woken.
        case .contactConnected, .contactSndReady, .userJoinedGroup: followUp.insert(.plannedMessages)
        default: break
        }
        let subjects = event.subjects
        if let userId {
            // An item that is only marked as deleted still exists, so later events may contain its content again. The
            // content is removed from the journal again.
            for item in subjects where item.isDeleted {
                redactions.addItem(item.itemId, of: .init(userId: userId, subjectText: item.chatText))
            }
        }
        let audience: EventAudience = event.isForEverybody ? .everybody : owner.map(EventAudience.user) ?? .unboundKeys
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
