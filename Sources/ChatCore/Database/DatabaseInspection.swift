internal import Agent
public import Files
public import SimpleXCrypto
internal import SQLCipher

/// What the databases of a store are found to be, by opening them without bringing them to another schema. No other process may use them meanwhile.
public enum DatabaseInspection {
    /// The state of one database.
    public enum Finding: Sendable, Hashable {
        /// There is no file.
        case absent
        /// It opens, its structure is sound, and its schema is that of this program.
        case sound
        /// It has the schema of an earlier program, and lacks this number of migrations.
        case older(missing: Int)
        /// A later program has written it: it has a migration that this one does not know.
        case newer(migration: String)
        /// The key does not open it, or it is no database.
        case wrongKey
        case damaged(reason: String)
        /// This user may not read and write it, or a file of its log.
        case forbidden(FileSystemError)
    }

    /// - Parameter folder: that of the store.
    /// - Returns: the paths of both databases with what was found.
    public static func inspect(_ folder: String, key: DatabaseKey) async -> [(path: String, finding: Finding)] {
        var findings: [(String, Finding)] = []
        for (name, known) in [("chat", ChatSchema.migrations.map(\.name)), ("agent", Agent.migrationNames)] {
            let path = "\(folder)/simplex_v1_\(name).db"
            findings.append((path, DiskFiles.size(path) ?? 0 > 0 ? await finding(path, key, known) : .absent))
        }
        return findings
    }

    /// The ids of the profiles and of the phones in a store.
    /// - Parameter folder: that of the store.
    /// - Throws: when its database cannot be read.
    public static func numbers(_ folder: String, key: DatabaseKey) async throws -> (users: Set<Int64>, remoteHosts: Set<Int64>) {
        let database = try await Database.open(at: "\(folder)/simplex_v1_chat.db", key: key, readers: 1, create: false, migrates: false)
        do {
            let found = try await database.read { connection in
                (
                    users: Set(try connection.query("SELECT user_id FROM users").map { try $0.int64(0) }),
                    remoteHosts: Set(try connection.query("SELECT remote_host_id FROM remote_hosts").map { try $0.int64(0) })
                )
            }
            await database.close()
            return found
        } catch {
            await database.close()
            throw error
        }
    }

    private static func finding(_ path: String, _ key: DatabaseKey, _ known: [String]) async -> Finding {
        // SQLite says of all of it only that it cannot open it.
        do throws(FileSystemError) { for file in ["", "-wal", "-shm"].map({ path + $0 }) where DiskFiles.exists(file) { try DiskFiles.checkWritable(file) } } catch {
            return .forbidden(error)
        }
        let database: Database
        do { database = try await Database.open(at: path, key: key, readers: 1, create: false, migrates: false) } catch DatabaseError.wrongKey {
            return .wrongKey
        } catch {
            return .damaged(reason: "\(error)")
        }
        let found: Finding
        do {
            found = try await database.read { connection in
                let verdict = try connection.query("PRAGMA quick_check(1)").first?.string(0) ?? "no answer"
                guard verdict == "ok" else { return .damaged(reason: verdict) }
                let applied = try connection.query("SELECT name FROM migrations ORDER BY rowid").map { try $0.string(0) }
                if let unknown = applied.first(where: { !known.contains($0) }) { return .newer(migration: unknown) }
                let missing = known.count - applied.count
                return missing == 0 ? .sound : .older(missing: missing)
            }
        } catch {
            found = .damaged(reason: "\(error)")
        }
        await database.close()
        return found
    }
}
