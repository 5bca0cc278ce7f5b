// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The content of a message, with the member `type` on every platform. Content of an unknown type is kept unchanged,
/// with its text.
package indirect enum MsgContent: TaggedUnion {
    case text(text: String)
    case link(text: String, preview: LinkPreview)
    case image(text: String, image: String)
    case video(text: String, image: String, duration: Int)
    case voice(text: String, duration: Int)
    case file(text: String)
    case report(text: String, reason: ReportReason)
    case chat(text: String, chatLink: MsgChatLink, ownerSig: LinkOwnerSig?)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension MsgContent {
    package init(from decoder: any Decoder) throws {
        decoder.allowUnknownMembers()
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "text": self = try .text(text: fields("text"))
        case "link": self = try .link(text: fields("text"), preview: fields("preview"))
        case "image": self = try .image(text: fields("text"), image: fields("image"))
        case "video": self = try .video(text: fields("text"), image: fields("image"), duration: fields("duration"))
        case "voice": self = try .voice(text: fields("text"), duration: fields("duration"))
        case "file": self = try .file(text: fields("text"))
        case "report": self = try .report(text: fields("text"), reason: fields("reason"))
        case "chat":
            self = try .chat(text: fields("text"), chatLink: fields("chatLink"), ownerSig: fields.optional("ownerSig"))
        default: self = .unrecognized(try JSONValue(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try encoder.tagged("text")("text", text)
        case .link(let text, let preview): try encoder.tagged("link")("text", text)("preview", preview)
        case .image(let text, let image): try encoder.tagged("image")("text", text)("image", image)
        case .video(let text, let image, let duration):
            try encoder.tagged("video")("text", text)("image", image)("duration", duration)
        case .voice(let text, let duration): try encoder.tagged("voice")("text", text)("duration", duration)
        case .file(let text): try encoder.tagged("file")("text", text)
        case .report(let text, let reason): try encoder.tagged("report")("text", text)("reason", reason)
        case .chat(let text, let chatLink, let ownerSig):
            try encoder.tagged("chat")("text", text)("chatLink", chatLink).optional("ownerSig", ownerSig)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
