internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
internal import ForeignData
internal import SimpleXCrypto
internal import SMP
internal import SQLCipher
internal import Synchronization

/// The databases of a store that somebody else has made, whether this program or an app was used for it. Their rows go into new databases.
struct ForeignStore: Sendable {
    /// In a folder of this program's, where files can be put beside them.
    let chat: String
    let agent: String
    /// Where new databases are made.
    let newChat: String
    let newAgent: String
    /// The key of the new databases, and of the others where they have no passphrase.
    let key: DatabaseKey
    let passphrase: String?
    let program: ReaderProgram
    /// Folder of the store's files.
    let files: String

    init(_ replacement: StoreReplacement, key: DatabaseKey, passphrase: String?, program: ReaderProgram, files: String) {
        (chat, agent, newChat, newAgent) = (replacement.foreignChat, replacement.foreignAgent, replacement.chat, replacement.agent)
        (self.key, self.passphrase, self.program, self.files) = (key, passphrase, program, files)
    }

    /// Makes the new databases, and removes the others.
    /// - Returns: what was left behind, in words.
    /// - Throws: ``ForeignStoreError``, `DatabaseError`; then the new databases are not complete.
    func takeOver() async throws -> [String] {
        let chat = try await reading(ArchiveNames.chat) { try identify(self.chat, $0) }, agent = try await reading(ArchiveNames.agent) { try identify(self.agent, $0) }
        guard chat.isOwn == agent.isOwn else { throw DatabaseError.wrongKey }
        let left: [String]
        do { left = try await chat.isOwn ? takeOverOwn(chat, agent) : takeOverApp(chat, agent) } catch let error as AppArchiveError {
            throw ForeignStoreError.app(error)
        }
        try await blocking { for file in [self.chat, self.agent] { for part in [file, Self.tables(file)] { DiskFiles.remove(part) } } }
        return left
    }

    // MARK: Reading

    /// One of the two databases.
    struct Found: Sendable {
        let database: ForeignDatabase
        let migrations: Set<String>
        /// Whether this program has written it, and no app.
        let isOwn: Bool
    }

    typealias OnStart = @Sendable (_ cancel: @escaping @Sendable () -> Void) -> Void

    private func identify(_ path: String, _ onStart: OnStart) throws -> Found {
        let isPlain = try AppDatabaseFile.isPlain(path)
        let material: KeyMaterial
        if isPlain {
            material = try KeyMaterial(.none)
        } else if let passphrase {
            let rewritten = path + ".rewritten"
            if let key = try AppDatabaseFile.rewrite(path, passphrase, to: rewritten) {
                try DiskFiles.rename(rewritten, to: path)
                material = key
            } else {
                material = try KeyMaterial(.passphrase(passphrase))
            }
        } else {
            material = try KeyMaterial(key)
        }
        let database = ForeignDatabase(path, key: material, program: program)
        let (names, isOwn) = try database.migrations(onStart: onStart)
        // One of this program's that is not encrypted is of a store that is not.
        guard !isOwn || !isPlain || key.isNone && passphrase == nil else { throw DatabaseError.wrongKey }
        return Found(database: database, migrations: names, isOwn: isOwn)
    }

