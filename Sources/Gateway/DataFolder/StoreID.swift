internal import SimpleXCrypto

/// Ids of stores. The keys and tickets of a store contain the id of the store, unless it is the first store.
enum StoreID {
    /// The id of the first store in paths and records.
    static let firstStore = "default"

    private static let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

    /// Makes an id: 15 letters and digits with 75 random bits. An id resembles neither an option nor a path.
    static func make() -> String {
        String(decoding: RandomBytes.make(count: 15).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    static func isID(_ text: String) -> Bool { text.utf8.count == 15 && text.utf8.allSatisfy(letters.contains) }

    /// Returns the id in a secret that consists of a prefix, the id, `_`, and `rest` characters; nil for any other
    /// text.
    static func parse(in text: some StringProtocol, after prefix: String, _ rest: Int) -> String? {
        guard text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + 16 + rest else { return nil }
        let bytes = Array(text.utf8.dropFirst(prefix.utf8.count).prefix(16))
        guard bytes.last == UInt8(ascii: "_"), bytes.dropLast().allSatisfy(letters.contains) else { return nil }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
