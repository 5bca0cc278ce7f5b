import SMP
import SQLCipher
import SimpleXCrypto

/// A message that is stored in the outbox until it is sent to a relay and its result is handled.
struct OutboxMessage: Sendable {
    enum Kind: String, Sendable {
        /// The initiator's answer to a confirmation (AgentConnInfo), and the joiner's confirmation
        /// (AgentConnInfoReply).
        case connInfo, connInfoReply
        case hello
        case message
        /// Report to the peer that this side's queue has space again (A_QCONT).
        case queueContinue
        /// Receipts for received messages (A_RCVD).
        case receipts
        /// New X3DH keys (AgentRatchetKey), and the announcement that the new ratchet exists (EREADY).
        case ratchetKey, ratchetReady
        /// Rotation of queues (QADD, QKEY, QUSE, QTEST).
        case queueAdd, queueKey, queueUse, queueTest

        var isConfirmation: Bool { self == .connInfo || self == .connInfoReply }
    }

    var id: AgentMessageID
    var kind: Kind
    var shouldNotify: Bool
    /// The key that will encrypt the body, an agent message; nil for confirmations and ratchet keys, which are stored
    /// as complete envelopes.
    var encryptionKey: MessageEncryptionKey?
    /// The padded length of the plaintext; nil in a message that an older program version has stored without space for
    /// a KEM.
    var paddedLength: Int?
    var body: [UInt8]
    var createdAtSeconds: Int64
    /// Id that the caller has chosen for the message.
    var externalID: String?
    var repetition: MessageRepetition

    init(_ row: Row) throws {
        id = try row.int64("internal_id")
        kind = Kind(rawValue: try row.string("kind")) ?? .message
        shouldNotify = try row.bool("notify")
        encryptionKey = try row.blobOrNil("encryption_key").map(MessageEncryptionKey.init(stored:))
        paddedLength = try row.readCountOrNil("padded_length", upTo: AgentPadding.paddedLengths.upperBound)
        body = try row.blob("body")
        createdAtSeconds = try row.readTime("created_at")
        externalID = try row.stringOrNil("external_id")
        repetition = MessageRepetition(rawValue: try row.int64("repetition")) ?? .none
    }

    /// Whether the outbox contains a message of this kind. A message stays there until it is sent or given up, and its
    /// result is handled.
    static func isWaiting(_ kind: Kind, on connection: ConnectionID, _ db: DatabaseConnection) throws -> Bool {
        try db.firstRow(
            "SELECT 1 AS waits FROM snd_messages WHERE conn_id = :conn_id AND kind = :kind",
            ["conn_id": connection.bytes, "kind": kind.rawValue]
        ) != nil
    }

    /// Makes the body of SEND: encrypts the message with its ratchet key, and then with the secret of the queue.
    func makeEnvelope(for queue: SndQueue, agentVersion: UInt16) throws -> [UInt8] {
        var content = body
        if let encryptionKey {
            let length = paddedLength ?? AgentPadding.messageLength(agentVersion: agentVersion, pq: false)
            let encrypted = try encryptionKey.sealBody(body, paddedLength: length)
            content = try AgentEnvelope.message(agentVersion: AgentVersions.supported.max, encrypted: encrypted)
                .encoded()
        }
        let names = kind.isConfirmation
        let header: ClientMessage.PrivateHeader =
            names && !queue.isSecuredBySender ? .confirmation(queue.key.publicKey) : .empty
        return try ClientMessageEnvelope(
            sealing: ClientMessage(header: header, body: content),
            header: .init(clientVersion: queue.clientVersion, dhKey: names ? queue.e2ePublicKey : nil),
            secret: queue.e2eSecret
        ).smpEncoded()
    }
}

