import SMP

/// What the ratchet encrypts (agent-protocol.md, "Decrypted messages").
enum AgentMessage: Hashable, Sendable {
    /// The initiator's information, and the joiner's with the queues for the way back.
    case connInfo([UInt8])
    case connInfoReply(queues: [QueueInfo], connInfo: [UInt8])
    case ratchetInfo([UInt8])
    case message(AgentMessageHeader, AMessage)

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
            writer.int64(header.sndMsgId)
            writer.shortBytes(header.prevMsgHash)
            message.encode(to: &writer)
        }
        return try writer.finish()
    }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        switch try reader.byte() {
        case UInt8(ascii: "I"): self = .connInfo(reader.tail())
        case UInt8(ascii: "D"): self = .connInfoReply(queues: try reader.nonEmptyList(), connInfo: reader.tail())
        case UInt8(ascii: "R"): self = .ratchetInfo(reader.tail())
        case UInt8(ascii: "M"):
            let header = AgentMessageHeader(sndMsgId: try reader.int64(), prevMsgHash: try reader.shortBytes())
            self = .message(header, try AMessage(from: &reader))
            try reader.finish()
        default: throw .invalidTag
        }
    }
}

/// The place of a message in what its sender has sent.
struct AgentMessageHeader: Hashable, Sendable {
    /// From 1, without gaps; the confirmation is the first.
    var sndMsgId: Int64
    /// SHA-256 of the message before, as it was encrypted; empty before the first.
    var prevMsgHash: [UInt8]
}

/// A queue as its owner names it to others.
struct QueueAddress: Hashable, Sendable, SMPCodable {
    var server: ProtocolServer
    var senderID: [UInt8]

    func encode(to writer: inout ByteWriter) {
        server.encode(to: &writer)
        writer.shortBytes(senderID)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try ProtocolServer(from: &reader)
        senderID = try reader.shortBytes()
    }

    init(server: ProtocolServer, senderID: [UInt8]) {
        self.server = server
        self.senderID = senderID
    }
}
