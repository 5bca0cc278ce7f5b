internal import JSON

/// A message that another program sends in its own form.
struct Notice: Sendable, Equatable {
    /// The text of the message in the chat.
    let text: String
    /// A text that is equal only for repetitions of one notice; nil for programs that do not repeat notices by
    /// themselves.
    var identity: String?

    /// Maximal number of bytes of a notice's text. The JSON of the message can have about twice as many bytes, because
    /// of escapes.
    static let maxBytes = 6_000
    /// The text at the end of a message that was cut off.
    static let truncationMark = "\n… (The rest is cut off.)"

    /// Makes a notice from the lines of its text.
    init(_ lines: [String], identity: String? = nil) {
        let text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
        self.text = text.truncated(to: Self.maxBytes, Self.truncationMark)
        self.identity = identity
    }
}

/// The programs whose notices the gateway accepts. Each program has its own form of a request body.
enum NoticeForm: String, Sendable, CaseIterable {
    case alertmanager, grafana, ntfy, gotify

    var path: String { "/v1/receive/\(rawValue)" }

    /// The path to which programs for Gotify send messages. These programs add `/message` to the URL of their server.
    static let gotifyMessagePath = "\(NoticeForm.gotify.path)/message"

    var operationID: String {
        switch self {
        case .alertmanager: "sendAlertmanagerNotice"
        case .grafana: "sendGrafanaNotice"
        case .ntfy: "sendNtfyNotice"
        case .gotify: "sendGotifyNotice"
        }
    }

    /// The header fields in which programs of this form send their key.
    var keyFields: RoutePolicy.KeyFields {
        switch self {
        case .alertmanager, .grafana, .ntfy: .authorization
        case .gotify: .authorizationOrGotify
        }
    }

    /// Makes a notice from the body of a request in this form.
    func parseNotice(_ body: ForeignObject) throws(ProblemDetails) -> Notice {
        switch self {
        case .alertmanager, .grafana: try AlertGroup(body, self).notice
        case .ntfy: try Self.parseNtfy(body)
        case .gotify: try Self.parseGotify(body)
        }
    }

    // MARK: Single messages

    private static func parseNtfy(_ body: ForeignObject) throws(ProblemDetails) -> Notice {
        for name in ["delay", "email", "call"] where try body.readText(name)?.isEmpty == false {
            throw body.makeProblem(name, .invalid, "is not supported: the message only goes to the chat, and at once.")
        }
        let priority = try body.readNumber("priority") ?? 0
        guard (0...5).contains(priority) else { throw body.makeProblem("priority", .invalid, "must be from 1 to 5.") }
        var marks = priority == 5 ? ["‼️"] : priority == 4 ? ["❗"] : []
        var tags: [String] = []
        for tag in try body.readTexts("tags").prefix(20) {
            if let emoji = emojis[tag] { marks.append(emoji) } else { tags.append(tag.truncatedToOneLine(100)) }
        }
        let title = try body.readText("title")?.truncatedToOneLine(300) ?? ""
        let message = try body.readText("message")?.printable ?? ""
        let links = try ["click", "attach"].map { name throws(ProblemDetails) in
            try body.readText(name)?.truncatedToOneLine(1_000) ?? ""
        }
        var actions: [String] = []
        for action in try body.readObjects("actions").prefix(3) where try action.readText("action") == "view" {
            guard let url = try action.readText("url"), !url.isEmpty else { continue }
            actions.append(
                "\(try action.readText("label")?.truncatedToOneLine(100) ?? ""): \(url.truncatedToOneLine(1_000))"
            )
        }
        // Clients of ntfy show "triggered" for a message without a text.
        var lines = [title, message.isEmpty && title.isEmpty ? "triggered" : message]
        if !marks.isEmpty {
            let first = title.isEmpty ? 1 : 0
            lines[first] = (marks + [lines[first]]).joined(separator: " ")
        }
        // The links and tags get their room first. The message gets the rest of the room, and its end is cut off if
        // necessary.
        let rest = links + actions + (tags.isEmpty ? [] : ["Tags: \(tags.joined(separator: ", "))"])
        let room = Notice.maxBytes - (lines[0].utf8.count + rest.reduce(0) { $0 + $1.utf8.count + 1 } + 1)
        lines[1] = lines[1].truncated(to: max(room, 500), Notice.truncationMark)
        return Notice(lines + rest)
    }

