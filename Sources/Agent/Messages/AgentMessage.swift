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
            writer.writeASCII("I")
            writer.writeRaw(info)
        case .connInfoReply(let queues, let info):
            writer.writeASCII("D")
            writer.writeNonEmptyList(queues)
            writer.writeRaw(info)
        case .ratchetInfo(let info):
            writer.writeASCII("R")
            writer.writeRaw(info)
        case .message(let header, let message):
            writer.writeASCII("M")
            writer.writeValue(header)
            writer.writeValue(message)
        }
        return try writer.finish()
    }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        switch try reader.readByte() {
        case UInt8(ascii: "I"): self = .connInfo(reader.readRest())
        case UInt8(ascii: "D"):
            self = .connInfoReply(queues: try reader.readNonEmptyList(), connInfo: reader.readRest())
        case UInt8(ascii: "R"): self = .ratchetInfo(reader.readRest())
        case UInt8(ascii: "M"): self = .message(try reader.readValue(), try reader.readValue())
        default: throw .invalidTag
        }
        try reader.requireEnd()
    }
}

/// The number of a message among the messages of its sender, and the hash of the sender's previous message.
struct AgentMessageHeader: Hashable, Sendable, SMPCodable {
    /// The number of the message, from 1 without gaps. A confirmation also uses up a number, although it does not
    /// contain the number.
    var sndMsgId: Int64
    /// SHA-256 of the whole previous ``AgentMessage``; empty for the first message.
    var prevMsgHash: [UInt8]

    init(sndMsgId: Int64, prevMsgHash: [UInt8]) {
        self.sndMsgId = sndMsgId
        self.prevMsgHash = prevMsgHash
    }

    func encode(to writer: inout ByteWriter) {
        writer.writeInt64(sndMsgId)
        writer.writeShortBytes(prevMsgHash)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        sndMsgId = try reader.readInt64()
        prevMsgHash = try reader.readShortBytes()
    }
}
