import JSON
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

@Suite(.socketTimeLimit) struct IncognitoTests {
    private func contactName(_ core: Core) async throws -> String? {
        try await core.run("/_contacts 1")["contacts"]?[0]?["profile"]?["displayName"]?.stringValue
    }

    private func countProfiles(_ core: Core) async throws -> Int64? {
        try await core.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM contact_profiles")?.int64("n")
        }
    }

    @Test
    func `Both sides of an invitation can be incognito and see each other's random names`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        let made = try await alice.run("/_connect 1 incognito=on")
        #expect(made["connection"]?["customUserProfileId"] != nil)
        let link = try #require(made["connLinkInvitation"]?["connShortLink"]?.stringValue)
        let planned = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]
        let shown = try #require(planned?["contactSLinkData_"]?["profile"]?["displayName"]?.stringValue)
        #expect(shown != "alice")
        let sent = try await bob.run("/_connect 1 incognito=on \(link)")
        let own = try #require(sent["customUserProfile"]?["displayName"]?.stringValue, "\(sent)")
        #expect(own != "bob" && sent["customUserProfile"]?["preferences"] == nil)
        let told = try await bob.wait(for: "contactConnected")[0]
        #expect(told["userCustomProfile"]?["displayName"] == .string(own))
        #expect(told["contact"]?["activeConn"]?["customUserProfileId"] == sent["connection"]?["customUserProfileId"])
        try await alice.wait(for: "contactConnected")
        #expect(try await contactName(alice) == own)
        #expect(try await contactName(bob) == shown)
        #expect(try await bob.run("/_info @1")["customUserProfile"]?["displayName"] == .string(own))
        try await alice.run("/_send @1 text hello")
        try await waitForText("hello", bob)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An incognito request and a request with the user's own profile to the same address make two contacts`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
        for (index, mode) in ["off", "on", "off", "on"].enumerated() {
            try await bob.run("/_connect 1 incognito=\(mode) \(link)")
            try await alice.wait(for: "receivedContactRequest", count: index + 1)
        }
        let requests = try await alice.wait(for: "receivedContactRequest", count: 4).map { $0["contactRequest"] }
        #expect(requests.map { $0?["contactRequestId"]?.integerValue } == [1, 2, 1, 2])
        #expect(
            requests[0]?["xContactId"] == requests[2]?["xContactId"]
                && requests[1]?["xContactId"] == requests[3]?["xContactId"]
        )
        #expect(requests[0]?["xContactId"] != requests[1]?["xContactId"])
        #expect(requests[0]?["localDisplayName"] == "bob" && requests[1]?["localDisplayName"] != "bob")
        for id in 1...2 { try await alice.run("/_accept incognito=off \(id)") }
        for core in [alice, bob] { try await core.wait(for: "contactConnected", count: 2) }
        for mode in ["off", "on"] {
            let known = try await bob.run("/_connect 1 incognito=\(mode) \(link)")
            #expect(
                known["type"] == "contactAlreadyExists"
                    && (known["contact"]?["activeConn"]?["customUserProfileId"] != nil) == (mode == "on"),
                "\(known)"
            )
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A change of the user's profile is not sent to contacts who know an incognito profile`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await alice.run(
            #"/_profile 1 {"displayName":"alice","fullName":"","preferences":{"voice":{"allow":"no"}}}"#
        )
        let link = try #require(
            try await alice.run("/_connect 1 incognito=on")["connLinkInvitation"]?["connFullLink"]?.stringValue
        )
        try await bob.run("/_connect 1 incognito=off \(link)")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        let shown = try await contactName(bob)
        let contact = try await bob.run("/_contacts 1")["contacts"]?[0]
        #expect(contact?["profile"]?["preferences"]?["voice"]?["allow"] == "yes")
        let voice = try await alice.run("/_contacts 1")["contacts"]?[0]?["mergedPreferences"]?["voice"]
        #expect(voice?["enabled"]?["forUser"] == true)
        #expect(voice?["userPreference"] == ["type": "contact", "preference": ["allow": "yes"]])
        let updated = try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice in the open"}"#)
        #expect(updated["updateSummary"]?["updateSuccesses"] == 0)
        try await alice.run(#"/_set prefs @1 {"fullDelete":{"allow":"always"}}"#)
        try await bob.wait(for: "contactUpdated")
        #expect(try await contactName(bob) == shown)
        let after = try await bob.run("/_contacts 1")["contacts"]?[0]?["profile"]
        #expect(after?["fullName"] == "" && after?["preferences"]?["fullDelete"]?["allow"] == "always")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An incognito profile is deleted with its contact or its unanswered invitation`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await alice.run("/_connect 1 incognito=on")
        #expect(try await countProfiles(alice) == 2)
        try await alice.run("/_delete :1 full notify=off")
        #expect(try await countProfiles(alice) == 1)
        let link = try #require(
            try await alice.run("/_connect 1 incognito=on")["connLinkInvitation"]?["connFullLink"]?.stringValue
        )
        try await bob.run("/_connect 1 incognito=on \(link)")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        #expect(try await countProfiles(alice) == 3)
        try await alice.run("/_delete @1 full notify=on")
        #expect(try await countProfiles(alice) == 1)
        try await bob.wait(for: "contactDeletedByContact")
        try await bob.run("/_delete @1 full notify=off")
        #expect(try await countProfiles(bob) == 1)
        // The incognito profile is also deleted with the user.
        try await alice.run("/_connect 1 incognito=on")
        #expect(try await alice.run("/_delete user 1 del_smp=on")["type"] == "cmdOk")
        #expect(try await countProfiles(alice) == 0)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An invitation can be changed to incognito and back until its link is read`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        let made = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(made["connLinkInvitation"]?["connShortLink"]?.stringValue)
        #expect(try await alice.run("/_set incognito :1 off").errorType == "connectionIncognitoChangeProhibited")
        try await alice.run("/_set incognito :1 on")
        #expect(try await alice.run("/_set incognito :1 on").errorType == "connectionIncognitoChangeProhibited")
        let back = try await alice.run("/_set incognito :1 off")
        #expect(back["type"] == "connectionIncognitoUpdated")
        #expect(back["customUserProfile"] == nil && back["toConnection"]?["customUserProfileId"] == nil)
        #expect(try await countProfiles(alice) == 1)
        let changed = try await alice.run("/_set incognito :1 on")
        #expect(changed["toConnection"]?["customUserProfileId"] != nil)
        let own = try #require(changed["customUserProfile"]?["displayName"])
        let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]
        #expect(plan?["contactSLinkData_"]?["profile"]?["displayName"] == own)
        #expect(try await alice.run("/_set incognito :1 off")["agentError"]?["smpErr"]?["type"] == "AUTH")
        try await bob.run("/_connect 1 incognito=off \(link)")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        #expect(try await contactName(bob) == own.stringValue)
        #expect(try await alice.run("/_set incognito :1 off").errorType == "pendingConnectionNotFound")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An address that shows the user's profile cannot accept requests with an incognito profile`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        let settings = #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":true}}"#
        #expect(
            try await alice.run(settings)["errorType"]?["message"]
                == "incognito not allowed for address with short link data"
        )
        let sent = try await bob.run("/_connect 1 incognito=on \(link)")
        #expect(sent["type"] == "sentInvitation" && sent["customUserProfile"]?["displayName"] != nil, "\(sent)")
        let request = try await alice.wait(for: "receivedContactRequest")[0]["contactRequest"]
        #expect(request?["profile"]?["displayName"] == sent["customUserProfile"]?["displayName"])
        let refused = try await alice.run("/_accept incognito=on 1")
        #expect(refused["errorType"]?["message"] == "incognito not allowed for address with short link data")
        #expect(
            try await alice.run("/_accept incognito=off 1")["contact"]?["activeConn"]?["connStatus"]?["type"]
                == "sndReady"
        )
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An address without a short link can accept requests automatically with an incognito profile`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
        // An address in the form from before short links.
        try await alice.controller.store.write { tx in
            try tx.db.execute("UPDATE user_addresses SET conn_short_link = NULL")
        }
        let set = try await alice.run(
            #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":true}}"#
        )
        #expect(set["type"] == "userContactLinkUpdated", "\(set)")
        let business = try await alice.run(
            #"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":true}}"#
        )
        #expect(
            business["errorType"]?["message"] == "a business address shows its own profile: accept without incognito"
        )
        #expect(
            try await alice.run("/_short_link_address 1")["errorType"]?["message"]
                == "incognito not allowed for address with short link data"
        )
        try await bob.run("/_connect 1 incognito=off \(link)")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        let own = try await alice.run("/_info @1")["customUserProfile"]?["displayName"]?.stringValue
        #expect(try await contactName(bob) == own && own != nil && own != "alice")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If one user has read an invitation link, another user of the same core cannot read the link`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await bob.createUser("bob2")
        let link = try #require(
            try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]?["connShortLink"]?.stringValue
        )
        #expect(
            try await bob.run("/_connect plan 1 \(link)", as: 1)["connectionPlan"]?["invitationLinkPlan"]?["type"]
                == "ok"
        )
        #expect(try await bob.run("/_connect plan 2 \(link)", as: 2)["agentError"]?["smpErr"]?["type"] == "AUTH")
        func keys() async throws -> Int64? {
            try await bob.controller.services.agent.database.read { db in
                try db.firstRow("SELECT count(*) AS n FROM invitation_keys")?.int64("n")
            }
        }
        #expect(try await keys() == 2)
        #expect(try await bob.run("/_connect 1 incognito=off \(link)", as: 1)["type"] == "sentConfirmation")
        #expect(try await keys() == 1)
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An invitation that is moved to another user gets a new link`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await alice.createUser("alice2")
        let made = try await alice.run("/_connect 1 incognito=on", as: 1)
        #expect(try await alice.run("/_set conn user :1 7", as: 1).errorType == "userUnknown")
        // Without the password, the existence of a hidden user is not visible.
        try await alice.createUser("alice3")
        try await alice.run("/_user 1")
        #expect(try await alice.run(#"/_hide user 3 "secret""#)["type"] == "userPrivacy")
        #expect(try await alice.run("/_set conn user :1 3", as: 1).errorType == "userUnknown")
        let changed = try await alice.run("/_set conn user :1 2", as: 1)
        #expect(changed["type"] == "connectionUserChanged", "\(changed)")
        #expect(changed["fromConnection"]?["pccConnId"] == 1 && changed["newUser"]?["userId"] == 2)
        #expect(changed["toConnection"]?["customUserProfileId"] == nil)
        #expect(try await alice.run("/_set conn user :1 2", as: 1).errorType == "pendingConnectionNotFound")
        let old = try #require(made["connLinkInvitation"]?["connFullLink"]?.stringValue)
        let new = try #require(changed["toConnection"]?["connLinkInv"]?["connShortLink"]?.stringValue)
        try await alice.wait(for: "agentConnsDeleted")
        #expect(try await bob.run("/_connect 1 incognito=off \(old)")["agentError"]?["smpErr"]?["type"] == "AUTH")
        try await bob.run("/_connect 1 incognito=off \(new)")
        try await alice.wait(for: "contactConnected", user: 2)
        try await bob.wait(for: "contactConnected")
        #expect(try await contactName(bob) == "alice2")
        for core in [alice, bob] { await core.controller.close() }
    }
}
