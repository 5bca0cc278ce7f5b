import ChatProtocol
import JSON
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore

/// Conversations with a business. Alice has a business address, Bob sends a request to it, and Carol is Alice's
/// colleague.
@Suite(.socketTimeLimit) struct BusinessTests {
    private struct People {
        let alice: Core
        let bob: Core
        let carol: Core
        let addressLink: String

        init(reply: String? = nil) async throws {
            let world = try await World()
            (alice, bob, carol) = (
                try await world.core("alice"), try await world.core("bob"), try await world.core("carol")
            )
            for (core, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await core.createUser(name) }
            let answer = try await alice.run("/_address 1")
            addressLink = try #require(answer["connLinkContact"]?["connFullLink"]?.stringValue)
            let autoReply = reply.map { #","autoReply":{"type":"text","text":"\#($0)"}"# } ?? ""
            let settings = try await alice.run(
                #"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":false}\#(autoReply)}"#
            )
            try #require(settings["type"] == "userContactLinkUpdated", "\(settings)")
        }

        /// Sends Bob's request, and waits until both are connected.
        func requestContact() async throws {
            let asked = try await bob.run("/_connect 1 incognito=off \(addressLink)")
            try #require(asked["type"] == "sentInvitation", "\(asked)")
            try await alice.wait(for: "joinedGroupMember")
            try await bob.wait(for: "userJoinedGroup")
        }

        func addColleague() async throws {
            try await connectUsers(alice, 1, to: carol, 1)
            let invited = try await alice.run("/_add #1 1 member")
            try #require(invited["type"] == "sentGroupInvitation", "\(invited)")
            try await carol.wait(for: "receivedGroupInvitation")
            try await carol.run("/_join #1")
            try await carol.wait(for: "connectedToGroupMember")
            try await bob.wait(for: "connectedToGroupMember")
        }

        func close() async { for core in [alice, bob, carol] { await core.controller.close() } }
    }

    private func groupInfo(_ core: Core) async throws -> JSONValue? { try await core.run("/_info #1")["groupInfo"] }

