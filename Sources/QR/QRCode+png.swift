internal import CZlib

extension QRCode {
    /// Returns a PNG image of the code in black and white (ISO/IEC 15948), with its margin.
    /// - Parameter scale: pixels on each side of a module, 1 to 32.
    package func makePNG(scale: Int = 8) -> [UInt8] {
        let scale = min(max(scale, 1), 32)
        let side = (modulesPerSide + 2 * Self.marginModules) * scale
        var rows: [UInt8] = []
        rows.reserveCapacity(side * (side / 8 + 2))
        for y in -Self.marginModules..<modulesPerSide + Self.marginModules {
            // Each row begins with a zero byte (no filter). Each pixel is one bit: 1 is white.
            var row: [UInt8] = [0] + [UInt8](repeating: 0, count: (side + 7) / 8)
            for pixel in 0..<side where !isDark(pixel / scale - Self.marginModules, y) {
                row[1 + pixel / 8] |= 0x80 >> UInt8(pixel % 8)
            }
            for _ in 0..<scale { rows += row }
        }
        let header = Self.bigEndianBytes(UInt32(side)) + Self.bigEndianBytes(UInt32(side)) + [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.makeChunk("IHDR", header)
            + Self.makeChunk("IDAT", Self.compressRows(rows)) + Self.makeChunk("IEND", [])
    }

    private static func makeChunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return bigEndianBytes(UInt32(content.count)) + checked
            + bigEndianBytes(UInt32(truncatingIfNeeded: crc32(0, checked, UInt32(checked.count))))
    }

    private static func compressRows(_ rows: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(rows.count))
        var out = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&out, &size, rows, UInt(rows.count), 9) == Z_OK else { return [] }
        return Array(out.prefix(Int(size)))
    }

    private static func bigEndianBytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
