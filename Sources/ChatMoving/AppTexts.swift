package import ChatAPI
package import JSON
package import SQLCipher

// Conversions between the texts in databases of the official apps and the types of the API.

extension Timestamp {
    /// Parses a time in UTC in the form of the official apps, such as `2026-11-23 16:03:43.884034576`.
    package init?(app text: String) {
        var text = text
        if let space = text.firstIndex(of: " ") { text.replaceSubrange(space...space, with: "T") }
        if !text.hasSuffix("Z") { text += "Z" }
        self.init(parsing: text)
    }

    package var appText: String { String(text.dropLast()).split(separator: "T", maxSplits: 1).joined(separator: " ") }
}

extension AppRow {
    /// Returns the time in a column, in nanoseconds since 1970; nil if the column contains no time. The time is limited
    /// to about 230 years before or after 1970, so that decades can be added without overflow.
    package func readNanoseconds(_ column: String) -> Int64? {
        text(column).flatMap(Timestamp.init(app:)).map {
            min(max($0.nanoseconds, -Self.maxNanoseconds), Self.maxNanoseconds)
        }
    }

    private static let maxNanoseconds: Int64 = 7_250_000_000_000_000_000

    package func parseJSON(_ column: String) -> JSONValue? {
        text(column).flatMap { try? JSONValue(parsing: $0, limits: .forOwnText) }
    }

    package func decode<T: Decodable>(_ type: T.Type, _ column: String) -> T? {
        parseJSON(column).flatMap { try? JSONDecoder().decode(T.self, from: $0) }
    }
}

/// Converts the content of a chat item between the JSON of the official apps and the JSON of the API. The apps write a
/// case as an object with one member, whose name is the name of the case. The API writes the name of the case as the
/// value of the member `type`.
package enum AppContent {
    /// The members of the content whose values are objects with cases too. They are converted like the content itself.
    static let nestedCaseMembers = [
        "rcvGroupEvent", "sndGroupEvent", "rcvConnEvent", "sndConnEvent", "rcvDirectEvent", "msgError",
    ]

    package static func convertToAPIForm(_ value: JSONValue) -> JSONValue? {
        guard let content = convertToTaggedForm(value), var fields = content.objectValue else { return nil }
        for name in nestedCaseMembers {
            if let value = fields[name] { fields[name] = convertToTaggedForm(value) ?? value }
        }
        return .object(fields)
    }

    private static func convertToTaggedForm(_ value: JSONValue) -> JSONValue? {
        guard let object = value.objectValue else { return nil }
        if object["type"] != nil { return value }
        guard object.count == 1, let name = object.keys.first else { return nil }
        return .object(
            JSONObject([("type", .string(name))] + (object[name]?.objectValue?.map { ($0.key, $0.value) } ?? []))
        )
    }

    /// Converts the content of a chat item to the form of the official apps. Returns the converted JSON text, and the
    /// name of the case of the content. Returns nil for content that cannot be converted.
    package static func convertToAppForm(_ value: JSONValue) -> (text: String, tag: String)? {
        guard let tag = value["type"]?.stringValue, let content = convertToSingleMemberForm(value),
            var fields = content[tag]?.objectValue
        else { return nil }
        for name in nestedCaseMembers {
            if let value = fields[name] { fields[name] = convertToSingleMemberForm(value) ?? value }
        }
        return (JSONValue.object(JSONObject([(tag, .object(fields))])).text, tag)
    }

    private static func convertToSingleMemberForm(_ value: JSONValue) -> JSONValue? {
        guard let object = value.objectValue, let tag = object["type"]?.stringValue else { return nil }
        return .object(
            JSONObject([(tag, .object(JSONObject(object.filter { $0.key != "type" }.map { ($0.key, $0.value) })))])
        )
    }
}

extension SndError {
    package init(app text: String) {
        switch text {
        case "auth": self = .auth
        case "quota": self = .quota
        case "expired": self = .expired
        default: self = .other(sndError: text.hasPrefix("other ") ? String(text.dropFirst(6)) : text)
        }
    }

    package var appText: String {
        switch self {
        case .auth: "auth"
        case .quota: "quota"
        case .expired: "expired"
        case .other(let text): "other \(text)"
        case .relay, .proxy, .proxyRelay, .unrecognized: "other the relay has refused it"
        }
    }
}

extension CIFileStatus {
    /// Reads the status of a file from the text in a database of the official apps. A transfer in progress does not
    /// continue in this program. An unfinished upload becomes cancelled, and the user can request an unfinished
    /// download again.
    package init(app text: String, isLocal: Bool) {
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

    package var appText: String {
        switch self {
        case .sndStored: "snd_stored"
        case .sndTransfer(let sent, let total): "snd_transfer \(sent) \(total)"
        case .sndCancelled: "snd_cancelled"
        case .sndComplete: "snd_complete"
        case .sndError: "snd_error other not sent"
        case .sndWarning: "snd_warning other not sent"
        case .rcvInvitation: "rcv_invitation"
        case .rcvAccepted: "rcv_accepted"
        case .rcvTransfer(let received, let total): "rcv_transfer \(received) \(total)"
        case .rcvAborted: "rcv_aborted"
        case .rcvComplete: "rcv_complete"
        case .rcvCancelled: "rcv_cancelled"
        case .rcvError: "rcv_error other not received"
        case .rcvWarning: "rcv_warning other not received"
        case .invalid(let text): text
        case .unrecognized: "invalid"
        }
    }
}

extension CIStatus {
    package var appText: String {
        switch self {
        case .sndNew: "snd_new"
        case .sndSent(let progress): "snd_sent \(progress.rawValue)"
        case .sndRcvd(let status, let progress): "snd_rcvd \(status.rawValue) \(progress.rawValue)"
        case .sndErrorAuth: "snd_error_auth"
        case .sndError(let error): "snd_error \(error.appText)"
        case .sndWarning(let error): "snd_warning \(error.appText)"
        case .rcvNew: "rcv_new"
        case .rcvRead: "rcv_read"
        case .invalid(let text): text
        case .unrecognized: "invalid"
        }
    }
}

extension GroupSndStatus {
    package var appText: String {
        switch self {
        case .new: "snd_new"
        case .forwarded: "snd_forwarded"
        case .inactive: "snd_inactive"
        case .sent: "snd_sent complete"
        case .rcvd(let status): "snd_rcvd \(status.rawValue) complete"
        case .error(let error): "snd_error \(error.appText)"
        case .warning(let error): "snd_warning \(error.appText)"
        case .invalid(let text): text
        case .unrecognized: "invalid"
        }
    }
}
