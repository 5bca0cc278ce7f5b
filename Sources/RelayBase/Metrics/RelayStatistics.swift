internal import Prometheus

/// The counters and current values of a relay at one moment, for its operator.
package struct RelayStatistics: Sendable {
    /// The prefix of the names in the text for Prometheus, such as `smp_relay`.
    package let namePrefix: String
    /// Numbers that only grow while the relay runs, such as accepted messages.
    package let counters: [(name: String, help: String, value: Int)]
    /// Current values that can grow and shrink, such as open sessions.
    package let gauges: [(name: String, help: String, value: Int)]

    package init(
        prefix: String,
        counters: [(name: String, help: String, value: Int)],
        gauges: [(name: String, help: String, value: Int)]
    ) {
        self.namePrefix = prefix
        self.counters = counters
        self.gauges = gauges
    }

    /// The value of the counter or gauge with this name; nil when there is none.
    package subscript(name: String) -> Int? {
        counters.first { $0.name == name }?.value ?? gauges.first { $0.name == name }?.value
    }

    /// The statistics in the text form of Prometheus.
    package var text: String {
        var out = MetricsText()
        for (name, help, value) in counters { out.writeValue("\(namePrefix)_\(name)_total", .counter, help, value) }
        for (name, help, value) in gauges { out.writeValue("\(namePrefix)_\(name)", .gauge, help, value) }
        return out.text
    }
}
