import Testing

@testable import Gateway

@Suite struct RequestRatesTests {
    @Test("Each client may send the requests of ten seconds immediately, and then as many per second as the rate")
    func rates() throws {
        let rates = RequestRates<String>(perSecond: 2)
        for number in 0..<20 { #expect(rates.take("a", at: 0) == nil, "\(number)") }
        #expect(rates.take("a", at: 0) == 1)
        #expect(rates.take("b", at: 0) == nil)
        #expect(rates.take("a", at: 499_999) == 1)
        #expect(rates.take("a", at: 500_000) == nil)
        #expect(rates.take("a", at: 500_000) == 1)
        // A refused request is not counted.
        for _ in 0..<1000 { _ = rates.take("a", at: 500_001) }
        #expect(rates.take("a", at: 1_000_000) == nil)
        // After a pause the full amount is allowed again.
        for _ in 0..<20 { #expect(rates.take("a", at: 60_000_000) == nil) }
        #expect(rates.take("a", at: 60_000_000) == 1)
    }

    @Test("Without a limit no request is refused")
    func none() {
        let rates = RequestRates<Int>(perSecond: nil)
        for _ in 0..<10_000 { #expect(rates.take(1, at: 0) == nil) }
    }

    @Test("Clients above the maximal number of remembered clients are served")
    func many() {
        let rates = RequestRates<Int>(perSecond: 1000)
        for client in 0..<100_100 { #expect(rates.take(client, at: Int64(client)) == nil) }
    }
}

@Suite struct TraceContextTests {
    private let trace = "4bf92f3577b34da6a3ce929d0e0e4736", parent = "00f067aa0ba902b7"

    @Test("The trace id and the parent id are read, also in later versions of the format")
    func read() throws {
        for header in [
            "00-\(trace)-\(parent)-01", "01-\(trace)-\(parent)-00", "cc-\(trace)-\(parent)-01-what-comes-later",
        ] {
            let context = try #require(TraceContext(header))
            #expect(context.traceID == trace && context.parentID == parent)
        }
    }

    @Test("A trace context that the specification forbids is ignored")
    func ignored() {
        let zeros = String(repeating: "0", count: 32)
        for header in [
            nil, "", "-", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-more", "00-\(trace)-\(parent)-",
            "ff-\(trace)-\(parent)-01", "00-\(zeros)-\(parent)-01",
            "00-\(trace)-\(zeros.prefix(16))-01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace) -\(parent)-01",
            "00-\(trace.dropLast())\n-\(parent)-01",
            "00-\(trace.dropLast())é-\(parent)-01", "0-\(trace)0-\(parent)-01",
            "cc-\(trace)-\(parent)-01-" + String(repeating: "x", count: 500),
        ] { #expect(TraceContext(header) == nil, "\(header ?? "nil")") }
    }
}