extension AgentConnection {
    /// Numbers and encrypts an agent message, and puts it into the outbox. The record of the connection is stored too.
    /// - Parameter pqEncryption: whether to use post-quantum encryption; nil in messages of the agent itself. The value
    ///   `true` also switches on support for post-quantum encryption.
    mutating func enqueue(
        _ message: AMessage,
        kind: OutboxMessage.Kind,
        notify: Bool,
        externalID: String? = nil,
        pqEncryption: Bool? = nil,
        awaitsReceipt: Bool = true,
        at now: Int64,
        _ db: DatabaseConnection
    ) throws -> AgentMessageID {
        guard ratchet != nil else { throw AgentError.connection(.simplex, context: "") }
        supportsPQ = supportsPQ || pqEncryption == true
        let paddedLength = AgentPadding.messageLength(agentVersion: agentVersion, pq: supportsPQ)
        lastInternalID += 1
        lastSndID += 1
        let content = try AgentMessage.message(
            AgentMessageHeader(sndMsgId: lastSndID, prevMsgHash: lastSndHash),
            message
        ).encoded()
        guard Padding.canPad(messageSize: content.count, to: paddedLength) else {
            throw AgentError.command(.large, context: "")
        }
        guard let key = try ratchet?.takeEncryptionKey(pqEncryption: pqEncryption) else {
            throw AgentError.connection(.simplex, context: "")
        }
        lastSndHash = Digest.sha256(content)
        if kind == .message, awaitsReceipt { try AwaitedReceipt.insertRecord(self, at: now, db) }
        try insertOutbox(
            kind,
            notify: notify,
            key: key,
            paddedLength: paddedLength,
            body: content,
            externalID: externalID,
            at: now,
            db
        )
        try update(db)
        return lastInternalID
    }

    /// Encrypts the information for a confirmation, which counts as the first message, and puts the confirmation into
    /// the outbox.
    mutating func enqueueConfirmation(
        _ message: AgentMessage,
        kind: OutboxMessage.Kind,
        e2e: E2ERatchetParams?,
        at now: Int64,
        _ db: DatabaseConnection
    ) throws {
        lastInternalID += 1
        lastSndID += 1
        let content = try message.encoded()
        guard
            let encrypted = try ratchet?.encrypt(
                content,
                paddedLength: AgentPadding.connInfoLength(agentVersion: agentVersion, pq: supportsPQ),
                pqEncryption: supportsPQ
            )
        else { throw AgentError.internal("no ratchet for a confirmation") }
        lastSndHash = Digest.sha256(content)
        let envelope = try AgentEnvelope.confirmation(
            agentVersion: agentVersion,
            e2e: e2e,
            encryptedConnInfo: encrypted
        ).encoded()
        try insertOutbox(kind, notify: true, key: nil, paddedLength: nil, body: envelope, externalID: nil, at: now, db)
        try update(db)
    }

    /// Puts new X3DH keys into the outbox. The keys use up a message number on this side, but not at the peer.
    mutating func enqueueRatchetKey(_ e2e: E2ERatchetParams, at now: Int64, _ db: DatabaseConnection) throws {
        lastInternalID += 1
        lastSndID += 1
        let info = try AgentMessage.ratchetInfo([]).encoded()
        lastSndHash = Digest.sha256(info)
        let envelope = try AgentEnvelope.ratchetKey(agentVersion: AgentVersions.supported.max, e2e: e2e, info: info)
            .encoded()
        try insertOutbox(
            .ratchetKey,
            notify: true,
            key: nil,
            paddedLength: nil,
            body: envelope,
            externalID: nil,
            at: now,
            db
        )
        try update(db)
    }

    private func insertOutbox(
        _ kind: OutboxMessage.Kind,
        notify: Bool,
        key: MessageEncryptionKey?,
        paddedLength: Int?,
        body: [UInt8],
        externalID: String?,
        at now: Int64,
        _ db: DatabaseConnection
    ) throws {
        try db.insert(
            into: "snd_messages",
            [
                "conn_id": id.bytes, "internal_id": lastInternalID, "kind": kind.rawValue, "notify": notify,
                "encryption_key": try key?.storedForm(), "padded_length": paddedLength.map(Int64.init), "body": body,
                "external_id": externalID, "created_at": now,
            ]
        )
    }
}
