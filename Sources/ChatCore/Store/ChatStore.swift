internal import ChatAPI
internal import JSON
internal import SQLCipher
import Synchronization

/// The chat database with its journal: every change and the events that tell of it are one transaction.
final class ChatStore: Sendable {
    let database: Database
    let journal: EventJournal
    let observers = Mutex(Observers())
    let changes = ChangeFeed()
    let names = ChatNames()
    let outline = SearchOutline()
    let cards = ContactCards()

    /// Who is told of what transactions leave to be done, after the commit.
    struct Observers {
        /// What was put into the outbox.
        var deliveries: (@Sendable ([Delivery]) -> Void)?
        var followUp: (@Sendable (FollowUp) -> Void)?
    }

    /// Grows with every transaction, before its writer goes on: what was read at a revision is true as long as it stands.
    let revision = Atomic<UInt64>(0)

    private init(database: Database, journal: EventJournal) {
        self.database = database
        self.journal = journal
    }

    static func open(at path: String, key: DatabaseKey, retention: JournalRetention, upgrade: Bool = true) async throws -> ChatStore {
        let database = try await Database.open(at: path, key: key, migrations: ChatSchema.migrations, upgrade: upgrade)
        let journal = try await EventJournal.open(on: database, retention: retention)
        journal.setUnseen(try await database.read { try UserRecord.unseen(in: $0) })
        return ChatStore(database: database, journal: journal)
    }

    /// Brings a chat database, which must be there, to the present schema.
    static func migrate(at path: String, key: DatabaseKey) async throws {
        let database = try await Database.open(at: path, key: key, migrations: ChatSchema.migrations, readers: 1, create: false)
        await database.close()
    }

    /// Runs `body` in one transaction, and publishes its events when it is committed. Of a command that fails, the errors that it has told stay.
    func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        do {
            return try await commit { tx in
                do { return try body(tx) } catch let failure as ChatFailure where !tx.errors.isEmpty {
                    throw ToldFailure(failure: failure, errors: tx.errors)
                }
            }
        } catch let told as ToldFailure {
            try await commit { tx in for error in told.errors { try tx.emit(error.event, user: error.user) } }
            throw told.failure
        }
    }

    /// Runs `body` in one transaction as ``write(_:)`` does, and its result is the answer of the command: it is published with the change, and kept
    /// in the transaction for repetitions of the request.
    func answer(_ body: @escaping @Sendable (Transaction) throws -> ChatResponse) async throws -> ChatResponse {
        try await write { tx in try tx.answer(body(tx)) }
    }

    /// A failure that undoes a transaction, and the errors that were told in it.
    private struct ToldFailure: Error {
        let failure: ChatFailure
        let errors: [Transaction.ToldError]
    }

    private func commit<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        let journal = journal
        let command = CommandContext.current
        let committed = try await database.write({ db in
            let transaction = Transaction(db: db, journal: journal, claim: command?.claim)
            let value = try body(transaction)
            try transaction.finishRedactions()
            return Committed(
                value: value, entries: transaction.entries, events: transaction.events, answer: transaction.answer,
                deliveries: transaction.deliveries, followUp: transaction.followUp, redactedUpTo: transaction.redactedUpTo,
                deletedOf: transaction.redactions.users, unseen: transaction.changedUsers ? try UserRecord.unseen(in: db) : nil)
        }, committed: { [changes] committed in
            if committed.answer != nil { command?.noteAnswerKept() }
            if let unseen = committed.unseen { journal.setUnseen(unseen) }
            if let seq = committed.redactedUpTo { journal.forgetHeld(upTo: seq) }
            changes.committed(
                committed.events, committed.entries.last?.cursor, answer: committed.answer, of: command, deletedOf: committed.deletedOf)
        })
        revision.wrappingAdd(1, ordering: .acquiringAndReleasing)
        journal.publish(committed.entries)
        if !committed.deliveries.isEmpty { observers.withLock { $0.deliveries }?(committed.deliveries) }
        if !committed.followUp.isEmpty { observers.withLock { $0.followUp }?(committed.followUp) }
        if journal.takesTrim() {
            // Beside the writer's way: what is committed is committed, whatever becomes of old entries.
            Task { try? await journal.trim(now: .now) }
        }
        return committed.value
    }

    /// What a transaction has left, once it is committed.
    private struct Committed<Value: Sendable>: Sendable {
        let value: Value
        let entries: [JournalEntry]
        let events: [ChatEvent]
        let answer: ChatResponse?
        let deliveries: [Delivery]
        let followUp: FollowUp
        let redactedUpTo: UInt64?
        let deletedOf: Set<Int64>
        /// The users that are hidden and not active, where that has changed.
        let unseen: Set<Int64>?
    }

    /// Runs `body` on a snapshot.
    func read<T: Sendable>(_ body: @escaping @Sendable (StoreConnection) throws -> T) async throws -> T {
        guard let command = CommandContext.current, command.isInOrder else { return try await database.read(body) }
        return try await readInOrder(for: command, body)
    }
}

