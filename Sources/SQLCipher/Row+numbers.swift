/// Numbers for calculations. Another program may have written any number, and an overflow would end the process: so
/// `int64` is only for ids, and for numbers that are only compared, stored again or shown.
extension Row {
    /// The maximum of a count. A sum of thousands of counts, or a count times thousands, does not overflow.
    public static let greatestCount: Int64 = 1 << 50

    /// A count, size, version or sequence number: one of `0...limit` that the type can hold.
    public func count<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.greatestCount
    ) throws(DatabaseError) -> Number {
        try present(countOrNil(column, upTo: limit), column)
    }

    public func countOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Row.greatestCount
    ) throws(DatabaseError) -> Number? {
        guard let value = try int64OrNil(column) else { return nil }
        guard value >= 0, value <= limit, let number = Number(exactly: value) else { throw .column(column) }
        return number
    }

    /// A count whose invalid value must not make the row unreadable: it is moved into `0...limit`.
    public func tally<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number {
        try present(tallyOrNil(column, upTo: limit), column)
    }

    public func tallyOrNil<Number: FixedWidthInteger>(
        _ column: String,
        upTo limit: Int64 = Int64(Int32.max)
    ) throws(DatabaseError) -> Number? {
        try int64OrNil(column).map { Number(clamping: min(max($0, 0), limit)) }
    }

    /// Seconds, milliseconds or microseconds since 1970, or a length of time. Greater numbers are limited to ±2⁵³, so
    /// that times can be subtracted from each other.
    public func time(_ column: String) throws(DatabaseError) -> Int64 { try present(timeOrNil(column), column) }

    public func timeOrNil(_ column: String) throws(DatabaseError) -> Int64? {
        try int64OrNil(column).map { min(max($0, -1 << 53), 1 << 53) }
    }
}
