import SMP
package import SimpleXCrypto

/// The part of link data that the owner can never change.
struct FixedLinkData: Hashable, Sendable {
    var agentVersions: ProtocolVersionRange
    /// Key of the creator of the link. It verifies the signature of the fixed data, and of user data that the creator
    /// has signed.
    var rootKey: Ed25519.PublicKey
    var request: ConnectionRequest
    /// The id of a group or a similar entity. Programs before simplexmq 6.5.5 reject data with this member.
    var entityID: [UInt8]?
}

extension FixedLinkData: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        writer.writeValue(agentVersions)
        writer.writeShortBytes(rootKey.spki)
        writer.writeValue(request)
        if let entityID { writer.writeShortBytes(entityID) }
    }

    /// Decodes the fixed data, and ignores bytes that later versions add at the end.
    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        agentVersions = try reader.readValue()
        rootKey = try reader.readLinkKey()
        request = try reader.readValue()
        entityID = reader.isAtEnd ? nil : try? reader.readShortBytes()
        _ = reader.readRest()
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
    /// Whether a peer may connect with the request of the link itself. Otherwise a peer connects only through the
    /// relays of the link.
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
    var isEncodedInOldForm = false
}

/// The user data of a link, with the agent versions of the program that has written the data.
struct VersionedUserData: Hashable, Sendable {
    var agentVersions: ProtocolVersionRange
    var data: LinkUserData
}

extension VersionedUserData: SMPCodable {
    func encode(to writer: inout ByteWriter) {
        switch data {
        case .invitation(let bytes):
            writer.writeByte(UInt8(ascii: "I"))
            writer.writeValue(agentVersions)
            writer.writeLinkUserData(bytes)
        case .contact(let data):
            writer.writeByte(UInt8(ascii: "C"))
            writer.writeValue(agentVersions)
            writer.writeBool(data.isDirect)
            writer.writeList(data.owners) { writer, owner in writer.writeShortBytes(owner.encoded) }
            writer.writeList(data.relays) { writer, relay in writer.writeValue(relay) }
            writer.writeLinkUserData(data.userData)
        }
    }

    init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "I"):
            agentVersions = try reader.readValue()
            data = .invitation(try reader.readLinkUserData())
        case UInt8(ascii: "C"):
            agentVersions = try reader.readValue()
            let isDirect = try reader.readBool()
            let owners = try reader.readList { reader throws(SMPEncodingError) in try LinkOwner(from: &reader) }
            let relays = try reader.readList { reader throws(SMPEncodingError) in try ShortLink(from: &reader) }
            var contact = ContactLinkData(userData: try reader.readLinkUserData())
            contact.isDirect = isDirect
            contact.owners = owners
            contact.relays = relays
            data = .contact(contact)
        default: throw .invalidTag
        }
        _ = reader.readRest()
    }
}

extension LinkOwner {
    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.writeShortBytes(id)
        writer.writeShortBytes(key.spki)
        writer.writeShortBytes(signature)
        return (try? writer.finish()) ?? []
    }

    fileprivate init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let first = try reader.readShortBytes()
        var inner = ByteReader(first)
        if let id = try? inner.readShortBytes(), let key = try? inner.readLinkKey(),
            let signature = try? inner.readShortBytes()
        {
            self.init(id: id, key: key, signature: signature)
            return
        }
        let key = try reader.readLinkKey()
        _ = try reader.readShortBytes()
        _ = try reader.readShortBytes()
        self.init(id: first, key: key, signature: try reader.readShortBytes(), isEncodedInOldForm: true)
    }
}

extension ByteReader {
    fileprivate mutating func readLinkKey() throws(SMPEncodingError) -> Ed25519.PublicKey {
        guard let key = try? Ed25519.PublicKey(spki: try readShortBytes()) else { throw .invalidValue("Ed25519 key") }
        return key
    }

    /// Reads user data. Data of 255 bytes or more begin with the byte 255 and a two-byte length, shorter data with a
    /// one-byte length.
    fileprivate mutating func readLinkUserData() throws(SMPEncodingError) -> [UInt8] {
        if peek() == 255 {
            _ = try readByte()
            return try readLargeBytes()
        }
        return try readShortBytes()
    }
}

extension ByteWriter {
    fileprivate mutating func writeLinkUserData(_ bytes: [UInt8]) {
        if bytes.count <= 254 { return writeShortBytes(bytes) }
        writeByte(255)
        writeLargeBytes(bytes)
    }
}
