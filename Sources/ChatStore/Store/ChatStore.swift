internal import ChatAPI
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
    /// The function that gets the steps of messages, such as encryption, for traces; nil when messages are not traced.
    /// It is called after the commit of a step.
    package let onMessageSteps: (@Sendable ([MessageStepReport]) -> Void)?
    /// A cache of the JSON texts of parts that many events repeat.
    package let recentTexts = RecentTexts.makeForResponses()

    /// The functions that get the work that a transaction leaves for workers. They are called after the commit.
    package struct Observers {
        /// The function that receives the new deliveries in the outbox.
        package var onDeliveries: (@Sendable ([Delivery]) -> Void)?
        package var onFollowUp: (@Sendable (FollowUp) -> Void)?

        package init() {}
    }

    /// A number that increases after every transaction, before the caller of the transaction continues. Data that were
    /// read at a revision are valid until the revision changes.
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
    ///   - change: changes a copy of a store that is opened for the first time; nil for a store that is not a copy.
    ///   - onMessageSteps: gets the steps of messages for traces, with the id of the store; nil when messages are not
    ///     traced.
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
            writerLendingTime: Database.usualWriterLendingTime,
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
                    followUpWork: transaction.followUpWork,
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

    /// Publishes the events of a committed transaction, and starts the work that the transaction leaves for workers.
    private func publish<T>(_ committed: CommittedWrite<T>, of purpose: StoreQuota.Purpose) {
        revision.wrappingAdd(1, ordering: .acquiringAndReleasing)
        if case .receivedData = purpose {} else { quota.wakeAfterWrite() }
        journal.publish(committed.entries)
        if !committed.messageSteps.isEmpty { onMessageSteps?(committed.messageSteps) }
        if !committed.deliveries.isEmpty { observers.withLock { $0.onDeliveries }?(committed.deliveries) }
        if !committed.followUpWork.isEmpty { observers.withLock { $0.onFollowUp }?(committed.followUpWork) }
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
        let followUpWork: FollowUp
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
