import Testing

@testable import SQLCipher

@Suite("Counts, tallies and times of rows")
struct RowNumbersTests {
    /// Makes a row with the value in the column `n`.
    private func makeRow(_ value: Int64?) -> Row {
        Row(columns: ColumnNames(["n"], ConnectionCaches()), values: [value.map { .integer($0) } ?? .null])
    }

    @Test(arguments: [0, 1, Row.maxCount])
    func `A count in a database row is returned as the requested number type`(number: Int64) throws {
        #expect(try makeRow(number).readCount("n") as Int64 == number)
        #expect(try makeRow(number).readCount("n") as UInt64 == UInt64(number))
        #expect(try makeRow(number).readCountOrNil("n") as Int? == Int(number))
    }

    @Test(arguments: [-1, Int64.min, Row.maxCount + 1, .max])
    func `A negative or too large count in a database row causes an error with the column's name`(number: Int64) {
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(number).readCount("n") as Int64 }
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(number).readCountOrNil("n") as UInt64? }
    }

    @Test
    func `If a count in a row exceeds the caller's limit or number type, the error names the column`() {
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(256).readCount("n") as UInt8 }
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(11).readCount("n", upTo: 10) as Int }
    }

    @Test
    func `NULL in a row is returned as nil for an optional number, and is an error for a required number`() throws {
        #expect(try makeRow(nil).readCountOrNil("n") as Int? == nil)
        #expect(try makeRow(nil).readClampedCountOrNil("n") as Int? == nil)
        #expect(try makeRow(nil).readTimeOrNil("n") == nil)
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(nil).readCount("n") as Int }
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(nil).readClampedCount("n") as Int }
        #expect(throws: DatabaseError.invalidColumn("n")) { try makeRow(nil).readTime("n") }
    }

    @Test
    func `A sum that is outside of its range in a database row is limited to the range`() throws {
        for number in [-1, Int64.min] { #expect(try makeRow(number).readClampedCount("n") as Int == 0) }
        for number in [Int64(Int32.max) + 1, .max] {
            #expect(try makeRow(number).readClampedCount("n") as Int64 == Int64(Int32.max))
        }
        #expect(try makeRow(.max).readClampedCount("n", upTo: 7) as UInt8 == 7)
        #expect(try makeRow(5).readClampedCount("n") as Int == 5)
    }

    @Test
    func `An extreme time in a row is limited to a range in which differences of times do not overflow`() throws {
        let (first, last) = (try makeRow(.min).readTime("n"), try makeRow(.max).readTime("n"))
        #expect(last - first == 1 << 54)
        #expect(try makeRow(1_700_000_000).readTime("n") == 1_700_000_000)
    }
}
