internal import ChatAPI
internal import SimpleXCrypto
internal import SQLCipher

extension ChatConfiguration {
    var replacement: StoreReplacement { StoreReplacement(prefix: databasePrefix) }

    /// The paths of the database of the chat and the database of the agent.
    package var databasePaths: [String] { [databasePrefix + "_chat.db", databasePrefix + "_agent.db"] }
}

extension CoreServices {
    /// Opens a database file, runs `body`, and closes the file. Opening does not change the file, which may be open
    /// elsewhere.
    /// - Throws: `errorDatabase`.
    func withDatabase<T: Sendable>(
        _ path: String,
        key: DatabaseKey,
        _ name: (SQLiteError) -> ChatDatabaseError,
        _ body: (Database) async throws -> T
    ) async throws -> T {
        do {
            let database = try await Database.open(
                at: path,
                key: key,
                readers: 1,
                create: false,
                migrates: false,
                limit: storeWork.statements.longLimit
            )
            do {
                let value = try await body(database)
                await database.close()
                return value
            } catch {
                await database.close()
                throw error
            }
        } catch let error as DatabaseError {
            throw ChatFailure(ChatError.errorDatabase(databaseError: error.apiError(path, name)))
        }
    }
}

extension DatabaseError {
    /// Converts this error to the API error for the database file at a path.
    func apiError(_ path: String, _ name: (SQLiteError) -> ChatDatabaseError) -> ChatDatabaseError {
        switch self {
        case .wrongKey: name(.errorNotADatabase)
        case .fileMissing: .errorNoFile(dbFile: path)
        case .newerSchema(let migration): name(.error(dbError: "newer schema: \(migration)"))
        case .diskFull: name(.full)
        case .busy: name(.busy)
        default: name(.error(dbError: "\(self)"))
        }
    }
}
