import Agent
import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Tests of short links, the data of links, and links of groups.
extension AddressTests {
    @Test
    func `The connection plan of a short link contains the owner's profile and the full link of the address`()
        async throws
    {
        let (alice, bob, link) = try await makeWorldWithAddress()
        let shown = try await alice.run("/_show_address 1")["contactLink"]
        #expect(shown?["shortLinkDataSet"] == true)
        let short = try #require(shown?["connLinkContact"]?["connShortLink"]?.stringValue)
        #expect(try await planConnection(alice, short) == "ownLink")
        // The app shows links with the scheme `simplex:`, so this form of the link must give the same plan.
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
    func `If address settings change during a write of the link data, the link data are marked for another write`()
        async throws
    {
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
            return try !AddressRecord.findStale(in: tx.db).isEmpty && tx.followUpWork.contains(.linkData)
        }
        #expect(needsWrite)
        await close(alice, bob)
    }

    @Test
    func `If new address settings are stored after a write of the old settings, the link data are written again`()
        async throws
    {
        let (alice, bob, _) = try await makeWorldWithAddress()
        let store = alice.controller.store
        let needsWrite = try await store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            let address = try AddressRecord.get(user: user, in: tx.db)
            // A command has written new settings to the link, and then the worker the settings that are still stored.
            try AddressRecord.markLinkDataStale(of: user, isUnderway: true, tx)
            #expect(try AddressRecord.findStale(in: tx.db).count == 1 && !tx.followUpWork.contains(.linkData))
            try address.markLinkDataWritten(of: user, tx)
            #expect(try AddressRecord.findStale(in: tx.db).isEmpty)
            try address.storeSettings(AddressSettings(businessAddress: true), of: user, tx)
            return try !AddressRecord.findStale(in: tx.db).isEmpty && tx.followUpWork.contains(.linkData)
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
    func `Only the first user who reads the short link of an invitation can connect with this invitation`() async throws
    {
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
    func `A group link gets a connection plan, but '/_connect' refuses links of relays and channels`() async throws {
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
