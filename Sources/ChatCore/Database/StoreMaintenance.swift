internal import Agent
internal import ChatAPI
internal import NIOPosix
public import SQLCipher

// What is done with the databases as a whole: the chat is stopped, and no other command runs meanwhile.
extension ChatController {
    var replacement: StoreReplacement { StoreReplacement(prefix: configuration.databasePrefix) }

    /// The databases' files: of the chat, of the agent.
    var databasePaths: [String] { [configuration.databasePrefix + "_chat.db", configuration.databasePrefix + "_agent.db"] }

    /// Whether the databases were closed to be replaced: nothing is answered then until they are opened anew, by another controller.
    public var isStoreChanged: Bool { running.withLock { $0.isStoreChanged } }

    /// The key of the databases as they are now.
    public var databaseKey: DatabaseKey { running.withLock { $0.databaseKey } ?? configuration.databaseKey }

    /// Runs `body` while nothing else is done with the databases.
    /// - Throws: `chatNotStopped`.
    func maintaining<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await turns.run {
            let begins = running.withLock { running in
                guard !running.isRunning else { return false }
                running.isMaintained = true
                return true
            }
            guard begins else { throw ChatFailure(ChatErrorType.chatNotStopped) }
            defer { running.withLock { $0.isMaintained = false } }
            await drain()
            do {
                return try await body()
            } catch let failure as FileFailure {
                throw failure.chatFailure
            }
        }
    }

    /// Closes the databases, and puts what was prepared in their place. From the commit on there is no way back; what cannot be finished
    /// now is finished when the databases are opened.
    /// - Throws: `FileFailure` before the commit, when what was prepared is gone and the databases are as they were.
    func replaceStore(_ what: StoreReplacement.Files, key: DatabaseKey?) async throws {
        let (replacement, folders) = (replacement, folders.paths)
        let wasOpen = running.withLock { running in
            defer { running.isStoreChanged = true }
            return !running.isStoreChanged
        }
        if wasOpen {
            await agent.close()
            await store.database.close()
        }
        do { try await Self.blocking { try replacement.commit(what, folders: folders) } } catch {
            try? await Self.blocking { replacement.cancel() }
            throw error
        }
        if let key { running.withLock { $0.databaseKey = key } }
        do { try await Self.blocking { try replacement.finish() } } catch {
            logger.error("the databases are replaced when they are opened again", metadata: ["error": "\(error)"])
        }
    }

    /// Opens a database file as it is, beside who else has it open, and closes it again.
    /// - Throws: `errorDatabase`.
    func withDatabase<T: Sendable>(
        _ path: String, key: DatabaseKey, _ name: (SQLiteError) -> ChatDatabaseError, _ body: (Database) async throws -> T
    ) async throws -> T {
        do {
            let database = try await Database.open(at: path, key: key, readers: 1, create: false, migrates: false)
            do {
                let value = try await body(database)
                await database.close()
                return value
            } catch {
                await database.close()
                throw error
            }
        } catch let error as DatabaseError {
            throw ChatFailure(ChatError.errorDatabase(databaseError: error.told(path, name)))
        }
    }

    /// Runs what blocks on a thread that may.
    static func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await NIOThreadPool.singleton.runIfActive(body)
    }
}

extension DatabaseError {
    func told(_ path: String, _ name: (SQLiteError) -> ChatDatabaseError) -> ChatDatabaseError {
        switch self {
        case .wrongKey: name(.errorNotADatabase)
        case .missing: .errorNoFile(dbFile: path)
        case .newerSchema(let migration): name(.error(dbError: "newer schema: \(migration)"))
        default: name(.error(dbError: "\(self)"))
        }
    }
}
