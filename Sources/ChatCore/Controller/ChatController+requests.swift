internal import ChatAPI
package import ChatStore
internal import SQLCipher

extension ChatController {
    /// Returns the stored state of a request with an idempotency key. Returns nil if the request had no effect, or was
    /// stored more than ``RequestClaim/lifetimeSeconds`` ago. In both cases, the request can run.
    package func findStoredRequest(_ key: [UInt8]) async throws -> StoredRequest? {
        let since = Timestamp.now.seconds - RequestClaim.lifetimeSeconds
        return try await store.read { db in
            try db.firstRow(
                """
                SELECT fingerprint, answer FROM requests WHERE request_key = :request_key AND created_at > :created_at
                """,
                ["request_key": key, "created_at": since]
            ).map { row in
                StoredRequest(fingerprint: try row.blob("fingerprint"), answer: try row.blobOrNil("answer"))
            }
        }
    }

    /// Stores the response to a command whose request has an idempotency key, if the command has not stored the
    /// response itself. A command that stores no response has changed nothing, or has found the result of an earlier
    /// run.
    func storeAnswer(_ response: ChatResponse, of command: CommandContext) async {
        guard let claim = command.claim, !command.isAnswerStored else { return }
        // If this write fails, a repetition of the request runs the command again.
        try? await store.database.write { db in try claim.storeAnswer(response, at: .now, in: db) }
    }
}