    @Test
    func `A customer's request to a business address makes a group with the customer and the business`() async throws {
        let people = try await People(reply: "thank you")
        try await people.alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice and daughters"}"#)
        try await people.requestContact()
        let (own, others) = (try await groupInfo(people.alice), try await groupInfo(people.bob))
        #expect(own?["localDisplayName"] == "bob" && own?["businessChat"]?["chatType"] == "customer", "\(own ?? .null)")
        #expect(
            others?["localDisplayName"] == "alice" && others?["businessChat"]?["chatType"] == "business",
            "\(others ?? .null)"
        )
        for side in ["businessId", "customerId"] {
            #expect(own?["businessChat"]?[side] == others?["businessChat"]?[side])
        }
        #expect(own?["membership"]?["memberRole"] == "owner" && others?["membership"]?["memberRole"] == "member")
        #expect(others?["groupProfile"]?["groupPreferences"]?["reports"]?["enable"] == "off")
        try await people.bob.waitForGroupText("thank you")
        // The answer contains only the name. The profile arrives later.
        #expect(
            try await people.bob.wait(for: "groupMemberUpdated")[0]["toMember"]?["memberProfile"]?["fullName"]
                == "Alice and daughters"
        )
        #expect(try await !people.bob.events().contains { $0.event["type"] == "messageError" })
        try await people.bob.sendToGroup("a question", to: 1)
        try await people.alice.waitForGroupText("a question")
        try await people.alice.sendToGroup("an answer", to: 1)
        try await people.bob.waitForGroupText("an answer")
        #expect(try await people.bob.run("/_get chat #1 count=100").itemTexts.count { $0 == "thank you" } == 1)
        #expect(try await people.alice.run("/_contacts 1")["contacts"] == [])
        await people.close()
    }

    @Test
    func `A prepared chat with a business becomes a group when the customer sends the first message`() async throws {
        let people = try await People(reply: "welcome")
        let short = try #require(
            try await people.alice.run("/_show_address 1")["contactLink"]?["connLinkContact"]?["connShortLink"]?
                .stringValue
        )
        let planned = try await people.bob.run("/_connect plan 1 \(short)")
        let data = try #require(planned["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"])
        let prepared = try await people.bob.run("/_prepare contact 1 \(people.addressLink) \(short) \(data.text)")
        let group = prepared["chat"]?["chatInfo"]?["groupInfo"]
        #expect(
            group?["businessChat"]?["chatType"] == "business" && group?["localDisplayName"] == "alice",
            "\(prepared)"
        )
        let started = try await people.bob.run("/_connect group #1 incognito=off text a question")
        #expect(started["type"] == "startedConnectionToGroup", "\(started)")
        try await people.bob.wait(for: "userJoinedGroup")
        try await people.alice.waitForGroupText("a question")
        try await people.alice.wait(for: "joinedGroupMember")
        let known = try await people.bob.run("/_connect plan 1 \(short)")["connectionPlan"]
        #expect(known?["groupLinkPlan"]?["type"] == "known", "\(known ?? .null)")
        try await people.alice.sendToGroup("an answer", to: 1)
        try await people.bob.waitForGroupText("an answer")
        for core in [people.alice, people.bob] {
            let texts = try await core.run("/_get chat #1 count=100").itemTexts
            for text in ["welcome", "a question", "an answer"] { #expect(texts.count { $0 == text } == 1, "\(texts)") }
        }
        await people.close()
    }

    @Test
    func `Changed preferences of a business group reach all members and keep the group's name`() async throws {
        let people = try await People()
        try await people.requestContact()
        try await people.addColleague()
        #expect(try await groupInfo(people.carol)?["localDisplayName"] == "bob")
        #expect(try await groupInfo(people.carol)?["businessChat"]?["chatType"] == "customer")
        try await people.carol.sendToGroup("of the colleague", to: 1)
        for core in [people.alice, people.bob] { try await core.waitForGroupText("of the colleague") }
        var profile = try #require(try await groupInfo(people.alice)?["groupProfile"])
        profile = try JSONValue(
            parsing: profile.text.replacing(#""voice":{"enable":"off"}"#, with: #""voice":{"enable":"on"}"#)
        )
        #expect(try await people.alice.run("/_group_profile #1 \(profile.text)")["type"] == "groupUpdated")
        for (core, name) in [(people.bob, "alice"), (people.carol, "bob")] {
            let updated = try await core.wait(for: "groupUpdated")[0]["toGroup"]
            #expect(
                updated?["groupProfile"]?["groupPreferences"]?["voice"]?["enable"] == "on"
                    && updated?["groupProfile"]?["displayName"]?.stringValue == name
            )
        }
        await people.close()
    }

    @Test
    func `A business group keeps the customer's name if a member sends a group profile with another name`() async throws
    {
        let people = try await People()
        try await people.requestContact()
        try await people.addColleague()
        try await people.bob.run(#"/_profile 1 {"displayName":"robert","fullName":""}"#)
        try await people.bob.sendToGroup("renamed", to: 1)
        for core in [people.alice, people.carol] {
            try await core.waitForGroupText("renamed")
            #expect(try await groupInfo(core)?["localDisplayName"] == "robert")
        }
        try await people.alice.sendToMembers([
            (
                "x.grp.info",
                #"{"groupProfile":{"displayName":"taken","fullName":"","groupPreferences":{"voice":{"enable":"on"}}}}"#
            )
        ])
        try await people.alice.sendToGroup("the end", to: 1)
        for (core, name) in [(people.bob, "alice"), (people.carol, "robert")] {
            try await core.waitForGroupText("the end")
            let profile = try await groupInfo(core)?["groupProfile"]
            #expect(
                profile?["displayName"]?.stringValue == name
                    && profile?["groupPreferences"]?["voice"]?["enable"] == "on",
                "\(profile ?? .null)"
            )
        }
        await people.close()
    }

    @Test
    func `A customer's second request to a business address makes no second group`() async throws {
        let people = try await People()
        try await people.requestContact()
        try await people.alice.run("/_leave #1")
        try await people.bob.wait(for: "leftMember")
        let again = try await people.bob.run("/_connect 1 incognito=off \(people.addressLink)")
        #expect(again["type"] == "sentInvitation", "\(again)")
        try await people.alice.wait(for: "businessRequestAlreadyAccepted")
        #expect(try await people.alice.run("/_groups 1")["groups"]?.arrayValue?.count == 1)
        await people.close()
    }

    @Test
    func `If a contact request came before an address became a business address, its repetition makes no group`()
        async throws
    {
        let people = try await People()
        try await people.alice.run(#"/_address_settings 1 {"businessAddress":false}"#)
        try await people.bob.run("/_connect 1 incognito=off \(people.addressLink)")
        try await people.alice.wait(for: "receivedContactRequest")
        try await people.alice.run(#"/_address_settings 1 {"businessAddress":true}"#)
        try await people.bob.run("/_connect 1 incognito=off \(people.addressLink)")
        try await people.alice.wait(for: "receivedContactRequest", count: 2)
        #expect(try await people.alice.run("/_groups 1")["groups"] == [])
        await people.close()
    }

    @Test
    func `Requests to a business address make groups only up to the limit of contact requests`() async throws {
        let world = try await World()
        let alice = try await world.core("alice") { $0.maxContactRequests = 3 }
        let bob = try await world.core("bob")
        for (core, name) in [(alice, "alice"), (bob, "bob")] { try await core.createUser(name) }
        let link = try #require(try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue)
        try await alice.run(#"/_address_settings 1 {"businessAddress":true}"#)
        func ask(_ number: Int, as sender: UInt8) async throws {
            let request = try ConnectionRequest(parsing: link)
            let id = try await bob.controller.services.agent.prepareJoin(user: 1, request: request, pqSupport: false)
            let info = """
                {"v":"1-19","event":"x.contact","params":{"profile":{"displayName":"stranger \(number)","fullName":""},"contactReqId":"\(SharedMessageID(bytes: [sender]).text)"}}
                """
            _ = try await bob.controller.services.agent.join(
                connection: id,
                request: request,
                connInfo: Array(info.utf8),
                patience: .interactive
            )
        }
        try await ask(0, as: 1)
        try await alice.wait(for: "acceptingBusinessRequest")
        try await ask(1, as: 1)
        try await alice.wait(for: "businessRequestAlreadyAccepted")
        for number in 2...6 { try await ask(number, as: UInt8(number)) }
        try await alice.wait(for: "chatError")
        #expect(try await alice.run("/_groups 1")["groups"]?.arrayValue?.count == 3)
        await alice.controller.close()
        await bob.controller.close()
    }
}
