// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An entry in the menu of commands that a bot publishes in its preferences.
package indirect enum ChatBotCommand: TaggedUnion {
    case command(keyword: String, label: String, params: String?)
    case menu(label: String, commands: [ChatBotCommand])
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatBotCommand {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "command":
            self = try .command(keyword: fields("keyword"), label: fields("label"), params: fields.optional("params"))
        case "menu": self = try .menu(label: fields("label"), commands: fields("commands"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .command(let keyword, let label, let params):
            try encoder.tagged("command")("keyword", keyword)("label", label).optional("params", params)
        case .menu(let label, let commands): try encoder.tagged("menu")("label", label)("commands", commands)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
