import ChatAPI
import JSON
import TestSupport
import Testing

/// The file name of every conversation recorded with the current core.
let recordingNames = [
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
private let positionalTypes: Set = ["chatItemId"]

@Suite struct RecordingTests {
    @Test(arguments: recordingNames)
    func `Every recorded response and event of the original is decoded, and encoded to the same JSON`(
        name: String
    ) throws {
        for line in try Fixture.readTranscript(name) {
            guard let json = line["json"], let direction = line["dir"]?.stringValue,
                json["type"]?.stringValue != "_note"
            else { continue }
            let number = line["n"]?.integerValue ?? 0
            do {
                let again: JSONValue
                // The error for a refused frame has no correlation id, and so looks like an event.
                if direction == "resp" || json["type"] == "chatCmdError" {
                    let response = try JSONDecoder().decode(ChatResponse.self, from: json)
                    if case .unrecognized = response, !positionalTypes.contains(json["type"]?.stringValue ?? "") {
                        Issue.record("\(name):\(number) \(json["type"]?.text ?? "")")
                    }
                    again = try JSONEncoder().encodeValue(response)
                } else {
                    let event = try JSONDecoder().decode(ChatEvent.self, from: json)
                    if case .unrecognized = event { Issue.record("\(name):\(number) \(json["type"]?.text ?? "")") }
                    again = try JSONEncoder().encodeValue(event)
                }
                if again != json { Issue.record("\(name):\(number) \(findDifference(json, again) ?? "")") }
            } catch { Issue.record("\(name):\(number) \(error)") }
        }
    }

    @Test
    func `A response of a type that only a newer core has is decoded and encoded unchanged`() throws {
        let json: JSONValue = ["type": "somethingNew", "x": [1, ["type": "y"]]]
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatResponse.self, from: json)) == json)
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatEvent.self, from: json)) == json)
    }
}
