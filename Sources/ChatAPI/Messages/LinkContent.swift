// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The type of the content of a link: a page, an image or a video, always as an object. Unknown content is kept as the
/// original object.
package indirect enum LinkContent: TaggedUnion {
    case page
    case image
    case video(duration: Int?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension LinkContent {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "page": self = .page
        case "image": self = .image
        case "video": self = try .video(duration: fields.optional("duration"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .page: try encoder.tagged("page")
        case .image: try encoder.tagged("image")
        case .video(let duration): try encoder.tagged("video").optional("duration", duration)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
