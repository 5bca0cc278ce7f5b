// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// Selection of chats in the list by marks, or by a text.
package indirect enum ChatListQuery: TaggedUnion {
    case filters(favorite: Bool, unread: Bool)
    case search(search: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatListQuery {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "filters": self = try .filters(favorite: fields("favorite"), unread: fields("unread"))
        case "search": self = try .search(search: fields("search"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .filters(let favorite, let unread): try encoder.tagged("filters")("favorite", favorite)("unread", unread)
        case .search(let search): try encoder.tagged("search")("search", search)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
