import SMP
package import SimpleXCrypto

/// The part of link data that the owner can never change.
struct FixedLinkData: Hashable, Sendable {
    var agentVersions: ProtocolVersionRange
    /// Key that verifies the signatures of both parts.
    var rootKey: Ed25519.PublicKey
    var request: ConnectionRequest
    /// The id of a group or a similar entity. Programs before simplexmq 6.5.5 reject data with this member.
    var entityID: [UInt8]?
}

extension FixedLinkData: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.value(agentVersions)
        writer.shortBytes(rootKey.spki)
        writer.value(request)
        if let entityID { writer.shortBytes(entityID) }
    }

    /// Decodes the part, and ignores bytes that later versions add at the end.
    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        agentVersions = try reader.value()
        rootKey = try reader.linkKey()
        request = try reader.value()
        entityID = reader.isAtEnd ? nil : try? reader.shortBytes()
        _ = reader.tail()
    }
}

/// The part of link data that the owner may change.
package enum LinkUserData: Hashable, Sendable {
    case invitation([UInt8])
    case contact(ContactLinkData)

    var isInvitation: Bool {
        switch self {
        case .invitation: true
        case .contact: false
        }
    }

    /// User data, which the agent does not interpret.
    package var bytes: [UInt8] {
        switch self {
        case .invitation(let bytes): bytes
        case .contact(let data): data.userData
        }
    }
}

package struct ContactLinkData: Hashable, Sendable {
    /// Whether a peer may connect with the request of the link itself, and not only through its relays.
    package var isDirect = true
    /// Additional owners that may change the data.
    package var owners: [LinkOwner] = []
    /// Links of relays that also receive requests.
    package var relays: [ShortLink] = []
    package var userData: [UInt8]

    package init(userData: [UInt8]) { self.userData = userData }
}

/// An additional owner of a link, with an authorization by the root key or an earlier owner.
package struct LinkOwner: Hashable, Sendable {
    package var id: [UInt8]
    package var key: Ed25519.PublicKey
    package var signature: [UInt8]
    /// Whether the owner is encoded as by programs before simplexmq 6.5.5. An owner in this form counts as not
    /// authorized.
    var isOfOldForm = false
}

/// The user data, with the versions of the agent that has written them.
struct VersionedUserData: Hashable, Sendable {
    var agentVersions: ProtocolVersionRange
    var data: LinkUserData
}

extension VersionedUserData: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        switch data {
        case .invitation(let bytes):
            writer.byte(UInt8(ascii: "I"))
            writer.value(agentVersions)
            writer.linkUserData(bytes)
        case .contact(let data):
            writer.byte(UInt8(ascii: "C"))
            writer.value(agentVersions)
            writer.bool(data.isDirect)
            writer.list(data.owners) { writer, owner in writer.shortBytes(owner.encoded) }
            writer.list(data.relays) { writer, relay in writer.value(relay) }
            writer.linkUserData(data.userData)
        }
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.byte() {
        case UInt8(ascii: "I"):
            agentVersions = try reader.value()
            data = .invitation(try reader.linkUserData())
        case UInt8(ascii: "C"):
            agentVersions = try reader.value()
            let isDirect = try reader.bool()
            let owners = try reader.list { reader throws(SMPEncodingError) in try LinkOwner(from: &reader) }
            let relays = try reader.list { reader throws(SMPEncodingError) in try ShortLink(from: &reader) }
            var contact = ContactLinkData(userData: try reader.linkUserData())
            contact.isDirect = isDirect
            contact.owners = owners
            contact.relays = relays
            data = .contact(contact)
        default: throw .invalidTag
        }
        _ = reader.tail()
    }
}

extension LinkOwner {
    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.shortBytes(id)
        writer.shortBytes(key.spki)
        writer.shortBytes(signature)
        return (try? writer.finish()) ?? []
    }

    fileprivate init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let first = try reader.shortBytes()
        var inner = ByteReader(first)
        if let id = try? inner.shortBytes(), let key = try? inner.linkKey(), let signature = try? inner.shortBytes() {
            self.init(id: id, key: key, signature: signature)
            return
        }
        let key = try reader.linkKey()
        _ = try reader.shortBytes()
        _ = try reader.shortBytes()
        self.init(id: first, key: key, signature: try reader.shortBytes(), isOfOldForm: true)
    }
}

extension ByteReader {
    fileprivate mutating func linkKey() throws(SMPEncodingError) -> Ed25519.PublicKey {
        guard let key = try? Ed25519.PublicKey(spki: try shortBytes()) else { throw .invalidValue("Ed25519 key") }
        return key
    }

    /// Reads user data. Data of 255 bytes or more have a mark and a longer length field.
    fileprivate mutating func linkUserData() throws(SMPEncodingError) -> [UInt8] {
        if peek() == 255 {
            _ = try byte()
            return try largeBytes()
        }
        return try shortBytes()
    }
}

extension ByteWriter {
    fileprivate mutating func linkUserData(_ bytes: [UInt8]) {
        if bytes.count <= 254 { return shortBytes(bytes) }
        byte(255)
        largeBytes(bytes)
    }
}
