import RelayBase
import SMP
import SimpleXCrypto

/// One change of a file, as a record of the file relay's log. The payload is a type byte, an id of the file and the
/// data of the type. An acknowledgement has the recipient's id, any other record the sender's id.
enum FileLogRecord: Sendable {
    /// A file was created. The record has no recipients. The file is neither uploaded nor blocked.
    case fileCreated(RelayFileID, StoredFile)
    case recipientsAdded(RelayFileID, [(id: RelayFileID, key: AuthorizationKey)])
    /// The contents of the file are complete in the folder of files.
    case fileUploaded(RelayFileID)
    case fileDeleted(RelayFileID)
    case fileAcknowledged(RelayFileID)
    case fileBlocked(RelayFileID, SMPBlockingInfo?)

    static let logHeader = LogHeader("simplex-gateway file relay log", version: 1)
    /// Maximal number of recipients in one record. With this number, the record has less than the maximal size.
    static let maxRecipients = 256

    private enum Tag: UInt8 { case created = 1, recipients, uploaded, deleted, acknowledged, blocked }

    // MARK: Writing

    /// Encodes the record with its header and payload.
    func encodeRecord() -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) { LogFile.appendRecord(to: &bytes) { appendPayload(to: &$0) } }

    private func appendPayload(to bytes: inout [UInt8]) {
        switch self {
        case .fileCreated(let id, let file):
            Self.appendTagAndID(.created, id, to: &bytes)
            Self.appendKey(file.senderKey, to: &bytes)
            Self.appendNumber(file.byteCount, to: &bytes)
            bytes.append(file.digest == nil ? 0 : 1)
            file.digest?.append(to: &bytes)
            Self.appendNumber(file.createdHourSeconds, to: &bytes)
        case .recipientsAdded(let id, let keys):
            Self.appendTagAndID(.recipients, id, to: &bytes)
            Self.appendNumber(UInt16(truncatingIfNeeded: keys.count), to: &bytes)
            for (recipient, key) in keys {
                recipient.append(to: &bytes)
                Self.appendKey(key, to: &bytes)
            }
        case .fileUploaded(let id): Self.appendTagAndID(.uploaded, id, to: &bytes)
        case .fileDeleted(let id): Self.appendTagAndID(.deleted, id, to: &bytes)
        case .fileAcknowledged(let id): Self.appendTagAndID(.acknowledged, id, to: &bytes)
        case .fileBlocked(let id, let blocking):
            Self.appendTagAndID(.blocked, id, to: &bytes)
            bytes.append(blocking.map { $0.reason == .spam ? 1 : 2 } ?? 0)
            let notice = Array((blocking?.notice ?? "").utf8)
            Self.appendNumber(UInt16(truncatingIfNeeded: notice.count), to: &bytes)
            bytes.append(contentsOf: notice)
        }
    }

    private static func appendTagAndID(_ tag: Tag, _ id: RelayFileID, to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        id.append(to: &bytes)
    }

    /// Appends a key after a byte with its length. Keys have less than 256 bytes.
    private static func appendKey(_ key: AuthorizationKey, to bytes: inout [UInt8]) {
        let spki = key.spki
        bytes.append(UInt8(truncatingIfNeeded: spki.count))
        bytes.append(contentsOf: spki)
    }

    private static func appendNumber(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    // MARK: Reading

    /// Reads a record; nil when the payload is not a record of this version.
    init?(payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        do throws(SMPEncodingError) {
            guard let tag = Tag(rawValue: try reader.readByte()) else { return nil }
            let id = try Self.parseID(from: &reader)
            switch tag {
            case .created: self = .fileCreated(id, try Self.parseFile(from: &reader))
            case .recipients:
                var keys: [(id: RelayFileID, key: AuthorizationKey)] = []
                for _ in 0..<(try reader.readWord16()) {
                    keys.append((try Self.parseID(from: &reader), try Self.parseKey(from: &reader)))
                }
                self = .recipientsAdded(id, keys)
            case .uploaded: self = .fileUploaded(id)
            case .deleted: self = .fileDeleted(id)
            case .acknowledged: self = .fileAcknowledged(id)
            case .blocked: self = .fileBlocked(id, try Self.parseBlocking(from: &reader))
            }
            try reader.requireEnd()
        } catch {
            return nil
        }
    }

    private static func parseID(from reader: inout ByteReader) throws(SMPEncodingError) -> RelayFileID {
        guard let id = RelayFileID(try reader.readSlice(count: RelayFileID.byteCount)) else { throw .unexpectedEnd }
        return id
    }

    private static func parseKey(from reader: inout ByteReader) throws(SMPEncodingError) -> AuthorizationKey {
        let spki = try reader.readShortBytes()
        do { return try AuthorizationKey(spki: spki) } catch { throw .invalidValue("key") }
    }

    private static func parseFile(from reader: inout ByteReader) throws(SMPEncodingError) -> StoredFile {
        let (key, size) = (try parseKey(from: &reader), try reader.readWord32())
        var digest: Bytes32?
        if try reader.readByte() == 1 { digest = Bytes32(try reader.readSlice(count: Bytes32.byteCount)) }
        return StoredFile(senderKey: key, size: size, digest: digest, created: try reader.readInt64())
    }

    private static func parseBlocking(from reader: inout ByteReader) throws(SMPEncodingError) -> SMPBlockingInfo? {
        let reason = try reader.readByte()
        let notice = try reader.readSlice(count: Int(try reader.readWord16()))
        guard reason > 0 else { return nil }
        return SMPBlockingInfo(
            reason: reason == 1 ? .spam : .content,
            notice: notice.isEmpty ? nil : String(decoding: notice, as: UTF8.self)
        )
    }
}
