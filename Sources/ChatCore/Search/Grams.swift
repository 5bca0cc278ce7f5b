/// The three-byte pieces of a text, by which messages are found that may hold it: whoever holds a text holds all its pieces.
///
/// Pieces are of UTF-8 with the letters A to Z made small, as SQLite's `lower` makes them, so that what `instr(lower(…), lower(…))` finds is
/// always among what its pieces find.
enum Grams {
    /// A piece as a number, `0..<1 << 24`. Numbers below zero name chats.
    typealias Gram = Int64

    /// Each piece once, in no order.
    static func all(of text: String) -> Set<Gram> {
        var grams: Set<Gram> = []
        forEach(in: text) { grams.insert($0) }
        return grams
    }

    /// Calls `body` with each piece, as often as it occurs.
    static func forEach(in text: String, _ body: (Gram) -> Void) {
        var (window, length): (Gram, Int) = (0, 0)
        for byte in text.utf8 {
            let small = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
            window = (window << 8 | Gram(small)) & 0xff_ffff
            length += 1
            if length >= 3 { body(window) }
        }
    }

    /// What stands for a chat among the pieces.
    /// - Parameter chat: a contact's id, or the negative id of notes.
    static func chat(user: Int64, chat: Int64) -> Gram { -((user << 32) &+ (chat << 1 ^ chat >> 63)) &- 1 }
}

/// A set of the numbers of messages in a span, as stored: the differences between them, seven bits to a byte, or a bit for each when there are many.
enum GramList {
    private enum Form { static let differences: UInt8 = 0, bits: UInt8 = 1 }

    /// - Parameter offsets: in order, each once, all below `size`.
    static func encoded(_ offsets: [UInt16], size: Int) -> [UInt8] {
        guard offsets.count <= size / 8 else {
            var bytes = [UInt8](repeating: 0, count: size / 8 + 1)
            bytes[0] = Form.bits
            for offset in offsets where Int(offset) < size { bytes[1 + Int(offset) / 8] |= 1 << UInt8(offset % 8) }
            return bytes
        }
        var bytes = [Form.differences]
        var last: UInt16 = 0
        for offset in offsets {
            var difference = offset &- last
            while difference >= 0x80 {
                bytes.append(UInt8(difference & 0x7f) | 0x80)
                difference >>= 7
            }
            bytes.append(UInt8(difference))
            last = offset
        }
        return bytes
    }

    /// In order. What is not a list gives none.
    static func decoded(_ bytes: [UInt8]) -> [UInt16] {
        guard let form = bytes.first else { return [] }
        var offsets: [UInt16] = []
        guard form == Form.differences else {
            for (index, byte) in bytes.dropFirst().enumerated() where byte != 0 {
                for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 { offsets.append(UInt16(truncatingIfNeeded: index * 8 + bit)) }
            }
            return offsets
        }
        var (last, value, shift): (UInt16, UInt16, UInt16) = (0, 0, 0)
        for byte in bytes.dropFirst() {
            value |= UInt16(byte & 0x7f) << shift
            guard byte & 0x80 == 0 else {
                shift += 7
                continue
            }
            last &+= value
            offsets.append(last)
            (value, shift) = (0, 0)
        }
        return offsets
    }

    /// Those of `offsets` that are in a stored list too.
    static func common(_ offsets: [UInt16], _ bytes: [UInt8]) -> [UInt16] {
        if bytes.first == Form.bits {
            return offsets.filter { offset in
                let place = 1 + Int(offset) / 8
                return place < bytes.count && bytes[place] & 1 << UInt8(offset % 8) != 0
            }
        }
        var common: [UInt16] = [], rest = offsets[...]
        for offset in decoded(bytes) {
            while let first = rest.first, first < offset { rest.removeFirst() }
            guard let first = rest.first else { break }
            if first == offset { common.append(first) }
        }
        return common
    }
}
