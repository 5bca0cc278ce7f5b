import ChatAPI
import JSON
import TestSupport
import Testing

/// Every recorded conversation, by the name of its file.
let recordings = [
    "calls", "chat-settings", "connect-address", "connect-business-address", "connect-invitation", "connect-short-link", "console-forms",
    "contact-prefs-info", "database", "diagnostics", "errors-parsing", "errors-state", "errors-unknown-ids", "files-xftp", "group-basic",
    "group-links", "group-moderation", "group-profile-prefs", "lifecycle", "merged-members", "messages-content", "messages-direct",
    "messages-pagination", "network-config", "notes-folder", "notifications", "offline-reconnect", "queue-full-1", "queue-full-2",
    "queue-full-3", "receipts-statuses", "remote-control", "server-outage", "servers", "tags", "themes", "two-copies", "undeliverable", "users",
]

/// Answers whose values have no names; they pass as they are.
private let positional: Set = ["fileTransferStatusXFTP", "fileTransferStatus", "chatItemId"]

@Suite struct RecordingTests {
    @Test("every recorded answer and event is read, and written back as it was", arguments: recordings)
    func roundTrip(name: String) throws {
        for line in try Fixture.transcript(name) {
            guard let json = line["json"], let direction = line["dir"]?.stringValue, json["type"]?.stringValue != "_note" else { continue }
            let number = line["n"]?.integerValue ?? 0
            do {
                let again: JSONValue
                // A refused frame has no correlation id, and so looks like an event.
                if direction == "resp" || json["type"] == "chatCmdError" {
                    let response = try JSONDecoder().decode(ChatResponse.self, from: json)
                    if case .unrecognized = response, !positional.contains(json["type"]?.stringValue ?? "") { Issue.record("\(name):\(number) \(json["type"]?.text ?? "")") }
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

    @Test("an answer of a later core passes through unharmed")
    func unknownTag() throws {
        let json: JSONValue = ["type": "somethingNew", "x": [1, ["type": "y"]]]
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatResponse.self, from: json)) == json)
        #expect(try JSONEncoder().encodeValue(JSONDecoder().decode(ChatEvent.self, from: json)) == json)
    }
}
