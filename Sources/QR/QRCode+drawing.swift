extension QRCode {
    /// An SVG image of the code with its margin. One unit of the image is the side of one module.
    package var svg: String {
        var path = ""
        for y in 0..<modulesPerSide {
            var x = 0
            while x < modulesPerSide {
                guard isDark(x, y) else {
                    x += 1
                    continue
                }
                let start = x
                while isDark(x, y) { x += 1 }
                path += "M\(start + Self.marginModules) \(y + Self.marginModules)h\(x - start)v1h-\(x - start)z"
            }
        }
        let side = modulesPerSide + 2 * Self.marginModules
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/></svg>

            """
    }

    /// The code as lines for a terminal with UTF-8. One character shows two modules, one above the other. Light modules
    /// are drawn, since most terminals have a dark background. Colours are set, so that the code looks the same on
    /// terminals with a light background.
    package var terminalText: String {
        textRows.map { "\u{1B}[40;97m\($0)\u{1B}[0m\n" }.joined()
    }

    /// The lines of ``terminalText`` without colours, for output that is not a terminal.
    package var plainText: String { textRows.map { $0 + "\n" }.joined() }

    private var textRows: [String] {
        let rows = -Self.marginModules..<modulesPerSide + Self.marginModules
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
