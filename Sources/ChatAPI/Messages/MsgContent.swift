public import JSON

/// The content of a message, in the `type` form on every platform. Content of an unknown kind is kept unchanged, with its text.
public indirect enum MsgContent: TaggedUnion {
    case text(text: String)
    case link(text: String, preview: LinkPreview)
    case image(text: String, image: String)
    case video(text: String, image: String, duration: Int)
    case voice(text: String, duration: Int)
    case file(text: String)
    case report(text: String, reason: ReportReason)
    case chat(text: String, chatLink: MsgChatLink, ownerSig: LinkOwnerSig?)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension MsgContent {
    public init(from decoder: any Decoder) throws {
        // Newer programs add members to content, and no decision depends on these members.
        decoder.takesUnknownMembers()
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "text": self = .text(text: try fields("text"))
        case "link": self = .link(text: try fields("text"), preview: try fields("preview"))
        case "image": self = .image(text: try fields("text"), image: try fields("image"))
        case "video": self = .video(text: try fields("text"), image: try fields("image"), duration: try fields("duration"))
        case "voice": self = .voice(text: try fields("text"), duration: try fields("duration"))
        case "file": self = .file(text: try fields("text"))
        case "report": self = .report(text: try fields("text"), reason: try fields("reason"))
        case "chat": self = .chat(text: try fields("text"), chatLink: try fields("chatLink"), ownerSig: try fields.optional("ownerSig"))
        default: self = .unrecognized(try JSONValue(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text): try encoder.tagged("text")("text", text)
        case .link(let text, let preview): try encoder.tagged("link")("text", text)("preview", preview)
        case .image(let text, let image): try encoder.tagged("image")("text", text)("image", image)
        case .video(let text, let image, let duration): try encoder.tagged("video")("text", text)("image", image)("duration", duration)
        case .voice(let text, let duration): try encoder.tagged("voice")("text", text)("duration", duration)
        case .file(let text): try encoder.tagged("file")("text", text)
        case .report(let text, let reason): try encoder.tagged("report")("text", text)("reason", reason)
        case .chat(let text, let chatLink, let ownerSig):
            try encoder.tagged("chat")("text", text)("chatLink", chatLink).optional("ownerSig", ownerSig)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
