/// A Bloom filter with one hash for the 5-character substrings of messages. It has one bit for each of two million hash
/// values.
///
/// Even a search text that no message contains often consists of frequent trigrams. Its 5-character substrings,
/// however, rarely all occur in messages. If a substring is missing in the filter, no message matches, and no list of
/// the search index has to be read. After a false positive, the lists are read, and contain no match.
package struct BloomFilter: Sendable {
    private static let hashBits: UInt64 = 21
    private static let byteCount = 1 << (hashBits - 3)

    /// The bytes of the filter; empty if the substrings of the messages are unknown. Then ``mayContain(_:)`` returns
    /// true for each text.
    package private(set) var bytes: [UInt8]

    /// Makes an empty filter.
    package init() { bytes = [UInt8](repeating: 0, count: Self.byteCount) }

    /// Makes a filter from its stored bytes. If the bytes are missing or invalid, the substrings of the messages are
    /// unknown.
    package init(stored: [UInt8]?) { self.bytes = stored.flatMap { $0.count == Self.byteCount ? $0 : nil } ?? [] }

    package mutating func add(_ text: String) {
        guard !bytes.isEmpty else { return }
        Self.forEachSubstring(in: text) { number in
            bytes[number >> 3] |= 1 << UInt8(number & 7)
            return true
        }
    }

    package mutating func merge(_ other: Span<UInt8>) {
        guard other.count == bytes.count else { return bytes = [] }
        for index in bytes.indices { bytes[index] |= other[index] }
    }

    /// Returns whether messages may contain this text.
    package func mayContain(_ text: String) -> Bool {
        guard !bytes.isEmpty else { return true }
        var hasAll = true
        Self.forEachSubstring(in: text) { number in
            hasAll = bytes[number >> 3] & 1 << UInt8(number & 7) != 0
            return hasAll
        }
        return hasAll
    }

    /// Calls `body` with the hash of each substring of five characters until `body` returns false. The letters A to Z
    /// are converted to lower case, as for trigrams.
    private static func forEachSubstring(in text: String, _ body: (Int) -> Bool) {
        var last: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0), length = 0
        for scalar in text.unicodeScalars {
            let character = UInt64(("A"..."Z").contains(scalar) ? scalar.value | 0x20 : scalar.value)
            length += 1
            if length >= 5 {
                // The factors are arbitrary odd numbers, so that similar substrings have different hashes.
                let mixed =
                    last.0 &* 0x9E37_79B9_7F4A_7C15 &+ last.1 &* 0xC2B2_AE3D_27D4_EB4F &+ last.2
                    &* 0x1656_67B1_9E37_79F9
                    &+ last.3 &* 0xD6E8_FEB8_6659_FD93 &+ character &* 0xA076_1D64_78BD_642F
                guard body(Int(mixed >> (64 - hashBits))) else { return }
            }
            last = (last.1, last.2, last.3, character)
        }
    }
}
