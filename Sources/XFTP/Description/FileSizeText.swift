/// The text form of a number of bytes: with `kb`, `mb` or `gb` when the number is a multiple of this unit, otherwise
/// only the number.
package enum FileSizeText {
    private static let units: [(suffix: String, bytes: Int64)] = [("gb", 1 << 30), ("mb", 1 << 20), ("kb", 1 << 10)]

    package static func format(_ bytes: Int64) -> String {
        for (suffix, unit) in units where bytes % unit == 0 { return "\(bytes / unit)\(suffix)" }
        return String(bytes)
    }

    /// Parses a size; nil for any text except digits with at most one unit, and for a size that is too large.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = text.utf8.dropLast(unit?.suffix.utf8.count ?? 0)
        guard !digits.isEmpty, digits.count <= 19,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }
}
