import RelayBase
import SMP
import SimpleXCrypto

/// One change of a queue, in the form of a log record.
///
/// The payload is a type byte, the recipient id of the queue and the data of the type.
enum LogRecord: Sendable {
    case created(Queue)
    case secured(QueueID, AuthorizationKey)
    case status(QueueID, Queue.Status)
    case deleted(QueueID)
    case message(QueueID, QueuedMessage)
    /// The first message was acknowledged. The id prevents the removal of another message when the record is replayed.
    case acknowledged(QueueID, MessageID)
    /// The first `count` messages have expired.
    case expired(QueueID, count: UInt32)
    case keys(QueueID, [AuthorizationKey])
    case link(QueueID, QueueLink?)
    case notifier(QueueID, QueueNotifier?)
    case queueService(QueueID, ServiceID?)
    /// The notice to clients about a blocked queue.
    case notice(QueueID, String?)
    /// A client that has a certificate (a service). The record has the service's id in place of the recipient id.
    case service(ServiceID, ClientHello.Service.Role, certificateHash: Bytes32)

    /// The format of the log. Logs of version 1 have only the records up to ``expired(_:count:)``.
    static let logHeader = LogHeader("simplex-gateway relay log", version: 2)

    private enum Tag: UInt8 {
        case created = 1, secured, status, deleted, message, quota, acknowledged, expired
        // Records in logs of version 2 only.
        case createdWithExtras, keys, link, notifier, queueService, service, notice
    }

    // MARK: Writing

