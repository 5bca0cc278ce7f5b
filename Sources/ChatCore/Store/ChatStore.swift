internal import ChatAPI
internal import Files
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization

/// The chat database with its journal. Every change is written in one transaction together with its events.
final class ChatStore: Sendable {
    let database: Database
    let journal: EventJournal
    let observers = Mutex(Observers())
    let changes = ChangeFeed()
    let names = ChatNames()
    let outline = SearchOutline()
    let cards = ContactInfoCache()
    let quota = StoreQuota()
    let gate = SendingGate()
    /// The recent JSON texts of parts of events.
    let texts = RecentTexts.ofResponses()

    /// The functions that are called after a commit with the further work of the transaction.
    struct Observers {
        /// The function that receives the new deliveries in the outbox.
        var deliveries: (@Sendable ([Delivery]) -> Void)?
        var followUp: (@Sendable (FollowUp) -> Void)?
    }

    /// A number that increases with every transaction before its caller continues. Data that were read at a revision
    /// are valid until the revision changes.
    let revision = Atomic<UInt64>(0)

    private init(database: Database, journal: EventJournal) {
        self.database = database
        self.journal = journal
    }

    static func open(
        at path: String,
        key: DatabaseKey,
        isCopy: Bool = false,
        retention: JournalRetention,
        upgrade: Bool = true,
        fence: WriteFence? = nil,
        limit: StatementLimit = StatementLimit()
    ) async throws -> ChatStore {
        let database = try await Database.open(
            at: path,
            key: key,
            migrations: ChatSchema.migrations,
            upgrade: upgrade,
            fence: fence,
            limit: limit
        )
        let journal = try await EventJournal.open(on: database, isCopy: isCopy, retention: retention)
        journal.setInactiveHiddenUsers(try await database.read { try UserRecord.inactiveHiddenUsers(in: $0) })
        return ChatStore(database: database, journal: journal)
    }

