/// Functions that read numbers for calculations, and check or limit them. An unchecked number from another program
/// could cause an overflow, which ends the process. `int64` checks nothing: use it only for ids, and for numbers that
/// are only compared, stored or shown.
extension Row {
    /// The default maximum of a count. Sums of thousands of counts do not overflow, and neither does a count multiplied
    /// by a few thousand.
    package static let greatestCount: Int64 = 1 << 50

    /// Reads a count, size, version or sequence number in `0...limit`. Throws for a number outside of this range, and
    /// for a number that does not fit into `Number`.
    package func count<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.greatestCount
    ) throws(DatabaseError) -> Number {
        try requireValue(countOrNil(column, upTo: limit), column)
    }

    package func countOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.greatestCount
    ) throws(DatabaseError) -> Number? {
        guard let value = try int64OrNil(column) else { return nil }
        guard value >= 0, value <= limit, let number = Number(exactly: value) else { throw .invalidColumn(column) }
        return number
    }

    /// Reads a count, and replaces an invalid value by the nearest value of `0...limit`, so that the row stays
    /// readable.
    package func clampedCount<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number {
        try requireValue(clampedCountOrNil(column, upTo: limit), column)
    }

    package func clampedCountOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number? {
        try int64OrNil(column).map { Number(clamping: min(max($0, 0), limit)) }
    }

    /// Reads a time in seconds, milliseconds or microseconds since 1970, or a duration. Numbers beyond ±2⁵³ are limited
    /// to ±2⁵³, so that times can be subtracted from each other.
    package func time(_ column: String) throws(DatabaseError) -> Int64 { try requireValue(timeOrNil(column), column) }

    package func timeOrNil(_ column: String) throws(DatabaseError) -> Int64? {
        try int64OrNil(column).map { min(max($0, -1 << 53), 1 << 53) }
    }
}
