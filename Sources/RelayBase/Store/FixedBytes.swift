/// A value of 24 bytes without memory on the heap, for the ids of queues, messages and files.
package struct Bytes24: Hashable, Sendable {
    package static let byteCount = 24
    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64

    /// Makes the value from exactly 24 bytes; nil for any other number of bytes.
    @inlinable package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        (a, b, c) = words
    }

    package static func random() -> Bytes24 {
        var random = SystemRandomNumberGenerator()
        return Bytes24(random: &random)
    }

    private init(random: inout SystemRandomNumberGenerator) {
        (a, b, c) = (random.next(), random.next(), random.next())
    }

    @inlinable package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    @inlinable package func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) }
    }
}

/// A value of 32 bytes without memory on the heap, for shared secrets and digests.
package struct Bytes32: Hashable, Sendable {
    package static let byteCount = 32
    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64
    @usableFromInline var d: UInt64

    /// Makes the value from exactly 32 bytes; nil for any other number of bytes.
    @inlinable package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        (a, b, c, d) = words
    }

    @inlinable package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    @inlinable package func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) }
    }
}
