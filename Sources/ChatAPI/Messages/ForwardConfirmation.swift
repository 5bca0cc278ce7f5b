// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Reasons why files cannot be forwarded. The user has to confirm that the items are forwarded without these files.
package indirect enum ForwardConfirmation: TaggedUnion {
    case filesNotAccepted(fileIds: [Int64])
    case filesInProgress(filesCount: Int)
    case filesMissing(filesCount: Int)
    case filesFailed(filesCount: Int)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ForwardConfirmation {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "filesNotAccepted": self = try .filesNotAccepted(fileIds: fields("fileIds"))
        case "filesInProgress": self = try .filesInProgress(filesCount: fields("filesCount"))
        case "filesMissing": self = try .filesMissing(filesCount: fields("filesCount"))
        case "filesFailed": self = try .filesFailed(filesCount: fields("filesCount"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .filesNotAccepted(let fileIds): try encoder.tagged("filesNotAccepted")("fileIds", fileIds)
        case .filesInProgress(let filesCount): try encoder.tagged("filesInProgress")("filesCount", filesCount)
        case .filesMissing(let filesCount): try encoder.tagged("filesMissing")("filesCount", filesCount)
        case .filesFailed(let filesCount): try encoder.tagged("filesFailed")("filesCount", filesCount)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
