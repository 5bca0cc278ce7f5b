/// A domain name that relays can resolve (RSLV, from version 20): `privacy.simplex`, `example.com`. It is in lower case
/// and has at least two labels.
///
/// simplexmq `protocol/simplex-messaging.md`, "Resolver commands".
package struct NameDomain: Hashable, Sendable, CustomStringConvertible {
    /// The name, at most 253 bytes.
    package let text: String

    package var description: String { text }

    /// Parses a name of at least two labels, separated by dots. A label has at most 63 bytes: ASCII letters and digits
    /// with single hyphens between them. Throws for any other text.
    package init(parsing bytes: some Collection<UInt8>) throws(SMPEncodingError) {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, labels.count >= 2, labels.allSatisfy({ Self.isValidLabel($0) }) else {
            throw .invalidValue("name")
        }
        text = String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func isValidLabel(_ label: some Collection<UInt8>) -> Bool {
        label.count <= 63
            && label.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.allSatisfy { isLetterOrDigit($0) }
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
