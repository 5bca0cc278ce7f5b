import ChatAPI
import ChatModel
import JSON
import TestSupport
import Testing

/// Tests that give the events of recorded clients to models.
@Suite("Recorded conversations")
struct RecordingTests {
    private func followRecording(_ name: String) throws -> [String: Int] {
        var followers: [String: RecordingFollower] = [:]
        for line in try Fixture.readTranscript(name) {
            guard let client = line["client"]?.stringValue else { continue }
            try followers[client, default: RecordingFollower()].follow(line, in: name)
        }
        return followers.values.reduce(into: [:]) { $0.merge($1.comparisonCounts, uniquingKeysWith: +) }
    }

    @Test(arguments: [
        "calls", "chat-settings", "connect-address", "connect-business-address", "connect-invitation",
        "connect-short-link", "contact-prefs-info",
        "group-basic", "group-links", "group-moderation", "group-profile-prefs", "lifecycle", "merged-members",
        "messages-content", "messages-direct",
        "messages-pagination", "notes-folder", "notifications", "offline-reconnect", "receipts-statuses",
        "remote-control", "tags", "users",
    ])
    func `A chat model that applies recorded events has the contents of each later response in the recording`(
        _ name: String
    ) throws {
        _ = try followRecording(name)
    }

    @Test(arguments: [
        ("messages-direct", "items"), ("group-basic", "members"), ("group-basic", "chats"), ("users", "users"),
        ("calls", "calls"),
        ("remote-control", "desktops"), ("tags", "chats"), ("lifecycle", "running"), ("connect-address", "address"),
        ("chat-settings", "ttl"),
    ])
    func `The recordings contain responses to compare with each part of the chat model`(
        _ name: String,
        _ kind: String
    ) throws {
        #expect(try followRecording(name)[kind] ?? 0 > 0)
    }
}
