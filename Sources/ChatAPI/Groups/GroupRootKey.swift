// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The root key of a public group: the private key for the owner, the public key for other members.
package indirect enum GroupRootKey: TaggedUnion {
    case `private`(rootPrivKey: String)
    case `public`(rootPubKey: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension GroupRootKey {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "private": self = try .private(rootPrivKey: fields("rootPrivKey"))
        case "public": self = try .public(rootPubKey: fields("rootPubKey"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .private(let rootPrivKey): try encoder.tagged("private")("rootPrivKey", rootPrivKey)
        case .public(let rootPubKey): try encoder.tagged("public")("rootPubKey", rootPubKey)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
