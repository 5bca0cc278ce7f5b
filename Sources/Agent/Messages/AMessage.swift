import SMP
import SimpleXCrypto

/// A message between connected agents.
///
/// simplexmq `protocol/agent-protocol.md`, "Agent message encryption" (`agentMessage`).
enum AMessage: Hashable, Sendable {
    /// The sender's queue is secured: the connection is made.
    case hello
    /// Message of the program above the agent.
    case message([UInt8])
    /// Messages of the peer that have arrived; one at least.
    case receipts([AMessageReceipt])
    /// The queue was full and has room again.
    case queueContinue(QueueAddress)
    /// Rotation of queues, in its order: the recipient's new queues,
    case queueAdd([AddedQueue])
    /// the sender's keys for them,
    case queueKey([QueueKey])
    /// the word to use them,
    case queueUse([UsedQueue])
    /// and the first message that comes over them.
    case queueTest([QueueAddress])
    /// The ratchet is renewed; the peer's messages were read up to this one.
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

/// The receipt for one message, with the hash of what arrived.
struct AMessageReceipt: Hashable, Sendable, SMPCodable {
    /// The sender's number of the message.
    var sndMsgId: Int64
    /// SHA-256 of the whole ``AgentMessage``.
    var msgHash: [UInt8]
    /// Data for the program above the agent.
    var info: [UInt8]

    init(sndMsgId: Int64, msgHash: [UInt8], info: [UInt8]) {
        self.sndMsgId = sndMsgId
        self.msgHash = msgHash
        self.info = info
    }

    func encode(to writer: inout ByteWriter) {
        writer.int64(sndMsgId)
        writer.shortBytes(msgHash)
        writer.largeBytes(info)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        sndMsgId = try reader.int64()
        msgHash = try reader.shortBytes()
        info = try reader.largeBytes()
    }
}
