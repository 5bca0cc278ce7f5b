package import SMP

/// A receipt, which reports that a message of this side has reached the peer's program (A_RCVD; agent-protocol.md,
/// "Agent message encryption").
package struct MessageReceipt: Hashable, Sendable, SMPCodable {
    /// The number of the message, from ``Agent/sendMessages(_:)``.
    package var messageID: AgentMessageID
    /// The id that the caller gave to the message, if the message is still in the outbox; otherwise nil. A receipt may
    /// arrive before the relay's answer.
    package var externalID: String?
    /// Whether the message has arrived unchanged.
    package var isIntact: Bool

    package func encode(to writer: inout ByteWriter) {
        writer.writeInt64(messageID)
        writer.writeLargeBytes(Array((externalID ?? "").utf8))
        writer.writeBool(isIntact)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        messageID = try reader.readInt64()
        let text = String(decoding: try reader.readLargeBytes(), as: UTF8.self)
        externalID = text.isEmpty ? nil : text
        isIntact = try reader.readBool()
    }

    init(messageID: AgentMessageID, externalID: String?, isIntact: Bool) {
        self.messageID = messageID
        self.externalID = externalID
        self.isIntact = isIntact
    }
}

extension MessageReceipt {
    /// Encodes several receipts for storage until the handler gets them.
    static func encoded(_ receipts: [MessageReceipt]) throws -> [UInt8] {
        var writer = ByteWriter(capacity: 64 * receipts.count)
        for receipt in receipts { receipt.encode(to: &writer) }
        return try writer.finish()
    }

    static func parseReceipts(_ bytes: [UInt8]) -> [MessageReceipt] {
        var reader = ByteReader(bytes), receipts: [MessageReceipt] = []
        while !reader.isAtEnd, let receipt = try? MessageReceipt(from: &reader) { receipts.append(receipt) }
        return receipts
    }
}
