/// How many bytes the lists of each piece have in all large spans together. A piece that is not here is in none of them.
struct ListSizes: Sendable {
    /// A piece and the size of its lists in one number each, in order.
    private var entries: [Int64] = []

    private static let sizeBits: Int64 = 26

    init(_ sizes: [(gram: Grams.Gram, bytes: Int64)] = []) {
        entries = sizes.map { Self.entry($0.gram, $0.bytes) }.sorted()
    }

    init(stored: [UInt8]) { entries = StoredNumbers.decoded(stored) }

    var stored: [UInt8] { StoredNumbers.encoded(entries) }

    /// A size that has no room is as good as any other that is too much to read.
    private static func entry(_ gram: Grams.Gram, _ bytes: Int64) -> Int64 { gram << sizeBits | min(max(0, bytes), 1 << sizeBits - 1) }

    private static func gram(of entry: Int64) -> Grams.Gram { entry >> sizeBits }

    /// Of all pieces of a range.
    func bytes(of grams: Range<Grams.Gram>) -> Int64 {
        var index = place(of: grams.lowerBound), bytes: Int64 = 0
        while index < entries.count, Self.gram(of: entries[index]) < grams.upperBound {
            bytes += entries[index] & (1 << Self.sizeBits - 1)
            index += 1
        }
        return bytes
    }

    /// The place of the first entry that is of this piece or one behind it.
    private func place(of gram: Grams.Gram) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.gram(of: entries[middle]) < gram { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// - Parameter changed: the new sizes of some pieces; of none is left where it is zero.
    mutating func change(_ changed: [Grams.Gram: Int64]) {
        entries.removeAll { changed[Self.gram(of: $0)] != nil }
        entries += changed.lazy.filter { $0.value > 0 }.map { Self.entry($0.key, $0.value) }
        entries.sort()
    }
}