/// Work that a transaction leaves for its workers. What is to be done is in the database: this only wakes them.
struct FollowUp: OptionSet, Sendable {
    let rawValue: Int
    /// Items were given a time to disappear.
    static let timedItems = FollowUp(rawValue: 1)
    /// Connections are to be deleted by the agent.
    static let retiredConnections = FollowUp(rawValue: 2)
    /// What is behind short links of addresses is to be written anew.
    static let linkData = FollowUp(rawValue: 4)
    /// It was said for how long items are kept.
    static let expiringItems = FollowUp(rawValue: 8)
    /// There are enough new messages for another span of the search index.
    static let searchIndex = FollowUp(rawValue: 16)
}

/// One write transaction of the chat database. It must not leave the closure that it is given to.
final class Transaction {
    let db: StoreConnection
    /// One moment for all that the transaction writes.
    let now = Timestamp.now
    private let journal: EventJournal
    private let claim: RequestClaim?
    /// The answer of the command that it is for.
    private(set) var answer: ChatResponse?
    /// Which store this is.
    var epoch: String { journal.epoch }
    private(set) var entries: [JournalEntry] = []
    private(set) var events: [ChatEvent] = []
    struct ToldError: Sendable {
        let event: ChatEvent
        let user: Int64?
    }
    /// Those of the events that tell errors.
    private(set) var errors: [ToldError] = []
    /// Written to the outbox by this transaction, to be handed to the agent after the commit.
    var deliveries: [Delivery] = []
    var followUp: FollowUp = []
    /// What the transaction deletes, and the journal is to lose with it.
    var redactions = Redactions()
    /// The last entry of the journal that the transaction has changed or deleted.
    private(set) var redactedUpTo: UInt64?
    /// Users may be seen, or not, other than before.
    var changedUsers = false

    init(db: StoreConnection, journal: EventJournal, claim: RequestClaim?) {
        self.db = db
        self.journal = journal
        self.claim = claim
    }

    /// Writes the answer of the command, so that it is there exactly if the effect is.
    func answer(_ response: ChatResponse) throws -> ChatResponse {
        answer = response
        try claim?.keep(response, at: now, in: db)
        return response
    }

    /// An entry of the journal was changed or deleted.
    func noteRedacted(_ seq: Int64) { redactedUpTo = max(redactedUpTo ?? 0, UInt64(clamping: seq)) }

    /// Emits an event: it is written now and published after the commit.
    /// - Parameter owner: the user that an event without one is of, where that is known.
    func emit(_ event: ChatEvent, user userId: Int64?, of owner: Int64? = nil) throws {
        events.append(event)
        switch event {
        case .chatError, .chatErrors: errors.append(ToldError(event: event, user: userId))
        default: break
        }
        let subjects = event.subjects
        if let userId {
            // What was only marked as deleted is still there, and may be told of again.
            for item in subjects where item.isDeleted { redactions.add(item.itemId, of: .init(user: userId, chat: item.chat)) }
        }
        let audience: EventAudience = event.isForEverybody ? .everybody : owner.map(EventAudience.user) ?? .unbound
        entries.append(
            try journal.append(JSONEncoder().encode(event), userId: userId, audience: audience, subjects: subjects, time: now, in: db))
    }
}
