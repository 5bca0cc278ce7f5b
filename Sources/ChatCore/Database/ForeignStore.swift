internal import Agent
internal import ChatAPI
internal import ChatMoving
internal import ChatProtocol
internal import ChatStore
internal import Files
internal import ForeignData
internal import SimpleXCrypto
internal import SQLCipher

/// The databases of an archive or a copy of a store, written by this program or by an app. Their rows are copied into
/// new databases.
struct ForeignStore: Sendable {
    let chatPath: String
    let agentPath: String
    /// The folder in which the new databases are created.
    let replacement: StoreReplacement
    /// The key of the new databases. Source databases for which no passphrase is given must also have this key, except
    /// unencrypted databases of the apps.
    let key: DatabaseKey
    let origin: Origin
    let program: ReaderProgram
    let foreignReads: ForeignReads

    enum Origin: Sendable {
        /// An archive of any store or app.
        ///
        /// `badgeKeys` verify the badges of the users of an app.
        case archive(passphrase: String?, badgeKeys: BadgeKeys)
        /// A copy of this store, with the folder of its objects in the object storage. The new databases are opened as
        /// a copy later.
        case copy(objects: String?)
    }

    /// Fills new databases with the rows of the source databases, which stay unchanged.
    /// - Returns: texts about the kinds of data that were not taken over.
    /// - Throws: ``ForeignStoreError``, `DatabaseError`; in that case the new databases are incomplete.
    func takeOverRows() async throws -> [String] {
        let chat = try await foreignReads.runRead(ArchiveNames.chatDatabase) {
            try identify(self.chatPath, "chat", $0)
        }
        let agent = try await foreignReads.runRead(ArchiveNames.agentDatabase) {
            try identify(self.agentPath, "agent", $0)
        }
        guard chat.isOwn == agent.isOwn else { throw DatabaseError.wrongKey }
        if chat.isOwn { return try await takeOverOwnRows(chat, agent) }
        guard case .archive(_, let badgeKeys) = origin else { throw ForeignStoreError.writtenByApp }
        do { return try await takeOverAppRows(chat, agent, badgeKeys) } catch let error as AppArchiveError {
            throw ForeignStoreError.appArchive(error)
        }
    }

    // MARK: Reading

    /// A database (chat or agent) of the archive or copy, with its migrations and the program that has written the
    /// database.
    struct IdentifiedDatabase: Sendable {
        let database: ForeignDatabase
        let migrations: Set<String>
        /// Whether this program has written the database; otherwise an app has written the database.
        let isOwn: Bool
    }

    private func identify(_ path: String, _ name: String, _ read: ForeignRead) throws -> IdentifiedDatabase {
        let isPlain = try AppDatabaseFile.isUnencrypted(path)
        var (path, material) = (path, try KeyMaterial(isPlain ? DatabaseKey.none : key))
        var passphrase: String?
        if case .archive(let given, _) = origin { passphrase = given }
        // Like the apps, this program refuses a passphrase for databases without encryption.
        guard passphrase == nil || !isPlain else { throw DatabaseError.wrongKey }
        if let passphrase {
            let rewritten = replacement.folder + "/" + name + ".rewritten"
            if let key = try AppDatabaseFile.rewriteForSQLCipher3(
                path,
                passphrase,
                to: rewritten,
                while: { !foreignReads.isEnded }
            ) {
                (path, material) = (rewritten, key)
            } else {
                material = try KeyMaterial(.passphrase(passphrase))
            }
        }
        let database = ForeignDatabase(path, key: material, program: program)
        let (names, isOwn) = try database.readMigrations(onStart: read.setEndFunction)
        // A database of this program without encryption is accepted only by a store without encryption.
        guard !isOwn || !isPlain || key.isNone else { throw DatabaseError.wrongKey }
        return IdentifiedDatabase(
            database: database,
            migrations: isOwn ? mapToReleasedMigrations(names, name) : names,
            isOwn: isOwn
        )
    }

    /// The last migration before the first release. A database with this migration was made by a development version,
    /// and has all columns of the first released schema.
    static let lastDevelopmentMigration = "20261127_path_seals"

    private func mapToReleasedMigrations(_ names: Set<String>, _ name: String) -> Set<String> {
        guard names.contains(Self.lastDevelopmentMigration) else { return names }
        return Set((name == "chat" ? ChatSchema.migrations.map(\.name) : Agent.migrationNames).prefix(1))
    }

    // MARK: Databases of this program

    /// The maximum number of sentences that ``omissionSentences(about:)`` returns about data that was not taken over.
    private static let maxOmissionSentences = 20

