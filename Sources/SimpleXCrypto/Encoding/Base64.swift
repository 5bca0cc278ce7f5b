/// base64 with the URL-safe alphabet (`-` and `_`). All text forms of the protocols use it, except signatures.
package enum Base64URL {
    /// Encodes bytes. `padding` is false in short links, which omit the padding.
    package static func encode(_ bytes: some Collection<UInt8>, padding: Bool = true) -> String {
        Base64Alphabet.url.encode(bytes, padding: padding)
    }

    /// Decodes a text with or without padding. Refuses foreign characters, and trailing bits that are not zero.
    package static func decode(_ text: some StringProtocol) throws(CryptoError) -> [UInt8] {
        try Base64Alphabet.url.decode(Array(text.utf8))
    }

    package static func decode(_ text: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        try Base64Alphabet.url.decode(Array(text))
    }
}

/// base64 with the standard alphabet (`+` and `/`), for the text form of signatures. The decoder is as strict as
/// `Base64URL`.
package enum Base64 {
    package static func encode(_ bytes: some Collection<UInt8>, padding: Bool = true) -> String {
        Base64Alphabet.standard.encode(bytes, padding: padding)
    }

    package static func decode(_ text: some StringProtocol) throws(CryptoError) -> [UInt8] {
        try Base64Alphabet.standard.decode(Array(text.utf8))
    }
}

/// The encoder and decoder of one alphabet. It replaces the functions of libsodium 1.0.18, which take 2.6 to 7 times as
/// long. The function `sodium_base642bin` also accepts all bytes above 127.
struct Base64Alphabet: Sendable {
    static let url = Base64Alphabet("-_")
    static let standard = Base64Alphabet("+/")

    private static let paddingCharacter = UInt8(ascii: "=")
    private static let invalidMark: UInt8 = 0xFF
    private let characters: [UInt8]
    private let valuesByCharacter: [UInt8]

    private init(_ lastTwo: StaticString) {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let characters = Array(common.utf8) + lastTwo.withUTF8Buffer(Array.init)
        var values = [UInt8](repeating: Self.invalidMark, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(truncatingIfNeeded: value) }
        self.characters = characters
        self.valuesByCharacter = values
    }

    func encode(_ bytes: some Collection<UInt8>, padding: Bool) -> String {
        bytes.withContiguousBytes { input in
            String(unsafeUninitializedCapacity: (input.count + 2) / 3 * 4) { out in
                var written = 0
                func put(_ six: Int) {
                    out[written] = characters[six & 63]
                    written += 1
                }
                var index = 0
                while index + 2 < input.count {
                    let group = Int(input[index]) << 16 | Int(input[index + 1]) << 8 | Int(input[index + 2])
                    put(group >> 18)
                    put(group >> 12)
                    put(group >> 6)
                    put(group)
                    index += 3
                }
                let left = input.count - index
                if left > 0 {
                    let group = Int(input[index]) << 16 | (left == 2 ? Int(input[index + 1]) << 8 : 0)
                    put(group >> 18)
                    put(group >> 12)
                    if left == 2 { put(group >> 6) }
                    if padding {
                        for _ in left..<3 {
                            out[written] = Self.paddingCharacter
                            written += 1
                        }
                    }
                }
                return written
            }
        }
    }

    func decode(_ text: [UInt8]) throws(CryptoError) -> [UInt8] {
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == Self.paddingCharacter { end -= 1 }
        let rest = end % 4
        guard rest != 1, text.count - end <= (4 - rest) % 4 else { throw .invalidBase64 }
        var out = [UInt8]()
        out.reserveCapacity(end / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for index in 0..<end {
            let value = valuesByCharacter[Int(text[index])]
            guard value != Self.invalidMark else { throw .invalidBase64 }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= (1 << bits) - 1
            }
        }
        // The unused bits of the last character must be zero; otherwise two texts would encode the same bytes.
        guard group == 0 else { throw .invalidBase64 }
        return out
    }
}
