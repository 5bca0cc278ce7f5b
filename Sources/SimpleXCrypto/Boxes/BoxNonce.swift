/// The 24-byte nonce of a box. It is not secret.
package struct BoxNonce: Hashable, Sendable {
    package static let size = 24
    /// The 24 bytes of the nonce.
    package let rawRepresentation: [UInt8]

    package init(rawRepresentation: [UInt8]) throws(CryptoError) {
        try rawRepresentation.requireCount(Self.size, of: "nonce")
        self.rawRepresentation = rawRepresentation
    }

    /// Makes a nonce from any bytes: takes the first 24 bytes, or adds zeros to fewer bytes. Message ids and
    /// correlation ids become nonces in this way.
    package init(padding bytes: some Collection<UInt8>) {
        var raw = Array(bytes.prefix(Self.size))
        while raw.count < Self.size { raw.append(0) }
        rawRepresentation = raw
    }

    package static func random() -> BoxNonce { BoxNonce(padding: RandomBytes.make(count: size)) }

    /// The nonce with its bytes in reverse order, for the answer to a forwarded command.
    package var reversed: BoxNonce { BoxNonce(padding: rawRepresentation.reversed()) }
}
