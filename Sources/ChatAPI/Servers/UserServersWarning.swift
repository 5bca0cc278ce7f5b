// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An unwise but permitted choice in a list of servers.
package indirect enum UserServersWarning: TaggedUnion {
    case noChatRelays(user: User?)
    case noNamesServers(user: User?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension UserServersWarning {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noChatRelays": self = try .noChatRelays(user: fields.optional("user"))
        case "noNamesServers": self = try .noNamesServers(user: fields.optional("user"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noChatRelays(let user): try encoder.tagged("noChatRelays").optional("user", user)
        case .noNamesServers(let user): try encoder.tagged("noNamesServers").optional("user", user)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
