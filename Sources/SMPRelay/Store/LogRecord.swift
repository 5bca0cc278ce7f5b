import RelayBase
import SMP
import SimpleXCrypto

/// One change of a queue, as a record of the relay's log.
///
/// The payload is a type byte, the recipient id of the queue and the data of the type.
enum LogRecord: Sendable {
    case queueCreated(Queue)
    case queueSecured(QueueID, AuthorizationKey)
    case statusChanged(QueueID, Queue.Status)
    case queueDeleted(QueueID)
    case messageAccepted(QueueID, QueuedMessage)
    /// The recipient has acknowledged the first message of the queue. The message's id ensures that no other message is
    /// removed when the log is read again.
    case messageAcknowledged(QueueID, MessageID)
    /// The first `count` messages have expired and were dropped.
    case messagesExpired(QueueID, count: UInt32)
    case recipientKeysChanged(QueueID, [AuthorizationKey])
    case linkChanged(QueueID, QueueLink?)
    case notifierChanged(QueueID, QueueNotifier?)
    case queueServiceChanged(QueueID, ServiceID?)
    /// The text for clients about why the queue is blocked; nil removes the text.
    case noticeChanged(QueueID, String?)
    /// A service (client with a certificate) has connected for the first time. The record has the service's id in place
    /// of the recipient id.
    case serviceAdded(ServiceID, ClientHello.Service.Role, certificateHash: Bytes32)

    /// The header of the log file, with the format version. Logs of version 1 have only the kinds of records up to
    /// ``messagesExpired(_:count:)``.
    static let logHeader = LogHeader("simplex-gateway relay log", version: 2)

    private enum Tag: UInt8 {
        case created = 1, secured, status, deleted, message, quota, acknowledged, expired
        // The following records are only in logs of version 2.
        case createdWithExtras, keys, link, notifier, queueService, service, notice
    }

    // MARK: Writing

    /// Encodes the record with its header and payload.
    func encodeRecord() -> [UInt8] {
        var bytes: [UInt8] = []
        if case .messageAccepted(_, let message) = self {
            bytes.reserveCapacity(
                LogFile.recordHeaderBytes + 1 + 2 * Bytes24.byteCount + 9 + (message.body?.count ?? 0)
            )
        }
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) { LogFile.appendRecord(to: &bytes) { appendPayload(to: &$0) } }

    private func appendPayload(to bytes: inout [UInt8]) {
        switch self {
        case .queueCreated(let queue):
            bytes.append(queue.hasExtraValues ? Tag.createdWithExtras.rawValue : Tag.created.rawValue)
            queue.recipientID.append(to: &bytes)
            queue.senderID.append(to: &bytes)
            queue.dhSecret.append(to: &bytes)
            bytes.append(queue.queueMode == nil ? 0 : queue.queueMode == .messaging ? 1 : 2)
            bytes.append(queue.status.rawValue)
            Self.appendKey(queue.recipientKey.spki, to: &bytes)
            Self.appendKey(queue.senderKey?.spki ?? [], to: &bytes)
            if queue.hasExtraValues { queue.extraValues.append(to: &bytes) }
        case .queueSecured(let id, let key):
            bytes.append(Tag.secured.rawValue)
            id.append(to: &bytes)
            Self.appendKey(key.spki, to: &bytes)
        case .statusChanged(let id, let status):
            bytes.append(Tag.status.rawValue)
            id.append(to: &bytes)
            bytes.append(status.rawValue)
        case .queueDeleted(let id):
            bytes.append(Tag.deleted.rawValue)
            id.append(to: &bytes)
        case .messageAccepted(let id, let message):
            bytes.append(message.isQuotaMarker ? Tag.quota.rawValue : Tag.message.rawValue)
            id.append(to: &bytes)
            message.id.append(to: &bytes)
            withUnsafeBytes(of: message.acceptedAtSeconds.littleEndian) { bytes.append(contentsOf: $0) }
            if let body = message.body {
                bytes.append(message.shouldNotify ? 1 : 0)
                bytes.append(contentsOf: body)
            }
        case .messageAcknowledged(let id, let message):
            bytes.append(Tag.acknowledged.rawValue)
            id.append(to: &bytes)
            message.append(to: &bytes)
        case .messagesExpired(let id, let count):
            bytes.append(Tag.expired.rawValue)
            id.append(to: &bytes)
            withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
        case .recipientKeysChanged(let id, let keys):
            bytes.append(Tag.keys.rawValue)
            id.append(to: &bytes)
            Self.appendKeys(keys, to: &bytes)
        case .linkChanged(let id, let link):
            bytes.append(Tag.link.rawValue)
            id.append(to: &bytes)
            Self.appendLink(link, to: &bytes)
        case .notifierChanged(let id, let notifier):
            bytes.append(Tag.notifier.rawValue)
            id.append(to: &bytes)
            Self.appendNotifier(notifier, to: &bytes)
        case .queueServiceChanged(let id, let service):
            bytes.append(Tag.queueService.rawValue)
            id.append(to: &bytes)
            Self.appendOptionalID(service, to: &bytes)
        case .noticeChanged(let id, let notice):
            bytes.append(Tag.notice.rawValue)
            id.append(to: &bytes)
            Self.appendNotice(notice, to: &bytes)
        case .serviceAdded(let id, let role, let certificateHash):
            bytes.append(Tag.service.rawValue)
            id.append(to: &bytes)
            bytes.append(role.rawValue)
            certificateHash.append(to: &bytes)
        }
    }

