import SMP
import SimpleXCrypto

/// A message of one agent to another (agent-protocol.md, "AMessage").
enum AMessage: Hashable, Sendable {
    /// The sender's queue is secured.
    case hello
    /// What the user of the agent sends.
    case message([UInt8])
    case receipts([AMessageReceipt])
    /// The queue, which was full, has room again.
    case queueContinue(QueueAddress)
    /// Queue rotation: new queues, the sender's keys for them, the change, and the first message on them.
    case queueAdd([AddedQueue])
    case queueKey([QueueKey])
    case queueUse([UsedQueue])
    case queueTest([QueueAddress])
    /// The ratchet is synchronised up to this message of the peer.
    case ratchetReady(lastDecryptedMsgId: Int64)

    struct AddedQueue: Hashable, Sendable {
        var queue: QueueURI
        var replaces: QueueAddress?
    }
    struct QueueKey: Hashable, Sendable {
        var queue: QueueInfo
        var senderKey: AuthorizationKey
    }
    struct UsedQueue: Hashable, Sendable {
        var address: QueueAddress
        var isPrimary: Bool
    }
}

/// Says that a message was received.
struct AMessageReceipt: Hashable, Sendable {
    var sndMsgId: Int64
    /// SHA-256 of the message as it was encrypted.
    var msgHash: [UInt8]
    var info: [UInt8]
}

extension AMessage {
    func encode(to writer: inout ByteWriter) {
        switch self {
        case .hello: writer.ascii("H")
        case .message(let body):
            writer.ascii("M")
            writer.raw(body)
        case .receipts(let receipts):
            writer.ascii("V")
            writer.nonEmptyList(receipts) { writer, receipt in
                writer.int64(receipt.sndMsgId)
                writer.shortBytes(receipt.msgHash)
                writer.largeBytes(receipt.info)
            }
        case .queueContinue(let address):
            writer.ascii("QC")
            writer.value(address)
        case .queueAdd(let queues):
            writer.ascii("QA")
            writer.nonEmptyList(queues) { writer, added in
                writer.value(added.queue)
                writer.optional(added.replaces)
            }
        case .queueKey(let keys):
            writer.ascii("QK")
            writer.nonEmptyList(keys) { writer, key in
                writer.value(key.queue)
                writer.value(key.senderKey)
            }
        case .queueUse(let queues):
            writer.ascii("QU")
            writer.nonEmptyList(queues) { writer, used in
                writer.value(used.address)
                writer.bool(used.isPrimary)
            }
        case .queueTest(let addresses):
            writer.ascii("QT")
            writer.nonEmptyList(addresses)
        case .ratchetReady(let id):
            writer.ascii("E")
            writer.int64(id)
        }
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.byte() {
        case UInt8(ascii: "H"): self = .hello
        case UInt8(ascii: "M"): self = .message(reader.tail())
        case UInt8(ascii: "V"):
            self = .receipts(
                try reader.nonEmptyList { reader throws(SMPEncodingError) in
                    AMessageReceipt(sndMsgId: try reader.int64(), msgHash: try reader.shortBytes(), info: try reader.largeBytes())
                })
        case UInt8(ascii: "E"): self = .ratchetReady(lastDecryptedMsgId: try reader.int64())
        case UInt8(ascii: "Q"): self = try Self.queueMessage(&reader)
        default: throw .invalidTag
        }
    }

    private static func queueMessage(_ reader: inout ByteReader) throws(SMPEncodingError) -> AMessage {
        switch try reader.byte() {
        case UInt8(ascii: "C"): .queueContinue(try reader.value())
        case UInt8(ascii: "A"):
            .queueAdd(
                try reader.nonEmptyList { reader throws(SMPEncodingError) in
                    AddedQueue(queue: try reader.value(), replaces: try reader.optional())
                })
        case UInt8(ascii: "K"):
            .queueKey(
                try reader.nonEmptyList { reader throws(SMPEncodingError) in
                    QueueKey(queue: try reader.value(), senderKey: try reader.value())
                })
        case UInt8(ascii: "U"):
            .queueUse(
                try reader.nonEmptyList { reader throws(SMPEncodingError) in
                    UsedQueue(address: try reader.value(), isPrimary: try reader.bool())
                })
        case UInt8(ascii: "T"): .queueTest(try reader.nonEmptyList())
        default: throw .invalidTag
        }
    }
}
