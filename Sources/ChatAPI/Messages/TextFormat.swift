// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The format of a part of a text.
package indirect enum TextFormat: TaggedUnion {
    case bold
    case italic
    case strikeThrough
    case snippet
    case secret
    case small
    case colored(color: Color)
    case uri
    case hyperLink(showText: String?, linkUri: String)
    case simplexLink(showText: String?, linkType: SimplexLinkType, simplexUri: String, smpHosts: [String])
    case simplexName(nameInfo: SimplexNameInfo)
    case command(commandStr: String)
    case mention(memberName: String)
    case email
    case phone
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension TextFormat {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "bold": self = .bold
        case "italic": self = .italic
        case "strikeThrough": self = .strikeThrough
        case "snippet": self = .snippet
        case "secret": self = .secret
        case "small": self = .small
        case "colored": self = try .colored(color: fields("color"))
        case "uri": self = .uri
        case "hyperLink": self = try .hyperLink(showText: fields.optional("showText"), linkUri: fields("linkUri"))
        case "simplexLink":
            self = try .simplexLink(
                showText: fields.optional("showText"), linkType: fields("linkType"), simplexUri: fields("simplexUri"),
                smpHosts: fields("smpHosts"))
        case "simplexName": self = try .simplexName(nameInfo: fields("nameInfo"))
        case "command": self = try .command(commandStr: fields("commandStr"))
        case "mention": self = try .mention(memberName: fields("memberName"))
        case "email": self = .email
        case "phone": self = .phone
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .bold: try encoder.tagged("bold")
        case .italic: try encoder.tagged("italic")
        case .strikeThrough: try encoder.tagged("strikeThrough")
        case .snippet: try encoder.tagged("snippet")
        case .secret: try encoder.tagged("secret")
        case .small: try encoder.tagged("small")
        case .colored(let color): try encoder.tagged("colored")("color", color)
        case .uri: try encoder.tagged("uri")
        case .hyperLink(let showText, let linkUri):
            try encoder.tagged("hyperLink").optional("showText", showText)("linkUri", linkUri)
        case .simplexLink(let showText, let linkType, let simplexUri, let smpHosts):
            try encoder.tagged("simplexLink").optional("showText", showText)("linkType", linkType)(
                "simplexUri", simplexUri)("smpHosts", smpHosts)
        case .simplexName(let nameInfo): try encoder.tagged("simplexName")("nameInfo", nameInfo)
        case .command(let commandStr): try encoder.tagged("command")("commandStr", commandStr)
        case .mention(let memberName): try encoder.tagged("mention")("memberName", memberName)
        case .email: try encoder.tagged("email")
        case .phone: try encoder.tagged("phone")
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
