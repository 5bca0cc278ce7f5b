/// Sizes of the chunks of an encrypted file. Servers accept four sizes.
///
/// The test vectors (xftp.json) show the rule. A file has chunks of two neighbouring sizes. Chunks have the larger size
/// while more than three quarters of such a chunk are left, and the smaller size after that.
package enum ChunkSizes {
    /// All sizes of chunks, in bytes, that servers accept.
    package static let acceptedSizes = [1 << 16, 1 << 18, 1 << 20, 1 << 22]
    static let largestSize = 1 << 22
    /// The maximal size of a file that users may send, in bytes.
    package static let maxUserFileBytes: Int64 = 1 << 30
    /// The maximal size of an encrypted file, in bytes.
    package static let maxEncryptedFileBytes: Int64 = 5 << 30

    /// Returns the sizes of the chunks, in order, for a file with `payload` bytes before the padding.
    package static func chunkSizes(for payload: Int64) -> [Int] {
        var (small, large) = (acceptedSizes[0], acceptedSizes[1])
        for index in [3, 2] where payload > threeQuarters(acceptedSizes[index]) {
            (small, large) = (acceptedSizes[index - 1], acceptedSizes[index])
            break
        }
        let (count, rest) = max(payload, 0).quotientAndRemainder(dividingBy: Int64(large))
        let last =
            if rest > threeQuarters(large) { [large] } else {
                [Int](repeating: small, count: Int((rest + Int64(small) - 1) / Int64(small)))
            }
        return [Int](repeating: large, count: Int(count)) + last
    }

    /// Returns the size of the smallest chunk that contains all `payload` bytes; nil when no size is large enough.
    package static func singleChunkSize(for payload: Int64) -> Int? { acceptedSizes.first { Int64($0) >= payload } }

    private static func threeQuarters(_ size: Int) -> Int64 { Int64(size) * 3 / 4 }
}
