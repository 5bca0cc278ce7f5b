/// Functions that read numbers for calculations, and check or limit them. An unchecked number from another program
/// could cause an overflow, which ends the process. `int64` checks nothing: use it only for ids, and for numbers that
/// are only compared, stored or shown.
extension Row {
    /// The default maximum of a count. Sums of thousands of counts do not overflow, and neither does a count multiplied
    /// by a few thousand.
    package static let maxCount: Int64 = 1 << 50

    /// Reads a count, size, version or sequence number in `0...limit`. Throws for a number outside of this range, and
    /// for a number that does not fit into `Number`.
    package func readCount<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.maxCount
    ) throws(DatabaseError) -> Number {
        try requireValue(readCountOrNil(column, upTo: limit), column)
    }

    package func readCountOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.maxCount
    ) throws(DatabaseError) -> Number? {
        guard let value = try int64OrNil(column) else { return nil }
        guard value >= 0, value <= limit, let number = Number(exactly: value) else { throw .invalidColumn(column) }
        return number
    }

    /// Reads a count, and replaces an invalid value by the nearest value of `0...limit`, so that the row stays
    /// readable.
    package func readClampedCount<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number {
        try requireValue(readClampedCountOrNil(column, upTo: limit), column)
    }

    package func readClampedCountOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number? {
        try int64OrNil(column).map { Number(clamping: min(max($0, 0), limit)) }
    }

    /// Reads a time in seconds, milliseconds or microseconds since 1970, or a duration. Numbers beyond ±2⁵³ are limited
    /// to ±2⁵³, so that times can be subtracted from each other.
    package func readTime(_ column: String) throws(DatabaseError) -> Int64 {
        try requireValue(readTimeOrNil(column), column)
    }

    package func readTimeOrNil(_ column: String) throws(DatabaseError) -> Int64? {
        try int64OrNil(column).map { min(max($0, -1 << 53), 1 << 53) }
    }
}
