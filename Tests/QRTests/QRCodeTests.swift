import Foundation
import Testing

@testable import QR

@Suite struct QRCodeTests {
    /// The text of ISO/IEC 18004's finder pattern: seven by seven modules.
    private static let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]

    @Test("a code has the finder patterns in three of its corners, and the size of its version", arguments: [("a", 21), (String(repeating: "x", count: 2953), 177)])
    func finders(text: String, width: Int) throws {
        let code = try #require(QRCode(text))
        #expect(code.width == width && code.modules.count == width * width)
        for (left, top) in [(0, 0), (width - 7, 0), (0, width - 7)] {
            for (y, row) in Self.finder.enumerated() {
                for (x, module) in row.enumerated() { #expect(code.isDark(left + x, top + y) == (module == "1")) }
            }
        }
    }

    @Test("what is too long or empty has no code", arguments: ["", String(repeating: "x", count: 2954), String(repeating: "é", count: 1477)])
    func refused(text: String) {
        #expect(QRCode(text) == nil)
    }

    @Test("the picture and the lines of the terminal show the modules of the code")
    func drawn() throws {
        let code = try #require(QRCode("https://example.org/"))
        let lines = code.terminal.split(separator: "\n").map { $0.dropFirst("\u{1B}[40;97m".count).dropLast("\u{1B}[0m".count) }
        for y in 0..<code.width {
            let line = Array(lines[(y + QRCode.margin) / 2])
            for x in 0..<code.width {
                let isUpper = (y + QRCode.margin).isMultiple(of: 2)
                #expect((isUpper ? " ▄" : " ▀").contains(line[x + QRCode.margin]) == code.isDark(x, y))
            }
        }
        // Each run of dark modules is one part of the path.
        let runs = (0..<code.width).reduce(0) { count, y in count + (0..<code.width).filter { code.isDark($0, y) && !code.isDark($0 - 1, y) }.count }
        #expect(code.svg.components(separatedBy: "M").count - 1 == runs)
        #expect(code.svg.contains(#"viewBox="0 0 \#(code.width + 8) \#(code.width + 8)""#))
    }
}
