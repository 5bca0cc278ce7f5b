/// The base64url form that keys, ids and hashes have in SimpleX texts: written with padding, read with or without.
/// Trailing bits that are not zero, and padding that does not complete a group, are errors.
enum Base64Text {
    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 1
            if count == 3 {
                for shift: UInt32 in [18, 12, 6, 0] { out.append(symbol(bits >> shift & 63)) }
                (bits, count) = (0, 0)
            }
        }
        if count == 1 {
            out += [symbol(bits >> 2 & 63), symbol(bits << 4 & 63), UInt8(ascii: "="), UInt8(ascii: "=")]
        } else if count == 2 {
            out += [symbol(bits >> 10 & 63), symbol(bits >> 4 & 63), symbol(bits << 2 & 63), UInt8(ascii: "=")]
        }
        return String(decoding: out, as: UTF8.self)
    }

    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let symbols = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.dropFirst(symbols.count)
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), symbols.count % 4 != 1 else { return nil }
        guard padding.isEmpty || (symbols.count + padding.count) % 4 == 0 && padding.count <= 2 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(symbols.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for symbol in symbols {
            guard let value = value(symbol) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return bits == 0 ? out : nil
    }

    private static func symbol(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(_ symbol: UInt8) -> UInt32? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(symbol - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(symbol - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(symbol - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
