internal import Prometheus

/// The state of a relay at one moment, for its operator.
package struct RelayStatistics: Sendable {
    /// Prefix of the names in the text form, such as `smp_relay`.
    package let namePrefix: String
    /// Totals since the start of the relay, by name.
    package let counters: [(name: String, help: String, value: Int)]
    /// Current values, by name.
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

    /// Returns the value with this name; nil when there is none.
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