    /// Appends a key after a byte with its length. Keys have less than 256 bytes.
    static func appendKey(_ key: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: key.count))
        bytes.append(contentsOf: key)
    }

    // MARK: Reading

    /// Reads a record; nil when the payload is not a record of this version.
    init?(payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        do {
            guard let tag = Tag(rawValue: try reader.readByte()),
                let id = QueueID(try reader.readSlice(count: QueueID.byteCount))
            else {
                return nil
            }
            switch tag {
            case .created: self = .queueCreated(try Self.parseQueue(id, from: &reader))
            case .createdWithExtras:
                var queue = try Self.parseQueue(id, from: &reader)
                queue.extraValues = try QueueExtras(from: &reader)
                self = .queueCreated(queue)
            case .secured: self = .queueSecured(id, try AuthorizationKey(spki: try reader.readShortBytes()))
            case .status:
                guard let status = Queue.Status(rawValue: try reader.readByte()) else { return nil }
                self = .statusChanged(id, status)
            case .deleted: self = .queueDeleted(id)
            case .message, .quota:
                self = .messageAccepted(id, try Self.parseMessage(isQuota: tag == .quota, from: &reader))
            case .acknowledged: self = .messageAcknowledged(id, try Self.parseID(from: &reader))
            case .expired: self = .messagesExpired(id, count: try reader.readWord32().byteSwapped)
            case .keys: self = .recipientKeysChanged(id, try Self.parseKeys(from: &reader))
            case .link: self = .linkChanged(id, try Self.parseLink(from: &reader))
            case .notifier: self = .notifierChanged(id, try Self.parseNotifier(from: &reader))
            case .queueService: self = .queueServiceChanged(id, try Self.parseOptionalID(from: &reader))
            case .notice: self = .noticeChanged(id, try Self.parseNotice(from: &reader))
            case .service:
                guard let role = ClientHello.Service.Role(rawValue: try reader.readByte()),
                    let hash = Bytes32(try reader.readSlice(count: Bytes32.byteCount))
                else { return nil }
                self = .serviceAdded(id, role, certificateHash: hash)
            }
            try reader.requireEnd()
        } catch {
            return nil
        }
    }

    static func parseID(from reader: inout ByteReader) throws -> Bytes24 {
        guard let id = Bytes24(try reader.readSlice(count: Bytes24.byteCount)) else {
            throw SMPEncodingError.unexpectedEnd
        }
        return id
    }

    private static func parseQueue(_ id: QueueID, from reader: inout ByteReader) throws -> Queue {
        let senderID = try Self.parseID(from: &reader)
        guard let secret = Bytes32(try reader.readSlice(count: Bytes32.byteCount)) else {
            throw SMPEncodingError.unexpectedEnd
        }
        let mode: QueueMode?
        switch try reader.readByte() {
        case 0: mode = nil
        case 1: mode = .messaging
        case 2: mode = .contact
        default: throw SMPEncodingError.invalidTag
        }
        guard let status = Queue.Status(rawValue: try reader.readByte()) else { throw SMPEncodingError.invalidTag }
        let recipientKey = try AuthorizationKey(spki: try reader.readShortBytes())
        let senderKey = try reader.readShortBytes()
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
        let timestamp = try reader.readInt64().byteSwapped
        if isQuota { return QueuedMessage(id: id, acceptedAtSeconds: timestamp, shouldNotify: false, body: nil) }
        let notification = try reader.readByte() == 1
        return QueuedMessage(id: id, acceptedAtSeconds: timestamp, shouldNotify: notification, body: reader.readRest())
    }
}
