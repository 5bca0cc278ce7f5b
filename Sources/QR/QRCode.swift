internal import CQRencode

/// A QR code (ISO/IEC 18004) with the lowest level of error correction, which is enough for codes on a screen.
package struct QRCode: Hashable, Sendable {
    /// Number of modules (small squares) on each side of the code: 21 to 177.
    package let modulesPerSide: Int
    /// The modules (small squares) of the code, row by row from the top left. True means dark.
    package let modules: [Bool]

    /// Number of light modules that a reader needs as a margin on each side of the code.
    package static let marginModules = 4
    /// Maximal number of bytes of a text that fits into a code.
    package static let maxBytes = 2953

    /// Makes the QR code of a text.
    /// - Returns: nil for an empty text, and for a text of more than ``maxBytes``.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.maxBytes).contains(bytes.count),
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L), let data = code.pointee.data
        else { return nil }
        defer { QRcode_free(code) }
        modulesPerSide = Int(code.pointee.width)
        // Bit 0 of each byte is the colour of a module. The other bits describe the purpose of the module.
        modules = UnsafeBufferPointer(start: data, count: modulesPerSide * modulesPerSide).map { $0 & 1 == 1 }
    }

    /// Returns whether the module in column `x` and row `y` is dark. Returns false outside of the code.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<modulesPerSide).contains(x) && (0..<modulesPerSide).contains(y) && modules[y * modulesPerSide + x]
    }
}
