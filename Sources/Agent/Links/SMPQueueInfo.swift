package import SMP
package import SimpleXCrypto

/// A queue that one side offers for messages of the other side, with an agreed version. The agent protocol sends it
/// during the connection procedure. simplexmq `protocol/agent-protocol.md`, "Agent connection information"
/// (`smpQueueInfo`).
package struct SMPQueueInfo: Hashable, Sendable {
    /// The agreed version of SMP client messages.
    package var clientVersion: UInt16
    /// The server, without a password.
    package var server: ProtocolServer
    /// The id of the queue for senders.
    package var senderID: [UInt8]
    package var dhPublicKey: X25519.PublicKey
    package var mode: QueueMode?

    package init(
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
    package func encode(to writer: inout ByteWriter) {
        writer.word16(clientVersion)
        if clientVersion < QueueFormVersion.firstWithSeveralHosts {
            server.encodeLegacy(to: &writer)
        } else {
            writer.value(server)
        }
        writer.shortBytes(senderID)
        writer.value(dhPublicKey)
        if clientVersion >= QueueFormVersion.firstWithMode {
            if let mode { writer.value(mode) }
        } else if clientVersion >= QueueFormVersion.firstWithSenderSecuring, mode == .messaging {
            writer.bool(true)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.word16()
        server =
            clientVersion < QueueFormVersion.firstWithSeveralHosts
            ? try ProtocolServer(legacyFrom: &reader) : try reader.value()
        senderID = try reader.shortBytes()
        dhPublicKey = try reader.value()
        mode = try reader.queueMode()
    }
}

/// The address of a queue for its sender, without keys.
package struct QueueAddress: Hashable, Sendable, SMPCodable {
    package var server: ProtocolServer
    package var senderID: [UInt8]

    package init(server: ProtocolServer, senderID: [UInt8]) {
        self.server = server
        self.senderID = senderID
    }

    package func encode(to writer: inout ByteWriter) {
        writer.value(server)
        writer.shortBytes(senderID)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try reader.value()
        senderID = try reader.shortBytes()
    }
}
