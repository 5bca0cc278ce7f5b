import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct PreferencesTests {
    /// Returns the feature items in the events, each with its direction: `directSnd Voice messages: off`.
    private static func featureItems(_ events: [JSONValue]) -> [String] {
        events.filter { $0["type"] == "newChatItems" }.flatMap { $0["chatItems"]?.arrayValue ?? [] }.compactMap {
            item in
            let item = item["chatItem"]
            guard let type = item?["content"]?["type"]?.stringValue,
                type.contains("ChatFeature") || type.contains("ChatPreference")
            else { return nil }
            return "\(type) \(item?["meta"]?["itemText"]?.stringValue ?? "")"
        }
    }

    @Test
    func `Preferences of user and contact are negotiated and shown as in the recording`() async throws {
        let recording = try Fixture.readTranscript("contact-prefs-info")
        let world = try await World()
        var cores: [String: Core] = [:]
        for name in ["alice", "bob"] {
            cores[name] = try await world.core(name)
            try await cores[name]?.createUser(name)
        }
        let (alice, bob) = (try #require(cores["alice"]), try #require(cores["bob"]))
        try await connectUsers(alice, 1, to: bob, 1)
        var told = ["alice": 0, "bob": 0]
        for line in recording where line["dir"] == "cmd" {
            guard let text = line["cmd"]?.stringValue, text.hasPrefix("/_set prefs @4"),
                let name = line["client"]?.stringValue,
                let core = cores[name]
            else { continue }
            let answer = try await core.run(text.replacing("@4", with: "@1"))
            #expect(answer["type"] == "contactPrefsUpdated")
            guard answer["fromContact"]?["userPreferences"] != answer["toContact"]?["userPreferences"] else { continue }
            let other = name == "alice" ? "bob" : "alice"
            told[other, default: 0] += 1
            try await cores[other]?.wait(for: "contactUpdated", count: told[other] ?? 0)
        }
        for (name, core) in cores {
            let theirs = recording.filter { $0["client"]?.stringValue == name && $0["dir"] == "event" }.compactMap {
                $0["json"]
            }
            #expect(Self.featureItems(try await core.events().map(\.event)) == Self.featureItems(theirs), "\(name)")
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The offer of a preference and the withdrawal of the offer are shown as items on both sides`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run(#"/_set prefs @1 {"fullDelete":{"allow":"yes"}}"#)
        try await bob.wait(for: "contactUpdated")
        try await alice.run("/_set prefs @1 {}")
        try await bob.wait(for: "contactUpdated", count: 2)
        for (core, expected) in [
            (alice, ["sndChatPreference you offered Full deletion", "sndChatPreference you cancelled Full deletion"]),
            (bob, ["rcvChatPreference offered Full deletion", "rcvChatPreference cancelled Full deletion"]),
        ] {
            #expect(Self.featureItems(try await core.events().map(\.event)).suffix(2) == expected)
            await core.controller.close()
        }
    }

    @Test
    func `New preferences of a profile reach contacts without own preferences, but a message timer only new contacts`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        try await connectUsers(alice, 1, to: bob, 1)
        try await alice.run(#"/_set prefs @1 {"voice":{"allow":"yes"}}"#)
        let updated = try await alice.run(
            #"/_profile 1 {"displayName":"alice","fullName":"","preferences":{"voice":{"allow":"no"},"timedMessages":{"allow":"yes","ttl":60}}}"#
        )
        // Only one contact gets a change: the first contact has a separate preference for voice messages. The timer is
        // not sent to connected contacts.
        #expect(updated["updateSummary"]?["updateSuccesses"] == 1, "\(updated)")
        try await bob.wait(for: "contactUpdated")
        let contacts = try await bob.run("/_contacts 1")["contacts"]
        #expect(contacts?[0]?["profile"]?["preferences"]?["voice"]?["allow"] == "yes")
        #expect(contacts?[1]?["profile"]?["preferences"]?["voice"]?["allow"] == "no")
        #expect(contacts?[1]?["profile"]?["preferences"]?["timedMessages"]?["ttl"] == nil)
        try await connectUsers(alice, 1, to: bob, 1)
        let third = try await bob.run("/_contacts 1")["contacts"]?[2]
        #expect(third?["profile"]?["preferences"]?["timedMessages"]?["ttl"] == 60)
        for core in [alice, bob] { await core.controller.close() }
    }
}
