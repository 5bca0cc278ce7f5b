internal import SimpleXCrypto

/// The body of a request, in memory that is overwritten when nobody needs it any more: it may have a passphrase in it.
public struct HTTPBody: Sendable {
    private var parts: [SecretBytes] = []

    /// Bytes.
    public private(set) var count = 0

    public init(_ bytes: [UInt8] = []) { bytes.withUnsafeBytes { append($0) } }

    public var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        parts.append(SecretBytes(bytes))
        count += bytes.count
    }

    /// The whole, in one piece, which is valid inside `body` only.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let whole = parts.count == 1 ? parts[0] : joined
        return whole.withBytes { body(UnsafeRawBufferPointer($0)) }
    }

    private var joined: SecretBytes {
        SecretBytes(count: count) { out in
            var offset = 0
            for part in parts {
                part.withBytes { _ = UnsafeMutableBufferPointer(rebasing: out[offset..<offset + $0.count]).update(fromContentsOf: $0) }
                offset += part.count
            }
        }
    }
}
