/// One line of text as Unicode scalars, with a count of the examined scalars.
///
/// For each searched scalar, the line remembers where the last search started, and where it found the scalar. A later
/// search that starts between these two positions has the same result, and examines no scalar again. So even many
/// searches for a missing closing mark take no longer than one search.
struct ScalarLine {
    /// The position at which the parser continues.
    var position: Int
    let end: Int
    /// The number of examined or copied scalars. A scalar counts each time that it is examined or copied.
    private(set) var examinedCount = 0

    private let scalars: ArraySlice<Unicode.Scalar>
    /// The last search for each scalar: the position where the search started, and the position where it found the
    /// scalar. If the scalar was not found, the second position is the end of the line.
    private var lastSearches: [Unicode.Scalar: (from: Int, at: Int)] = [:]
    /// The range of the last call of ``allSatisfy(_:_:)``, and its result.
    private var lastAllSatisfyCheck: (range: Range<Int>, isWhole: Bool)?

    /// The number of blanks before each position. It is computed at the first use.
    private var blankCountsBefore: [Int] = []

    init(_ scalars: ArraySlice<Unicode.Scalar>) {
        self.scalars = scalars
        position = scalars.startIndex
        end = scalars.endIndex
    }

    /// Returns the scalar at a position; nil outside of the line.
    subscript(place: Int) -> Unicode.Scalar? { scalars.indices.contains(place) ? scalars[place] : nil }

    /// Returns the position of the first scalar with this value, at `from` or later; nil if there is none.
    mutating func findNext(_ scalar: Unicode.Scalar, from: Int) -> Int? {
        if let known = lastSearches[scalar], known.from <= from, from <= known.at {
            return known.at < end ? known.at : nil
        }
        guard from < end else { return nil }
        let at = scalars[from...].firstIndex(of: scalar) ?? end
        examinedCount += at - from
        lastSearches[scalar] = (from, at)
        return at < end ? at : nil
    }

    /// Returns the position of the first scalar, at `from` or later, that does not satisfy the predicate; the end of
    /// the line if there is none.
    mutating func findRunEnd(of from: Int, _ isSo: (Unicode.Scalar) -> Bool) -> Int {
        guard from < end else { return end }
        let place = scalars[from...].firstIndex { !isSo($0) } ?? end
        examinedCount += place - from
        return place
    }

    /// Returns the end of the range without the scalars at its end that satisfy the predicate.
    mutating func findTrimmedEnd(_ range: Range<Int>, _ isSo: (Unicode.Scalar) -> Bool) -> Int {
        let last = scalars[range].lastIndex { !isSo($0) }.map { $0 + 1 } ?? range.lowerBound
        examinedCount += range.upperBound - last
        return last
    }

    /// Returns whether all scalars of the range satisfy the predicate. The predicate must be the same in every call,
    /// because the last result is kept.
    mutating func allSatisfy(_ range: Range<Int>, _ isSo: (Unicode.Scalar) -> Bool) -> Bool {
        if let lastAllSatisfyCheck, lastAllSatisfyCheck.range == range { return lastAllSatisfyCheck.isWhole }
        let isWhole = findRunEnd(of: range.lowerBound, isSo) >= range.upperBound
        lastAllSatisfyCheck = (range, isWhole)
        return isWhole
    }

    mutating func readText(_ range: Range<Int>) -> String {
        examinedCount += range.count
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range])
        return String(text)
    }

    /// Returns the number of blanks in a range.
    mutating func countBlanks(in range: Range<Int>) -> Int {
        if blankCountsBefore.isEmpty {
            examinedCount += scalars.count
            blankCountsBefore.reserveCapacity(scalars.count + 1)
            blankCountsBefore.append(0)
            var blanks = 0
            for scalar in scalars {
                if scalar == " " { blanks += 1 }
                blankCountsBefore.append(blanks)
            }
        }
        return blankCountsBefore[range.upperBound - scalars.startIndex]
            - blankCountsBefore[range.lowerBound - scalars.startIndex]
    }

    /// Adds a number of scalars that the caller has examined to ``examinedCount``.
    mutating func addExaminedCount(_ scalars: Int) { examinedCount += scalars }
}
