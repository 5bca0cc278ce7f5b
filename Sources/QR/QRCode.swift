internal import CQRencode

/// A QR code (ISO/IEC 18004) with the lowest level of error correction, which is enough for codes on a screen.
package struct QRCode: Hashable, Sendable {
    /// Number of modules on a side of the square code: 21 to 177.
    package let modulesPerSide: Int
    /// The modules, row by row from the top left. True is dark.
    package let modules: [Bool]

    /// Number of light modules that a reader needs on each side.
    package static let marginModules = 4
    /// Number of bytes of the longest text.
    package static let maxBytes = 2953

    /// Makes a code.
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

    /// Whether a module is dark; false outside of the code.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<modulesPerSide).contains(x) && (0..<modulesPerSide).contains(y) && modules[y * modulesPerSide + x]
    }
}
