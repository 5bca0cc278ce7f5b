import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite(.socketTimeLimit) struct PreparedContactTests {
    /// Opens a chat with the data of a short link.
    private func prepareChat(_ link: JSONValue?, _ core: Core) async throws -> JSONValue {
        let short = try #require(link?["connShortLink"]?.stringValue)
        let planned = try await core.run("/_connect plan 1 \(short)")
        let plan = planned["connectionPlan"]?["invitationLinkPlan"] ?? planned["connectionPlan"]?["contactAddressPlan"]
        let data = try #require(plan?["contactSLinkData_"], "\(planned)")
        let full = try #require(planned["connLink"]?["connFullLink"]?.stringValue)
        return try await core.run("/_prepare contact 1 \(full) \(short) \(data.text)")
    }

    private static let firstTexts = [
        "chat banner",
        """
        This conversation is protected by quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation and \
        quantum resistant break-in recovery.
        """,
        "Disappearing messages: allowed", "Full deletion: off", "Message reactions: enabled", "Voice messages: enabled",
        "Audio/video calls: enabled",
    ]

    @Test
    func `A prepared chat from a short link exists before the connection, and a connect command starts the connection`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]
        let prepared = try await prepareChat(link, bob)
        #expect(prepared["type"] == "newPreparedChat", "\(prepared)")
        let contact = prepared["chat"]?["chatInfo"]?["contact"]
        #expect(contact?["preparedContact"]?["uiConnLinkType"] == "inv")
        #expect(contact?["preparedContact"]?["connLinkToConnect"]?["connShortLink"] == link?["connShortLink"])
        #expect(contact?["activeConn"] == nil && prepared["chat"]?["chatItems"] == [])
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts == Self.firstTexts)
        #expect(try await bob.events().map { $0.event["type"] } == ["connectionsDiff"])
        let short = try #require(link?["connShortLink"]?.stringValue)
        let known = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["invitationLinkPlan"]
        #expect(known?["type"] == "known" && known?["contact"]?["contactId"] == 1)
        #expect(try await bob.run("/_send @1 text hello").errorType == "contactNotReady")

        let started = try await bob.run(
            #"/_connect contact @1 incognito=off json {"type":"text","text":"found your link"}"#
        )
        #expect(started["type"] == "startedConnectionToContact", "\(started)")
        #expect(started["contact"]?["activeConn"]?["connStatus"]?["type"] == "sndReady")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        try await waitForText("found your link", alice)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts == Self.firstTexts + ["found your link"])
        // Bob can decrypt the receipt only after alice's answer has arrived, so the receipt may come late.
        var statuses: [JSONValue?] = []
        while !statuses.contains("sndRcvd") {
            let told = try await bob.wait(for: "chatItemsStatusesUpdated", count: statuses.count + 1)
            statuses = told.map { $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"] }
        }
        let types = try await bob.events().compactMap { $0.event["type"]?.stringValue }
        #expect(!types.contains("chatError"))
        #expect(!types.contains("contactConnecting") && !types.contains("contactUpdated"))
        let chat = try await alice.run("/_get chat @1 count=20").itemTexts
        #expect(chat.contains("found your link") && Set(chat).isSuperset(of: Self.firstTexts.dropFirst()))
        #expect(try await bob.run("/_connect contact @1 incognito=off")["type"] == "contactAlreadyExists")
        #expect(
            try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["invitationLinkPlan"]?["type"] == "known"
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A prepared chat's contact request contains the first message, and both sides show the welcome text once`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let link = try await alice.run("/_address 1")["connLinkContact"]
        try await alice.run(
            #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"welcome"}}"#
        )
        let prepared = try await prepareChat(link, bob)
        let contact = prepared["chat"]?["chatInfo"]?["contact"]
        #expect(contact?["preparedContact"]?["uiConnLinkType"] == "con")
        #expect(contact?["preparedContact"]?["welcomeSharedMsgId"] != nil)
        #expect(prepared["chat"]?["chatStats"]?["unreadCount"] == 1)
        #expect(prepared["chat"]?["chatItems"]?[0]?["meta"]?["itemText"] == "welcome")
        let before = try await bob.run("/_get chat @1 count=20").itemTexts
        #expect(before[1] == "This conversation is protected by end-to-end encryption")
        let started = try await bob.run(#"/_connect contact @1 incognito=off json {"type":"text","text":"hi alice"}"#)
        #expect(started["type"] == "startedConnectionToContact", "\(started)")
        #expect(started["contact"]?["activeConn"]?["connStatus"]?["type"] == "joined")
        #expect(started["contact"]?["preparedContact"]?["requestSharedMsgId"] != nil)

        let request = try await alice.wait(for: "receivedContactRequest")[0]
        #expect(
            request["contactRequest"]?["requestSharedMsgId"]
                == started["contact"]?["preparedContact"]?["requestSharedMsgId"]
        )
        #expect(request["contactRequest"]?["welcomeSharedMsgId"] == contact?["preparedContact"]?["welcomeSharedMsgId"])
        #expect(request["chat_"]?["chatItems"]?[0]?["meta"]?["itemText"] == "hi alice")
        #expect(try await alice.run("/_get chat @1 count=20").itemTexts == Self.firstTexts + ["welcome", "hi alice"])
        let accepting = try await alice.run("/_accept incognito=off 1")
        #expect(accepting["contact"]?["activeConn"]?["connStatus"]?["type"] == "sndReady")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        try await alice.run("/_send @1 text and bye")
        try await waitForText("and bye", bob)
        let texts = try await bob.run("/_get chat @1 count=20").itemTexts
        #expect(texts.filter { $0 == "welcome" }.count == 1)
        #expect(texts.contains(Self.firstTexts[1]) && texts.contains("hi alice"))
        #expect(
            try await alice.run("/_get chat @1 count=20").itemTexts == Self.firstTexts + [
                "welcome", "hi alice", "and bye",
            ]
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If a contact's first message has no post-quantum key, no event reports a change of encryption`() async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        let data = #"{"profile":{"displayName":"alice","fullName":""},"business":false}"#
        let prepared = try await bob.run("/_prepare contact 1 \(link) \(data)")
        #expect(prepared["type"] == "newPreparedChat", "\(prepared)")
        try await bob.run(#"/_connect contact @1 incognito=off json {"type":"text","text":"hello"}"#)
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        try await waitForText("hello", alice)
        try await exchangeText(bob, alice, "next")
        try await exchangeText(alice, bob, "answer")
        for core in [alice, bob] {
            #expect(try await !core.events().contains { $0.event["type"] == "contactPQEnabled" })
            await core.controller.close()
        }
    }

    @Test
    func `A prepared contact can move with its chat to another user, who then connects`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await bob.createUser("bob2")
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]
        try await bob.run("/_user 1")
        _ = try await prepareChat(link, bob)
        #expect(try await bob.run("/_set contact user @1 7").errorType == "userUnknown")
        let changed = try await bob.run("/_set contact user @1 2")
        #expect(changed["type"] == "contactUserChanged" && changed["newUser"]?["userId"] == 2, "\(changed)")
        let contact = try #require(changed["toContact"]?["contactId"]?.integerValue)
        #expect(try await bob.run("/_contacts 1")["contacts"] == [])
        #expect(try await bob.run("/_get chat @\(contact) count=20", as: 2).itemTexts == Self.firstTexts)
        try await bob.run("/_connect contact @\(contact) incognito=off", as: 2)
        try await bob.wait(for: "contactConnected", user: 2)
        try await alice.wait(for: "contactConnected")
        #expect(try await alice.run("/_contacts 1")["contacts"]?[0]?["localDisplayName"] == "bob2")
        #expect(
            try await bob.run("/_set contact user @\(contact) 1", as: 2)["errorType"]?["message"]
                == "there is a connection with this contact"
        )
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A prepared contact that moves to another user keeps the wallpaper of its chat`() async throws {
        let (alice, bob) = try await World().makeStrangers()
        try await bob.createUser("bob2")
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]
        try await bob.run("/_user 1")
        _ = try await prepareChat(link, bob)
        let (picture, wallpapers): ([UInt8], _) = ([0xFF, 0xD8, 0xFF, 0], bob.controller.chatWallpapers)
        let name = try ChatWallpapers.makeName(of: picture)
        try await wallpapers.storePicture(picture, user: 1)
        try await bob.run(
            #"/_set theme @1 {"dark":{"mode":"dark","colors":{},"wallpaper":{"imageFile":"\#(name)"}}}"#
        )
        let changed = try await bob.run("/_set contact user @1 2")
        #expect(changed["type"] == "contactUserChanged", "\(changed)")
        #expect(try await wallpapers.readPicture(name, user: 2).content == picture)
        // No theme of the first user names the picture any more.
        await #expect(throws: ChatWallpapers.Refusal.notFound) {
            _ = try await wallpapers.readPicture(name, user: 1)
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If a user connects incognito to a prepared contact, the chat shows that the default preferences apply`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        try await bob.run(#"/_profile 1 {"displayName":"bob","fullName":"","preferences":{"voice":{"allow":"no"}}}"#)
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]
        _ = try await prepareChat(link, bob)
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts.contains("Voice messages: off"))
        let started = try await bob.run("/_connect contact @1 incognito=on")
        let own = started["customUserProfile"]?["displayName"]
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        #expect(try await bob.run("/_get chat @1 count=20").itemTexts.last == "Voice messages: enabled")
        #expect(try await alice.run("/_contacts 1")["contacts"]?[0]?["localDisplayName"] == own)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `If the profile of a prepared contact has an address, the user can connect through this address`()
        async throws
    {
        let (alice, bob) = try await World().makeStrangers()
        let address = try await alice.run("/_address 1")["connLinkContact"]
        try await alice.run("/_profile_address 1 on")
        let link = try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"]
        _ = try await prepareChat(link, bob)
        let (full, short) = (address?["connFullLink"]?.stringValue ?? "", address?["connShortLink"]?.stringValue ?? "")
        let plan = try await bob.run("/_connect plan 1 \(short)")["connectionPlan"]?["contactAddressPlan"]
        #expect(plan?["type"] == "contactViaAddress" && plan?["contact"]?["contactId"] == 1, "\(plan ?? .null)")
        let sent = try await bob.run("/_connect contact 1 incognito=off 1")
        #expect(
            sent["type"] == "sentInvitationToContact"
                && sent["contact"]?["activeConn"]?["connStatus"]?["type"] == "joined",
            "\(sent)"
        )
        #expect(
            try await bob.run("/_connect contact 1 incognito=off 1")["errorType"]?["message"]
                == "there is a connection with this contact"
        )
        #expect(
            try await bob.run("/_connect plan 1 \(full)")["connectionPlan"]?["contactAddressPlan"]?["type"]
                == "connectingProhibit"
        )
        try await alice.wait(for: "receivedContactRequest")
        try await alice.run("/_accept incognito=off 1")
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        #expect(
            try await bob.run("/_connect plan 1 \(full)")["connectionPlan"]?["contactAddressPlan"]?["type"] == "known"
        )
        for core in [alice, bob] { await core.controller.close() }
    }
}
