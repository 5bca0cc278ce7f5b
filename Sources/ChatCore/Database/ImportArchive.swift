internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher
internal import ZIP

extension RunningCommand {
    /// `/_db import`: replaces the databases by the archive's, and adds its files to the present ones.
    ///
    /// The archive is that of a gateway, or of an app. The databases of a gateway must open with the present key, or with the passphrase that is given, and
    /// have a known schema; they are checked page by page before anything is replaced, and get the present key. Those of an app have other tables, from
    /// which new databases are made: see ``AppChatImport``.
    func importArchive(_ config: ArchiveConfig) async throws -> ChatResponse {
        let path = config.archivePath
        guard path.hasPrefix("/") else { throw ChatFailure.command("the path is not absolute") }
        return try await maintaining {
            let (replacement, key, shown) = (replacement, databaseKey, folders.paths.shown(path))
            let answer: ChatResponse
            do {
                let errors = try await blocking { () -> [ArchiveError] in
                    try replacement.begin()
                    return try ZIPReader.unpacking(into: replacement.folder) { try Self.unpack(path, shown, replacement) }
                }
                let moved = try await takeOverApp(shown, config.passphrase, replacement, key)
                if moved == nil { try await takeOverGateway(shown, config.passphrase, replacement, key) }
                try await withDatabase(replacement.chat, key: key, ChatDatabaseError.errorOpen) { database in
                    try await database.write { db in try StoredObject.disown(in: db) }
                }
                answer = .archiveImported(archiveErrors: errors + (moved?.archiveErrors ?? []))
                try await keep(answer, in: replacement.chat, key)
            } catch {
                await cleaningUp { replacement.cancel() }
                guard let error = error as? ZIPError else { throw error }
                throw error.chatFailure(shown, "withBinaryFile")
            }
            try await replaceStore(.added, key: nil, leavesObjects: true)
            return answer
        }
    }

    /// The databases of another gateway get the present key, the present schema, and a journal of their own.
    private func takeOverGateway(_ path: String, _ passphrase: String?, _ replacement: StoreReplacement, _ key: DatabaseKey) async throws {
        for database in [replacement.chat, replacement.agent] {
            if let passphrase {
                try await withDatabase(database, key: .passphrase(passphrase), ChatDatabaseError.errorOpen) { try await $0.rekey(to: key) }
            }
            try await check(database, key)
        }
        do {
            try await ChatStore.adopt(at: replacement.chat, key: key)
            try await Agent.migrate(databaseAt: replacement.agent, key: key)
        } catch let error as DatabaseError {
            throw ChatFailure(ChatError.errorDatabase(databaseError: error.reported(path, ChatDatabaseError.errorOpen)))
        }
        try await checkPair(path, replacement, key)
    }

    /// Refuses a chat database with the agent's of another store, or of another time: it knows none of the connections, or not all profiles, and all would be lost.
    private func checkPair(_ path: String, _ replacement: StoreReplacement, _ key: DatabaseKey) async throws {
        func ids(_ database: String, _ sql: String, _ id: @escaping @Sendable (Row) throws(DatabaseError) -> ConnectionID?) async throws -> Set<ConnectionID> {
            try await withDatabase(database, key: key, ChatDatabaseError.errorOpen) { database in
                try await database.read { db in Set(try db.query(sql).compactMap(id)) }
            }
        }
        let used = try await ids(replacement.chat, "SELECT agent_conn_id FROM connections") { row throws(DatabaseError) in ConnectionID(text: try row.string(0)) }
        let known = try await ids(replacement.agent, "SELECT conn_id FROM connections") { row throws(DatabaseError) in ConnectionID(bytes: try row.blob(0)) }
        let haveUsers = try await DatabaseInspection.areOfOneStore(chat: replacement.chat, agent: replacement.agent, key: key)
        guard used.isEmpty || !used.isDisjoint(with: known), haveUsers else {
            throw ChatFailure(ChatErrorType.exception(message: "\(path): its two databases are of different stores"))
        }
    }

    /// The answer goes with the database that takes the place of the present one.
    private func keep(_ answer: ChatResponse, in path: String, _ key: DatabaseKey) async throws {
        guard let claim else { return }
        try await withDatabase(path, key: key, ChatDatabaseError.errorOpen) { database in
            try await database.write { db in try claim.keep(answer, at: .now, in: db) }
        }
        noteAnswerKept()
    }

    /// Whether every page of a database can be decrypted and is what it should be.
    private func check(_ path: String, _ key: DatabaseKey) async throws {
        try await withDatabase(path, key: key, ChatDatabaseError.errorOpen) { database in
            let answer = try await database.read { db in try db.first("PRAGMA quick_check(1)")?.string(0) }
            guard answer == "ok" else { throw DatabaseError.corrupt }
        }
    }

    /// Unpacks the parts of a store; other entries are reported as skipped.
    private static func unpack(_ path: String, _ shown: String, _ replacement: StoreReplacement) throws -> [ArchiveError] {
        var limits = ZIPLimits()
        // Some space is left, since the present store also writes.
        limits.bytes = DiskFiles.room(replacement.folder) / 10 * 9
        let archive = try ZIPReader(path: path, limits: limits)
        var errors: [ArchiveError] = []
        var databases: Set<String> = []
        for entry in archive.entries {
            switch entry.name {
            case ArchiveNames.chat: try archive.unpack(entry, to: replacement.chat)
            case ArchiveNames.agent: try archive.unpack(entry, to: replacement.agent)
            default:
                if let file = name(entry.name, in: ArchiveNames.files) {
                    try archive.unpack(entry, to: replacement.files + "/" + file)
                } else if let file = name(entry.name, in: ArchiveNames.wallpapers) {
                    try archive.unpack(entry, to: replacement.assets + "/" + file)
                } else {
                    errors.append(.fileError(file: entry.name, fileError: "not a part of an archive"))
                }
                continue
            }
            databases.insert(entry.name)
        }
        for (name, file) in [(ArchiveNames.chat, replacement.chat), (ArchiveNames.agent, replacement.agent)] {
            guard databases.contains(name) else { throw ChatFailure(ChatErrorType.exception(message: "\(shown): there is no \(name)")) }
            // Any key opens it, as a new one.
            guard DiskFiles.hasBytes(file) else { throw ChatFailure(ChatErrorType.exception(message: "\(shown): \(name) is empty")) }
        }
        return errors
    }

    private static func name(_ path: String, in folder: String) -> String? {
        guard path.hasPrefix(folder) else { return nil }
        let name = path.dropFirst(folder.count)
        return name.isEmpty || name.contains("/") ? nil : String(name)
    }
}
