internal import SimpleXCrypto

/// The place of a request in a trace through several programs: the header `traceparent` of W3C Trace Context, level 1.
struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits.
    let traceID: String
    /// 16 hexadecimal digits: the caller's id for its part of the trace.
    let parentID: String
    /// Whether the caller may have recorded its part of the trace.
    let isSampled: Bool

    /// Parses the value of a header field `traceparent`.
    /// - Returns: nil for a value that W3C Trace Context does not allow. The header field is then ignored.
    init?(_ header: String?) {
        guard let header, header.utf8.count >= 55, header.utf8.count <= 512 else { return nil }
        let parts = header.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[1].utf8.count == 32, parts[2].utf8.count == 16,
            parts[3].utf8.count == 2
        else { return nil }
        guard parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(Self.isHexDigit) }), parts[0] != "ff" else { return nil }
        // Later versions of the header field may have more than four parts. Version 00 has exactly four parts.
        guard parts[0] != "00" || parts.count == 4 else { return nil }
        guard parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }) else { return nil }
        traceID = String(parts[1])
        parentID = String(parts[2])
        isSampled = (UInt8(parts[3], radix: 16) ?? 0) & 1 == 1
    }

    /// Whether a byte is a hexadecimal digit in lower case.
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        Hex.digitValue(byte) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}
