/// Sorts by a fixed sequence of comparisons that depends only on the number of elements: Batcher's merge exchange
/// (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2 M).
enum ConstantTimeSort {
    static func sortWords(_ words: inout [UInt32]) {
        let count = words.count
        guard count > 1 else { return }
        words.withUnsafeMutableBufferPointer { words in
            guard let words = words.baseAddress else { return }
            var top = 1
            while 2 * top < count { top *= 2 }
            var p = top
            while p > 0 {
                var q = top, start = 0, distance = p
                while true {
                    for run in stride(from: start, to: count - distance, by: 2 * p) {
                        exchangePairs(words + run, words + run + distance, min(p, count - distance - run))
                    }
                    if q == p { break }
                    distance = q - p
                    q /= 2
                    start = p
                }
                p /= 2
            }
        }
    }

    /// Moves the smaller element of each pair to the left.
    @inline(__always)
    private static func exchangePairs(
        _ left: UnsafeMutablePointer<UInt32>,
        _ right: UnsafeMutablePointer<UInt32>,
        _ count: Int
    ) {
        for index in 0..<count {
            let a = left[index], b = right[index]
            // The mask is all ones if b is smaller than a, otherwise all zeros.
            let mask = 0 &- UInt32(truncatingIfNeeded: (UInt64(b) &- UInt64(a)) >> 63)
            let difference = mask & (a ^ b)
            left[index] = a ^ difference
            right[index] = b ^ difference
        }
    }
}
