internal import Clocks
internal import Prometheus
internal import Synchronization

/// Counts of requests by route.
///
/// Each count has the labels `route`, `method` and `status`. The label `route` is the template of a route, not the path
/// of a request. So the number of different labels is bounded, independent of the requests of clients.
package final class Metrics: Sendable {
    struct RouteKey: Hashable {
        let route: String
        let method: String
    }

    /// Histogram of the durations of requests.
    private struct Durations {
        var buckets: [UInt64]
        var sumMicroseconds: Int64 = 0

        init(_ bounds: [Int64]) { buckets = [UInt64](repeating: 0, count: bounds.count + 1) }

        mutating func countDuration(_ microseconds: Int64, _ bounds: [Int64]) {
            buckets[bounds.firstIndex { microseconds <= $0 } ?? bounds.count] &+= 1
            sumMicroseconds &+= microseconds
        }
    }

    private struct State {
        var requestCounts: [RouteKey: [Int: UInt64]] = [:]
        var answerDurations: [RouteKey: Durations] = [:]
        var streamDurations: [RouteKey: Durations] = [:]
        var sentBytes: UInt64 = 0
        var refusedKeyCount: UInt64 = 0
    }

    /// Upper bounds of the durations of requests, in microseconds.
    private static let durationBounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
    ]
    /// Upper bounds of the durations of streams and long polls, in microseconds.
    private static let streamDurationBounds: [Int64] = [
        1_000_000, 5_000_000, 15_000_000, 60_000_000, 300_000_000, 3_600_000_000,
    ]
    private let state = Mutex(State())
    private let startSeconds = WallClock.seconds()

    package init() {}

    /// Counts an answered request. `follows` is true for a stream or long poll.
    /// - Parameter route: the template of the route; nil for a request without a route.
    func countRequest(method: String, route: String?, follows: Bool, status: Int, microseconds: Int64, bytes: Int?) {
        let known = HTTPMethod(rawValue: method) != nil || method == "HEAD" || method == "OPTIONS"
        let key = RouteKey(route: route ?? "none", method: known ? method : "other")
        state.withLock { state in
            state.requestCounts[key, default: [:]][status, default: 0] &+= 1
            state.sentBytes &+= UInt64(max(0, bytes ?? 0))
            if follows {
                state.streamDurations[key, default: Durations(Metrics.streamDurationBounds)].countDuration(
                    microseconds,
                    Metrics.streamDurationBounds
                )
            } else {
                state.answerDurations[key, default: Durations(Metrics.durationBounds)].countDuration(
                    microseconds,
                    Metrics.durationBounds
                )
            }
        }
    }

    /// Counts a request with an invalid key or ticket.
    func countRefusedKey() { state.withLock { $0.refusedKeyCount &+= 1 } }

    func writeMetrics(to text: inout MetricsText) {
        let snapshot = state.withLock { $0 }
        text.writeFamily("sxgw_http_requests_total", .counter, "Requests answered, by route, method and status.")
        for (key, statuses) in snapshot.requestCounts.sorted(by: { $0.key < $1.key }) {
            for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
                text.writeSample([("route", key.route), ("method", key.method), ("status", "\(status)")], count)
            }
        }
        text.writeFamily(
            "sxgw_http_request_seconds",
            .histogram,
            "Time from header to the end of the answer, without streams and long polls."
        )
        writeDurations(snapshot.answerDurations, Metrics.durationBounds, to: &text)
        text.writeFamily("sxgw_http_stream_seconds", .histogram, "How long streams, sockets and long polls were open.")
        writeDurations(snapshot.streamDurations, Metrics.streamDurationBounds, to: &text)
        text.writeValue(
            "sxgw_http_response_bytes_total",
            .counter,
            "Bytes of contents sent, without streams.",
            Int64(clamping: snapshot.sentBytes)
        )
        text.writeValue(
            "sxgw_http_refused_keys_total",
            .counter,
            "Requests with a key or ticket that is not valid.",
            Int64(clamping: snapshot.refusedKeyCount)
        )
        text.writeValue("process_start_time_seconds", .gauge, "Start of the process.", startSeconds)
    }

    private func writeDurations(_ durations: [RouteKey: Durations], _ bounds: [Int64], to text: inout MetricsText) {
        for (key, one) in durations.sorted(by: { $0.key < $1.key }) {
            let labels = [("route", key.route), ("method", key.method)]
            var cumulative: UInt64 = 0
            for (bound, count) in zip(bounds, one.buckets) {
                cumulative &+= count
                text.writeSample(suffix: "_bucket", labels + [("le", "\(Double(bound) / 1_000_000)")], cumulative)
            }
            let total = one.buckets.reduce(0, &+)
            text.writeSample(suffix: "_bucket", labels + [("le", "+Inf")], total)
            text.writeSample(suffix: "_sum", labels, Double(one.sumMicroseconds) / 1_000_000)
            text.writeSample(suffix: "_count", labels, total)
        }
    }
}

extension Metrics.RouteKey: Comparable {
    static func < (left: Metrics.RouteKey, right: Metrics.RouteKey) -> Bool {
        (left.route, left.method) < (right.route, right.method)
    }
}
