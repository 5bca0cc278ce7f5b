import ChatAPI
import JSON
import TestSupport
import Testing

/// The file name of every conversation recorded with the current core.
let recordings = [
    "business-v7", "calls", "channel-basic", "channel-moderation", "channel-relays", "channel-web", "chat-settings",
    "connect-address",
    "connect-business-address", "connect-invitation", "connect-short-link", "console-forms", "contact-prefs-info",
    "database",
    "diagnostics", "direct-v7", "errors-parsing", "errors-state", "errors-unknown-ids", "files-v7", "files-xftp",
    "group-basic",
    "group-links", "group-moderation", "group-profile-prefs", "group-v7", "lifecycle", "merged-members",
    "messages-content",
    "messages-direct", "messages-pagination", "network-config", "notes-folder", "notifications", "offline-reconnect",
    "receipts-statuses",
    "remote-control", "servers", "tags", "themes", "two-copies", "undeliverable", "users",
]

/// Types of answers whose values have no names. They pass through unchanged.
private let positional: Set = ["chatItemId"]

@Suite struct RecordingTests {
    @Test("Every recorded answer and event is decoded, and encoded to the same JSON", arguments: recordings)
    func roundTrip(name: String) throws {
        for line in try Fixture.transcript(name) {
            guard let json = line["json"], let direction = line["dir"]?.stringValue,
                json["type"]?.stringValue != "_note"
            else { continue }
            let number = line["n"]?.integerValue ?? 0
            do {
                let again: JSONValue
                // The error for a refused frame has no correlation id, and so looks like an event.
                if direction == "resp" || json["type"] == "chatCmdError" {
                    let response = try JSONDecoder().decode(ChatResponse.self, from: json)
                    if case .unrecognized = response, !positional.contains(json["type"]?.stringValue ?? "") {
                        Issue.record("\(name):\(number) \(json["type"]?.text ?? "")")
                    }
                    again = try JSONEncoder().encodeValue(response)
                } else {
                    let event = try JSONDecoder().decode(ChatEvent.self, from: json)
                    if case .unrecognized = event { Issue.record("\(name):\(number) \(json["type"]?.text ?? "")") }
                    again = try JSONEncoder().encodeValue(event)
                }
                if again != json { Issue.record("\(name):\(number) \(difference(json, again) ?? "")") }
            } catch { Issue.record("\(name):\(number) \(error)") }
        }
    }

    @Test("An answer of a later core passes through unchanged")
    func unknownTag() throws {
        let json: JSONValue = ["type": "somethingNew", "x": [1, ["type": "y"]]]
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatResponse.self, from: json)) == json)
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatEvent.self, from: json)) == json)
    }

    @Test(
        "Unknown members of a later core pass through unchanged in any place",
        arguments: [
            "users", "messages-direct", "connect-address", "group-basic", "files-xftp", "servers", "diagnostics",
            "errors-state",
        ]
    )
    func unknownMembers(name: String) throws {
        let maps = try CatalogueSamples.all.get().maps
        for line in try Fixture.transcript(name) where line["dir"] == "resp" || line["dir"] == "event" {
            guard let json = line["json"], json["type"]?.stringValue != "_note" else { continue }
            let later = withMore(json, maps)
            let isResponse = line["dir"] == "resp" || json["type"] == "chatCmdError"
            do {
                let again =
                    isResponse
                    ? try JSONEncoder().encodeValue(JSONDecoder().decode(Verbatim<ChatResponse>.self, from: later))
                    : try JSONEncoder().encodeValue(JSONDecoder().decode(Verbatim<ChatEvent>.self, from: later))
                if again != later { Issue.record("\(line["n"]?.text ?? ""): \(difference(later, again) ?? "")") }
            } catch { Issue.record("\(line["n"]?.text ?? ""): \(error)") }
        }
    }

    @Test("Unknown members of a later core are kept when known members are changed")
    func unknownMembersOfChanged() throws {
        let json: JSONValue = [
            "type": "chatTags", "user": ["x": 1], "userTags": [["chatTagId": 1, "chatTagText": "a", "colour": "red"]],
            "more": [1],
        ]
        var user = try #require(
            try Fixture.transcript("users").lazy.compactMap { $0["json"]?["user"]?.objectValue }.first
        )
        user["x"] = 1
        var object = try #require(json.objectValue)
        object["user"] = .object(user)
        var value = try JSONDecoder().decode(Verbatim<ChatResponse>.self, from: .object(object))
        guard case .chatTags(let known, var tags) = value.value else {
            Issue.record("\(value.value)")
            return
        }
        tags[0].chatTagText = "b"
        value.value = .chatTags(user: known, userTags: tags)
        var again = try JSONEncoder().encodeValue(value)
        #expect(again["userTags"]?[0] == ["chatTagId": 1, "chatTagText": "b", "colour": "red"])
        #expect(again["user"]?["x"] == 1 && again["more"] == [1])
        value.value = .chatTags(user: known, userTags: [])
        again = try JSONEncoder().encodeValue(value)
        #expect(again["userTags"] == [] && again["more"] == [1])
    }

    /// Returns the value with one more member in each object, except in objects with arbitrary names.
    private func withMore(_ json: JSONValue, _ maps: Set<String>) -> JSONValue {
        switch json {
        case .object(var object):
            for (key, value) in object where !maps.contains(key) { object[key] = withMore(value, maps) }
            object["of a later core"] = ["x": [1, nil]]
            return .object(object)
        case .array(let array): return .array(array.map { withMore($0, maps) })
        default: return json
        }
    }
}
