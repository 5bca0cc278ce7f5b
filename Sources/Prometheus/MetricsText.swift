/// Writes metrics in the text form of Prometheus, version 0.0.4.
package struct MetricsText {
    package enum Kind: String { case counter, gauge, histogram }

    package private(set) var text = ""
    private var familyName = ""

    package init() {}

    /// Writes the help text and the type of a metric, before its samples.
    package mutating func writeFamily(_ name: String, _ kind: Kind, _ help: String) {
        self.familyName = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a sample of the metric that ``writeFamily(_:_:_:)`` named last.
    package mutating func writeSample(
        suffix: String = "",
        _ labels: [(String, String)] = [],
        _ value: some LosslessStringConvertible
    ) {
        let list = labels.map { "\($0.0)=\"\(MetricsText.escapeLabel($0.1))\"" }.joined(separator: ",")
        text += "\(familyName)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }

    /// Writes a metric with one sample.
    package mutating func writeValue(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ value: some LosslessStringConvertible
    ) {
        writeFamily(name, kind, help)
        writeSample([], value)
    }

    private static func escapeLabel(_ text: String) -> String {
        text.reduce(into: "") { out, character in
            switch character {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.append(character)
            }
        }
    }
}
