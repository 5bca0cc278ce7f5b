import CSodium

/// Conversion between bytes and hexadecimal text.
package enum Hex {
    /// Encodes bytes with lower-case digits.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousBytes { input in
            // The function of libsodium also writes a zero byte at the end, so the capacity is one byte greater.
            let capacity = input.count * 2 + 1
            return String(unsafeUninitializedCapacity: capacity) { out in
                out.withMemoryRebound(to: CChar.self) { out in
                    guard let out = out.baseAddress, let input = input.baseAddress else { return 0 }
                    _ = sodium_bin2hex(out, capacity, input, (capacity - 1) / 2)
                    return capacity - 1
                }
            }
        }
    }

    /// Decodes digits of either case; nil for any other character, and for an odd number of digits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousBytes { input in
            guard input.count.isMultiple(of: 2) else { return nil }
            let bytes = [UInt8](unsafeUninitializedCapacity: input.count / 2) { out, count in
                input.withMemoryRebound(to: CChar.self) { input in
                    guard let start = out.baseAddress, let digits = input.baseAddress else { return }
                    if sodium_hex2bin(start, out.count, digits, input.count, nil, &count, nil) != 0 { count = 0 }
                }
            }
            return bytes.count == input.count / 2 ? bytes : nil
        }
    }

    /// Returns the value of a hexadecimal digit; nil for any other character.
    package static func digitValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