    /// Encodes the record: header and payload.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        if case .message(_, let message) = self {
            bytes.reserveCapacity(LogFile.headerSize + 1 + 2 * Bytes24.count + 9 + (message.body?.count ?? 0))
        }
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) { LogFile.append(to: &bytes) { appendPayload(to: &$0) } }

    private func appendPayload(to bytes: inout [UInt8]) {
        switch self {
        case .created(let queue):
            bytes.append(queue.hasExtraValues ? Tag.createdWithExtras.rawValue : Tag.created.rawValue)
            queue.recipientID.append(to: &bytes)
            queue.senderID.append(to: &bytes)
            queue.dhSecret.append(to: &bytes)
            bytes.append(queue.mode == nil ? 0 : queue.mode == .messaging ? 1 : 2)
            bytes.append(queue.status.rawValue)
            Self.append(queue.recipientKey.spki, to: &bytes)
            Self.append(queue.senderKey?.spki ?? [], to: &bytes)
            if queue.hasExtraValues { queue.extraValues.append(to: &bytes) }
        case .secured(let id, let key):
            bytes.append(Tag.secured.rawValue)
            id.append(to: &bytes)
            Self.append(key.spki, to: &bytes)
        case .status(let id, let status):
            bytes.append(Tag.status.rawValue)
            id.append(to: &bytes)
            bytes.append(status.rawValue)
        case .deleted(let id):
            bytes.append(Tag.deleted.rawValue)
            id.append(to: &bytes)
        case .message(let id, let message):
            bytes.append(message.isQuotaMarker ? Tag.quota.rawValue : Tag.message.rawValue)
            id.append(to: &bytes)
            message.id.append(to: &bytes)
            withUnsafeBytes(of: message.timestamp.littleEndian) { bytes.append(contentsOf: $0) }
            if let body = message.body {
                bytes.append(message.shouldNotify ? 1 : 0)
                bytes.append(contentsOf: body)
            }
        case .acknowledged(let id, let message):
            bytes.append(Tag.acknowledged.rawValue)
            id.append(to: &bytes)
            message.append(to: &bytes)
        case .expired(let id, let count):
            bytes.append(Tag.expired.rawValue)
            id.append(to: &bytes)
            withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
        case .keys(let id, let keys):
            bytes.append(Tag.keys.rawValue)
            id.append(to: &bytes)
            Self.append(keys, to: &bytes)
        case .link(let id, let link):
            bytes.append(Tag.link.rawValue)
            id.append(to: &bytes)
            Self.append(link, to: &bytes)
        case .notifier(let id, let notifier):
            bytes.append(Tag.notifier.rawValue)
            id.append(to: &bytes)
            Self.append(notifier, to: &bytes)
        case .queueService(let id, let service):
            bytes.append(Tag.queueService.rawValue)
            id.append(to: &bytes)
            Self.append(service, to: &bytes)
        case .notice(let id, let notice):
            bytes.append(Tag.notice.rawValue)
            id.append(to: &bytes)
            Self.append(notice, to: &bytes)
        case .service(let id, let role, let certificateHash):
            bytes.append(Tag.service.rawValue)
            id.append(to: &bytes)
            bytes.append(role.rawValue)
            certificateHash.append(to: &bytes)
        }
    }

    /// Writes a key after its length byte. Keys have less than 256 bytes.
    static func append(_ key: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: key.count))
        bytes.append(contentsOf: key)
    }

    // MARK: Reading

    /// Returns nil when the payload is not a record of this version.
    init?(payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        do {
            guard let tag = Tag(rawValue: try reader.byte()), let id = QueueID(try reader.slice(count: QueueID.count))
            else {
                return nil
            }
            switch tag {
            case .created: self = .created(try Self.parseQueue(id, from: &reader))
            case .createdWithExtras:
                var queue = try Self.parseQueue(id, from: &reader)
                queue.extraValues = try QueueExtras(from: &reader)
                self = .created(queue)
            case .secured: self = .secured(id, try AuthorizationKey(spki: try reader.shortBytes()))
            case .status:
                guard let status = Queue.Status(rawValue: try reader.byte()) else { return nil }
                self = .status(id, status)
            case .deleted: self = .deleted(id)
            case .message, .quota: self = .message(id, try Self.parseMessage(isQuota: tag == .quota, from: &reader))
            case .acknowledged: self = .acknowledged(id, try Self.parseID(from: &reader))
            case .expired: self = .expired(id, count: try reader.word32().byteSwapped)
            case .keys: self = .keys(id, try Self.parseKeys(from: &reader))
            case .link: self = .link(id, try Self.parseLink(from: &reader))
            case .notifier: self = .notifier(id, try Self.parseNotifier(from: &reader))
            case .queueService: self = .queueService(id, try Self.parseOptionalID(from: &reader))
            case .notice: self = .notice(id, try Self.parseNotice(from: &reader))
            case .service:
                guard let role = ClientHello.Service.Role(rawValue: try reader.byte()),
                    let hash = Bytes32(try reader.slice(count: Bytes32.count))
                else { return nil }
                self = .service(id, role, certificateHash: hash)
            }
            try reader.finish()
        } catch {
            return nil
        }
    }

    static func parseID(from reader: inout ByteReader) throws -> Bytes24 {
        guard let id = Bytes24(try reader.slice(count: Bytes24.count)) else { throw SMPEncodingError.unexpectedEnd }
        return id
    }

    private static func parseQueue(_ id: QueueID, from reader: inout ByteReader) throws -> Queue {
        let senderID = try Self.parseID(from: &reader)
        guard let secret = Bytes32(try reader.slice(count: Bytes32.count)) else { throw SMPEncodingError.unexpectedEnd }
        let mode: QueueMode?
        switch try reader.byte() {
        case 0: mode = nil
        case 1: mode = .messaging
        case 2: mode = .contact
        default: throw SMPEncodingError.invalidTag
        }
        guard let status = Queue.Status(rawValue: try reader.byte()) else { throw SMPEncodingError.invalidTag }
        let recipientKey = try AuthorizationKey(spki: try reader.shortBytes())
        let senderKey = try reader.shortBytes()
        return Queue(
            recipientID: id,
            senderID: senderID,
            recipientKey: recipientKey,
            dhSecret: secret,
            mode: mode,
            senderKey: senderKey.isEmpty ? nil : try AuthorizationKey(spki: senderKey),
            status: status
        )
    }

    private static func parseMessage(isQuota: Bool, from reader: inout ByteReader) throws -> QueuedMessage {
        let id = try Self.parseID(from: &reader)
        let timestamp = try reader.int64().byteSwapped
        if isQuota { return QueuedMessage(id: id, timestamp: timestamp, shouldNotify: false, body: nil) }
        let notification = try reader.byte() == 1
        return QueuedMessage(id: id, timestamp: timestamp, shouldNotify: notification, body: reader.tail())
    }
}
