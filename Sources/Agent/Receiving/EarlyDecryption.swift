import SMP
import SQLCipher
import SimpleXCrypto

/// A message decrypted before the transaction that stores it: key agreement takes most of the time, and would hold up
/// all other writes.
///
/// It counts only for the ratchet that it was decrypted with. When that has changed meanwhile, the transaction decrypts
/// the message itself.
struct EarlyDecryption: Sendable {
    private let before: Ratchet
    private let after: Ratchet
    private let encrypted: [UInt8]
    private let outcome: DecryptOutcome

    /// Keys that decrypt the messages of a queue.
    struct Keys: Sendable {
        let secret: X25519.SharedSecret
        let ratchet: Ratchet

        /// Nil before the queue and its connection have them.
        static func find(server: ProtocolServer, rcvID: [UInt8], _ db: DatabaseConnection) throws -> Keys? {
            let row = try db.first(
                "SELECT e2e_secret, ratchet FROM rcv_queues JOIN connections USING (conn_id) WHERE server = ? AND rcv_id = ?",
                server.str,
                rcvID
            )
            guard let row, let secret = try row.blobOrNil("e2e_secret"), let ratchet = try row.blobOrNil("ratchet")
            else { return nil }
            return Keys(
                secret: try X25519.SharedSecret(rawRepresentation: secret),
                ratchet: try Ratchet(stored: ratchet)
            )
        }
    }

    /// Nil for everything but a message of a ratchet whose keys are all at hand: the transaction handles the rest, and
    /// the errors.
    init?(_ body: RcvMessageBody, _ keys: Keys) {
        guard case .message(_, _, let bytes) = body, let envelope = try? ClientMessageEnvelope(smpEncoded: bytes),
            envelope.header.dhKey == nil,
            let opened = try? envelope.open(secret: keys.secret),
            case .message(_, let encrypted)? = try? AgentEnvelope(parsing: opened.body)
        else { return nil }
        var after = keys.ratchet
        guard let outcome = try? after.decrypt(encrypted, skipped: UnknownSkippedKeys()) else { return nil }
        (before, self.after, self.encrypted, self.outcome) = (keys.ratchet, after, encrypted, outcome)
    }

    /// Nil when another ratchet or another message is to be decrypted.
    func applied(to ratchet: inout Ratchet, _ encrypted: [UInt8]) -> DecryptOutcome? {
        guard ratchet == before, encrypted == self.encrypted else { return nil }
        ratchet = after
        return outcome
    }
}

/// Keys that would have to be looked up: a message that needs them is not decrypted early.
private struct UnknownSkippedKeys: SkippedKeyLookup {
    func headerKeys() throws(RatchetError) -> [SymmetricKey] { throw .storedForm }
    func messageKey(headerKey: SymmetricKey, number: UInt32) throws(RatchetError) -> MessageKey? { throw .storedForm }
}
