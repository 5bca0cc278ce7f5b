package import ChatAPI
internal import SQLCipher
internal import SimpleXCrypto

/// A request with an idempotency key, and the data that its command stores in the database.
///
/// The response is written in the same transaction as the effect, so after a crash at any moment, either both exist or
/// neither. A command may have several steps, and some of them use the agent or the network. Such a command may be
/// interrupted between two steps. When the request is repeated, the command runs again and continues from the existing
/// state:
/// - ``agentRequestID``: identifies objects that the agent has created for the request.
/// - a note of the request: records that the request has begun, and the connection over which it joins a contact or a
///   group.
package struct RequestClaim: Sendable {
    /// The id of the request: a hash of its idempotency key and its sender.
    package let requestID: [UInt8]
    /// A hash of the request itself. It detects a different request with the same key.
    package let fingerprint: [UInt8]
    /// Encodes the answer for the database.
    package let encodeAnswer: @Sendable (ChatResponse) throws -> [UInt8]

    /// Makes a claim.
    /// - Parameter encode: encodes the answer. It is called in a transaction, so it must have no effects.
    package init(requestID: [UInt8], fingerprint: [UInt8], encode: @escaping @Sendable (ChatResponse) throws -> [UInt8])
    {
        self.requestID = requestID
        self.fingerprint = fingerprint
        self.encodeAnswer = encode
    }

    /// The id by which the agent recognizes a repetition of the request.
    package var agentRequestID: [UInt8] { Digest.sha256(requestID + fingerprint) }
}

/// A request with an idempotency key that is not a command of the core, with its answer.
package struct AnsweredRequest: Sendable {
    package let requestID: [UInt8]
    package let fingerprint: [UInt8]
    package let answer: [UInt8]

    /// - Parameters:
    ///   - key: the same value as ``RequestClaim/requestID``.
    ///   - answer: the bytes of the answer. The caller chooses their form.
    package init(key: [UInt8], fingerprint: [UInt8], answer: [UInt8]) {
        (self.requestID, self.fingerprint, self.answer) = (key, fingerprint, answer)
    }

    /// Stores the answer, and deletes expired requests.
    package func store(in db: StoreConnection) throws {
        let now = Timestamp.now.seconds
        try db.execute("DELETE FROM requests WHERE created_at <= ?", [now - RequestClaim.lifetimeSeconds])
        try db.insert(
            into: "requests",
            or: .replace,
            ["request_key": requestID, "fingerprint": fingerprint, "answer": answer, "created_at": now]
        )
    }
}

/// The stored state of a request with an idempotency key.
package struct StoredRequest: Sendable, Hashable {
    package let fingerprint: [UInt8]
    /// The stored answer. Nil means that the process ended before the command was complete, so the command must run
    /// again and continue. An empty array means that the request may have been executed, but its answer is lost. Either
    /// another device did not answer, or an earlier version of this program ended too early.
    package let answer: [UInt8]?

    package init(fingerprint: [UInt8], answer: [UInt8]?) {
        (self.fingerprint, self.answer) = (fingerprint, answer)
    }
}

extension RequestClaim {
    /// The number of seconds for which a request is stored.
    package static let lifetimeSeconds: Int64 = 86400

    /// Stores the answer, and deletes expired requests.
    package func storeAnswer(_ answer: ChatResponse, at now: Timestamp, in db: StoreConnection) throws {
        try db.execute("DELETE FROM requests WHERE created_at <= ?", [now.seconds - RequestClaim.lifetimeSeconds])
        let bytes = try encodeAnswer(answer)
        try db.insert(
            into: "requests",
            or: .replace,
            ["request_key": requestID, "fingerprint": fingerprint, "answer": bytes, "created_at": now.seconds]
        )
        try RequestItems.recordItems(requestID, answer: bytes, in: db)
    }

    /// Marks the request as begun, and stores the connection over which the request joins a contact or a group.
    package func recordConnection(connection connectionId: Int64?, at now: Timestamp, in db: StoreConnection) throws {
        try db.insert(
            into: "requests",
            or: .replace,
            [
                "request_key": requestID, "fingerprint": fingerprint, "connection_id": connectionId,
                "created_at": now.seconds,
            ]
        )
    }

    /// Marks the request as sent to another device. Until the answer arrives, it is unknown whether the other device
    /// has executed the request.
    package func recordSending(at now: Timestamp, in db: StoreConnection) throws {
        try db.insert(
            into: "requests",
            or: .replace,
            ["request_key": requestID, "fingerprint": fingerprint, "answer": [UInt8](), "created_at": now.seconds]
        )
    }

    /// Stores the answer of another device. Items in the answer are in the store of that device, so they are not
    /// recorded for the request.
    package func storeRemoteAnswer(_ answer: ChatResponse, in db: StoreConnection) throws {
        try db.update("requests", set: ["answer": try encodeAnswer(answer)], where: ["request_key": requestID])
    }

    /// Deletes a request that had no effect, so that it can run again.
    package func deleteRequest(in db: StoreConnection) throws {
        try db.execute("DELETE FROM requests WHERE request_key = ?", [requestID])
    }

    package func isRequestStored(in db: StoreConnection) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM requests WHERE request_key = ?", [requestID]) != nil
    }
}
