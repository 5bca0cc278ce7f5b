package import SMP
package import SimpleXCrypto

/// A queue that one side offers for messages of the other side, with the agreed version of SMP client messages. An
/// agent sends it during the connection procedure. simplexmq `protocol/agent-protocol.md`, "Agent connection
/// information" (`smpQueueInfo`).
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
        writer.writeWord16(clientVersion)
        if clientVersion < QueueFormVersion.firstWithSeveralHosts {
            server.encodeLegacy(to: &writer)
        } else {
            writer.writeValue(server)
        }
        writer.writeShortBytes(senderID)
        writer.writeValue(dhPublicKey)
        if clientVersion >= QueueFormVersion.firstWithMode {
            if let mode { writer.writeValue(mode) }
        } else if clientVersion >= QueueFormVersion.firstWithSenderSecuring, mode == .messaging {
            writer.writeBool(true)
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        clientVersion = try reader.readWord16()
        server =
            clientVersion < QueueFormVersion.firstWithSeveralHosts
            ? try ProtocolServer(legacyFrom: &reader) : try reader.readValue()
        senderID = try reader.readShortBytes()
        dhPublicKey = try reader.readValue()
        mode = try reader.readQueueMode()
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
        writer.writeValue(server)
        writer.writeShortBytes(senderID)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try reader.readValue()
        senderID = try reader.readShortBytes()
    }
}
