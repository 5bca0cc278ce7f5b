import SMP
import SQLCipher
import SimpleXCrypto

/// A message that is decrypted before the transaction that stores it. Inside the transaction, the slow key agreement
/// would delay all other writes.
///
/// The result is valid only for the ratchet that was used. If the ratchet changes before the transaction, the
/// transaction decrypts the message itself.
struct EarlyDecryption: Sendable {
    private let ratchetBefore: Ratchet
    private let ratchetAfter: Ratchet
    private let encryptedMessage: [UInt8]
    private let outcome: DecryptOutcome

    /// Keys that decrypt the messages of a queue.
    struct DecryptionKeys: Sendable {
        let secret: X25519.SharedSecret
        let ratchet: Ratchet

        /// Finds the keys; nil if the queue or its connection has no keys yet.
        static func find(server: ProtocolServer, rcvID: [UInt8], _ db: DatabaseConnection) throws -> DecryptionKeys? {
            let row = try db.firstRow(
                """
                SELECT e2e_secret, ratchet FROM rcv_queues JOIN connections USING (conn_id)
                WHERE server = :server AND rcv_id = :rcv_id
                """,
                ["server": server.str, "rcv_id": rcvID]
            )
            guard let row, let secret = try row.blobOrNil("e2e_secret"), let ratchet = try row.blobOrNil("ratchet")
            else { return nil }
            return DecryptionKeys(
                secret: try X25519.SharedSecret(rawRepresentation: secret),
                ratchet: try Ratchet(stored: ratchet)
            )
        }
    }

    /// Decrypts a message of the ratchet if no stored keys of skipped messages are needed. In all other cases, and
    /// after errors, the result is nil, and the transaction handles the message.
    init?(_ body: RcvMessageBody, _ keys: DecryptionKeys) {
        guard case .message(_, _, let bytes) = body, let envelope = try? ClientMessageEnvelope(smpEncoded: bytes),
            envelope.header.dhKey == nil,
            let opened = try? envelope.openMessage(secret: keys.secret),
            case .message(_, let encrypted)? = try? AgentEnvelope(parsing: opened.body)
        else { return nil }
        var after = keys.ratchet
        guard let outcome = try? after.decrypt(encrypted, skipped: UnknownSkippedKeys()) else { return nil }
        (ratchetBefore, self.ratchetAfter, self.encryptedMessage, self.outcome) = (
            keys.ratchet, after, encrypted, outcome
        )
    }

    /// Applies the result to the ratchet.
    /// - Returns: nil when the ratchet has changed, or the result belongs to another message. Then nothing is applied.
    func applyResult(to ratchet: inout Ratchet, _ encrypted: [UInt8]) -> DecryptOutcome? {
        guard ratchet == ratchetBefore, encrypted == self.encryptedMessage else { return nil }
        ratchet = ratchetAfter
        return outcome
    }
}

/// A lookup that always fails. A message that needs stored keys is not decrypted early.
private struct UnknownSkippedKeys: SkippedKeyLookup {
    func headerKeys() throws(RatchetError) -> [SymmetricKey] { throw .unreadableStoredForm }
    func messageKey(headerKey: SymmetricKey, number: UInt32) throws(RatchetError) -> MessageKey? {
        throw .unreadableStoredForm
    }
}
