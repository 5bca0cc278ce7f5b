package import SMP
import SimpleXCrypto

/// A short link. Its content is stored on the relay, encrypted with a key in the link.
/// simplexmq `rfcs/2025-03-16-smp-queues.md`, "Short links".
package struct ShortLink: Hashable, Sendable {
    package enum Scheme: Hashable, Sendable {
        /// A link that begins with `simplex:` and contains all hosts of the server in the query.
        case simplex
        /// A link that begins with `https://` and the first host of the server.
        case https
    }

    /// Kind of the destination of a contact link. The raw value is the letter of this kind in links, in upper case.
    package enum ContactType: UInt8, Hashable, Sendable {
        case contact = 0x41, channel = 0x43, group = 0x47, relay = 0x52
    }

    package enum Kind: Hashable, Sendable {
        /// An invitation to one connection. The id of the link cannot be derived from the key, so that the key alone is
        /// not enough to read the data.
        case invitation(linkID: [UInt8])
        case contact(ContactType)
    }

    package var scheme: Scheme
    package var kind: Kind
    /// The server. Its key hash is missing in a shortened link to a preset server.
    package var server: ProtocolServer
    /// SHA3-256 of the fixed data: 32 bytes.
    package var linkKey: [UInt8]

    package init(scheme: Scheme, kind: Kind, server: ProtocolServer, linkKey: [UInt8]) {
        self.scheme = scheme
        self.kind = kind
        self.server = server
        self.linkKey = linkKey
    }

    package var isInvitation: Bool {
        switch kind {
        case .invitation: true
        case .contact: false
        }
    }

    /// Returns the id of the link on the relay (24 bytes if it is derived), and the key of the data.
    func deriveCredentials() throws(CryptoError) -> (linkID: [UInt8], key: SymmetricKey) {
        switch kind {
        case .invitation(let linkID): (linkID, try LinkKeys.deriveInvitationKey(linkKey))
        case .contact: try LinkKeys.deriveContactCredentials(linkKey)
        }
    }
}

/// Derives the encryption key of the data from the key of a short link, and for a contact link also the link id.
enum LinkKeys {
    static func deriveContactCredentials(_ linkKey: [UInt8]) throws(CryptoError) -> (linkID: [UInt8], key: SymmetricKey)
    {
        let derived = HKDF.sha512(
            salt: [],
            ikm: SecretBytes(linkKey),
            info: Array("SimpleXContactLink".utf8),
            count: 56
        ).bytes
        return (Array(derived.prefix(24)), try SymmetricKey(rawRepresentation: Array(derived.dropFirst(24))))
    }

    static func deriveInvitationKey(_ linkKey: [UInt8]) throws(CryptoError) -> SymmetricKey {
        try SymmetricKey(
            HKDF.sha512(salt: [], ikm: SecretBytes(linkKey), info: Array("SimpleXInvLink".utf8), count: 32)
        )
    }
}

extension ShortLink: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        switch kind {
        case .invitation(let linkID):
            writer.writeByte(UInt8(ascii: "I"))
            writer.writeValue(server)
            writer.writeShortBytes(linkID)
        case .contact(let type):
            writer.writeByte(UInt8(ascii: "C"))
            writer.writeByte(type.rawValue)
            writer.writeValue(server)
        }
        writer.writeShortBytes(linkKey)
    }

    /// Decodes a link with the scheme `https`, since the binary form has no scheme.
    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        scheme = .https
        switch try reader.readByte() {
        case UInt8(ascii: "I"):
            server = try reader.readValue()
            kind = .invitation(linkID: try reader.readShortBytes())
        case UInt8(ascii: "C"):
            guard let type = ContactType(rawValue: try reader.readByte()) else { throw .invalidTag }
            server = try reader.readValue()
            kind = .contact(type)
        default: throw .invalidTag
        }
        linkKey = try reader.readShortBytes()
    }
}
