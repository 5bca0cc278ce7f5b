package import ChatAPI
internal import JSON

extension Timestamp {
    /// The time as the text that the API contains.
    package var api: UTCTime { fullText }
}

extension Profile {
    /// Returns the profile as the user sees it, with the id of its row and with the alias that the user has set.
    /// - Parameters:
    ///   - badge: the badge with the result of its check; nil without a badge.
    ///   - domainVerified: the result of the check of the SimpleX name; nil before a check.
    package func localProfile(id: Int64, alias: String, badge: LocalBadge?, domainVerified: Bool? = nil) -> LocalProfile
    {
        LocalProfile(
            profileId: id,
            displayName: displayName,
            fullName: fullName,
            shortDescr: shortDescr,
            description: description,
            image: image,
            contactLink: contactLink,
            preferences: preferences,
            peerType: peerType,
            localBadge: badge,
            localAlias: alias,
            contactDomain: contactDomain,
            contactDomainVerified: domainVerified
        )
    }
}

extension MsgContent {
    /// The plain text of the content for previews. Voice messages and reports have a label before the text. Content of
    /// an unknown kind without a text has only a label.
    package var text: String {
        switch self {
        case .text(let text), .link(let text, _), .image(let text, _), .video(let text, _, _), .file(let text),
            .chat(let text, _, _):
            text
        case .voice(let text, let duration):
            "voice message \(Self.formatDuration(duration))" + (text.isEmpty ? "" : "; \(text)")
        case .report(let text, let reason): "report \(reason.rawValue)" + (text.isEmpty ? "" : ": \(text)")
        case .unrecognized(let value): value["text"]?.stringValue ?? "unknown message type"
        }
    }

    /// The text that a person has written in the content, without the labels of voice messages and reports.
    package var caption: String {
        switch self {
        case .voice(let text, _), .report(let text, _): text
        default: text
        }
    }

    /// Returns the duration in minutes and seconds, such as `(00:04)`.
    private static func formatDuration(_ duration: Int) -> String {
        let (quotient, remainder) = duration.quotientAndRemainder(dividingBy: 60)
        let (minutes, seconds) = remainder < 0 ? (quotient - 1, remainder + 60) : (quotient, remainder)
        func twoDigits(_ number: Int) -> String { number <= 9 ? "0\(number)" : "\(number)" }
        return "(\(twoDigits(minutes)):\(twoDigits(seconds)))"
    }

    package var tag: String {
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

    package var isVoice: Bool { tag == "voice" }
}
