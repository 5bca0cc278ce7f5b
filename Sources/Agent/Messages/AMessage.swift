import SMP
import SimpleXCrypto

/// A message between connected agents.
///
/// simplexmq `protocol/agent-protocol.md`, "Agent message encryption" (`aMessage`).
enum AMessage: Hashable, Sendable {
    /// HELLO: the sender of this message has secured its receive queue.
    case hello
    /// A message of the program that uses the agent (the chat layer).
    case message([UInt8])
    /// Receipts for messages that have arrived at the sender of the receipts; at least one.
    case receipts([AMessageReceipt])
    /// A_QCONT: the receive queue at this address was full, and has space again.
    case queueContinue(QueueAddress)
    /// First step of a queue rotation: the recipient's new queues.
    case queueAdd([AddedQueue])
    /// Second step of a queue rotation: the sender's keys for the new queues.
    case queueKey([QueueKey])
    /// Third step of a queue rotation: the recipient asks the sender to use the new queues.
    case queueUse([UsedQueue])
    /// Last step of a queue rotation: the first message over the new queues.
    case queueTest([QueueAddress])
    /// EREADY: the sender of this message has a new ratchet. It has decrypted the messages of the old ratchet up to
    /// this number.
    case ratchetReady(lastDecryptedMsgId: Int64)

    struct AddedQueue: Hashable, Sendable {
        var queue: QueueURI
        var replaces: QueueAddress?
    }

    struct QueueKey: Hashable, Sendable {
        var queue: SMPQueueInfo
        var senderKey: AuthorizationKey
    }

    struct UsedQueue: Hashable, Sendable {
        var address: QueueAddress
        var isPrimary: Bool
    }
}

/// The receipt for one message, with the hash of the received message.
struct AMessageReceipt: Hashable, Sendable, SMPCodable {
    /// The number that the sender has given to the message.
    var sndMsgId: Int64
    /// SHA-256 of the whole ``AgentMessage``.
    var msgHash: [UInt8]
    /// Data for the program that uses the agent.
    var info: [UInt8]

    init(sndMsgId: Int64, msgHash: [UInt8], info: [UInt8]) {
        self.sndMsgId = sndMsgId
        self.msgHash = msgHash
        self.info = info
    }

    func encode(to writer: inout ByteWriter) {
        writer.writeInt64(sndMsgId)
        writer.writeShortBytes(msgHash)
        writer.writeLargeBytes(info)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        sndMsgId = try reader.readInt64()
        msgHash = try reader.readShortBytes()
        info = try reader.readLargeBytes()
    }
}
