internal import Agent
internal import ChatStore
package import Files
package import SimpleXCrypto
internal import SMP
internal import SQLCipher

/// Checks the databases of a store. The databases are opened, but not migrated. No other process may use them during
/// the check.
package enum DatabaseInspection {
    /// The state of one database.
    package enum Finding: Sendable, Hashable {
        /// The file does not exist or is empty.
        case absent
        /// The database opens, its structure is sound, and it has the schema of this program.
        case sound
        /// The database has the schema of an earlier program, and lacks this number of migrations.
        case older(missing: Int)
        /// A later program has written the database, which has a migration that this program does not know.
        case newer(migration: String)
        /// The key does not open the file, or the file is no database.
        case wrongKey
        case damaged(reason: String)
        /// The process has no right to read and write the database or a file of its log.
        case forbidden(FileSystemError)
    }

    /// Queues that a store still uses, although their relay no longer has them.
    package struct LostQueues: Sendable {
        /// The address of the relay: host and port.
        package let relayAddress: String
        package let count: Int
        /// The change of the relay that explains the loss: the end of a sentence whose subject is the relay, such as
        /// `now has another port`.
        package let reason: String

        init(_ queues: UnreachableQueues) {
            relayAddress = "\(queues.formerRelay.hosts.first?.str ?? ""):\(queues.formerRelay.portNumber ?? 0)"
            count = queues.queueCount
            reason =
                switch queues.reason {
                case .otherPort: "now has another port"
                case .otherRelay: "no longer exists or was replaced by another relay"
                case .lost: "no longer has them"
                }
        }
    }

    /// The current relays of this program. For one relay, the caller can give the recipient ids of its queues, for
    /// example because the relay is not running yet.
    package struct Relays: Sendable {
        let addresses: [ProtocolServer]
        let knownQueues: (relay: ProtocolServer, queues: Set<[UInt8]>)?

        /// - Parameters:
        ///   - addresses: the addresses of the current relays.
        ///   - known: one of the relays, with the recipient ids of its queues.
        /// - Throws: an error for a text that is not an address.
        package init(_ addresses: [String], known: (relay: String, queues: Set<[UInt8]>)? = nil) throws {
            self.addresses = try addresses.map { try ProtocolServer(parsing: $0) }
            self.knownQueues = try known.map { (try ProtocolServer(parsing: $0.relay), $0.queues) }
        }
    }

    /// Inspects both databases of a store.
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - isQuick: whether to read only the beginning of the databases.
    /// - Returns: the paths of both databases with the findings.
    package static func inspect(
        _ folder: String,
        key: DatabaseKey,
        isQuick: Bool = false
    ) async -> [(path: String, finding: Finding)] {
        var findings: [(String, Finding)] = []
        let (chat, agent) = (ChatSchema.migrations.map(\.name), Agent.migrationNames)
        for (name, known, other) in [("chat", chat, agent), ("agent", agent, chat)] {
            let path = "\(folder)/simplex_v1_\(name).db"
            findings.append(
                (path, DiskFiles.hasBytes(path) ? await inspectDatabase(path, key, known, other, isQuick) : .absent)
            )
        }
        if findings.allSatisfy({ $0.1 == .sound }),
            (try? await agentHasAllUsers(chat: findings[0].0, agent: findings[1].0, key: key)) == false
        {
            findings[1].1 = .damaged(reason: "it lacks profiles that the other database has")
        }
        return findings
    }

    /// Returns whether the database of the agent has all users of the chat database.
    static func agentHasAllUsers(chat: String, agent: String, key: DatabaseKey) async throws -> Bool {
        let used = try await Database.read(at: chat, key: key) {
            try Set($0.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") })
        }
        return try await Database.read(at: agent, key: key) {
            try used.isSubset(of: $0.query("SELECT user_id FROM users").map { try $0.int64("user_id") })
        }
    }

    /// Reads the ids of the users and of the remote hosts in a store.
    /// - Parameter folder: the folder of the store.
    /// - Throws: when the database cannot be read.
    package static func readIds(
        _ folder: String,
        key: DatabaseKey
    ) async throws -> (users: Set<Int64>, remoteHosts: Set<Int64>) {
        try await Database.read(at: "\(folder)/simplex_v1_chat.db", key: key) { connection in
            (
                users: Set(try connection.query("SELECT user_id FROM users").map { try $0.int64("user_id") }),
                remoteHosts: Set(
                    try connection.query("SELECT remote_host_id FROM remote_hosts").map {
                        try $0.int64("remote_host_id")
                    }
                )
            )
        }
    }

    /// Finds queues that the store still uses, although their relays no longer have them.
    /// - Parameter folder: the folder of the store.
    /// - Throws: when the database cannot be read.
    package static func findLostQueues(
        _ folder: String,
        _ relays: Relays,
        key: DatabaseKey
    ) async throws -> [LostQueues] {
        try await Agent.findUnreachableQueues(
            among: relays.addresses,
            known: relays.knownQueues,
            inDatabaseAt: "\(folder)/simplex_v1_agent.db",
            key: key
        ).map(LostQueues.init)
    }

    private static func inspectDatabase(
        _ path: String,
        _ key: DatabaseKey,
        _ known: [String],
        _ other: [String],
        _ isQuick: Bool
    ) async -> Finding {
        // The rights are checked first, since SQLite reports a missing right to any file of the database with the same
        // general error.
        do throws(FileSystemError) {
            for file in ["", "-wal", "-shm"].map({ path + $0 }) where DiskFiles.exists(file) {
                try DiskFiles.checkWritable(file)
            }
        } catch {
            return .forbidden(error)
        }
        do {
            return try await Database.read(at: path, key: key) { connection in
                let verdict =
                    try isQuick ? "ok" : connection.query("PRAGMA quick_check(1)").first?.string(0) ?? "no answer"
                guard verdict == "ok" else { return .damaged(reason: "its pages are inconsistent") }
                let applied = try connection.query("SELECT name FROM migrations ORDER BY rowid").map {
                    try $0.string("name")
                }
                if let unknown = applied.first(where: { !known.contains($0) }) {
                    if other.contains(unknown) {
                        return .damaged(reason: "it has the content of the other database of a store")
                    }
                    guard let first = known.first, applied.contains(first) else { throw DatabaseError.unknownSchema }
                    return .newer(migration: unknown)
                }
                let missing = known.count - applied.count
                return missing == 0 ? .sound : .older(missing: missing)
            }
        } catch DatabaseError.wrongKey {
            return .wrongKey
        } catch DatabaseError.other(code: 1, _) {
            return .damaged(reason: "it is not a database of this program")
        } catch {
            return .damaged(reason: "\(error)")
        }
    }
}
