extension QRCode {
    /// An SVG image with its margin. One unit is one module.
    package var svg: String {
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                guard isDark(x, y) else {
                    x += 1
                    continue
                }
                let start = x
                while isDark(x, y) { x += 1 }
                path += "M\(start + Self.margin) \(y + Self.margin)h\(x - start)v1h-\(x - start)z"
            }
        }
        let side = width + 2 * Self.margin
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/></svg>

            """
    }

    /// Lines for a terminal with UTF-8. One character shows two modules, one above the other. Light modules are drawn,
    /// since most terminals have a dark background. Colours are set, so that terminals with a light background show the
    /// same.
    package var terminal: String {
        rows.map { "\u{1B}[40;97m\($0)\u{1B}[0m\n" }.joined()
    }

    /// The lines of ``terminal`` without colours, for output that is not a terminal.
    package var text: String { rows.map { $0 + "\n" }.joined() }

    private var rows: [String] {
        let rows = -Self.margin..<width + Self.margin
        return stride(from: rows.lowerBound, to: rows.upperBound, by: 2).map { y in
            let line = rows.map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }
            return line.joined()
        }
    }
}