    /// Migrates an existing chat database from another machine to the current schema.
    /// - Parameter isCopy: whether the database will later be opened as a copy. The opening of a copy changes the epoch
    ///   of the journal. If false, this function changes the epoch.
    static func adopt(at path: String, key: DatabaseKey, isCopy: Bool) async throws {
        let database = try await Database.open(
            at: path,
            key: key,
            migrations: ChatSchema.migrations,
            readers: 1,
            create: false
        )
        do {
            try await database.write { db in
                if !isCopy { try EventJournal.renewEpoch(db) }
                try FileTotals.count(in: db)
            }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Runs `body` in one transaction for the core itself. Commands write with a ``CommandStore``.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        try await write(for: .upkeep, body)
    }

    /// Runs `body` in one transaction, and publishes its events after the commit. If a command fails, the errors that
    /// it has emitted are stored nevertheless.
    /// - Parameters:
    ///   - command: the command that writes; nil for received data and the work of the core itself.
    ///   - purpose: decides which limits the transaction is checked against.
    ///   - delay: the time for which the commit and its events may wait to join another commit.
    func write<T: Sendable>(
        of command: CommandContext? = nil,
        for purpose: StoreQuota.Purpose,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        do {
            return try await commit(of: command, for: purpose, within: delay) { tx in
                do { return try body(tx) } catch let failure as ChatFailure where !tx.errors.isEmpty {
                    throw RolledBack(failure: failure, errors: tx.errors)
                }
            }
        } catch let rolledBack as RolledBack {
            try await commit(of: command, for: purpose) { tx in
                for error in rolledBack.errors { try tx.emit(error.event, user: error.user) }
            }
            throw rolledBack.failure
        }
    }

    /// A failure that rolls back a transaction, together with the errors that the transaction has emitted.
    private struct RolledBack: Error {
        let failure: ChatFailure
        let errors: [Transaction.EmittedError]
    }

    private func commit<T: Sendable>(
        of command: CommandContext?,
        for purpose: StoreQuota.Purpose,
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        let (journal, quota, gate, texts) = (journal, quota, gate, texts)
        let committed = try await database.write(
            { db in
                let before = try quota.begin(purpose, db)
                let transaction = Transaction(
                    db: db,
                    journal: journal,
                    command: command,
                    quota: quota,
                    gate: gate,
                    texts: texts
                )
                let value = try body(transaction)
                try transaction.finishRedactions()
                let counted = try quota.check(since: before, db)
                return Committed(
                    value: value,
                    entries: transaction.entries,
                    events: transaction.events,
                    answers: transaction.answers,
                    deliveries: transaction.deliveries,
                    isUrgent: transaction.isUrgent,
                    followUp: transaction.followUp,
                    redactedUpTo: transaction.redactedUpTo,
                    deletedOf: transaction.redactions.users,
                    unseen: transaction.changedUsers ? try UserRecord.inactiveHiddenUsers(in: db) : nil,
                    counted: counted
                )
            },
            within: { $0.isUrgent ? .zero : delay },
            committed: { [changes] committed in
                for answer in committed.answers { answer.command.recordStoredAnswer() }
                quota.setCounts(committed.counted)
                if let unseen = committed.unseen { journal.setInactiveHiddenUsers(unseen) }
                if let seq = committed.redactedUpTo { journal.dropFromMemory(upTo: seq) }
                changes.committed(
                    committed.events,
                    committed.entries.last?.cursor,
                    answers: committed.answers,
                    of: command,
                    deletedOf: committed.deletedOf
                )
            }
        )
        revision.wrappingAdd(1, ordering: .acquiringAndReleasing)
        if case .received = purpose {} else { quota.wakeAfterWrite() }
        journal.publish(committed.entries)
        if !committed.deliveries.isEmpty { observers.withLock { $0.deliveries }?(committed.deliveries) }
        if !committed.followUp.isEmpty { observers.withLock { $0.followUp }?(committed.followUp) }
        if journal.needsTrim() {
            // Old entries are deleted in a separate task, so that a failure does not affect the committed change.
            Task { try? await journal.trim(now: .now) }
        }
        if journal.needsPacking() { Task { try? await journal.pack() } }
        return committed.value
    }

    /// The results of a committed transaction.
    private struct Committed<Value: Sendable>: Sendable {
        let value: Value
        let entries: [JournalEntry]
        let events: [ChatEvent]
        let answers: [CommandAnswer]
        let deliveries: [Delivery]
        let isUrgent: Bool
        let followUp: FollowUp
        let redactedUpTo: UInt64?
        let deletedOf: Set<Int64>
        /// The ids of hidden users that are not active; nil if they have not changed.
        let unseen: Set<Int64>?
        let counted: [StoreLimits.Resource: StoreQuota.Count]
    }

    /// Runs `body` on a snapshot of the database.
    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        try await database.read(body)
    }
}

/// The work that a transaction leaves for workers. The database contains the work, and these flags only wake the
/// workers.
struct FollowUp: OptionSet, Sendable {
    let rawValue: Int
    /// Wakes the worker that deletes timed items.
    static let timedItems = FollowUp(rawValue: 1 << 0)
    /// Wakes the worker that makes the agent delete connections.
    static let retiredConnections = FollowUp(rawValue: 1 << 1)
    /// Wakes the worker that updates the data of short links of addresses.
    static let linkData = FollowUp(rawValue: 1 << 2)
    /// Wakes the worker that deletes expired items.
    static let expiringItems = FollowUp(rawValue: 1 << 3)
    /// Wakes the worker that adds a span to the search index.
    static let searchIndex = FollowUp(rawValue: 1 << 4)
    /// Wakes the worker that connects to members of groups.
    static let memberSteps = FollowUp(rawValue: 1 << 5)
    /// Wakes the worker that passes files to the agent, and removes deleted files.
    static let files = FollowUp(rawValue: 1 << 6)
    /// Wakes the worker that reads the links of channels.
    static let channelLinks = FollowUp(rawValue: 1 << 7)
    /// Wakes the worker that answers requests of channel owners.
    static let servedChannels = FollowUp(rawValue: 1 << 8)
    /// Wakes the worker that forwards messages in channels.
    static let relayDelivery = FollowUp(rawValue: 1 << 9)
    /// Wakes the worker that deletes objects from the object storage.
    static let objects = FollowUp(rawValue: 1 << 10)
    /// Makes the agent tell the notification server about changed settings of chats.
    static let notifications = FollowUp(rawValue: 1 << 11)
    /// Wakes the worker that sends scheduled messages and broadcasts.
    static let plannedMessages = FollowUp(rawValue: 1 << 12)
}

