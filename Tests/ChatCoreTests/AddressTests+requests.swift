import ChatAPI
import ChatProtocol
import ChatStore
import JSON
import Testing
import TestSupport

@testable import Agent
@testable import ChatCore

/// Tests of contact requests to an address.
extension AddressTests {
    @Test
    func `If a contact was deleted but its chat was kept, the contact's next request is reported as already accepted`()
        async throws
    {
        let (alice, bob, link) = try await makeWorldWithAddress()
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        try await alice.run("/_accept incognito=off 1")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        try await alice.run("/_delete @1 entity notify=on")
        try await bob.wait(for: "contactDeletedByContact")
        #expect(try await bob.run("/_connect 1 incognito=off \(link)")["type"] == "sentInvitation")
        let told = try await alice.wait(for: "contactRequestAlreadyAccepted")[0]
        #expect(told["contact"]?["contactStatus"] == "deletedByUser")
        #expect(try await alice.events().count { $0.event["type"] == "receivedContactRequest" } == 1)
        await close(alice, bob)
    }

    @Test
    func `A preference that a user sets for a contact before the connection reaches the contact after the connection`()
        async throws
    {
        let (alice, bob, _) = try await makeWorldWithAddress()
        let short = try #require(
            try await alice.run("/_show_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let plan = try await bob.run("/_connect plan 1 \(short)")
        let data = try #require(plan["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"])
        let link = try #require(plan["connLink"]?["connFullLink"]?.stringValue)
        #expect(try await bob.run("/_prepare contact 1 \(link) \(short) \(data.text)")["type"] == "newPreparedChat")
        #expect(try await bob.run("/_connect contact @1 incognito=off")["type"] == "startedConnectionToContact")
        let set = try await bob.run(#"/_set prefs @1 {"voice":{"allow":"no"}}"#)
        #expect(set["type"] == "contactPrefsUpdated")
        #expect(try await bob.wait(for: "chatError")[0]["chatError"]?["errorType"]?["type"] == "contactNotReady")
        let item = try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["content"]
        #expect(item?["type"] == "sndChatFeature" && item?["feature"] == "voice")
        try await alice.wait(for: "receivedContactRequest")
        try await alice.run("/_accept incognito=off 1")
        try await alice.wait(for: "contactConnected")
        #expect(
            try await alice.run("/_contacts 1")["contacts"]?[0]?["mergedPreferences"]?["voice"]?["contactPreference"]?[
                "allow"
            ] == "no"
        )
        await close(alice, bob)
    }

    @Test
    func `A rejected contact request is deleted, and the sender's next request counts as a new request`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        let rejected = try await alice.run("/_reject 1")
        #expect(rejected["type"] == "contactRequestRejected")
        #expect(rejected["contact_"]?["localDisplayName"] == "bob")
        for command in ["/_reject 1", "/_accept incognito=off 1", "/_accept incognito=off 77"] {
            #expect(try await alice.run(command).errorType == "contactRequestNotFound")
        }
        #expect(try await alice.run("/_contacts 1")["contacts"] == [])
        try await bob.run("/_connect 1 incognito=off \(link)")
        let requests = try await alice.wait(for: "receivedContactRequest", count: 2).map { $0["contactRequest"] }
        #expect(requests[0]?["contactRequestId"] != requests[1]?["contactRequestId"])
        #expect(requests[0]?["xContactId"] == requests[1]?["xContactId"])
        // Deleting the contact rejects the request, so the request can no longer be accepted.
        #expect(try await alice.run("/_delete @2 full notify=on")["type"] == "contactDeleted")
        #expect(try await alice.run("/_accept incognito=off 2").errorType == "contactRequestNotFound")
        let kept = try await alice.controller.services.agent.database.read { db in
            try db.query("SELECT 1 AS one FROM invitations").count
        }
        #expect(kept == 0)
        await close(alice, bob)
    }

