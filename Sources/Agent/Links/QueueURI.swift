public import SMP
public import SimpleXCrypto

/// A queue in a link: its address for senders, and the recipient's key for the end-to-end encryption of the queue.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP queue URI".
public struct QueueURI: Hashable, Sendable {
    /// The versions of SMP client messages that the recipient reads.
    public var clientVersions: ProtocolVersionRange
    /// Without password.
    public var server: ProtocolServer
    /// The queue's id for senders (24 bytes in a real address).
    public var senderID: [UInt8]
    public var dhPublicKey: X25519.PublicKey
    /// The purpose of the queue, if the link contains it.
    public var mode: QueueMode?

    public init(
        clientVersions: ProtocolVersionRange,
        server: ProtocolServer,
        senderID: [UInt8],
        dhPublicKey: X25519.PublicKey,
        mode: QueueMode?
    ) {
        self.clientVersions = clientVersions
        self.server = server
        self.senderID = senderID
        self.dhPublicKey = dhPublicKey
        self.mode = mode
    }

    /// The queue at the highest common version; nil when there is no common version.
    public func compatible(with supported: ProtocolVersionRange) -> SMPQueueInfo? {
        clientVersions.compatible(with: supported).map {
            SMPQueueInfo(
                clientVersion: $0.max,
                server: server,
                senderID: senderID,
                dhPublicKey: dhPublicKey,
                mode: mode
            )
        }
    }
}

/// The versions of SMP client messages at which the form of a queue changes.
enum QueueFormVersion {
    /// A server may have several hosts.
    static let hosts: UInt16 = 2
    /// From this version the form contains whether the sender can secure the queue.
    static let senderSecures: UInt16 = 3
    /// From this version the form contains the mode.
    static let mode: UInt16 = 4
}

extension QueueURI: SMPCodable {
    /// The mode is written for readers of the lowest version. Except that a messaging queue is marked as soon as the
    /// highest version knows the mark.
    public func encode(to writer: inout ByteWriter) {
        writer.value(clientVersions)
        writer.value(server)
        writer.shortBytes(senderID)
        writer.value(dhPublicKey)
        if clientVersions.min >= QueueFormVersion.mode {
            if let mode { writer.value(mode) }
        } else if clientVersions.min >= QueueFormVersion.senderSecures
            || (mode == .messaging && clientVersions.max >= QueueFormVersion.senderSecures)
        {
            writer.bool(mode == .messaging)
        }
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersions = try reader.value()
        server = try reader.value()
        senderID = try reader.shortBytes()
        dhPublicKey = try reader.value()
        mode = try reader.queueMode()
    }
}

extension ByteReader {
    /// The mode at the end of a queue, in either form (`M`/`C`, `T`/`F`). It has no presence tag: the next byte
    /// decides.
    mutating func queueMode() throws(SMPEncodingError) -> QueueMode? {
        switch peek() {
        case UInt8(ascii: "M"), UInt8(ascii: "C"): try QueueMode(from: &self)
        case UInt8(ascii: "T"), UInt8(ascii: "F"): try bool() ? .messaging : .contact
        default: nil
        }
    }
}
