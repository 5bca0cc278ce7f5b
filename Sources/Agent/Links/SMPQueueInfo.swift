public import SMP
public import SimpleXCrypto

/// A queue at an agreed version, as offered inside the agent protocol (for the way back when connecting).
///
/// simplexmq `protocol/agent-protocol.md`, "Agent connection information" (`smpQueueInfo`).
public struct SMPQueueInfo: Hashable, Sendable {
    /// The version of SMP client messages.
    public var clientVersion: UInt16
    /// Without password.
    public var server: ProtocolServer
    /// The queue's id for senders.
    public var senderID: [UInt8]
    public var dhPublicKey: X25519.PublicKey
    public var mode: QueueMode?

    public init(
        clientVersion: UInt16,
        server: ProtocolServer,
        senderID: [UInt8],
        dhPublicKey: X25519.PublicKey,
        mode: QueueMode?
    ) {
        self.clientVersion = clientVersion
        self.server = server
        self.senderID = senderID
        self.dhPublicKey = dhPublicKey
        self.mode = mode
    }
}

extension SMPQueueInfo: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.word16(clientVersion)
        if clientVersion < QueueFormVersion.hosts { server.encodeLegacy(to: &writer) } else { writer.value(server) }
        writer.shortBytes(senderID)
        writer.value(dhPublicKey)
        if clientVersion >= QueueFormVersion.mode {
            if let mode { writer.value(mode) }
        } else if clientVersion >= QueueFormVersion.senderSecures, mode == .messaging {
            writer.bool(true)
        }
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.word16()
        server = clientVersion < QueueFormVersion.hosts ? try ProtocolServer(legacyFrom: &reader) : try reader.value()
        senderID = try reader.shortBytes()
        dhPublicKey = try reader.value()
        mode = try reader.queueMode()
    }
}

/// A queue as its sender knows it, without keys.
public struct QueueAddress: Hashable, Sendable, SMPCodable {
    public var server: ProtocolServer
    public var senderID: [UInt8]

    public init(server: ProtocolServer, senderID: [UInt8]) {
        self.server = server
        self.senderID = senderID
    }

    public func encode(to writer: inout ByteWriter) {
        writer.value(server)
        writer.shortBytes(senderID)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try reader.value()
        senderID = try reader.shortBytes()
    }
}
