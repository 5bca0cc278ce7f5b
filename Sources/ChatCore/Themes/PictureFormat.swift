/// A format of raster pictures, recognized by the first bytes of a picture. The declared type of a picture is ignored,
/// since it may be wrong.
package enum PictureFormat: String, Sendable, CaseIterable {
    case jpeg
    case png
    case gif
    case webp

    /// Recognizes the format of a picture; nil for bytes of another format.
    package init?(of content: [UInt8]) {
        let found = Self.allCases.first { format in
            content.starts(with: format.firstBytes)
                && (format != .webp || content.dropFirst(8).starts(with: Array("WEBP".utf8)))
        }
        guard let found else { return nil }
        self = found
    }

    private var firstBytes: [UInt8] {
        switch self {
        case .jpeg: [0xFF, 0xD8, 0xFF]
        case .png: [0x89, 0x50, 0x4E, 0x47]
        case .gif: Array("GIF8".utf8)
        case .webp: Array("RIFF".utf8)
        }
    }

    package var mediaType: String { "image/\(rawValue)" }

    /// The ending of a file name for the format, without the dot.
    package var fileNameExtension: String { self == .jpeg ? "jpg" : rawValue }
}