/// A write transaction of the chat database. It must not be used outside of its closure.
final class Transaction {
    let db: StoreConnection
    /// The time of all writes of the transaction.
    let now = Timestamp.now
    private let journal: EventJournal
    /// The command of the transaction; nil for received data and the work of the core itself.
    private let command: CommandContext?
    /// The answers to the commands of the transaction.
    private(set) var answers: [CommandAnswer] = []
    /// The epoch of the journal, which identifies the store.
    var epoch: String { journal.epoch }
    private(set) var entries: [JournalEntry] = []
    private(set) var events: [ChatEvent] = []
    struct EmittedError: Sendable {
        let event: ChatEvent
        let user: Int64?
    }
    /// The errors emitted by the transaction.
    private(set) var errors: [EmittedError] = []
    /// The deliveries that this transaction writes to the outbox. They are passed to the agent after the commit.
    var deliveries: [Delivery] = []
    /// Whether the commit happens without the delay that the caller allows.
    var isUrgent = false
    var followUp: FollowUp = []
    /// The deleted content that must also be redacted in the journal.
    var redactions = Redactions()
    /// The number of the last journal entry that the transaction has changed or deleted.
    private(set) var redactedUpTo: UInt64?
    /// Whether the hidden users or the active user may have changed.
    var changedUsers = false
    /// The limits, for the resources that are not counted at the commit.
    let quota: StoreQuota
    let gate: SendingGate
    private let texts: RecentTexts

    init(
        db: StoreConnection,
        journal: EventJournal,
        command: CommandContext?,
        quota: StoreQuota,
        gate: SendingGate,
        texts: RecentTexts
    ) {
        self.texts = texts
        self.quota = quota
        self.gate = gate
        self.db = db
        self.journal = journal
        self.command = command
    }

    /// Stores the response to the command in the same transaction as its effect.
    func answer(_ response: ChatResponse) throws -> ChatResponse {
        if let command { try answer(response, to: command) }
        return response
    }

    /// Stores the response to one of the commands that the transaction runs.
    func answer(_ response: ChatResponse, to command: CommandContext) throws {
        answers.append(CommandAnswer(command: command, response: response))
        try command.claim?.store(response, at: now, in: db)
    }

    /// Records that an entry of the journal was changed or deleted.
    func recordRedaction(_ seq: Int64) { redactedUpTo = max(redactedUpTo ?? 0, UInt64(clamping: seq)) }

    /// Emits an event. It is written immediately, and published after the commit.
    /// - Parameter owner: the user of an event without a user id, if the user is known.
    func emit(_ event: ChatEvent, user userId: Int64?, of owner: Int64? = nil) throws {
        events.append(event)
        switch event {
        case .chatError, .chatErrors: errors.append(EmittedError(event: event, user: userId))
        // These events may make a chat ready for which planned messages wait.
        case .contactConnected, .contactSndReady, .userJoinedGroup: followUp.insert(.plannedMessages)
        default: break
        }
        let subjects = event.subjects
        if let userId {
            // An item that is only marked as deleted still exists, so later events may contain its content again. The
            // content is removed from the journal again.
            for item in subjects where item.isDeleted {
                redactions.add(item.itemId, of: .init(user: userId, chat: item.chat))
            }
        }
        let audience: EventAudience = event.isForEverybody ? .everybody : owner.map(EventAudience.user) ?? .unbound
        entries.append(
            try journal.append(
                JSONEncoder(texts).encode(event),
                userId: userId,
                audience: audience,
                subjects: subjects,
                time: now,
                in: db
            )
        )
    }
}
