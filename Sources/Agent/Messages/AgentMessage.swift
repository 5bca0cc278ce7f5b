import SMP

/// The plaintext inside the ratchet encryption.
/// simplexmq `protocol/agent-protocol.md`, "Agent message encryption".
enum AgentMessage: Hashable, Sendable {
    /// The inviter's information, as the answer to ``connInfoReply(queues:connInfo:)``.
    case connInfo([UInt8])
    /// The joiner's information, with the queues for messages to the joiner (at least one).
    case connInfoReply(queues: [SMPQueueInfo], connInfo: [UInt8])
    /// Information that accompanies new X3DH parameters.
    case ratchetInfo([UInt8])
    case message(AgentMessageHeader, AMessage)

    /// Encodes the message.
    /// - Throws: when a part is too long for its length field, or a required list is empty.
    func encoded() throws(SMPEncodingError) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .connInfo(let info):
            writer.ascii("I")
            writer.raw(info)
        case .connInfoReply(let queues, let info):
            writer.ascii("D")
            writer.nonEmptyList(queues)
            writer.raw(info)
        case .ratchetInfo(let info):
            writer.ascii("R")
            writer.raw(info)
        case .message(let header, let message):
            writer.ascii("M")
            writer.value(header)
            writer.value(message)
        }
        return try writer.finish()
    }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        switch try reader.byte() {
        case UInt8(ascii: "I"): self = .connInfo(reader.tail())
        case UInt8(ascii: "D"): self = .connInfoReply(queues: try reader.nonEmptyList(), connInfo: reader.tail())
        case UInt8(ascii: "R"): self = .ratchetInfo(reader.tail())
        case UInt8(ascii: "M"): self = .message(try reader.value(), try reader.value())
        default: throw .invalidTag
        }
        try reader.finish()
    }
}

/// The number of a message among the messages of its sender, and the hash of the previous one.
struct AgentMessageHeader: Hashable, Sendable, SMPCodable {
    /// The number, which counts from 1 without gaps. The confirmation uses a number too, although it does not contain
    /// the number.
    var sndMsgId: Int64
    /// SHA-256 of the whole previous ``AgentMessage``; empty for the first message.
    var prevMsgHash: [UInt8]

    init(sndMsgId: Int64, prevMsgHash: [UInt8]) {
        self.sndMsgId = sndMsgId
        self.prevMsgHash = prevMsgHash
    }

    func encode(to writer: inout ByteWriter) {
        writer.int64(sndMsgId)
        writer.shortBytes(prevMsgHash)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        sndMsgId = try reader.int64()
        prevMsgHash = try reader.shortBytes()
    }
}
