import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

/// Profiles and automatic answers that are larger than a message may be.
@Suite(.socketTimeLimit) struct LargeProfileTests {
    private func close(_ cores: Core...) async {
        for core in cores { await core.controller.close() }
    }

    private func profileJSON(_ name: String, imageBytes: Int = 0) -> String {
        let image =
            imageBytes == 0
            ? "" : #","image":"data:image/jpg;base64,\#(Base64.encode(RandomBytes.make(count: imageBytes)))""#
        return #"{"displayName":"\#(name)","fullName":""\#(image)}"#
    }

    @Test
    func `A contact request cannot be accepted while the user's profile is too large to be sent`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        let address = try await alice.run("/_address 1")
        let link = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        #expect(
            try await alice.run("/_profile 1 \(profileJSON("alice", imageBytes: 15000))")["type"]
                == "userProfileUpdated"
        )
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        let refused: JSONValue = ["type": "error", "errorType": ["type": "exception", "message": "large info"]]
        #expect(try await alice.run("/_accept incognito=off 1") == refused)
        await close(alice)
        let again = try await world.core("alice")
        #expect(again.controller.isRunning)
        #expect(try await again.run("/_accept incognito=off 1") == refused)
        #expect(try await again.run("/_profile 1 \(profileJSON("alice"))")["type"] == "userProfileUpdated")
        #expect(try await again.run("/_accept incognito=off 1")["type"] == "acceptingContactRequest")
        try await again.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        await close(again, bob)
    }

    @Test
    func `Neither the joining user nor the inviting user can connect with a profile that is too large to be sent`()
        async throws
    {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        try await bob.run("/_profile 1 \(profileJSON("bob", imageBytes: 15000))")
        #expect(
            try await bob.run("/_connect 1 incognito=off \(link)")["errorType"] == [
                "type": "exception", "message": "large info",
            ]
        )
        try await bob.run("/_profile 1 \(profileJSON("bob"))")
        try await alice.run("/_profile 1 \(profileJSON("alice", imageBytes: 15000))")
        #expect(try await bob.run("/_connect 1 incognito=off \(link)")["type"] == "sentConfirmation")
        #expect(
            try await alice.wait(for: "chatError")[0]["chatError"]?["errorType"] == [
                "type": "exception", "message": "large info",
            ]
        )
        await close(alice, bob)
    }

    @Test
    func `The answer to a change of profile counts the contacts to whom the profile is too large to be sent`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let updated = try await alice.run("/_profile 1 \(profileJSON("alice", imageBytes: 15000))")
        #expect(updated["type"] == "userProfileUpdated")
        #expect(updated["updateSummary"] == ["updateSuccesses": 0, "updateFailures": 1, "changedContacts": []])
        #expect(
            try await alice.wait(for: "chatErrors")[0]["chatErrors"] == [
                ["type": "errorStore", "storeError": ["type": "largeMsg"]]
            ]
        )
        let other = try await alice.run("/_profile 1 \(profileJSON("alice"))")
        #expect(other["updateSummary"]?["updateSuccesses"] == 1)
        await close(alice, bob)
    }

    @Test
    func `A contact is connected even if the automatic reply is too large to be sent`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeStrangers()
        let address = try await alice.run("/_address 1")
        let link = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        let text = String(repeating: "all the same ", count: 2000)
        let settings =
            #"{"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"\#(text)"}}"#
        #expect(try await alice.run("/_address_settings 1 \(settings)")["type"] == "userContactLinkUpdated")
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        #expect(
            try await alice.wait(for: "chatError")[0]["chatError"] == [
                "type": "errorStore", "storeError": ["type": "largeMsg"],
            ]
        )
        try await alice.run("/_send @1 text hello")
        try await waitForText("hello", bob)
        await close(alice, bob)
    }
}
