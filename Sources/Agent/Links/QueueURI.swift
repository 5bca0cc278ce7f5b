package import SMP
package import SimpleXCrypto

/// A queue in a link: its address for senders, and the recipient's public key for the end-to-end encryption of the
/// queue.
/// simplexmq `protocol/simplex-messaging.md`, "SMP queue URI".
package struct QueueURI: Hashable, Sendable {
    /// The versions of SMP client messages that the recipient supports.
    package var clientVersions: ProtocolVersionRange
    /// The server, without a password.
    package var server: ProtocolServer
    /// The id of the queue for senders (24 bytes in a real address).
    package var senderID: [UInt8]
    package var dhPublicKey: X25519.PublicKey
    /// The purpose of the queue, if the link contains it.
    package var mode: QueueMode?

    package init(
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

    /// Returns the queue with the highest version that both sides support; nil when there is no common version.
    package func compatibleQueue(with supported: ProtocolVersionRange) -> SMPQueueInfo? {
        clientVersions.commonVersions(with: supported).map {
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

/// Versions of SMP client messages that change the encoding of a queue.
enum QueueFormVersion {
    /// The first version in which a server may have several hosts.
    static let firstWithSeveralHosts: UInt16 = 2
    /// The first version in which the encoding tells whether the sender can secure the queue.
    static let firstWithSenderSecuring: UInt16 = 3
    /// The first version in which the encoding contains the mode of the queue.
    static let firstWithMode: UInt16 = 4
}

extension QueueURI: SMPCodable {
    /// Encodes the queue. The lowest supported version determines the form of the mode. A messaging queue gets its mark
    /// even if only the highest supported version knows the mark.
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(clientVersions)
        writer.writeValue(server)
        writer.writeShortBytes(senderID)
        writer.writeValue(dhPublicKey)
        if clientVersions.min >= QueueFormVersion.firstWithMode {
            if let mode { writer.writeValue(mode) }
        } else if clientVersions.min >= QueueFormVersion.firstWithSenderSecuring
            || (mode == .messaging && clientVersions.max >= QueueFormVersion.firstWithSenderSecuring)
        {
            writer.writeBool(mode == .messaging)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersions = try reader.readValue()
        server = try reader.readValue()
        senderID = try reader.readShortBytes()
        dhPublicKey = try reader.readValue()
        mode = try reader.readQueueMode()
    }
}

extension ByteReader {
    /// Reads the mode at the end of an encoded queue, in the new form (`M`/`C`) or the old form (`T`/`F`); nil if the
    /// next byte begins no mode.
    mutating func readQueueMode() throws(SMPEncodingError) -> QueueMode? {
        switch peek() {
        case UInt8(ascii: "M"), UInt8(ascii: "C"): try QueueMode(from: &self)
        case UInt8(ascii: "T"), UInt8(ascii: "F"): try readBool() ? .messaging : .contact
        default: nil
        }
    }
}