    private static func parseGotify(_ body: ForeignObject) throws(ProblemDetails) -> Notice {
        let message = try body.requireText("message").printable
        guard !message.isEmpty else { throw body.makeProblem("message", .invalid, "is empty.") }
        let priority = try body.readNumber("priority") ?? 0
        let title = try body.readText("title")?.truncatedToOneLine(300) ?? ""
        let click = try body.readObject("extras")?.readObject("client::notification")?.readObject("click")?.readText(
            "url"
        )?.truncatedToOneLine(1_000)
        var lines = [title, message.truncated(to: Notice.maxBytes - 1_500, Notice.truncationMark), click ?? ""]
        // Clients of Gotify show priorities from 8 on as urgent.
        if priority >= 8 {
            let first = title.isEmpty ? 1 : 0
            lines[first] = "‼️ \(lines[first])"
        }
        return Notice(lines)
    }

    /// Emojis for the most frequent short codes in tags. Other tags stay texts.
    private static let emojis = [
        "warning": "⚠️", "rotating_light": "🚨", "white_check_mark": "✅", "heavy_check_mark": "✔️", "x": "❌",
        "no_entry": "⛔", "skull": "💀", "tada": "🎉", "partying_face": "🥳", "loudspeaker": "📢", "bell": "🔔",
        "fire": "🔥", "computer": "💻", "+1": "👍", "-1": "👎", "facepalm": "🤦", "cd": "💿", "floppy_disk": "💾",
    ]
}

/// The time window in which a repeated notice is recognized.
enum NoticeWindow {
    /// The length of a window in seconds. A repetition within this time is not sent again. After twice this time, a
    /// repetition is always sent.
    static let lengthSeconds: Int64 = 300

    /// Returns the identities by which a repetition of a notice is recognized, for the present window and the previous
    /// window.
    /// - Parameters:
    ///   - keyID: the id of the API key.
    ///   - now: seconds since 1970.
    static func makeIdentities(_ identity: String, of keyID: String, at now: Int64) -> [RequestIdentity] {
        let fingerprint = RequestIdentity.hashText(identity)
        return [now / lengthSeconds, now / lengthSeconds - 1].map { window in
            // A header field cannot contain a control character, so no idempotency key of a client equals this text.
            RequestIdentity(
                keyHash: RequestIdentity.hashText("\(keyID)\n\u{1}\(window)\n\(identity)"),
                fingerprint: fingerprint
            )
        }
    }
}

extension String {
    /// The text without control characters other than line breaks and tabs.
    var printable: String {
        let kept = unicodeScalars.filter { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(kept)).trimmed
    }

    /// Returns the text in one line of at most `limit` bytes.
    func truncatedToOneLine(_ limit: Int) -> String {
        String(printable.map { $0.isNewline || $0 == "\t" ? " " : $0 }).truncated(to: limit)
    }

    /// Returns the text. If the text is longer than `limit`, its end is cut off between two characters.
    /// - Parameters:
    ///   - limit: maximal number of bytes in UTF-8, with the note.
    ///   - note: the end of a text that was cut.
    func truncated(to limit: Int, _ note: String = "…") -> String {
        guard utf8.count > limit else { return self }
        var room = limit - note.utf8.count
        var end = startIndex
        while end < endIndex {
            let next = index(after: end)
            room -= utf8.distance(from: end, to: next)
            guard room >= 0 else { break }
            end = next
        }
        return self[..<end] + note
    }

    private var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
