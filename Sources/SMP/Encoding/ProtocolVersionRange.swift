/// The versions from ``min`` to ``max``, both included; never empty.
package struct ProtocolVersionRange: Hashable, Sendable, SMPCodable {
    package let min: UInt16
    package let max: UInt16

    /// Makes a range; nil when `max` is less than `min`.
    package init?(min: UInt16, max: UInt16) {
        guard min <= max else { return nil }
        self.min = min
        self.max = max
    }

    /// Makes the range between two versions in any order.
    package init(_ a: SMPVersion, _ b: SMPVersion) {
        min = Swift.min(a.number, b.number)
        max = Swift.max(a.number, b.number)
    }

    /// Makes the range of the one version `number`.
    package init(_ number: UInt16) {
        min = number
        max = number
    }

    package func contains(_ version: UInt16) -> Bool { min <= version && version <= max }
    package func contains(_ version: SMPVersion) -> Bool { contains(version.number) }

    /// Returns the common versions; nil when there are none. Client and server use the highest common version.
    package func commonVersions(with other: ProtocolVersionRange) -> ProtocolVersionRange? {
        ProtocolVersionRange(min: Swift.max(min, other.min), max: Swift.min(max, other.max))
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeWord16(min)
        writer.writeWord16(max)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let (low, high) = (try reader.readWord16(), try reader.readWord16())
        guard let range = ProtocolVersionRange(min: low, max: high) else { throw .invalidValue("version range") }
        self = range
    }
}

extension ProtocolVersionRange: StrCodable {
    /// The range as text: `1-4`, or `3` for one version.
    package var str: String { min == max ? "\(min)" : "\(min)-\(max)" }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        let low = try text.readWord16()
        let high = text.skip("-") ? try text.readWord16() : low
        guard let range = ProtocolVersionRange(min: low, max: high) else { throw .invalidValue("version range") }
        self = range
    }
}
