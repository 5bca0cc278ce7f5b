package import SMP
import SimpleXCrypto

/// The address to which a notification server subscribes: a relay, and the id that NKEY has assigned to the queue's
/// notifier.
package struct NotifierAddress: Hashable, Sendable {
    package var server: ProtocolServer
    package var notifierID: [UInt8]

    package init(server: ProtocolServer, notifierID: [UInt8]) {
        self.server = server.withoutPassword
        self.notifierID = notifierID
    }
}

extension NotifierAddress: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(server)
        writer.writeShortBytes(notifierID)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try reader.readValue()
        notifierID = try reader.readShortBytes()
    }
}

extension NotifierAddress: StrCodable {
    package var str: String { server.str + "/" + Base64URL.encode(notifierID) }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        server = try ProtocolServer(from: &text).withoutPassword
        guard server.scheme == .smp else { throw .invalidValue("scheme") }
        try text.requireText("/")
        notifierID = try text.readBase64URL()
    }
}
