public import SMP
public import SimpleXCrypto

/// A queue as a link offers it: where to send, and the key for the queue's end-to-end encryption.
/// simplex-messaging.md, "SMP queue URI".
public struct QueueURI: Hashable, Sendable {
    /// Versions of SMP client messages that the owner reads.
    public var clientVersions: VersionRange
    /// Without the password.
    public var server: ProtocolServer
    public var senderID: [UInt8]
    public var dhPublicKey: X25519.PublicKey
    public var mode: QueueMode?

    public init(
        clientVersions: VersionRange, server: ProtocolServer, senderID: [UInt8], dhPublicKey: X25519.PublicKey, mode: QueueMode?
    ) {
        self.clientVersions = clientVersions
        self.server = server
        self.senderID = senderID
        self.dhPublicKey = dhPublicKey
        self.mode = mode
    }
}

/// The versions of SMP client messages at which the form of a queue changes.
private enum ClientVersion {
    /// From here on a server has several hosts.
    static let hosts: UInt16 = 2
    /// Tells whether the sender can secure the queue.
    static let senderSecures: UInt16 = 3
    /// Tells the queue's mode.
    static let mode: UInt16 = 4
}

extension QueueURI: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.value(clientVersions)
        server.encode(to: &writer)
        writer.shortBytes(senderID)
        writer.shortBytes(dhPublicKey.spki)
        if clientVersions.min >= ClientVersion.mode {
            if let mode { writer.value(mode) }
        } else if clientVersions.min == ClientVersion.senderSecures || (mode == .messaging && clientVersions.max >= ClientVersion.senderSecures) {
            writer.bool(mode == .messaging)
        }
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersions = try reader.value()
        server = try ProtocolServer(from: &reader)
        senderID = try reader.shortBytes()
        dhPublicKey = try reader.queueKey()
        mode = try reader.queueMode()
    }
}

/// A queue for the way back, at an agreed version, inside a confirmation.
struct QueueInfo: Hashable, Sendable, SMPCodable {
    var clientVersion: UInt16
    var server: ProtocolServer
    var senderID: [UInt8]
    var dhPublicKey: X25519.PublicKey
    var mode: QueueMode?

    init(clientVersion: UInt16, server: ProtocolServer, senderID: [UInt8], dhPublicKey: X25519.PublicKey, mode: QueueMode?) {
        self.clientVersion = clientVersion
        self.server = server
        self.senderID = senderID
        self.dhPublicKey = dhPublicKey
        self.mode = mode
    }

    func encode(to writer: inout ByteWriter) {
        writer.word16(clientVersion)
        if clientVersion < ClientVersion.hosts { server.encodeLegacy(to: &writer) } else { server.encode(to: &writer) }
        writer.shortBytes(senderID)
        writer.shortBytes(dhPublicKey.spki)
        if clientVersion >= ClientVersion.mode {
            if let mode { writer.value(mode) }
        } else if clientVersion == ClientVersion.senderSecures, mode == .messaging {
            writer.bool(true)
        }
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.word16()
        server = clientVersion < ClientVersion.hosts ? try ProtocolServer(legacyFrom: &reader) : try ProtocolServer(from: &reader)
        senderID = try reader.shortBytes()
        dhPublicKey = try reader.queueKey()
        mode = try reader.queueMode()
    }
}

extension ByteReader {
    fileprivate mutating func queueKey() throws(SMPEncodingError) -> X25519.PublicKey {
        let spki = try shortBytes()
        do { return try X25519.PublicKey(spki: spki) } catch { throw .invalidValue("X25519 key") }
    }

    /// The mode has no tag of its own: what follows in a list cannot begin like one.
    fileprivate mutating func queueMode() throws(SMPEncodingError) -> QueueMode? {
        switch peek() {
        case UInt8(ascii: "T"), UInt8(ascii: "M"):
            _ = try byte()
            return .messaging
        case UInt8(ascii: "F"), UInt8(ascii: "C"):
            _ = try byte()
            return .contact
        default: return nil
        }
    }
}
