/// The total size in bytes of each trigram's lists in all large spans (ranges of message ids). A trigram without a size
/// occurs in no large span.
package struct ListSizes: Sendable {
    /// The sorted entries. Each entry contains a trigram and the size of its lists in one number.
    private var entries: [Int64] = []

    private static let sizeBits: Int64 = 26

    init(_ sizes: [(gram: TrigramIndex.Gram, bytes: Int64)] = []) {
        entries = sizes.map { Self.makeEntry($0.gram, $0.bytes) }.sorted()
    }

    init(stored: [UInt8]) { entries = StoredNumbers.decode(stored) }

    package var storedBytes: [UInt8] { StoredNumbers.encode(entries) }

    /// Combines a trigram and a size. A greater size than the maximum is reduced to the maximum, since a list of this
    /// size is never read.
    private static func makeEntry(_ gram: TrigramIndex.Gram, _ bytes: Int64) -> Int64 {
        gram << sizeBits | min(max(0, bytes), 1 << sizeBits - 1)
    }

    private static func gram(of entry: Int64) -> TrigramIndex.Gram { entry >> sizeBits }

    /// Returns the total size of the lists of all trigrams in a range, in bytes.
    package func totalBytes(of grams: Range<TrigramIndex.Gram>) -> Int64 {
        var index = firstEntryIndex(of: grams.lowerBound), bytes: Int64 = 0
        while index < entries.count, Self.gram(of: entries[index]) < grams.upperBound {
            bytes += entries[index] & (1 << Self.sizeBits - 1)
            index += 1
        }
        return bytes
    }

    /// Returns the index of the first entry for this trigram or a greater trigram.
    private func firstEntryIndex(of gram: TrigramIndex.Gram) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.gram(of: entries[middle]) < gram { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Replaces the sizes of some trigrams.
    /// - Parameter changed: the new sizes. A trigram with the size zero is removed.
    package mutating func replaceSizes(_ changed: [TrigramIndex.Gram: Int64]) {
        entries.removeAll { changed[Self.gram(of: $0)] != nil }
        entries += changed.lazy.filter { $0.value > 0 }.map { Self.makeEntry($0.key, $0.value) }
        entries.sort()
    }
}
