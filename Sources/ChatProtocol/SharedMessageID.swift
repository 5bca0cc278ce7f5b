import SimpleXCrypto

/// The id of a message, which is the same on both sides of a conversation (`msgId`). In JSON, it is base64url text.
package struct SharedMessageID: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Makes a new random id. 12 random bytes are encoded as base64, and the 16 characters of the base64 text are the
    /// bytes of the id. The original makes ids in the same way, so an id does not reveal the program that has made it.
    package static func random() -> SharedMessageID {
        SharedMessageID(bytes: Array(Base64.encode(RandomBytes.make(count: 12)).utf8))
    }

    package init?(parsing text: String) {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty, bytes.count <= 255 else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}
