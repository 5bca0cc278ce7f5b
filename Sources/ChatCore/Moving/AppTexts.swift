internal import ChatAPI
internal import JSON
internal import SQLCipher

// Conversions from the texts of the official apps.

extension Timestamp {
    /// Parses `2026-11-23 16:03:43.884034576`, in UTC.
    init?(app text: String) {
        var text = text
        if let space = text.firstIndex(of: " ") { text.replaceSubrange(space...space, with: "T") }
        if !text.hasSuffix("Z") { text += "Z" }
        self.init(parsing: text)
    }

    var appText: String { String(text.dropLast()).split(separator: "T", maxSplits: 1).joined(separator: " ") }
}

extension AppRow {
    /// The time in nanoseconds since 1970. It is limited, so that the addition of decades does not overflow.
    func time(_ column: String) -> Int64? {
        text(column).flatMap(Timestamp.init(app:)).map { min(max($0.nanoseconds, -Self.farthest), Self.farthest) }
    }

    private static let farthest: Int64 = 7_250_000_000_000_000_000

    func json(_ column: String) -> JSONValue? { text(column).flatMap { try? JSONValue(parsing: $0, limits: .ownText) } }

    func decoded<T: Decodable>(_ type: T.Type, _ column: String) -> T? {
        json(column).flatMap { try? JSONDecoder().decode(T.self, from: $0) }
    }
}

/// The content of an item. In the apps' form, a case is an object with one member, named after the case. In the form of
/// the API, the member `type` contains the name.
enum AppContent {
    /// The members of a content whose values are again cases in these forms.
    static let nested = [
        "rcvGroupEvent", "sndGroupEvent", "rcvConnEvent", "sndConnEvent", "rcvDirectEvent", "msgError",
    ]

    static func api(_ value: JSONValue) -> JSONValue? {
        guard let content = tagged(value), var fields = content.objectValue else { return nil }
        for name in nested {
            if let value = fields[name] { fields[name] = tagged(value) ?? value }
        }
        return .object(fields)
    }

    private static func tagged(_ value: JSONValue) -> JSONValue? {
        guard let object = value.objectValue else { return nil }
        if object["type"] != nil { return value }
        guard object.count == 1, let name = object.keys.first else { return nil }
        return .object(
            JSONObject([("type", .string(name))] + (object[name]?.objectValue?.map { ($0.key, $0.value) } ?? []))
        )
    }
}

extension ItemStatus {
    init(app text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "snd_new"?: self = .sndNew
        case "snd_sent"?: self = rest == "partial" ? .other(.sndSent(sndProgress: .partial)) : .sndSent
        case "snd_rcvd"?:
            let parts = rest.split(separator: " ").map(String.init)
            let status = MsgReceiptStatus(rawValue: parts.first ?? "ok")
            let progress: SndCIStatusProgress = parts.count > 1 && parts[1] == "partial" ? .partial : .complete
            self =
                status == .ok && progress == .complete
                ? .sndReceived : .other(.sndRcvd(msgRcptStatus: status, sndProgress: progress))
        case "snd_error_auth"?: self = .sndErrorAuth
        case "snd_error"?: self = .other(.sndError(agentError: SndError(app: rest)))
        case "snd_warning"?: self = .other(.sndWarning(agentError: SndError(app: rest)))
        case "rcv_new"?: self = .rcvNew
        case "rcv_read"?: self = .rcvRead
        default: self = .other(.invalid(text: text))
        }
    }
}

extension SndError {
    init(app text: String) {
        switch text {
        case "auth": self = .auth
        case "quota": self = .quota
        case "expired": self = .expired
        default: self = .other(sndError: text.hasPrefix("other ") ? String(text.dropFirst(6)) : text)
        }
    }
}

extension GroupSndStatus {
    init(app text: String) {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "snd_forwarded"?: self = .forwarded
        case "snd_inactive"?: self = .inactive
        case "snd_sent"?: self = .sent
        case "snd_rcvd"?: self = rest.hasPrefix("badMsgHash") ? .receivedOther : .receivedIntact
        case "snd_error"?: self = .error(agentError: SndError(app: rest))
        case "snd_error_auth"?: self = .error(agentError: .auth)
        case "snd_warning"?: self = .warning(agentError: SndError(app: rest))
        default: self = .new
        }
    }
}

extension CIFileStatus {
    /// The status of a file. A transfer in progress is not continued, but a received file can be requested again.
    init(app text: String, isLocal: Bool) {
        switch text.split(separator: " ").first {
        case "snd_stored"?: self = isLocal ? .sndStored : .sndCancelled
        case "snd_transfer"?, "snd_warning"?, "snd_cancelled"?: self = .sndCancelled
        case "snd_complete"?: self = .sndComplete
        case "snd_error"?: self = .sndError(sndFileError: .other(fileError: String(text.dropFirst(10))))
        case "rcv_invitation"?, "rcv_accepted"?, "rcv_transfer"?, "rcv_warning"?: self = .rcvInvitation
        case "rcv_aborted"?: self = .rcvAborted
        case "rcv_complete"?: self = .rcvComplete
        case "rcv_cancelled"?: self = .rcvCancelled
        case "rcv_error"?: self = .rcvError(rcvFileError: .other(fileError: String(text.dropFirst(10))))
        default: self = .invalid(text: text)
        }
    }
}
