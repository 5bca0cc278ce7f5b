import RelayBase
import SMP
import SimpleXCrypto

/// The records of values that few queues have.
extension QueueExtras {
    func append(to bytes: inout [UInt8]) {
        LogRecord.append(otherKeys, to: &bytes)
        LogRecord.append(link, to: &bytes)
        LogRecord.append(notifier, to: &bytes)
        LogRecord.append(service, to: &bytes)
        LogRecord.append(notice, to: &bytes)
    }

    init(from reader: inout ByteReader) throws {
        otherKeys = try LogRecord.parseKeys(from: &reader)
        link = try LogRecord.parseLink(from: &reader)
        notifier = try LogRecord.parseNotifier(from: &reader)
        service = try LogRecord.parseOptionalID(from: &reader)
        notice = try LogRecord.parseNotice(from: &reader)
    }
}

extension LogRecord {
    static func append(_ keys: [AuthorizationKey], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: keys.count))
        for key in keys { append(key.spki, to: &bytes) }
    }

    static func parseKeys(from reader: inout ByteReader) throws -> [AuthorizationKey] {
        try (0..<(try reader.byte())).map { _ in try AuthorizationKey(spki: try reader.shortBytes()) }
    }

    /// Writes 0, or 1 and the link.
    static func append(_ link: QueueLink?, to bytes: inout [UInt8]) {
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
        guard try reader.byte() == 1 else { return nil }
        return QueueLink(id: try parseID(from: &reader), data: try reader.value())
    }

    static func append(_ notifier: QueueNotifier?, to bytes: inout [UInt8]) {
        guard let notifier else { return bytes.append(0) }
        bytes.append(1)
        notifier.id.append(to: &bytes)
        append(notifier.key.spki, to: &bytes)
        notifier.dhSecret.append(to: &bytes)
        append(notifier.service, to: &bytes)
    }

    static func parseNotifier(from reader: inout ByteReader) throws -> QueueNotifier? {
        guard try reader.byte() == 1 else { return nil }
        let (id, key) = (try parseID(from: &reader), try AuthorizationKey(spki: try reader.shortBytes()))
        guard let secret = Bytes32(try reader.slice(count: Bytes32.count)) else { throw SMPEncodingError.unexpectedEnd }
        return QueueNotifier(id: id, key: key, dhSecret: secret, service: try parseOptionalID(from: &reader))
    }

    static func append(_ notice: String?, to bytes: inout [UInt8]) {
        let text = Array((notice ?? "").utf8)
        bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
    }

    static func parseNotice(from reader: inout ByteReader) throws -> String? {
        let text = try reader.largeBytes()
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    static func append(_ id: ServiceID?, to bytes: inout [UInt8]) {
        bytes.append(id == nil ? 0 : 1)
        id?.append(to: &bytes)
    }

    static func parseOptionalID(from reader: inout ByteReader) throws -> ServiceID? {
        try reader.byte() == 1 ? try parseID(from: &reader) : nil
    }
}
