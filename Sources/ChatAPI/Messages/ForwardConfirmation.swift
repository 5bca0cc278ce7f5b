public import JSON

/// The files that cannot be forwarded; the user has to confirm that the items are forwarded without them.
public indirect enum ForwardConfirmation: TaggedUnion {
    case filesNotAccepted(fileIds: [Int64])
    case filesInProgress(filesCount: Int)
    case filesMissing(filesCount: Int)
    case filesFailed(filesCount: Int)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ForwardConfirmation {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "filesNotAccepted": self = .filesNotAccepted(fileIds: try fields("fileIds"))
        case "filesInProgress": self = .filesInProgress(filesCount: try fields("filesCount"))
        case "filesMissing": self = .filesMissing(filesCount: try fields("filesCount"))
        case "filesFailed": self = .filesFailed(filesCount: try fields("filesCount"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .filesNotAccepted(let fileIds): try encoder.tagged("filesNotAccepted")("fileIds", fileIds)
        case .filesInProgress(let filesCount): try encoder.tagged("filesInProgress")("filesCount", filesCount)
        case .filesMissing(let filesCount): try encoder.tagged("filesMissing")("filesCount", filesCount)
        case .filesFailed(let filesCount): try encoder.tagged("filesFailed")("filesCount", filesCount)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
