import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct ContactsTests {
    @Test
    func `Connecting two contacts emits the recorded events in order on both sides`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        for core in [alice, bob] {
            try await core.wait(for: "newChatItems", count: 3)
            let events = try await core.events().map(\.event).filter {
                !["connectionsDiff", "subscriptionStatus"].contains($0["type"])
            }
            #expect(
                events.compactMap { $0["type"]?.stringValue } == [
                    "contactConnecting", "contactConnected", "newChatItems", "newChatItems", "newChatItems",
                ]
            )
            let chat = try await core.run("/_get chat @1 count=20")
            #expect(
                chat.itemTexts == [
                    "chat banner",
                    """
                    This conversation is protected by quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation and \
                    quantum resistant break-in recovery.
                    """,
                    "Disappearing messages: allowed", "Full deletion: off", "Message reactions: enabled",
                    "Voice messages: enabled",
                    "Audio/video calls: enabled",
                ]
            )
        }
        let contact = try await alice.run("/_contacts 1")["contacts"]?[0]
        #expect(contact?["contactId"] == 1)
        #expect(contact?["localDisplayName"] == "bob")
        #expect(contact?["activeConn"]?["connStatus"]?["type"] == "ready")
        #expect(contact?["activeConn"]?["contactConnInitiated"] == false)
        for flag in ["pqSupport", "pqEncryption", "pqSndEnabled", "pqRcvEnabled"] {
            #expect(contact?["activeConn"]?[flag] == true)
        }
        #expect(contact?["activeConn"]?["peerChatVRange"] == ["minVersion": 1, "maxVersion": 19])
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `The connection plan of an invitation is 'ownLink' for its owner and 'ok' for another user`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        func plan(_ core: Core) async throws -> JSONValue? {
            try await core.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]?["type"]
        }
        #expect(try await plan(alice) == "ownLink")
        #expect(try await plan(bob) == "ok")
        let pending = try await alice.run("/_get chats 1 pcc=on")["chats"]?[0]?["chatInfo"]
        #expect(pending?["type"] == "contactConnection")
        #expect(try await alice.run("/_set alias :1 for bob")["toConnection"]?["localAlias"] == "for bob")
        #expect(
            try await alice.run("/_get chat :1 count=10")
                == ["type": "error", "errorType": ["type": "commandError", "message": "not supported"]]
        )
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        #expect(try await alice.run("/_contacts 1")["contacts"]?[0]?["profile"]?["localAlias"] == "for bob")
        let third = try await world.core("carol")
        try await third.createUser("carol")
        let refused = try await third.run("/_connect 1 incognito=off \(link)")
        #expect(refused["type"] == "errorAgent")
        #expect(refused["agentConnId"] == "")
        #expect(try await third.run("/_get chats 1 pcc=on").chatTypes == [])
        #expect(
            try await third.run("/_connect 1 incognito=off simplex:/invitation#/?v=2-7&smp=nonsense").errorType
                == "invalidConnReq"
        )
        for core in [alice, bob, third] { await core.controller.close() }
    }

    @Test
    func `A contact that a user deletes gets an event about the deletion, and cannot send to this user`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        #expect(try await alice.run("/_delete @1 full notify=on")["type"] == "contactDeleted")
        #expect(try await alice.run("/_contacts 1")["contacts"] == [])
        let told = try await bob.wait(for: "contactDeletedByContact").last
        #expect(told?["contact"]?["contactStatus"] == "deleted")
        #expect(try await bob.run("/_send @1 text gone").errorType == "contactNotReady")
        #expect(try await bob.run("/_delete @1 entity notify=off")["contact"]?["contactStatus"] == "deletedByUser")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A changed preference and a changed profile of a user reach the contact`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await alice.run(#"/_set prefs @1 {"timedMessages":{"allow":"yes","ttl":3600}}"#)
        let updated = try await bob.wait(for: "contactUpdated").last
        #expect(
            updated?["toContact"]?["mergedPreferences"]?["timedMessages"]?["contactPreference"] == [
                "allow": "yes", "ttl": 3600,
            ]
        )
        #expect(try await bob.run("/_get chat @1 count=1").itemTexts == ["Disappearing messages: enabled (1 hour)"])
        #expect(try await alice.run("/_get chat @1 count=1").itemTexts == ["Disappearing messages: enabled (1 hour)"])
        let answer = try await alice.run(#"/_profile 1 {"displayName":"alice2","fullName":"Alice"}"#)
        #expect(answer["updateSummary"]?["updateSuccesses"] == 1)
        try await bob.wait(for: "contactUpdated", count: 2)
        #expect(try await bob.run("/_contacts 1")["contacts"]?[0]?["localDisplayName"] == "alice2")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A second command to connect with the link of a pending connection is refused, and the connection stays`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        await alice.controller.stop()
        #expect(
            try await bob.run("/_connect 1 incognito=off \(link)")["connection"]?["pccConnStatus"] == [
                "type": "sndReady"
            ]
        )
        let again = try await bob.run("/_connect 1 incognito=off \(link)")
        let reason: JSONValue = "the link is in use: connection, status: ConnSndReady"
        #expect(again["errorType"] == ["type": "commandError", "message": reason])
        try await alice.controller.start()
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        #expect(try await bob.run("/_get chats 1 pcc=on").chatTypes == ["direct"])
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test(arguments: [
        ("/_get chat @99 count=1", "contactNotFound"), ("/_get item info @1 999", "contactNotFound"),
        ("/_send @99 text x", "contactNotFound"), ("/_delete item @99 1 internal", "contactNotFound"),
        ("/_read chat @99", "userNotFoundByContactId"), ("/_read chat items @99 1", "userNotFoundByContactId"),
        ("/_unread chat @99 on", "contactNotFound"), ("/_delete @99 full notify=on", "contactNotFound"),
        ("/_delete :99 full notify=on", "pendingConnectionNotFound"), ("/_clear chat @99", "contactNotFound"),
        ("/_info @99", "contactNotFound"), ("/_set alias @99 x", "contactNotFound"),
        ("/_set alias :99 x", "pendingConnectionNotFound"),
        ("/_set prefs @99 {}", "contactNotFound"),
    ])
    func `Commands with unknown ids fail with the recorded errors`(command: String, error: String) async throws {
        let core = try await World().core("alone")
        try await core.createUser("alice")
        #expect(try await core.run(command).errorType == error)
        await core.controller.close()
    }
}
