public import SMP
import SimpleXCrypto

/// The address to which a notification server subscribes: a relay, and the id that NKEY has assigned to the queue's
/// notifier.
public struct NotifierAddress: Hashable, Sendable {
    public var server: ProtocolServer
    public var notifierID: [UInt8]

    public init(server: ProtocolServer, notifierID: [UInt8]) {
        self.server = server.withoutPassword
        self.notifierID = notifierID
    }
}

extension NotifierAddress: SMPCodable {
    public func encode(to writer: inout ByteWriter) {
        writer.value(server)
        writer.shortBytes(notifierID)
    }

    public init(from reader: inout ByteReader) throws(SMPEncodingError) {
        server = try reader.value()
        notifierID = try reader.shortBytes()
    }
}

extension NotifierAddress: StrCodable {
    public var str: String { server.str + "/" + Base64URL.encode(notifierID) }

    public init(from text: inout TextReader) throws(SMPEncodingError) {
        server = try ProtocolServer(from: &text).withoutPassword
        guard server.scheme == .smp else { throw .invalidValue("scheme") }
        try text.expect("/")
        notifierID = try text.base64url()
    }
}