    @Test(arguments: [false, true])
    func `The rejection of an accepted contact request deletes the contact, its chat and its connection`(
        isConnected: Bool
    ) async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        if !isConnected { try await bob.run("/_stop") }
        #expect(try await alice.run("/_accept incognito=off 1")["type"] == "acceptingContactRequest")
        if isConnected { try await alice.wait(for: "contactConnected") }
        let rejected = try await alice.run("/_reject 1")
        #expect(rejected["type"] == "contactRequestRejected", "\(rejected)")
        #expect(rejected["contactRequest"]?["contactRequestId"] == 1)
        #expect((rejected["contact_"]?["activeConn"]?["connStatus"]?["type"] == "ready") == isConnected)
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await alice.run("/_contacts 1")["contacts"] == [])
        #expect(try await alice.run("/_get chat @1 count=1").errorType == "contactNotFound")
        #expect(try await alice.run("/_reject 1").errorType == "contactRequestNotFound")
        let left = try await alice.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM chat_items WHERE chat_type = 0 AND chat_id = 1")?.int64("n")
        }
        #expect(left == 0)
        await close(alice, bob)
    }

    @Test
    func `A repeated contact request replaces the sender's first request`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "receivedContactRequest")
        try await bob.run(#"/_profile 1 {"displayName":"robert","fullName":""}"#)
        try await bob.run("/_connect 1 incognito=off \(link)")
        let requests = try await alice.wait(for: "receivedContactRequest", count: 2).map { $0["contactRequest"] }
        #expect(requests[1]?["contactRequestId"] == 1)
        #expect(requests[1]?["localDisplayName"] == "robert")
        #expect(requests[0]?["agentInvitationId"] != requests[1]?["agentInvitationId"])
        #expect(try await requestCount(at: alice) == 1)
        try await alice.run("/_accept incognito=off 1")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        #expect(try await bob.run("/_get chats 1 pcc=on").chatTypes.count == 2)
        await close(alice, bob)
    }

    @Test
    func `A contact request after the deletion of the contact counts as a new request`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        for count in 1...2 {
            try await bob.run("/_connect 1 incognito=off \(link)")
            try await alice.wait(for: "receivedContactRequest", count: count)
        }
        try await alice.run("/_accept incognito=off 1")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        let contact = try #require(try await bob.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
        #expect(try await bob.run("/_delete @\(contact) full notify=on")["type"] == "contactDeleted")
        #expect(try await bob.run("/_get chats 1 pcc=on").chatTypes.contains("contactConnection") == false)
        try await bob.run("/_connect 1 incognito=off \(link)")
        let requests = try await alice.wait(for: "receivedContactRequest", count: 3).map { $0["contactRequest"] }
        #expect(
            requests[0]?["xContactId"] == requests[1]?["xContactId"]
                && requests[1]?["xContactId"] != requests[2]?["xContactId"]
        )
        await close(alice, bob)
    }

    @Test
    func `A repeated contact request replaces or deletes the message of the sender's earlier request`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        let user = try #require(try await bob.controller.store.read { db in try UserRecord.find(1, in: db) })
        let attempt = JoinAttempt(
            request: try ConnectionRequest(parsing: link),
            isIncognito: false,
            requestID: SharedMessageID(bytes: ContactRequestID.random())
        )
        let command = bob.controller.makeRunningCommand(
            CommandContext(
                .contacts(.connect(userId: 1, incognito: false, connLink: CreatedConnLink(connFullLink: link)))
            )
        )
        let said = SharedMessageID.random()
        let messages: [JSONValue?] = [
            ["type": "text", "text": "hello"], ["type": "text", "text": "hello again"], nil,
        ]
        for (number, message) in messages.enumerated() {
            _ = try await command.sendRequest(attempt, message: message.map { (said, $0) }, user: user)
            let told = try await alice.wait(for: "receivedContactRequest", count: number + 1)[number]
            #expect(told["contactRequest"]?["contactRequestId"] == 1)
            #expect(told["chat_"]?["chatItems"]?[0]?["meta"]?["itemText"] == message?["text"])
        }
        let updated = try await alice.wait(for: "chatItemUpdated")
        #expect(updated.count == 1 && updated[0]["chatItem"]?["chatItem"]?["meta"]?["itemEdited"] == true)
        let deleted = try await alice.wait(for: "chatItemsDeleted")
        #expect(deleted.count == 1 && deleted[0]["byUser"] == false)
        #expect(try await requestCount(at: alice) == 1)
        await close(alice, bob)
    }

    /// Returns the number of contacts that have sent a request and are not connected.
    private func requestCount(at core: Core) async throws -> Int {
        let chats = try await core.run("/_get chats 1 pcc=on")["chats"]?.arrayValue ?? []
        return chats.filter { $0["chatInfo"]?["contact"]?["contactRequestId"] != nil }.count
    }
}
