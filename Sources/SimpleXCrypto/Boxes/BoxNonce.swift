/// The 24-byte nonce of a box. It is public.
public struct BoxNonce: Hashable, Sendable {
    public static let size = 24
    /// 24 bytes.
    public let rawRepresentation: [UInt8]

    public init(rawRepresentation: [UInt8]) throws(CryptoError) {
        try rawRepresentation.requireCount(Self.size, of: "nonce")
        self.rawRepresentation = rawRepresentation
    }

    /// Any bytes as a nonce: the first 24, or all and zeros after them. So message and correlation ids serve as nonces.
    public init(padding bytes: some Collection<UInt8>) {
        var raw = Array(bytes.prefix(Self.size))
        while raw.count < Self.size { raw.append(0) }
        rawRepresentation = raw
    }

    public static func random() -> BoxNonce { BoxNonce(padding: RandomBytes.make(count: size)) }

    /// The bytes backwards: the nonce of the answer to a forwarded command.
    public var reversed: BoxNonce { BoxNonce(padding: rawRepresentation.reversed()) }
}
