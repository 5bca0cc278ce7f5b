/// 24 bytes stored inline, so that the id of a queue, message or file needs no heap block.
package struct Bytes24: Hashable, Sendable {
    package static let byteCount = 24
    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64

    /// Makes the value; nil unless there are exactly 24 bytes.
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

/// 32 bytes stored inline, for secrets shared with recipients.
package struct Bytes32: Hashable, Sendable {
    package static let byteCount = 32
    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64
    @usableFromInline var d: UInt64

    /// Makes the value; nil unless there are exactly 32 bytes.
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
