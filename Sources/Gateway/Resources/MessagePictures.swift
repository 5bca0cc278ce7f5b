internal import ChatAPI
internal import JSON

/// Checks the pictures in new messages. A message contains a picture as text. If the text does not encode a picture,
/// apps show nothing.
extension RequestBody {
    /// Reads the optional content of a new message. Throws a problem for a preview that is not a picture.
    func decodeNewContent(_ name: String) throws(ProblemDetails) -> MsgContent? {
        let content: MsgContent? = try decodeIfPresent(name)
        try content?.checkPicture(at: JSONPointer([name]))
        return content
    }
}

extension MsgContent {
    /// Refuses a preview that is not a picture.
    /// - Parameter pointer: the JSON pointer to the content of the message in the body.
    func checkPicture(at pointer: JSONPointer) throws(ProblemDetails) {
        switch self {
        case .image(_, let image), .video(_, let image, _):
            try Self.checkImage(image, at: pointer.appending("image"))
        // A preview of a link may have no picture.
        case .link(_, let preview) where !preview.image.isEmpty:
            try Self.checkImage(preview.image, at: pointer.appending("preview").appending("image"))
        default: break
        }
    }

    private static func checkImage(_ image: String, at pointer: JSONPointer) throws(ProblemDetails) {
        guard image.utf8.count <= PictureText.maxLength else {
            throw ProblemDetails(
                .invalidValue,
                at: pointer,
                .invalid,
                "The picture must have at most \(PictureText.maxLength) characters: make a smaller preview."
            )
        }
        guard PictureText.isPicture(image) else {
            throw ProblemDetails(
                .invalidValue,
                at: pointer,
                .invalid,
                "The picture must be `data:image/jpg;base64,` (or another type of image) and the bytes in base64."
            )
        }
    }
}

/// The form of a picture within a message: `data:image/TYPE;base64,` and the bytes in base64 with padding.
enum PictureText {
    /// Maximal number of characters: the size of a whole encoded message. The apps make previews of at most 14,000
    /// characters.
    static let maxLength = 15_602

    static func isPicture(_ text: String) -> Bool {
        let (begin, separator) = (Array("data:image/".utf8), Array(";base64,".utf8))
        let bytes = Array(text.utf8)
        guard bytes.starts(with: begin) else { return false }
        let type = bytes[begin.count...].prefix { $0 != UInt8(ascii: ";") }
        guard !type.isEmpty, type.allSatisfy(isTypeByte), bytes[type.endIndex...].starts(with: separator) else {
            return false
        }
        let content = bytes[(type.endIndex + separator.count)...]
        let padding = content.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return !content.isEmpty && content.count % 4 == 0 && padding <= 2
            && content.dropLast(padding).allSatisfy(isBase64Byte)
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        isLowerOrDigit(byte) || ["+", "-", "."].contains(Unicode.Scalar(byte))
    }

    private static func isBase64Byte(_ byte: UInt8) -> Bool {
        isLowerOrDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || ["+", "/"].contains(Unicode.Scalar(byte))
    }

    private static func isLowerOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
