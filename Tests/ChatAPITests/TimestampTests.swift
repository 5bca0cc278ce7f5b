import Testing

@testable import ChatAPI

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_000_000_001, "1970-01-01T00:00:01.000000001Z"),
            (1_795_230_845_766_360_366, "2026-11-21T03:14:05.766360366Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
            (-1_000_000_000, "1969-12-31T23:59:59Z"), (4_102_444_799_500_000_000, "2099-12-31T23:59:59.5Z"),
        ] as [(Int64, String)]
    )
    func `Times are written in ISO 8601 with their fraction`(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanoseconds: nanoseconds).text == text)
        #expect(Timestamp(parsing: text)?.nanoseconds == nanoseconds)
    }

    @Test
    func `The texts of times in responses to clients sort in the order of the times`() {
        let times: [Int64] = [
            -1_000_000_000, 0, 1, 10, 999_999_999, 1_000_000_000, 1_000_000_001, 1_795_230_845_766_360_366,
            1_795_230_846_000_000_000,
        ]
        let texts = times.map { Timestamp(nanoseconds: $0).fullText }
        #expect(texts == texts.sorted() && Set(texts.map(\.utf8.count)) == [30])
        #expect(texts[1] == "1970-01-01T00:00:00.000000000Z")
        #expect(texts.map { Timestamp(parsing: $0)?.nanoseconds } == times)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T03:14:05", "2026-11-21T03:14:05.Z",
        "2026-11-21T03:14:05.1234567890123Z",
        "2026-11-21T24:00:00Z", "x026-11-21T03:14:05Z", "2026-11-21T03:14:05Z ",
    ])
    func `An invalid ISO 8601 time is refused`(text: String) {
        #expect(Timestamp(parsing: text) == nil)
    }
}
