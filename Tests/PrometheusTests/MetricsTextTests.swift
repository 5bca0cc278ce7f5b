import Testing

@testable import Prometheus

@Suite struct MetricsTextTests {
    @Test
    func `The help and type of a metric are written before its samples`() {
        var text = MetricsText()
        text.writeValue("sxgw_up", .gauge, "1 while it works.", 1)
        text.writeFamily("sxgw_seconds", .histogram, "Time.")
        text.writeSample(suffix: "_bucket", [("route", "/v1"), ("le", "0.5")], 2)
        text.writeSample(suffix: "_sum", [], 0.25)
        #expect(
            text.text == """
                # HELP sxgw_up 1 while it works.
                # TYPE sxgw_up gauge
                sxgw_up 1
                # HELP sxgw_seconds Time.
                # TYPE sxgw_seconds histogram
                sxgw_seconds_bucket{route="/v1",le="0.5"} 2
                sxgw_seconds_sum 0.25

                """
        )
    }

    @Test
    func `Quotes, backslashes and line ends in labels of metrics are escaped`() {
        var text = MetricsText()
        text.writeFamily("a", .counter, "A.")
        text.writeSample([("b", "\"\\\n")], 1)
        #expect(text.text.hasSuffix("a{b=\"\\\"\\\\\\n\"} 1\n"))
    }
}
