internal import SimpleXCrypto

/// The id of a member, which is the same for all members of the group. In JSON, it is base64url text (simplex-chat
/// `docs/protocol/simplex-chat.md`, "Group protocol").
package struct MemberID: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes a new random id in the way of simplex-chat: 12 random bytes are encoded as base64, and the 16 characters
    /// of the base64 text are the bytes of the id.
    package static func random() -> MemberID { MemberID(bytes: Array(Base64.encode(RandomBytes.make(count: 12)).utf8)) }

    package init?(parsing text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty, bytes.count <= 255 else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}
