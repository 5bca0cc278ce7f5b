import SMP

extension AMessage: SMPCodable {
    /// Encodes the message in the form that it has inside an ``AgentMessage``, without the ``AgentMessageHeader``.
    func encoded() throws(SMPEncodingError) -> [UInt8] { try smpEncoded() }

    init(parsing bytes: [UInt8]) throws(SMPEncodingError) { try self.init(smpEncoded: bytes) }

    func encode(to writer: inout ByteWriter) {
        switch self {
        case .hello: writer.writeASCII("H")
        case .message(let body):
            writer.writeASCII("M")
            writer.writeRaw(body)
        case .receipts(let receipts):
            writer.writeASCII("V")
            writer.writeNonEmptyList(receipts)
        case .queueContinue(let address):
            writer.writeASCII("QC")
            writer.writeValue(address)
        case .queueAdd(let queues):
            writer.writeASCII("QA")
            writer.writeNonEmptyList(queues)
        case .queueKey(let keys):
            writer.writeASCII("QK")
            writer.writeNonEmptyList(keys)
        case .queueUse(let queues):
            writer.writeASCII("QU")
            writer.writeNonEmptyList(queues)
        case .queueTest(let addresses):
            writer.writeASCII("QT")
            writer.writeNonEmptyList(addresses)
        case .ratchetReady(let id):
            writer.writeASCII("E")
            writer.writeInt64(id)
        }
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "H"): self = .hello
        case UInt8(ascii: "M"): self = .message(reader.readRest())
        case UInt8(ascii: "V"): self = .receipts(try reader.readNonEmptyList())
        case UInt8(ascii: "E"): self = .ratchetReady(lastDecryptedMsgId: try reader.readInt64())
        case UInt8(ascii: "Q"):
            switch try reader.readByte() {
            case UInt8(ascii: "C"): self = .queueContinue(try reader.readValue())
            case UInt8(ascii: "A"): self = .queueAdd(try reader.readNonEmptyList())
            case UInt8(ascii: "K"): self = .queueKey(try reader.readNonEmptyList())
            case UInt8(ascii: "U"): self = .queueUse(try reader.readNonEmptyList())
            case UInt8(ascii: "T"): self = .queueTest(try reader.readNonEmptyList())
            default: throw .invalidTag
            }
        default: throw .invalidTag
        }
    }
}

extension AMessage.AddedQueue: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.writeValue(queue)
        writer.writeOptional(replaces)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(queue: try reader.readValue(), replaces: try reader.readOptional())
    }
}

extension AMessage.QueueKey: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.writeValue(queue)
        writer.writeValue(senderKey)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(queue: try reader.readValue(), senderKey: try reader.readValue())
    }
}

extension AMessage.UsedQueue: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.writeValue(address)
        writer.writeBool(isPrimary)
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        self.init(address: try reader.readValue(), isPrimary: try reader.readBool())
    }
}