    private func takeOverOwnRows(_ chat: IdentifiedDatabase, _ agent: IdentifiedDatabase) async throws -> [String] {
        let rules: DatabaseRules, isCopy: Bool
        switch origin {
        case .archive: (rules, isCopy) = (ChatRules.makeRules(), false)
        case .copy(let objects): (rules, isCopy) = (ChatRules.makeRules(objects: objects), true)
        }
        let others = try await foreignReads.runRead(ArchiveNames.chatDatabase) { read in
            let filling = try DatabaseFilling(
                at: replacement.chatPath,
                key: key,
                migrations: ChatSchema.migrations,
                applied: chat.migrations
            )
            let others = try chat.database.fillDatabase(filling, rules, onStart: read.setEndFunction)
            try filling.commitRows()
            return others
        }
        let more = try await foreignReads.runRead(ArchiveNames.agentDatabase) { read in
            try Agent.fillDatabase(
                replacement.agentPath,
                key: key,
                from: agent.database,
                migrations: agent.migrations,
                onStart: read.setEndFunction
            )
        }
        try await ChatStore.migrateForeignDatabase(at: replacement.chatPath, key: key, isCopy: isCopy)
        try await Agent.migrate(databaseAt: replacement.agentPath, key: key)
        guard try await StorePair.belongsTogether(chat: replacement.chatPath, agent: replacement.agentPath, key: key)
        else {
            throw ForeignStoreError.differentStores
        }
        return Self.omissionSentences(about: others + more)
    }

    private static func omissionSentences(about others: [String]) -> [String] {
        others.prefix(maxOmissionSentences).map { "left behind: \($0)" }
    }

    // MARK: Databases of the apps

    /// Returns the path of a temporary database, in which this program creates the tables of an app.
    private func tablesPath(_ name: String) -> String { replacement.folder + "/" + name + ".tables" }

    /// Copies the tables of an app's chat database to a temporary database.
    /// - Returns: the temporary database, and the names of the tables that were not copied.
    private func copyChatTables(
        of app: ForeignDatabase,
        to path: String,
        key: DatabaseKey
    ) async throws -> (database: AppDatabase, omittedTables: [String]) {
        try await foreignReads.runRead(ArchiveNames.chatDatabase) { read in
            let filling = try DatabaseFilling(
                at: path,
                key: key,
                tables: AppChatSchema.tables,
                indicesAndTriggers: AppChatSchema.indicesAndTriggers
            )
            let omitted = try app.fillDatabase(
                filling,
                .forApps(copying: ChatRules.copiedColumnRules),
                onStart: read.setEndFunction
            )
            try filling.commitRows()
            return (try AppDatabase(path, key: key), omitted)
        }
    }

    private func takeOverAppRows(
        _ chat: IdentifiedDatabase,
        _ agent: IdentifiedDatabase,
        _ badgeKeys: BadgeKeys
    ) async throws -> [String] {
        try AppArchiveError.checkMigrations(
            chat.migrations,
            known: AppChatMigrations.names,
            oldest: AppChatMigrations.minimumMigration
        )
        let between = DatabaseKey.sealed(KeyMaterial.random())
        let (chatTables, agentTables) = (tablesPath("chat"), tablesPath("agent"))
        let (appChat, others) = try await copyChatTables(of: chat.database, to: chatTables, key: between)
        var counts = try await foreignReads.runImport(endedBy: appChat.endReading) {
            try await AppChatImport.importDatabase(
                appChat,
                migrations: chat.migrations,
                badgeKeys: badgeKeys,
                to: replacement.chatPath,
                key: key
            )
        }
        let (appAgent, more) = try await foreignReads.runRead(ArchiveNames.agentDatabase) { read in
            try Agent.copyTables(
                ofApp: agent.database,
                migrations: agent.migrations,
                to: agentTables,
                key: between,
                onStart: read.setEndFunction
            )
        }
        counts.addCounts(try await importAppAgent(appAgent))
        return counts.omissionSentences
            + Self.omissionSentences(about: others.filter { $0 != AppChatSchema.ignoredOmittedTable } + more)
    }

    /// Imports the rows of an app's agent. The new chat database already has the rows of the app's chat.
    private func importAppAgent(_ appAgent: AppDatabase) async throws -> MovedCounts {
        let (made, wanted) = try await foreignReads.runRead(ArchiveNames.chatDatabase) { _ in
            let made = try AppDatabase(replacement.chatPath, key: key)
            return (made, try AppChatImport.countConnections(in: made))
        }
        return try await foreignReads.runImport(endedBy: appAgent.endReading) {
            try await Agent.importAppDatabase(
                appAgent,
                to: replacement.agentPath,
                key: key,
                connections: (wanted, { try AppChatImport.hasConnection($0, in: made) })
            )
        }
    }
}

/// The reason why the databases of an archive or a copy are not taken over.
enum ForeignStoreError: Error {
    case database(_ name: String, ForeignDataError)
    case differentStores
    case appArchive(AppArchiveError)
    /// The databases should be a copy of this store, but an app has written them.
    case writtenByApp

    var sentence: String {
        switch self {
        case .database(let name, let error): "\(name): \(error)"
        case .appArchive(let error): error.sentence
        case .writtenByApp: "it is a profile of an app, not a copy of a store"
        case .differentStores: "its two databases belong to different stores"
        }
    }
}

extension AppArchiveError {
    fileprivate var sentence: String {
        switch self {
        case .newerDatabase(let migration):
            "a later version of the app has written it: it has the migration \(migration)"
        case .olderDatabase(let migration):
            "an app before version 6.4 has written it: the migration \(migration) is missing"
        case .unreadable: "a key or a queue of the app cannot be read"
        }
    }
}

extension MovedCounts {
    /// Sentences for the answer to the import: one about each kind of data that was not taken over, with the number of
    /// its entries.
    var omissionSentences: [String] {
        omittedCounts.sorted { $0.key < $1.key }.map { "left behind: \($0.value) × \($0.key)" }
    }
}
