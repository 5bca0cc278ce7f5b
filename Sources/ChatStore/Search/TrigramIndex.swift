/// The three-byte substrings (trigrams) of texts, which are the keys of the search index. A message that contains a
/// text contains all trigrams of the text.
///
/// The trigrams are made from UTF-8 with the letters A to Z in lower case, as in SQLite's `lower`. So the trigrams find
/// every message that `instr(lower(…), lower(…))` finds.
package enum TrigramIndex {
    /// A trigram as a number in `0..<1 << 24`. A negative number is the key of a chat.
    package typealias Gram = Int64

    /// Returns ranges of index keys. A message that contains `text` has at least one key of each range. `text` must not
    /// be empty. A text shorter than three bytes is the beginning of many trigrams, so its range has many keys. All
    /// other ranges have one key.
    package static func requiredKeyRanges(for text: String) -> [Range<Gram>] {
        var grams: Set<Gram> = []
        var (window, length): (Gram, Int) = (0, 0)
        for byte in text.utf8 {
            window = (window << 8 | Gram(lowercase(byte))) & 0xff_ffff
            length += 1
            if length >= 3 { grams.insert(window) }
        }
        guard length < 3 else { return grams.sorted().map { gram in gram..<(gram + 1) } }
        let missing = Gram(8 * (3 - length))
        return [(window << missing)..<((window + 1) << missing)]
    }

    /// Calls `body` with each occurrence of a trigram in a message. Two zero bytes are appended to the text, so that a
    /// trigram begins at every byte.
    package static func forEachTrigram(in text: String, _ body: (Gram) -> Void) {
        var (window, length): (Gram, Int) = (0, 0)
        func append(_ byte: UInt8) {
            window = (window << 8 | Gram(byte)) & 0xff_ffff
            length += 1
            if length >= 3 { body(window) }
        }
        for byte in text.utf8 { append(lowercase(byte)) }
        guard length > 0 else { return }
        append(0)
        append(0)
    }

    /// Returns whether the two trigrams can overlap in a text.
    static func canOverlap(_ left: Gram, _ right: Gram) -> Bool {
        guard left >= 0, right >= 0 else { return false }
        func follows(_ first: Gram, _ second: Gram) -> Bool {
            first & 0xffff == second >> 8 || first & 0xff == second >> 16
        }
        return follows(left, right) || follows(right, left)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Returns the key of a chat in the index. Two chats may have the same key, and their lists are then combined. The
    /// result of a search stays correct, since the chat of each candidate is checked.
    package static func chatGram(_ key: ChatKey, user: Int64) -> Gram {
        chatGram(number: user &* chatNumbersPerUser &+ chatNumber(of: key))
    }

    /// Returns the number of a chat among the chats of its user. Contacts have even numbers, groups and notes have odd
    /// numbers. The notes of the first profile have the number 1. The notes of other profiles may have the same number
    /// as a group.
    private static func chatNumber(of key: ChatKey) -> Int64 {
        switch key {
        case .contact(let id): id &* 2
        case .group(let id): id &* 2 &+ 1
        case .notes(let id): id &* 2 &- 1
        // The offset keeps the numbers of support chats apart from the numbers of contacts and groups, unless a user
        // has very many contacts or groups.
        case .memberSupport, .supportChatReference: key.chatId &* 2 &+ 500_001
        }
    }

    package static func chatGram(number: Int64) -> Gram { ~(number & (1 << chatNumberBits - 1)) }

    static let chatNumbersPerUser: Gram = 1_000_003, chatNumberBits: Gram = 37

    /// Returns the key under which the list of a trigram in a span is stored. The lists of one trigram are adjacent.
    package static func listKey(_ gram: Gram, span: Int64) -> Int64 { gram << spanBits | span }

    /// The number of bits for the number of a span in the key of a list. The number of the span is in the low bits of
    /// the key. The higher bits contain the trigram, or the key of a chat.
    private static let spanBits: Int64 = 26
    package static let spanMask: Int64 = 1 << spanBits - 1
}

/// The stored form of a set of messages in a span. A message is stored as an offset: the difference between its id and
/// the first id of the span. A list contains the differences between consecutive offsets, with seven bits of a
/// difference in each byte. A large set is stored as a bitmap instead.
enum GramList {
    /// The values of the first byte of an encoded list. This byte says whether differences or a bitmap follow.
    static let differencesForm: UInt8 = 0, bitmapForm: UInt8 = 1

    /// Encodes offsets.
    /// - Parameter offsets: sorted offsets without duplicates. Each offset is less than `size`.
    package static func encode(_ offsets: [UInt16], size: Int) -> [UInt8] {
        guard offsets.count <= size / 8 else {
            var bytes = [UInt8](repeating: 0, count: size / 8 + 1)
            bytes[0] = bitmapForm
            for offset in offsets where Int(offset) < size { bytes[1 + Int(offset) / 8] |= 1 << UInt8(offset % 8) }
            return bytes
        }
        var bytes = [differencesForm]
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

    /// Appends the ids in an encoded list to `ids`, in order. An id is the sum of `start` and an offset. The function
    /// stops at malformed data, and at an offset that is not less than `size`.
    package static func decode(_ bytes: Span<UInt8>, size: Int64, from start: Int64, into ids: inout [Int64]) {
        forEach(bytes, size: size) { offset in
            ids.append(start + offset)
            return true
        }
    }

    /// Appends to `common` each id of `ids` that also occurs in the encoded list. The list contains offsets from
    /// `start`. The ids and the list are sorted.
    package static func appendCommonIds(
        _ ids: ArraySlice<Int64>,
        _ bytes: Span<UInt8>,
        size: Int64,
        from start: Int64,
        into common: inout [Int64]
    ) {
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

    /// Calls `body` with each offset in an encoded list, in order, until `body` returns false.
    @inline(__always) private static func forEach(_ bytes: Span<UInt8>, size: Int64, _ body: (Int64) -> Bool) {
        guard bytes.count > 0 else { return }
        if bytes[0] == bitmapForm {
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
            // Only the first difference may be zero. A repeated offset means that the list is malformed, so only the
            // part before this offset is read.
            guard value > 0 || index == 1 else { return }
            last += value
            guard last < size, body(last) else { return }
            (value, shift) = (0, 0)
        }
    }
}
