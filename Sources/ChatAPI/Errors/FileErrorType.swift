// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The reason why a file cannot be sent or received.
package indirect enum FileErrorType: TaggedUnion {
    case notApproved
    case size
    case redirect(redirectError: String)
    case fileIo(fileIOError: String)
    case noFile
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension FileErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "NOT_APPROVED": self = .notApproved
        case "SIZE": self = .size
        case "REDIRECT": self = try .redirect(redirectError: fields("redirectError"))
        case "FILE_IO": self = try .fileIo(fileIOError: fields("fileIOError"))
        case "NO_FILE": self = .noFile
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .notApproved: try encoder.tagged("NOT_APPROVED")
        case .size: try encoder.tagged("SIZE")
        case .redirect(let redirectError): try encoder.tagged("REDIRECT")("redirectError", redirectError)
        case .fileIo(let fileIOError): try encoder.tagged("FILE_IO")("fileIOError", fileIOError)
        case .noFile: try encoder.tagged("NO_FILE")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
