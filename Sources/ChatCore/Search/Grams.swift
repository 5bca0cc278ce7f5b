/// The three-byte pieces of a text, by which messages are found that may hold it: whoever holds a text holds all its pieces.
///
/// Pieces are of UTF-8 with the letters A to Z made small, as SQLite's `lower` makes them, so that what `instr(lower(…), lower(…))` finds is
/// always among what its pieces find.
enum Grams {
    /// A piece as a number, `0..<1 << 24`. Numbers below zero name chats.
    typealias Gram = Int64

    /// What a message must have that holds `text`, which is not empty: a piece of each range. A text that is shorter than a piece is the beginning of
    /// some; all others are ranges of one.
    static func wanted(for text: String) -> [Range<Gram>] {
        var grams: Set<Gram> = []
        var (window, length): (Gram, Int) = (0, 0)
        for byte in text.utf8 {
            window = (window << 8 | Gram(small(byte))) & 0xff_ffff
            length += 1
            if length >= 3 { grams.insert(window) }
        }
        guard length < 3 else { return grams.sorted().map { gram in gram..<(gram + 1) } }
        let missing = Gram(8 * (3 - length))
        return [(window << missing)..<((window + 1) << missing)]
    }

    /// Calls `body` with each piece of a message, as often as it occurs. Two zeros stand at the end, so that a piece begins with every byte.
    static func forEach(in text: String, _ body: (Gram) -> Void) {
        var (window, length): (Gram, Int) = (0, 0)
        func take(_ byte: UInt8) {
            window = (window << 8 | Gram(byte)) & 0xff_ffff
            length += 1
            if length >= 3 { body(window) }
        }
        for byte in text.utf8 { take(small(byte)) }
        guard length > 0 else { return }
        take(0)
        take(0)
    }

    /// Whether the one may begin within the other.
    static func lieOver(_ left: Gram, _ right: Gram) -> Bool {
        guard left >= 0, right >= 0 else { return false }
        func follows(_ first: Gram, _ second: Gram) -> Bool { first & 0xffff == second >> 8 || first & 0xff == second >> 16 }
        return follows(left, right) || follows(right, left)
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// What stands for a chat among the pieces. Should two chats ever have the same number, the lists are of both: who looks at what they lead to sees
    /// which chat it is in.
    /// - Parameter chat: a contact's id, or the negative id of notes.
    static func chat(user: Int64, chat: Int64) -> Gram {
        self.chat(number: user &* chatsOfUser &+ (chat << 1 ^ chat >> 63))
    }

    static func chat(number: Int64) -> Gram { ~(number & (1 << chatBits - 1)) }

    static let chatsOfUser: Gram = 1_000_003, chatBits: Gram = 37

    /// The number under which the list of a piece in a span is stored. Those of a piece are beside each other.
    static func list(_ gram: Gram, span: Int64) -> Int64 { gram << spanBits | span }

    /// Numbers of spans have no more bits than this: what tells the span, in the number of a list.
    private static let spanBits: Int64 = 26
    static let spanMask: Int64 = 1 << spanBits - 1
}

/// A set of the numbers of messages in a span, as stored: the differences between them, seven bits to a byte, or a bit for each when there are many.
enum GramList {
    /// The first byte says which of the two forms follows.
    static let differences: UInt8 = 0, bits: UInt8 = 1

    /// - Parameter offsets: in order, each once, all below `size`.
    static func encoded(_ offsets: [UInt16], size: Int) -> [UInt8] {
        guard offsets.count <= size / 8 else {
            var bytes = [UInt8](repeating: 0, count: size / 8 + 1)
            bytes[0] = bits
            for offset in offsets where Int(offset) < size { bytes[1 + Int(offset) / 8] |= 1 << UInt8(offset % 8) }
            return bytes
        }
        var bytes = [differences]
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

    /// Puts what was encoded behind what is already in `ids`, each number counted from `start` on, in order. Of what is not a list, or has numbers
    /// beyond the size, comes what can be read of it.
    static func decode(_ bytes: Span<UInt8>, size: Int64, from start: Int64, into ids: inout [Int64]) {
        forEach(bytes, size: size) { offset in
            ids.append(start + offset)
            return true
        }
    }

    /// Those of the ids that are in a list, whose numbers are counted from `start` on. Both are in order.
    static func common(_ ids: ArraySlice<Int64>, _ bytes: Span<UInt8>, size: Int64, from start: Int64, into common: inout [Int64]) {
        guard var next = ids.first else { return }
        var index = ids.startIndex
        forEach(bytes, size: size) { offset in
            while next <= start + offset {
                if next == start + offset { common.append(next) }
                index += 1
                guard index < ids.endIndex else { return false }
                next = ids[index]
            }
            return true
        }
    }

    /// Calls `body` with each number, for as long as it returns true.
    @inline(__always) private static func forEach(_ bytes: Span<UInt8>, size: Int64, _ body: (Int64) -> Bool) {
        guard bytes.count > 0 else { return }
        if bytes[0] == bits {
            for index in 1..<bytes.count {
                var rest = bytes[index]
                while rest != 0 {
                    let offset = Int64(index - 1) * 8 + Int64(rest.trailingZeroBitCount)
                    guard offset < size, body(offset) else { return }
                    rest &= rest &- 1
                }
            }
            return
        }
        var (last, value, shift): (Int64, Int64, Int64) = (0, 0, 0)
        for index in 1..<bytes.count {
            let byte = bytes[index]
            value |= Int64(byte & 0x7f) << shift
            guard byte & 0x80 == 0, shift < 21 else {
                shift = min(shift + 7, 21)
                continue
            }
            // What repeats a number (only the first may be zero) is not a list.
            guard value > 0 || index == 1 else { return }
            last += value
            guard last < size, body(last) else { return }
            (value, shift) = (0, 0)
        }
    }
}
