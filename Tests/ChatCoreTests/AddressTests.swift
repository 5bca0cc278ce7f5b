import ChatAPI
import ChatProtocol
import Foundation
import JSON
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore

@Suite(.socketTimeLimit) struct AddressTests {
    /// Makes two cores with one user each, and an address of the first user.
    private func makeWorldWithAddress() async throws -> (alice: Core, bob: Core, link: String) {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        let answer = try await alice.run("/_address 1")
        #expect(answer["type"] == "userContactLinkCreated", "\(answer)")
        return (alice, bob, try #require(answer["connLinkContact"]?["connFullLink"]?.stringValue))
    }

    private func close(_ cores: Core...) async { for core in cores { await core.controller.close() } }

    private func planConnection(_ core: Core, _ link: String) async throws -> JSONValue? {
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
    func `The connection plan of an address shows each step until its owner is a known contact`() async throws {
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
    func `The signature of an address that is shared in a message is verified`() async throws {
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
    func `An address that is forwarded to another chat has no signature`() async throws {
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
    func `A request of a contact who was deleted without the chat is reported as already accepted`() async throws {
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
    func `A preference set before a contact is connected reaches the contact after the connection`() async throws {
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
    func `A rejected request is deleted, and the sender's next request counts as a new request`() async throws {
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
        // Deleting the contact has the effect of a rejection.
        #expect(try await alice.run("/_delete @2 full notify=on")["type"] == "contactDeleted")
        #expect(try await alice.run("/_accept incognito=off 2").errorType == "contactRequestNotFound")
        let kept = try await alice.controller.services.agent.database.read { db in
            try db.query("SELECT 1 AS one FROM invitations").count
        }
        #expect(kept == 0)
        await close(alice, bob)
    }

    @Test
    func `Events about the connection that receives an address's requests contain the address`() async throws {
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
        // No other connection has this number.
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

    @Test(arguments: [false, true])
    func `A rejection of an accepted request deletes its contact, chat and connection`(isConnected: Bool) async throws {
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
    func `A repeated contact request replaces the first request`() async throws {
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
    func `A request after the deletion of the contact counts as a new request`() async throws {
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
    func `A repeated request replaces or deletes the message of the earlier request`() async throws {
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

    @Test
    func `An address that accepts automatically sends its automatic reply once`() async throws {
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
    func `A short link shows its owner's profile and the full link of the same address`() async throws {
        let (alice, bob, link) = try await makeWorldWithAddress()
        let shown = try await alice.run("/_show_address 1")["contactLink"]
        #expect(shown?["shortLinkDataSet"] == true)
        let short = try #require(shown?["connLinkContact"]?["connShortLink"]?.stringValue)
        #expect(try await planConnection(alice, short) == "ownLink")
        // The app shows links with the scheme `simplex:`.
        var shownInChats = try ShortLink(parsing: short)
        shownInChats.scheme = .simplex
        #expect(try await planConnection(alice, shownInChats.uri) == "ownLink")
        #expect(
            try await bob.run("/_connect plan 1 \(shownInChats.uri)")["connLink"]?["connShortLink"] == .string(short)
        )
        let planned = try await bob.run("/_connect plan 1 \(short)")
        #expect(planned["connLink"]?["connFullLink"] == .string(link))
        let data = planned["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"]
        #expect(data?["profile"]?["displayName"] == "alice" && data?["business"] == false)
        try await alice.run(#"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"hi"}}"#)
        let changed = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?[
            "contactSLinkData_"
        ]
        #expect(changed?["message"] == ["type": "text", "text": "hi"])
        #expect(try await bob.run("/_connect 1 incognito=off \(short)")["type"] == "sentInvitation")
        try await alice.wait(for: "receivedContactRequest")
        #expect(try await planConnection(bob, short) == "connectingConfirmReconnect")
        #expect(try await planConnection(bob, link) == "connectingConfirmReconnect")
        await close(alice, bob)
    }

    @Test
    func `Settings that are changed while the link data are written make the link need another write`() async throws {
        let (alice, bob, _) = try await makeWorldWithAddress()
        let store = alice.controller.store
        let (user, before) = try await store.read { db in
            let user = try #require(try UserRecord.find(1, in: db))
            return (user, try AddressRecord.get(user: user, in: db))
        }
        // The worker writes the link with the earlier settings, while a command writes and stores new settings.
        try await alice.run(#"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"hi"}}"#)
        let needsWrite = try await store.write { tx in
            try tx.db.execute("UPDATE user_addresses SET link_data_stale = 1")
            try before.markLinkDataWritten(of: user, tx)
            return try !AddressRecord.findStale(in: tx.db).isEmpty && tx.followUp.contains(.linkData)
        }
        #expect(needsWrite)
        await close(alice, bob)
    }

    @Test
    func `Settings that are stored after the worker has written the earlier ones make the link need another write`()
        async throws
    {
        let (alice, bob, _) = try await makeWorldWithAddress()
        let store = alice.controller.store
        let needsWrite = try await store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let address = try AddressRecord.get(user: user, in: tx.db)
            // A command has written new settings to the link, and then the worker the settings that are still stored.
            try AddressRecord.markLinkDataStale(of: user, isUnderway: true, tx)
            #expect(try AddressRecord.findStale(in: tx.db).count == 1 && !tx.followUp.contains(.linkData))
            try address.markLinkDataWritten(of: user, tx)
            #expect(try AddressRecord.findStale(in: tx.db).isEmpty)
            try address.storeSettings(AddressSettings(businessAddress: true), of: user, tx)
            return try !AddressRecord.findStale(in: tx.db).isEmpty && tx.followUp.contains(.linkData)
        }
        #expect(needsWrite)
        try await waitUntil("the link data are written") {
            try await store.read { db in try AddressRecord.findStale(in: db).isEmpty }
        }
        let short = try #require(
            try await alice.run("/_show_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]?.stringValue
        )
        let shown = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]?[
            "contactSLinkData_"
        ]
        #expect(shown?["business"] == true)
        await close(alice, bob)
    }

    @Test
    func `The data of an address's short link change with the profile of the owner`() async throws {
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

    @Test
    func `Only the first user who reads the short link of an invitation can connect`() async throws {
        let world = try await World()
        let (alice, bob, carol) = (
            try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
        )
        for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
        let made = try await alice.run("/_connect 1 incognito=off")
        let short = try #require(made["connLinkInvitation"]?["connShortLink"]?.stringValue)
        #expect(made["connection"]?["connLinkInv"]?["connShortLink"] == .string(short))
        #expect(
            try await alice.run("/_connect plan 1 \(short)")["connectionPlan"]?["invitationLinkPlan"]?["type"]
                == "ownLink"
        )
        for _ in 0..<2 {
            let plan = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["invitationLinkPlan"]
            #expect(plan?["type"] == "ok" && plan?["contactSLinkData_"]?["profile"]?["displayName"] == "alice")
        }
        #expect(try await carol.run("/_connect plan 1 \(short)")["agentError"]?["smpErr"]?["type"] == "AUTH")
        #expect(try await bob.run("/_connect 1 incognito=off \(short)")["type"] == "sentConfirmation")
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        await close(alice, bob, carol)
    }

    @Test
    func `Links of groups have a connection plan, and '/_connect' refuses links of relays and channels`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob")
        let data = #"{"groupProfile":{"displayName":"team","fullName":"Team"}}"#
        let (_, request, made) = try await alice.controller.services.agent.createAddress(
            user: 1,
            userData: Array(data.utf8)
        )
        var short = try #require(made)
        short.kind = .contact(.relay)
        for command in ["/_connect plan 1 \(short.uri)", "/_connect 1 incognito=off \(short.uri)"] {
            #expect(try await bob.run(command).errorType == "commandError")
        }
        short.kind = .contact(.channel)
        #expect(try await bob.run("/_connect 1 incognito=off \(short.uri)").errorType == "commandError")
        var full = request
        full.clientData = #"{"type":"group","groupLinkId":"AAAA"}"#
        var today = request
        today.clientData = #"{"groupLinkId":"WaLrAvFILPIRQ7vKPamBpg=="}"#
        for link in [short.uri, full.uri, today.uri] {
            let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]
            #expect(plan?["type"] == "groupLink" && plan?["groupLinkPlan"]?["type"] == "ok")
        }
        let planned = try await bob.run("/_connect plan 1 \(short.uri)")["connectionPlan"]?["groupLinkPlan"]
        #expect(planned?["groupSLinkData_"]?["groupProfile"]?["displayName"] == "team")
        await close(alice, bob)
    }
}
