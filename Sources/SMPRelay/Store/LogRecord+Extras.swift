import RelayBase
import SMP
import SimpleXCrypto

/// Writes and reads ``QueueExtras`` in a log record.
extension QueueExtras {
    func append(to bytes: inout [UInt8]) {
        LogRecord.appendKeys(otherRecipientKeys, to: &bytes)
        LogRecord.appendLink(link, to: &bytes)
        LogRecord.appendNotifier(notifier, to: &bytes)
        LogRecord.appendOptionalID(service, to: &bytes)
        LogRecord.appendNotice(blockingNotice, to: &bytes)
    }

    init(from reader: inout ByteReader) throws {
        otherRecipientKeys = try LogRecord.parseKeys(from: &reader)
        link = try LogRecord.parseLink(from: &reader)
        notifier = try LogRecord.parseNotifier(from: &reader)
        service = try LogRecord.parseOptionalID(from: &reader)
        blockingNotice = try LogRecord.parseNotice(from: &reader)
    }
}

extension LogRecord {
    static func appendKeys(_ keys: [AuthorizationKey], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: keys.count))
        for key in keys { appendKey(key.spki, to: &bytes) }
    }

    static func parseKeys(from reader: inout ByteReader) throws -> [AuthorizationKey] {
        try (0..<(try reader.readByte())).map { _ in try AuthorizationKey(spki: try reader.readShortBytes()) }
    }

    /// Appends 0 for no link, or 1 and the link.
    static func appendLink(_ link: QueueLink?, to bytes: inout [UInt8]) {
        guard let link else { return bytes.append(0) }
        bytes.append(1)
        link.id.append(to: &bytes)
        for part in [link.data.encFixedData, link.data.encUserData] {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes.append(contentsOf: part)
        }
    }

    static func parseLink(from reader: inout ByteReader) throws -> QueueLink? {
        guard try reader.readByte() == 1 else { return nil }
        return QueueLink(id: try parseID(from: &reader), data: try reader.readValue())
    }

    static func appendNotifier(_ notifier: QueueNotifier?, to bytes: inout [UInt8]) {
        guard let notifier else { return bytes.append(0) }
        bytes.append(1)
        notifier.id.append(to: &bytes)
        appendKey(notifier.key.spki, to: &bytes)
        notifier.dhSecret.append(to: &bytes)
        appendOptionalID(notifier.service, to: &bytes)
    }

    static func parseNotifier(from reader: inout ByteReader) throws -> QueueNotifier? {
        guard try reader.readByte() == 1 else { return nil }
        let (id, key) = (try parseID(from: &reader), try AuthorizationKey(spki: try reader.readShortBytes()))
        guard let secret = Bytes32(try reader.readSlice(count: Bytes32.byteCount)) else {
            throw SMPEncodingError.unexpectedEnd
        }
        return QueueNotifier(id: id, key: key, dhSecret: secret, service: try parseOptionalID(from: &reader))
    }

    static func appendNotice(_ notice: String?, to bytes: inout [UInt8]) {
        let text = Array((notice ?? "").utf8)
        bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
    }

    static func parseNotice(from reader: inout ByteReader) throws -> String? {
        let text = try reader.readLargeBytes()
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    static func appendOptionalID(_ id: ServiceID?, to bytes: inout [UInt8]) {
        bytes.append(id == nil ? 0 : 1)
        id?.append(to: &bytes)
    }

    static func parseOptionalID(from reader: inout ByteReader) throws -> ServiceID? {
        try reader.readByte() == 1 ? try parseID(from: &reader) : nil
    }
}
