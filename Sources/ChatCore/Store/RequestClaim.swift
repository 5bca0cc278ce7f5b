internal import SQLCipher
import Synchronization

/// The mark that a request with an idempotency key leaves in the transaction of its effect.
///
/// It is written by the first transaction of the command that runs for the request: when the process ends at any instant, either both the
/// effect and the mark are there, or neither. The answer follows when there is one.
public struct RequestClaim: Sendable, Hashable {
    /// What names the request: a hash of its key and of who sent it.
    public let key: [UInt8]
    /// A hash of the request itself, to tell another request with the same key.
    public let fingerprint: [UInt8]

    public init(key: [UInt8], fingerprint: [UInt8]) {
        self.key = key
        self.fingerprint = fingerprint
    }

    /// The claim of the command that runs in this task.
    @TaskLocal static var current: RequestClaim?
}

/// A request that was run before.
public struct StoredRequest: Sendable, Hashable {
    public let fingerprint: [UInt8]
    /// `nil` when the process ended after the effect was committed and before the answer was kept.
    public let answer: [UInt8]?
}

extension RequestClaim {
    /// Seconds for which a request is remembered.
    public static let lifetime: Int64 = 86400

    static let schema = """
        CREATE TABLE requests (
            request_key BLOB NOT NULL PRIMARY KEY,
            fingerprint BLOB NOT NULL,
            answer BLOB,
            created_at INTEGER NOT NULL
        );
        CREATE INDEX requests_created_at ON requests (created_at);
        """

    func write(in db: StoreConnection, now: Timestamp) throws {
        try db.execute(
            "INSERT OR IGNORE INTO requests (request_key, fingerprint, created_at) VALUES (?, ?, ?)", [key, fingerprint, now.seconds])
    }
}

extension ChatController {
    /// What is known of a request; `nil` when it left no effect, so that it can be run.
    public func storedRequest(_ key: [UInt8]) async throws -> StoredRequest? {
        let since = Timestamp.now.seconds - RequestClaim.lifetime
        return try await store.read { db in
            try db.first("SELECT fingerprint, answer FROM requests WHERE request_key = ? AND created_at > ?", [key, since]).map { row in
                StoredRequest(fingerprint: try row.blob("fingerprint"), answer: try row.blobOrNil("answer"))
            }
        }
    }

    /// Keeps the answer to a request, and forgets those of yesterday.
    public func settle(_ claim: RequestClaim, answer: [UInt8]) async throws {
        let now = Timestamp.now
        try await store.database.write { db in
            try db.execute("DELETE FROM requests WHERE created_at <= ?", [now.seconds - RequestClaim.lifetime])
            try claim.write(in: db, now: now)
            try db.execute("UPDATE requests SET answer = ? WHERE request_key = ?", [answer, claim.key])
        }
    }
}
