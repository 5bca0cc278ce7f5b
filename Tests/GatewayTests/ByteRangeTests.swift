import Testing

@testable import Gateway

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, .all), ("bytes=0-", .part(0..<10)), ("bytes=3-5", .part(3..<6)), ("bytes=3-99", .part(3..<10)),
            ("bytes=-3", .part(7..<10)),
            ("bytes=-99", .part(0..<10)), ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=5-3", .all),
            ("bytes=1-2,4-5", .all), ("bytes=a-b", .all),
            ("bytes=-", .all), ("bytes 1-2", .all), ("BYTES= 1 - 2 ", .part(1..<3)),
            ("bytes=9223372036854775807-9223372036854775807", .unsatisfiable),
            ("bytes=0-9223372036854775807", .part(0..<10)), ("bytes=-9223372036854775808", .part(0..<10)),
        ] as [(String?, ByteRange)]
    )
    func `A request with several or malformed ranges in the header Range gets the whole file`(
        field: String?,
        expected: ByteRange
    ) {
        #expect(ByteRange(field, size: 10) == expected)
    }
}
