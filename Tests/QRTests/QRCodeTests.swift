import CZlib
import Foundation
import Testing

@testable import QR

@Suite struct QRCodeTests {
    /// The finder pattern of ISO/IEC 18004 as text: seven by seven modules.
    private static let finderPattern = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]

    @Test(arguments: [("a", 21), (String(repeating: "x", count: 2953), 177)])
    func `A QR code has the size of its version and finder patterns in three corners`(text: String, width: Int) throws {
        let code = try #require(QRCode(text))
        #expect(code.modulesPerSide == width && code.modules.count == width * width)
        for (left, top) in [(0, 0), (width - 7, 0), (0, width - 7)] {
            for (y, row) in Self.finderPattern.enumerated() {
                for (x, module) in row.enumerated() { #expect(code.isDark(left + x, top + y) == (module == "1")) }
            }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 2954), String(repeating: "é", count: 1477)])
    func `A text that is too long for a QR code, or empty, has no QR code`(text: String) {
        #expect(QRCode(text) == nil)
    }

    @Test
    func `The SVG picture and the terminal lines show the modules of the QR code`() throws {
        let code = try #require(QRCode("https://example.org/"))
        let lines = code.terminalText.split(separator: "\n").map {
            $0.dropFirst("\u{1B}[40;97m".count).dropLast("\u{1B}[0m".count)
        }
        for y in 0..<code.modulesPerSide {
            let line = Array(lines[(y + QRCode.marginModules) / 2])
            for x in 0..<code.modulesPerSide {
                let isUpper = (y + QRCode.marginModules).isMultiple(of: 2)
                #expect((isUpper ? " ▄" : " ▀").contains(line[x + QRCode.marginModules]) == code.isDark(x, y))
            }
        }
        // Each series of dark modules is one part of the SVG path.
        let runs = (0..<code.modulesPerSide).reduce(0) { count, y in
            count + (0..<code.modulesPerSide).filter { code.isDark($0, y) && !code.isDark($0 - 1, y) }.count
        }
        #expect(code.svg.components(separatedBy: "M").count - 1 == runs)
        #expect(code.svg.contains(#"viewBox="0 0 \#(code.modulesPerSide + 8) \#(code.modulesPerSide + 8)""#))
    }

    @Test(arguments: [1, 3, 8])
    func `The PNG image shows the modules of the QR code in the requested size`(scale: Int) throws {
        let code = try #require(QRCode("https://example.org/"))
        let png = code.makePNG(scale: scale)
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        #expect(png.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        var chunks: [(type: String, content: [UInt8])] = []
        var rest = png.dropFirst(8)
        while rest.count >= 12 {
            let size = number(rest.prefix(4))
            let checked = Array(rest.dropFirst(4).prefix(4 + size))
            #expect(number(rest.dropFirst(8 + size).prefix(4)) == Int(crc32(0, checked, UInt32(checked.count))))
            chunks.append((String(decoding: checked.prefix(4), as: UTF8.self), Array(checked.dropFirst(4))))
            rest = rest.dropFirst(12 + size)
        }
        #expect(chunks.map(\.type) == ["IHDR", "IDAT", "IEND"] && rest.isEmpty)
        let side = (code.modulesPerSide + 2 * QRCode.marginModules) * scale
        #expect(number(chunks[0].content[0..<4]) == side && number(chunks[0].content[4..<8]) == side)
        #expect(Array(chunks[0].content[8...]) == [1, 0, 0, 0, 0])
        let line = 1 + (side + 7) / 8
        var size = UInt(line * side)
        var rows = [UInt8](repeating: 0, count: Int(size))
        #expect(
            uncompress(&rows, &size, chunks[1].content, UInt(chunks[1].content.count)) == Z_OK
                && Int(size) == line * side
        )
        for y in 0..<side {
            #expect(rows[y * line] == 0)
            for x in 0..<side {
                let isWhite = rows[y * line + 1 + x / 8] & 0x80 >> UInt8(x % 8) != 0
                guard isWhite == code.isDark(x / scale - QRCode.marginModules, y / scale - QRCode.marginModules) else {
                    continue
                }
                Issue.record("\(x) \(y)")
                return
            }
        }
    }
}
