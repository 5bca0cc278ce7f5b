import SMP

extension AMessage: SMPCodable {
    /// Encodes the message as in ``AgentMessage``, without the header.
    func encoded() throws(SMPEncodingError) -> [UInt8] { try smpEncoded() }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) { try self.init(smpEncoded: bytes) }

    func encode(to writer: inout ByteWriter) {
        switch self {
        case .hello: writer.ascii("H")
        case .message(let body):
            writer.ascii("M")
            writer.raw(body)
        case .receipts(let receipts):
            writer.ascii("V")
            writer.nonEmptyList(receipts)
        case .queueContinue(let address):
            writer.ascii("QC")
            writer.value(address)
        case .queueAdd(let queues):
            writer.ascii("QA")
            writer.nonEmptyList(queues)
        case .queueKey(let keys):
            writer.ascii("QK")
            writer.nonEmptyList(keys)
        case .queueUse(let queues):
            writer.ascii("QU")
            writer.nonEmptyList(queues)
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
        case UInt8(ascii: "V"): self = .receipts(try reader.nonEmptyList())
        case UInt8(ascii: "E"): self = .ratchetReady(lastDecryptedMsgId: try reader.int64())
        case UInt8(ascii: "Q"):
            switch try reader.byte() {
            case UInt8(ascii: "C"): self = .queueContinue(try reader.value())
            case UInt8(ascii: "A"): self = .queueAdd(try reader.nonEmptyList())
            case UInt8(ascii: "K"): self = .queueKey(try reader.nonEmptyList())
            case UInt8(ascii: "U"): self = .queueUse(try reader.nonEmptyList())
            case UInt8(ascii: "T"): self = .queueTest(try reader.nonEmptyList())
            default: throw .invalidTag
            }
        default: throw .invalidTag
        }
    }
}

extension AMessage.AddedQueue: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.value(queue)
        writer.optional(replaces)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(queue: try reader.value(), replaces: try reader.optional())
    }
}

extension AMessage.QueueKey: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.value(queue)
        writer.value(senderKey)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(queue: try reader.value(), senderKey: try reader.value())
    }
}

extension AMessage.UsedQueue: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.value(address)
        writer.bool(isPrimary)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(address: try reader.value(), isPrimary: try reader.bool())
    }
}
