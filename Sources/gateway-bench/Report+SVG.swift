import Foundation

extension [Figure] {
    /// Draws the figures as an SVG picture for the documentation: a table, with a bar for each ratio and a mark for its
    /// target.
    /// - Parameter title: the line above the table.
    func makeSVG(_ title: String) -> String {
        let (line, left, bar) = (22, 12, 160)
        let widths = (0..<5).map { column in
            12 + 9 * Swift.max(6, map { $0.tableRow[column].count }.max() ?? 0)
        }
        let headers = ["figure", "measured", "beside", "ratio", "target"]
        let starts = widths.reduce(into: [left]) { $0.append($0[$0.count - 1] + $1) }
        let (width, height) = (starts[5] + bar + left, line * (count + 3))
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="ui-monospace, monospace" font-size="14" role="img">
            <title>\(Self.escapeXML(title))</title>
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="\(left)" y="\(line)" font-weight="bold">\(Self.escapeXML(title))</text>

            """
        func write(_ cells: [String], at row: Int, fill: String = "#111") {
            for (start, cell) in zip(starts, cells) where !cell.isEmpty {
                text +=
                    "<text x=\"\(start)\" y=\"\(line * (row + 2))\" fill=\"\(fill)\">\(Self.escapeXML(cell))</text>\n"
            }
        }
        write(headers, at: 0, fill: "#666")
        for (index, figure) in enumerated() {
            let isMissed = figure.isTargetMet == false
            write([String](figure.tableRow.prefix(5)), at: index + 1, fill: isMissed ? "#b00020" : "#111")
            guard let share = figure.shareOfTarget else { continue }
            let (x, y) = (starts[5], line * (index + 2) + 9)
            // The whole width of the bar is twice the target, or twice the baseline if there is no target. So the
            // middle of the bar is the target or the baseline.
            let length = Int(Swift.min(1, share / 2) * Double(bar))
            let (color, middle) = (isMissed ? "#e57373" : "#64b5f6", x + bar / 2)
            text += """
                <rect x="\(x)" y="\(y)" width="\(length)" height="14" fill="\(color)"/>
                <line x1="\(middle)" y1="\(y - 2)" x2="\(middle)" y2="\(y + 16)" stroke="#111"/>

                """
        }
        return text + "</svg>\n"
    }

    private static func escapeXML(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension Figure {
    /// The length of the bar: the ratio or the measured value, divided by the target. Without a target, the length is
    /// the ratio itself. Nil if there is neither a target nor a ratio. Also nil if the value is negative or not finite,
    /// or if the target is not positive.
    fileprivate var shareOfTarget: Double? {
        let measured = ratio ?? value
        guard measured.isFinite, measured >= 0 else { return nil }
        switch target {
        case .atLeast(let bound), .atMost(let bound): return bound > 0 ? measured / bound : nil
        case .none: return ratio == nil ? nil : measured
        }
    }
}
