import Agent
import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite(.socketTimeLimit) struct AddressTests {
    /// Makes two cores with one user each, and an address of the first user.
    func makeWorldWithAddress() async throws -> (alice: Core, bob: Core, link: String) {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        let answer = try await alice.run("/_address 1")
        #expect(answer["type"] == "userContactLinkCreated", "\(answer)")
        return (alice, bob, try #require(answer["connLinkContact"]?["connFullLink"]?.stringValue))
    }

    func close(_ cores: Core...) async { for core in cores { await core.controller.close() } }

    func planConnection(_ core: Core, _ link: String) async throws -> JSONValue? {
        try await core.run("/_connect plan 1 \(link)")["connectionPlan"]?["contactAddressPlan"]?["type"]
    }

    @Test
    func `A user has at most one address, and an address is not found after its deletion`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        #expect(try await bob.run("/_show_address 1").errorType == "userContactLinkNotFound")
        #expect(try await bob.run("/_delete_address 1").errorType == "userContactLinkNotFound")
        #expect(try await bob.run("/_profile_address 1 on").errorType == "userContactLinkNotFound")
        #expect(try await alice.run("/_address 1").errorType == "duplicateContactLink")
        let shown = try await alice.run("/_show_address 1")
        #expect(shown["type"] == "userContactLink")
        #expect(shown["contactLink"]?["connLinkContact"]?["connFullLink"] == .string(link))
        #expect(shown["contactLink"]?["addressSettings"] == ["businessAddress": false])
        let profile = try await alice.run("/_profile_address 1 on")
        let short = shown["contactLink"]?["connLinkContact"]?["connShortLink"]
        #expect(short != nil && profile["toProfile"]?["contactLink"] == short)
        #expect(try await alice.run("/_profile_address 1 on")["type"] == "userProfileNoChange")
        let deleted = try await alice.run("/_delete_address 1")
        #expect(deleted["type"] == "userContactLinkDeleted")
        #expect(deleted["user"]?["profile"]?["contactLink"] == nil)
        #expect(try await alice.run("/_show_address 1").errorType == "userContactLinkNotFound")
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await bob.run("/_connect 1 incognito=off \(link)")["agentError"]?["smpErr"]?["type"] == "AUTH")
        #expect(try await alice.run("/_address 1")["type"] == "userContactLinkCreated")
        await close(alice, bob)
    }

    @Test
    func `The connection plan of an address shows each step of connecting until the address's owner is a contact`()
        async throws
    {
        let (alice, bob, link) = try await makeWorldWithAddress()
        #expect(try await planConnection(alice, link) == "ownLink")
        #expect(try await planConnection(bob, link) == "ok")
        let sent = try await bob.run("/_connect 1 incognito=off \(link)")
        #expect(sent["type"] == "sentInvitation")
        #expect(sent["connection"]?["pccConnStatus"] == ["type": "joined"])
        #expect(sent["connection"]?["viaContactUri"] == true)
        #expect(sent["connection"]?["connLinkInv"] == nil)
        #expect(try await planConnection(bob, link) == "connectingConfirmReconnect")
        let request = try await alice.wait(for: "receivedContactRequest")[0]["contactRequest"]
        #expect(request?["contactRequestId"] == 1)
        #expect(request?["contactId_"] == 1)
        #expect(request?["localDisplayName"] == "bob")
        let chats = try await alice.run("/_get chats 1 pcc=on")["chats"]
        #expect(chats?[0]?["chatInfo"]?["contact"]?["contactRequestId"] == 1)
        #expect(try await alice.run("/_contacts 1")["contacts"] == [], "The contact has no connection yet.")
        #expect(try await alice.run("/_send @1 text hello").errorType == "contactNotReady")
        let accepting = try await alice.run("/_accept incognito=off 1")
        #expect(accepting["type"] == "acceptingContactRequest")
        #expect(accepting["contact"]?["activeConn"]?["viaUserContactLink"] == 1)
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        #expect(try await planConnection(bob, link) == "known")
        let again = try await bob.run("/_connect 1 incognito=off \(link)")
        #expect(again["type"] == "contactAlreadyExists")
        #expect(again["contact"]?["activeConn"]?["xContactId"] == request?["xContactId"])
        try await alice.run("/_send @1 text hello")
        try await bob.run("/_send @1 text hi")
        try await waitForText("hello", bob)
        try await waitForText("hi", alice)
        try await alice.run("/_delete_address 1")
        let connected = try await alice.run("/_contacts 1")["contacts"]?[0]
        #expect(connected?["localDisplayName"] == "bob")
        #expect(
            connected?["activeConn"]?["viaUserContactLink"] == nil,
            "The address is deleted, and another address may get its number."
        )
        await close(alice, bob)
    }

    @Test
    func `A connection plan verifies the owner's signature on a shared address`() async throws {
        let (alice, bob, _) = try await makeWorldWithAddress()
        try await connectUsers(alice, 1, to: bob, 1)
        #expect(try await bob.run("/_share address @1").errorType == "userContactLinkNotFound")
        #expect(try await alice.run("/_share address @7").errorType == "contactNotFound")
        let card = try #require(try await alice.run("/_share address @1")["msgContent"])
        let link = try #require(card["chatLink"]?["connLink"]?.stringValue)
        #expect(card["text"]?.stringValue == link && card["chatLink"]?["type"] == "contact")
        _ = try await alice.run("/_send @1 json [{\"msgContent\":\(card.text),\"mentions\":{}}]")
        try await waitForText(link, bob)
        let received = try await bob.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["content"]?["msgContent"]
        #expect(received == card)
        let signature = try #require(card["ownerSig"])
        #expect(signature["ownerId"] == nil)
        func verification(_ link: String, _ signature: JSONValue) async throws -> JSONValue? {
            let plan = try await bob.run("/_connect plan 1 \(link) sig=\(signature.text)")["connectionPlan"]?[
                "contactAddressPlan"
            ]
            return plan?["type"] == "ok" ? plan?["ownerVerification"] : plan
        }
        #expect(try await verification(link, signature) == ["type": "verified"])
        for (member, value) in [("chatBinding", "RA=="), ("ownerSig", "AAAA"), ("ownerSig", "no base64!")] {
            var changed = try #require(signature.objectValue)
            changed[member] = .string(value)
            #expect(
                try await verification(link, .object(changed)) == [
                    "type": "failed", "reason": "the signature is not valid",
                ]
            )
        }
        var changed = try #require(signature.objectValue)
        changed["ownerId"] = "AAAA"
        #expect(try await verification(link, .object(changed)) == ["type": "failed", "reason": "unknown owner ID"])
        #expect(
            try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["contactAddressPlan"]?["ownerVerification"]
                == nil
        )
        await close(alice, bob)
    }

    @Test
    func `An address that is forwarded to another chat loses the owner's signature`() async throws {
        let (alice, bob, _) = try await makeWorldWithAddress()
        try await connectUsers(alice, 1, to: bob, 1)
        let card = try #require(try await alice.run("/_share address @1")["msgContent"])
        let sent = try await alice.run("/_send @1 json [{\"msgContent\":\(card.text),\"mentions\":{}}]")
        let id = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
        func forwarded(to chat: String) async throws -> JSONValue? {
            try await alice.run("/_forward \(chat) @1 \(id)")["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]
        }
        #expect(try await forwarded(to: "@1") == card)
        let notes = try await forwarded(to: "*1")
        #expect(notes?["type"] == "chat" && notes?["ownerSig"] == nil)
        await close(alice, bob)
    }

    @Test
    func `Events about the agent's connection for an address contain the address`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        try await connectUsers(alice, 1, to: bob, 1)
        let address = try #require(
            try await alice.controller.store.read { db in try AddressRecord.find(user: 1, in: db) }
        )
        let id = try #require(ConnectionID(text: address.agentConnId))
        try await alice.controller.handleAgentEvents([
            .error(id, .smp(server: "smp://a", .auth)), .subscriptionEnded(id), .down(server: "smp://a", [id]),
        ])
        let error = try #require(try await alice.wait(for: "chatError").last?["chatError"])
        #expect(error["type"] == "errorAgent")
        #expect(error["agentConnId"] == .string(id.api))
        let entity = try #require(error["connectionEntity_"])
        #expect(entity["type"] == "userContactConnection")
        #expect(entity["userContact"] == ["userContactLinkId": 1, "connReqContact": .string(link)])
        let connection = entity["entityConnection"]
        #expect(
            connection?["connType"] == "user_contact" && connection?["entityId"] == 1
                && connection?["agentConnId"] == .string(id.api)
        )
        #expect(connection?["connStatus"]?["type"] == "new")
        // The number in the event must not be the number of another connection.
        let others = try await alice.controller.store.read { db in
            try db.query("SELECT connection_id FROM connections").map { try $0.int64("connection_id") }
        }
        #expect(others.count == 1 && connection?["connId"] != .integer(others[0]))
        let ended = try await alice.wait(for: "subscriptionEnd", user: 1)
        #expect(ended.map { $0["connectionEntity"] } == [entity])
        let down = try await alice.waitForSubscription("pending")
        #expect(down.map { $0["connections"] } == [[.string(id.api)]])
        await close(alice, bob)
    }

    @Test
    func `An address that accepts requests automatically sends a new contact the automatic reply once`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        let settings =
            #"{"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"welcome"}}"#
        let updated = try await alice.run("/_address_settings 1 \(settings)")
        #expect(updated["type"] == "userContactLinkUpdated")
        #expect(try updated["contactLink"]?["addressSettings"] == JSONValue(parsing: settings))
        try await bob.run("/_connect 1 incognito=off \(link)")
        try await alice.wait(for: "acceptingContactRequest")
        try await alice.wait(for: "contactSndReady")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        try await waitForText("welcome", bob)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts.filter { $0 == "welcome" } == ["welcome"])
        #expect(try await alice.events().allSatisfy { $0.event["type"] != "receivedContactRequest" })
        await close(alice, bob)
    }

    @Test
    func `If the owner's profile changes, the data of the short link of the owner's address change too`() async throws {
        let (alice, bob, full) = try await makeWorldWithAddress()
        let short = try #require(
            try await alice.run("/_show_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        func shown() async throws -> JSONValue? {
            try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?[
                "contactSLinkData_"
            ]?["profile"]?["displayName"]
        }
        try await alice.run(#"/_profile 1 {"displayName":"alicia","fullName":""}"#)
        try await waitUntil("the link data follow the profile") {
            try await alice.controller.store.read { db in try AddressRecord.findStale(in: db).isEmpty }
        }
        #expect(try await shown() == "alicia")
        let again = try await alice.run("/_short_link_address 1")
        #expect(again["contactLink"]?["connLinkContact"]?["connShortLink"] == .string(short))

        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE user_addresses SET conn_short_link = NULL")
        }
        #expect(try await alice.run("/_show_address 1")["contactLink"]?["shortLinkDataSet"] == false)
        #expect(
            try await alice.run("/_short_link_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]
                == .string(short)
        )
        #expect(try await bob.run("/_connect plan 1 \(short)")["connLink"]?["connFullLink"] == .string(full))
        await close(alice, bob)
    }
}
