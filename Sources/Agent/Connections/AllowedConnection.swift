import SMP
import SQLCipher
import SimpleXCrypto

/// A connection whose confirmation the user has allowed.
/// The send queue is stored together with the answer to the confirmation. No other message can be sent before the
/// answer, because the peer could not decrypt it.
struct AllowedConnection: Sendable {
    var user: AgentUserID
    var rcvQueue: RcvQueue
    /// The send queue. All attempts use the keys of the first attempt, because a secured queue accepts no other keys.
    var sndQueue: SndQueue
    var senderKey: AuthorizationKey?
    var ownInfo: [UInt8]

    /// Reads the connection; nil when the user has not allowed the connection, or when all steps are done.
    init?(_ id: ConnectionID, _ db: DatabaseConnection) throws {
        guard
            let row = try db.firstRow(
                "SELECT * FROM confirmations WHERE conn_id = ? AND own_info IS NOT NULL",
                id.bytes
            ),
            let rcvQueue = try RcvQueue.findCurrent(id, db)
        else { return nil }
        user = try AgentConnection.get(id, db).userID
        self.rcvQueue = rcvQueue
        senderKey = try row.blobOrNil("sender_key").map { try AuthorizationKey(spki: $0) }
        ownInfo = try row.blob("own_info")
        // A connection from an earlier version of this program may already have its send queue. This queue is then
        // used.
        if let stored = try SndQueue.findCurrent(id, db) {
            sndQueue = stored
            return
        }
        let reply = try SMPQueueInfo(smpEncoded: row.blob("reply_queue"))
        guard AgentVersions.supportedClientVersions.contains(reply.clientVersion) else {
            throw AgentError.agent(.version)
        }
        sndQueue = try SndQueue(
            connection: id,
            server: reply.server,
            sndID: reply.senderID,
            dhPublicKey: reply.dhPublicKey,
            mode: reply.mode,
            clientVersion: reply.clientVersion
        )
        if let key = try row.blobOrNil("snd_key") {
            sndQueue.key = try AuthorizationPrivateKey(pkcs8: key)
            sndQueue.e2ePublicKey = try X25519.PublicKey(rawRepresentation: row.blob("snd_e2e_public_key"))
            sndQueue.e2eSecret = try X25519.SharedSecret(rawRepresentation: row.blob("snd_e2e_secret"))
        } else {
            try db.update(
                "confirmations",
                set: [
                    "snd_key": sndQueue.key.pkcs8, "snd_e2e_public_key": sndQueue.e2ePublicKey.rawRepresentation,
                    "snd_e2e_secret": sndQueue.e2eSecret.rawRepresentation,
                ],
                where: ["confirmation_id": row.blob("confirmation_id")]
            )
        }
    }
}
