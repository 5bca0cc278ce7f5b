import JSON

/// One measured figure of the benchmark. `baseline` is another measurement of the same run, and `ratio` is `value`
/// divided by the baseline. `target` is the limit for the ratio, or for `value` if there is no baseline.
struct Figure: Sendable {
    enum Target: Sendable { case atLeast(Double), atMost(Double), none }

    var name: String
    var value: Double
    var unit: String
    var baseline: (name: String, value: Double)?
    var target: Target = .none

    var ratio: Double? { baseline.map { $0.value == 0 ? .nan : value / $0.value } }

    /// Whether the target is met; nil without a target. With a baseline, the target applies to the ratio.
    var isTargetMet: Bool? {
        switch target {
        case .none: nil
        case .atLeast(let bound): (ratio ?? value) >= bound
        case .atMost(let bound): (ratio ?? value) <= bound
        }
    }
}

extension [Figure] {
    var json: String { JSONValue.array(map(\.json)).text }
}

extension Figure {
    var json: JSONValue {
        var object = JSONObject()
        object["name"] = .string(name)
        object["value"] = .real(value)
        object["unit"] = .string(unit)
        if let baseline {
            object["baseline"] = .string(baseline.name)
            object["baselineValue"] = .real(baseline.value)
        }
        if let ratio { object["ratio"] = .real(ratio) }
        if let isTargetMet { object["met"] = .bool(isTargetMet) }
        return .object(object)
    }

    var tableRow: [String] {
        let goal =
            switch target {
            case .none: ""
            case .atLeast(let bound): "≥ \(formatShort(bound))"
            case .atMost(let bound): "≤ \(formatShort(bound))"
            }
        return [
            name, "\(formatShort(value)) \(unit)",
            baseline.map { "\($0.name): \(formatShort($0.value))" } ?? "",
            ratio.map(formatShort) ?? "", goal, isTargetMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }
}

/// Formats a number with at most two decimal places, and without a fraction from 100 on.
func formatShort(_ value: Double) -> String {
    if value.isNaN { return "–" }
    if abs(value) >= 100 { return String(Int(value.rounded())) }
    let scaled = (value * 100).rounded() / 100
    return String(scaled)
}

/// Formats the figures as a text table with aligned columns.
func formatTable(_ figures: [Figure]) -> String {
    let rows = [["what", "measured", "beside", "ratio", "target", ""]] + figures.map(\.tableRow)
    let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
}

/// Returns the sample below which the fraction `share` (0…1) of the samples lies; NaN without samples.
func percentile(_ samples: [Double], _ share: Double) -> Double {
    guard !samples.isEmpty else { return .nan }
    let sorted = samples.sorted()
    return sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))]
}
