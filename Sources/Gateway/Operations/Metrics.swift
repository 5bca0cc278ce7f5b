internal import Synchronization

/// Counters in the text form of Prometheus.
public final class Metrics: Sendable {
    private struct Key: Hashable {
        let method: String
        let status: Int
    }

    private struct State {
        var requests: [Key: UInt64] = [:]
        var buckets = [UInt64](repeating: 0, count: Metrics.bounds.count + 1)
        var sum: Int64 = 0
        var total: UInt64 = 0
    }

    /// Upper bounds in microseconds.
    private static let bounds: [Int64] = [500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000]
    private let state = Mutex(State())
    private let started = WallClock.seconds()

    public init() {}

    func count(method: String, status: Int, microseconds: Int64) {
        let known = HTTPMethod(rawValue: method) != nil || method == "HEAD" || method == "OPTIONS"
        let key = Key(method: known ? method : "other", status: status)
        let bucket = Metrics.bounds.firstIndex { microseconds <= $0 } ?? Metrics.bounds.count
        state.withLock { state in
            state.requests[key, default: 0] &+= 1
            state.buckets[bucket] &+= 1
            state.sum &+= microseconds
            state.total &+= 1
        }
    }

    func text(counters: [(name: String, help: String, value: Int64)] = [], gauges: [(name: String, help: String, value: Int64)]) -> String {
        let snapshot = state.withLock { ($0.requests, $0.buckets, $0.sum, $0.total) }
        var out = "# HELP sxgw_http_requests_total Requests answered.\n# TYPE sxgw_http_requests_total counter\n"
        for (key, count) in snapshot.0.sorted(by: { ($0.key.method, $0.key.status) < ($1.key.method, $1.key.status) }) {
            out += "sxgw_http_requests_total{method=\"\(key.method)\",status=\"\(key.status)\"} \(count)\n"
        }
        out += "# HELP sxgw_http_request_seconds Time from header to the end of the answer.\n# TYPE sxgw_http_request_seconds histogram\n"
        var cumulative: UInt64 = 0
        for (bound, count) in zip(Metrics.bounds, snapshot.1) {
            cumulative &+= count
            out += "sxgw_http_request_seconds_bucket{le=\"\(Double(bound) / 1_000_000)\"} \(cumulative)\n"
        }
        out += "sxgw_http_request_seconds_bucket{le=\"+Inf\"} \(snapshot.3)\n"
        out += "sxgw_http_request_seconds_sum \(Double(snapshot.2) / 1_000_000)\nsxgw_http_request_seconds_count \(snapshot.3)\n"
        out += "# HELP process_start_time_seconds Start of the process.\n# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds \(started)\n"
        for (type, values) in [("counter", counters), ("gauge", gauges)] {
            for value in values { out += "# HELP \(value.name) \(value.help)\n# TYPE \(value.name) \(type)\n\(value.name) \(value.value)\n" }
        }
        return out
    }
}