    /// Runs what reads on a thread of its own. The reader ends when the task is cancelled.
    /// - Parameter name: of the database, for errors.
    private func reading<T: Sendable>(_ name: String, _ body: @escaping @Sendable (_ onStart: OnStart) throws -> T) async throws -> T {
        let cancelling = Cancelling()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                BlockingThread.run {
                    do { continuation.resume(returning: try body(cancelling.set)) } catch let error as ForeignDataError {
                        continuation.resume(throwing: error == .wrongKey ? DatabaseError.wrongKey : ForeignStoreError.database(name, error))
                    } catch { continuation.resume(throwing: error) }
                }
            }
        } onCancel: {
            cancelling.cancel()
        }
    }

    private final class Cancelling: Sendable {
        private let state = Mutex<(isCancelled: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))

        func set(_ cancel: @escaping @Sendable () -> Void) {
            let isCancelled = state.withLock { state in
                state.cancel = cancel
                return state.isCancelled
            }
            if isCancelled { cancel() }
        }

        func cancel() {
            let cancel = state.withLock { state in
                state.isCancelled = true
                return state.cancel
            }
            cancel?()
        }
    }

    // MARK: Databases of this program

    private func takeOverOwn(_ chat: Found, _ agent: Found) async throws -> [String] {
        let others = try await reading(ArchiveNames.chat) { onStart in
            let filling = try DatabaseFilling(at: newChat, key: key, migrations: ChatSchema.migrations, applied: chat.migrations)
            let others = try chat.database.fill(filling, ChatRules.rules, onStart: onStart)
            try filling.finish()
            return others
        }
        let more = try await reading(ArchiveNames.agent) { onStart in
            try Agent.fill(newAgent, key: key, from: agent.database, migrations: agent.migrations, files: files, onStart: onStart)
        }
        try await ChatStore.adopt(at: newChat, key: key)
        try await Agent.migrate(databaseAt: newAgent, key: key)
        guard try await StorePair.belongsTogether(chat: newChat, agent: newAgent, key: key) else { throw ForeignStoreError.otherStores }
        return (others + more).prefix(Self.mostNamed).map { "left behind: \($0)" }
    }

    /// Where the tables of an app are, as this program has made them.
    private static func tables(_ path: String) -> String { path + ".tables" }

    /// How many things that were left are named.
    private static let mostNamed = 20

    // MARK: Databases of the apps

    private func takeOverApp(_ chat: Found, _ agent: Found) async throws -> [String] {
        try AppArchiveError.check(chat.migrations, known: AppChatMigrations.names, oldest: AppChatMigrations.oldest)
        let between = DatabaseKey.sealed(KeyMaterial.random())
        let appChat = try await reading(ArchiveNames.chat) { onStart in
            let path = Self.tables(self.chat)
            let filling = try DatabaseFilling(at: path, key: between, tables: AppChatSchema.tables, rest: AppChatSchema.rest)
            _ = try chat.database.fill(filling, .app, onStart: onStart)
            try filling.finish()
            return try AppDatabase(path, key: between)
        }
        var counts = try await AppChatImport.run(appChat, migrations: chat.migrations, to: newChat, key: key)
        let made = try await blocking { try AppDatabase(newChat, key: key) }
        let appAgent = try await reading(ArchiveNames.agent) { onStart in
            try Agent.tables(ofApp: agent.database, migrations: agent.migrations, to: Self.tables(self.agent), key: between, onStart: onStart)
        }
        let wanted = try await blocking { try AppChatImport.connections(in: made) }
        counts.add(try await Agent.takeOver(appAgent, to: newAgent, key: key, connections: (wanted, { try AppChatImport.has($0, in: made) })))
        return counts.sentences
    }
}

/// Why databases of others are not taken over.
enum ForeignStoreError: Error {
    case database(_ name: String, ForeignDataError)
    case otherStores
    case app(AppArchiveError)

    func chatFailure(_ path: String) -> ChatFailure {
        switch self {
        case .database(let name, let error): ChatFailure(ChatErrorType.exception(message: "\(path): \(name): \(error)"))
        case .app(let error): ChatFailure(ChatErrorType.exception(message: "\(path): \(error.sentence)"))
        case .otherStores: ChatFailure(ChatErrorType.exception(message: "\(path): its two databases are of different stores"))
        }
    }
}

extension AppArchiveError {
    fileprivate var sentence: String {
        switch self {
        case .newer(let migration): "a later version of the app has written it: it has the migration \(migration)"
        case .older(let migration): "an app before version 6.4 has written it: the migration \(migration) is missing"
        case .unreadable: "a key or a queue of the app cannot be read"
        }
    }
}

extension MovedCounts {
    /// What was left behind, as the answer lists it.
    var sentences: [String] { left.sorted { $0.key < $1.key }.map { "left behind: \($0.value) × \($0.key)" } }
}
