package import SMP

/// The first message of a browser. A browser cannot see the certificates of TLS, so it asks for a proof of the server's
/// identity.
///
/// simplexmq `rfcs/2026-01-30-send-file-page/2026-02-02-xftp-web-handshake.md`. The code follows Transport.hs of 6.5.5.
/// Further bytes in the block are ignored.
package struct XFTPWebHello: Hashable, Sendable, SMPCodable {
    /// Random bytes, which the server signs together with the session id; nil for no proof.
    package var challenge: [UInt8]?

    package static let challengeSize = 32
    /// The HTTP header of a request whose body is this hello. A browser uses one connection for all its pages, and each
    /// page sends a hello.
    package static let header = "xftp-web-hello"
    /// The HTTP header of the browser's next request, whose body is the ``XFTPClientHello``.
    package static let handshakeHeader = "xftp-handshake"

    package init(challenge: [UInt8]?) { self.challenge = challenge }

    /// Parses the hello in the body of a request. A request without a body has no challenge.
    package init(body: [UInt8]) throws(XFTPServerError) {
        guard !body.isEmpty else {
            self.init(challenge: nil)
            return
        }
        guard let content = try? XFTPBlock.unpad(body) else { throw .handshake }
        var reader = ByteReader(content)
        do throws(SMPEncodingError) { try self.init(from: &reader) } catch { throw .handshake }
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeOptional(challenge) { $0.writeShortBytes($1) }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        challenge = try reader.readOptional { (reader) throws(SMPEncodingError) in try reader.readShortBytes() }
        guard challenge.map({ $0.count == Self.challengeSize }) ?? true else { throw .invalidValue("challenge") }
    }

    /// Returns the bytes that the server signs to prove its identity.
    package static func signedBytes(challenge: [UInt8], sessionID: [UInt8]) -> [UInt8] { challenge + sessionID }
}
