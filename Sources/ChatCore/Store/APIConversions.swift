internal import ChatAPI
internal import JSON

extension Timestamp {
    /// As the API shows it.
    var api: UTCTime { text }
}

extension Profile {
    /// The profile as this user sees it: with its row's id and the user's alias for it.
    func local(id: Int64, alias: String) -> LocalProfile {
        LocalProfile(
            profileId: id, displayName: displayName, fullName: fullName, shortDescr: shortDescr, description: description, image: image,
            contactLink: contactLink, preferences: preferences, peerType: peerType, localAlias: alias, contactDomain: contactDomain)
    }
}

extension MsgContent {
    /// The text of any content; content of an unknown kind is shown by its text, if it has one.
    var text: String {
        switch self {
        case .text(let text), .link(let text, _), .image(let text, _), .video(let text, _, _), .voice(let text, _), .file(let text),
            .report(let text, _), .chat(let text, _, _): text
        case .unrecognized(let value): value["text"]?.stringValue ?? "unknown message type"
        }
    }

    var tag: String {
        switch self {
        case .text: "text"
        case .link: "link"
        case .image: "image"
        case .video: "video"
        case .voice: "voice"
        case .file: "file"
        case .report: "report"
        case .chat: "chat"
        case .unrecognized(let value): value["type"]?.stringValue ?? ""
        }
    }

    var isVoice: Bool { tag == "voice" }
}
