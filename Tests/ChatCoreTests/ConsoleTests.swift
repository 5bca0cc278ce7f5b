import ChatAPI
import Foundation
import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Commands that contain names instead of ids.
@Suite(.socketTimeLimit) struct ConsoleTests {
    @Test
    func `The recorded console commands get the answers of the original`() async throws {
        let lines = try Fixture.readTranscript("console-forms")
        var answers: [String: JSONValue] = [:]
        for line in lines where line["dir"] == "resp" && line["client"] == "alice" {
            answers[line["corrId"]?.stringValue ?? ""] = line["json"]
        }
        let commands = lines.filter { $0["dir"] == "cmd" && $0["client"] == "alice" }.dropFirst()
        try await withConnectedPeople { alice, _ in
            var told = 0
            for line in commands {
                guard let text = line["cmd"]?.stringValue,
                    let expected = answers[line["corrId"]?.stringValue ?? ""]?["type"]?.stringValue,
                    !text.hasPrefix("/_"), expected != "chatCmdError"
                else { continue }
                let command: ChatCommand
                do throws(CommandParseError) { command = try ChatCommand(parsing: text) } catch {
                    // Only commands for links of groups and for settings cannot be parsed.
                    #expect(text.contains("link") || text.hasPrefix("/set"), "\(text)")
                    continue
                }
                switch await alice.controller.send(command, with: .all) {
                case .result(let answer):
                    let json = try JSONEncoder().encodeValue(answer)
                    #expect(json["type"]?.stringValue == expected, "\(text)")
                    told += 1
                case .error(let error):
                    Issue.record("\(text): \(error)")
                }
            }
            #expect(told > 50)
        }
    }

    @Test
    func `Console commands send, reply, edit, react and delete in the chat with a contact that they name`() async throws
    {
        try await withConnectedPeople { alice, bob in
            #expect(try await alice.run("@bob hello")["type"] == "newChatItems")
            try await waitForText("hello", bob)
            #expect(
                try await bob.run("> @alice (hell) and to you")["chatItems"]?[0]?["chatItem"]?["quotedItem"]?[
                    "content"
                ]?["text"] == "hello"
            )
            try await waitForText("and to you", alice)
            #expect(try await alice.run(">> @bob (hello) once more")["type"] == "newChatItems")
            try await waitForText("once more", bob)
            #expect(try await bob.run("+1 @alice once")["type"] == "chatItemReaction")
            #expect(try await bob.run("-1 alice once")["type"] == "chatItemReaction")
            #expect(
                try await alice.run("! @bob (once) twice")["chatItem"]?["chatItem"]?["meta"]?["itemText"] == "twice"
            )
            try await bob.wait(for: "chatItemUpdated")
            #expect(try await bob.run("/tail @alice 1")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"] == "twice")
            #expect(try await alice.run("/search @bob 5 HELLO")["chatItems"]?.arrayValue?.count == 1)
            #expect(try await alice.run(#"\ @bob twice"#)["type"] == "chatItemsDeleted")
            #expect(try await alice.run(#"\ @bob twice"#).errorType == "invalidChatItemDelete")
            #expect(try await alice.run("/show 1")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"] == 1)
            #expect(try await alice.run("/show 9999").errorType == "chatItemNotFound")
            #expect(try await alice.run("/feed everyone")["successes"] == 1)
            try await waitForText("everyone", bob)
        }
    }

    @Test
    func `A console command accepts a quoted name with spaces, and a JSON text with escapes`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice the best")
        try await bob.createUser("bob the other")
        try await connectUsers(alice, 1, to: bob, 1)
        #expect(try await alice.run("@'bob the other' it's me")["type"] == "newChatItems")
        try await waitForText("it's me", bob)
        #expect(try await bob.run(#"@'alice the best' "two\nlines""#)["type"] == "newChatItems")
        try await waitForText("two\nlines", alice)
        #expect(try await alice.run("/i 'bob the other'")["contact"]?["localDisplayName"] == "bob the other")
        #expect(try await alice.run("/i @'bob the other'")["type"] == "contactInfo")
        #expect(try await alice.run("/d 'bob the other'")["type"] == "contactDeleted")
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A console command for one feature of a group keeps the setting for signed messages`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let preferences = #""groupPreferences":{"signMessages":{"enable":"on"}}"#
        try await alice.createGroup(#"{"displayName":"team","fullName":"",\#(preferences)}"#)
        let profile = try await alice.run("/set voice #team off")["toGroup"]?["groupProfile"]
        #expect(profile?["groupPreferences"]?["voice"]?["enable"] == "off")
        #expect(profile?["groupPreferences"]?["signMessages"] == ["enable": "on"])
        await alice.controller.close()
    }

    @Test
    func `Console commands create, join, use and manage a group by its name`() async throws {
        try await withConnectedPeople { alice, bob in
            #expect(try await alice.run("/g team the best")["groupInfo"]?["groupProfile"]?["shortDescr"] == "the best")
            #expect(try await alice.run("/a team bob")["member"]?["memberRole"] == "member")
            try await bob.wait(for: "receivedGroupInvitation")
            #expect(try await bob.run("/j team mute")["type"] == "userAcceptedGroupSent")
            try await bob.wait(for: "userJoinedGroup")
            try await alice.wait(for: "joinedGroupMember")
            #expect(try await bob.run("/i #team")["groupInfo"]?["chatSettings"]?["enableNtfs"] == "none")
            #expect(try await alice.run("#team hello")["type"] == "newChatItems")
            try await bob.waitForGroupText("hello")
            let reply = try await bob.run("> #team alice (hel) to you")
            #expect(reply["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["content"]?["text"] == "hello", "\(reply.text)")
            try await alice.waitForGroupText("to you")
            #expect(try await alice.run("> #team bob (hel) no").errorType == "chatItemNotFoundByText")
            let forwarded = try await alice.run("@bob <- #team @bob to")
            #expect(forwarded["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"] == "to you", "\(forwarded.text)")
            #expect(try await alice.run("/ms team")["group"]?["members"]?[0]?["localDisplayName"] == "bob")
            #expect(try await bob.run(#"\\ #team alice hello"#).errorType == "invalidChatItemDelete")
            #expect(try await alice.run(#"\\ #team bob to"#)["type"] == "chatItemsDeleted")
            #expect(try await alice.run("/mr team bob moderator")["toRole"] == "moderator")
            try await bob.wait(for: "memberRole")
            #expect(try await alice.run("/i #team bob")["member"]?["memberRole"] == "moderator")
            let changed = try await alice.run("/set voice #team on admin")["toGroup"]?["groupProfile"]?[
                "groupPreferences"
            ]
            #expect(
                changed?["voice"] == ["enable": "on", "role": "admin"] && changed?["reactions"]?["enable"] == "on",
                "\(changed ?? .null)"
            )
            #expect(
                try await alice.run("/set disappear #team 1h")["toGroup"]?["fullGroupPreferences"]?["timedMessages"]
                    == ["enable": "on", "ttl": 3600]
            )
            #expect(
                try await alice.run("/set admission review #team all")["toGroup"]?["groupProfile"]?["memberAdmission"]
                    == ["review": "all"]
            )
            #expect(try await alice.run("/i #team carol").errorType == "groupMemberNameNotFound")
            #expect(try await alice.run("/block for all #team bob")["blocked"] == true)
            #expect(try await alice.run("/unblock for all #team bob")["blocked"] == false)
            #expect(try await alice.run("/block #team bob").errorType == "cantBlockMemberForSelf")
            #expect(
                try await alice.run("/set welcome #team be nice")["toGroup"]?["groupProfile"]?["description"]
                    == "be nice"
            )
            #expect(try await alice.run("/gp team club")["toGroup"]?["groupProfile"]?["displayName"] == "club")
            #expect(
                try await alice.run("/show welcome #club")["groupInfo"]?["groupProfile"]?["description"] == "be nice"
            )
            #expect(try await alice.run("/gs")["groups"]?.arrayValue?.count == 1)
            #expect(try await alice.run("/rm club bob messages=on")["withMessages"] == true)
            try await bob.wait(for: "deletedMemberUser")
            #expect(try await alice.run("/l club")["type"] == "leftMemberUser")
            #expect(try await alice.run("/d #club")["type"] == "groupDeletedUser")
            #expect(try await alice.run("/gs")["groups"] == [])
        }
    }

    /// Profile of a group whose members may send each other direct messages.
    private static let openGroupProfile =
        #"{"displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}}"#

    @Test
    func `Console commands mention, message and answer members by their names`() async throws {
        let trio = try await Trio(profile: Self.openGroupProfile)
        let (alice, bob, carol) = (trio.alice, trio.bob, trio.carol)
        let mentions = try await alice.run("#team hello @bob and @nobody")["chatItems"]?[0]?["chatItem"]?["mentions"]?
            .objectValue
        #expect(mentions?.map(\.key) == ["bob"], "\(mentions ?? [:])")
        #expect(try await bob.waitForGroupText("hello @bob and @nobody")["meta"]?["userMention"] == true)
        let edited = try await alice.run("! #team (hello) hello @carol")["chatItem"]?["chatItem"]?["mentions"]?
            .objectValue
        #expect(edited?.map(\.key) == ["carol"], "\(edited ?? [:])")
        // Bob and Carol know each other only from the group, so the message needs an invitation to a direct chat.
        #expect(try await bob.run("@#team carol hi")["type"] == "newMemberContactSentInv")
        try await carol.wait(for: "newMemberContactReceivedInv")
        #expect(try await bob.events().count { $0.event["type"] == "noMemberContactCreating" } == 1)
        try await carol.run("/_accept member contact @2")
        try await bob.wait(for: "contactConnected", count: 2)
        #expect(try await bob.run("@#team carol again")["chatItems"]?[0]?["chatInfo"]?["type"] == "direct")
        #expect(try await bob.run("@nobody hi").errorType == "contactNotFound")
        #expect(
            try await bob.run("#team (support) I need help")["chatItems"]?[0]?["chatInfo"]?["groupChatScope"]?["type"]
                == "memberSupport"
        )
        try await alice.waitForGroupText("I need help")
        let answer = try await alice.run("#team (support: bob) what is it?")
        #expect(
            answer["chatItems"]?[0]?["chatInfo"]?["groupChatScope"]?["groupMember_"]?["localDisplayName"] == "bob",
            "\(answer.text)"
        )
        try await bob.waitForGroupText("what is it?")
        #expect(try await !carol.run("/_get chat #1 count=100").itemTexts.contains("I need help"))
        await trio.close()
    }

    @Test
    func `A console command with the name of a member of only one group sends the member a direct message`()
        async throws
    {
        let trio = try await Trio(profile: Self.openGroupProfile)
        #expect(try await trio.bob.run("@carol hi there")["type"] == "newMemberContactSentInv")
        try await trio.carol.wait(for: "newMemberContactReceivedInv")
        await trio.close()
    }

    @Test
    func `Console commands that name an unknown chat or user fail with the errors of the original`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        #expect(try await alice.run("/contacts").errorType == "noActiveUser")
        #expect(try await alice.run("/user nobody").errorType == "userUnknown")
        try await alice.createUser("alice")
        #expect(try await alice.run("@nobody hello").errorType == "contactNotFound")
        #expect(try await alice.run("/i nobody").errorType == "contactNotFoundByName")
        #expect(try await alice.run("/ttl @nobody").errorType == "contactNotFoundByName")
        #expect(try await alice.run("/ac nobody").errorType == "contactRequestNotFoundByName")
        #expect(try await alice.run("#nobody hello").errorType == "groupNotFoundByName")
        #expect(try await alice.run("/delete user nobody").errorType == "userNotFoundByName")
        await alice.controller.close()
    }

    @Test
    func `The contacts of a bot see changes of its command menu`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let menu: JSONValue = [
            ["type": "command", "label": "Help", "keyword": "help"],
            [
                "type": "menu", "label": "Links",
                "commands": [["type": "command", "label": "One", "keyword": "link", "params": "<ID>"]],
            ],
        ]
        let changed = try await alice.run("/set bot commands Help:/help,'Links':{One:'link <ID>'}")
        #expect(changed["type"] == "userProfileUpdated")
        #expect(changed["toProfile"]?["peerType"] == "bot" && changed["toProfile"]?["preferences"]?["commands"] == menu)
        let told = try await bob.wait(for: "contactUpdated")
        #expect(told.last?["toContact"]?["profile"]?["peerType"] == "bot")
        #expect(told.last?["toContact"]?["profile"]?["preferences"]?["commands"] == menu)
        #expect(try await alice.run("/delete bot commands")["toProfile"]?["preferences"]?["commands"] == [])
        #expect(
            try await bob.wait(for: "contactUpdated", count: 2).last?["toContact"]?["profile"]?["preferences"]?[
                "commands"
            ] == []
        )
        let made = try await alice.run("/create bot helper helps")["user"]
        #expect(made?["profile"]?["peerType"] == "bot" && made?["fullPreferences"]?["files"]?["allow"] == "no")
        let other = try await alice.run("/create bot files=on other")["user"]
        #expect(other?["profile"]?["peerType"] == "bot" && other?["fullPreferences"]?["files"]?["allow"] == "always")
        #expect(other?["clientService"] == false)
        let served = try await alice.run("/create bot files=off service=on served")["user"]
        #expect(served?["localDisplayName"] == "served" && served?["clientService"] == true, "\(served ?? .null)")
        #expect(try await alice.run("/show on")["type"] == "cmdOk")
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Console commands manage profiles and accept contact requests by name`() async throws {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        #expect(
            try await alice.run("/create user alice the first of them")["user"]?["profile"]?["shortDescr"]
                == "the first of them"
        )
        try await alice.createUser("second")
        #expect(try await alice.run("/u alice")["user"]?["userId"] == 1)
        #expect(try await alice.run("/delete user second")["type"] == "cmdOk")
        try await bob.createUser("bob")
        let link = try #require(try await alice.run("/ad")["connLinkContact"]?["connFullLink"]?.stringValue)
        #expect(try await bob.run("/c \(link)")["type"] == "sentInvitation")
        try await alice.wait(for: "receivedContactRequest")
        #expect(try await alice.run("/ac bob")["type"] == "acceptingContactRequest")
        try await bob.wait(for: "contactConnected")
        try await alice.wait(for: "contactConnected")
        #expect(try await bob.run("@alice hi")["type"] == "newChatItems")
        try await waitForText("hi", alice)
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `Console commands change the servers and the network settings`() async throws {
        let world = try await World()
        let alice = try await world.core("alice")
        try await alice.createUser("alice")
        let before = try await alice.run("/network")
        let set = try await alice.run("/network socks=off smp-proxy=never timeout=9 log=on")
        #expect(set["networkConfig"]?["smpProxyMode"] == "never" && set["networkConfig"]?["logTLSErrors"] == true)
        #expect(
            set["networkConfig"]?["tcpTimeout"] == ["backgroundTimeout": 27_000_000, "interactiveTimeout": 9_000_000]
        )
        #expect(
            set["networkConfig"]?["tcpConnectTimeout"] == [
                "backgroundTimeout": 40_500_000, "interactiveTimeout": 13_500_000,
            ]
        )
        #expect(try await alice.run("/net") == set && set != before)
        #expect(try await alice.run("/network socks=off timeout=0").errorType == "commandError")
        #expect(try await alice.run("/network socks=on")["networkConfig"]?["socksProxy"] == "127.0.0.1:9050")
        let other = "smp://1YHfrJkWHF7kyEsi4_WBc8ybzDC_Zf7EJeMIA_u7pxQ=@relay.example"
        let own = world.relay.address.str
        func servers() async throws -> [JSONValue?]? {
            try await alice.run("/smp")["userServers"]?.arrayValue?.flatMap { $0["smpServers"]?.arrayValue ?? [] }.map {
                $0["server"]
            }
        }
        #expect(try await servers() == [.string(own)])
        #expect(try await alice.run("/smp \(other)")["type"] == "cmdOk")
        #expect(try await servers() == [.string(other)])
        #expect(try await alice.run("/smp \(own);\(other)")["type"] == "cmdOk")
        #expect(Set(try #require(try await servers())) == [.string(own), .string(other)])
        #expect(try await alice.run("/operators 1:on").errorType == "operatorNotFound")
        await alice.controller.close()
    }

    @Test
    func `A console command enables and disables server operators by their numbers`() async throws {
        let world = try await World()
        let alice = try await world.core("alice", started: false, presets: .network)
        try await alice.createUser("alice")
        let answer = try await alice.run("/operators 1:on:smp=storage:xftp=off,2:off")
        let operators = try #require(answer["conditions"]?["serverOperators"]?.arrayValue)
        #expect(operators[0]["smpRoles"]?["storage"] == true && operators[0]["smpRoles"]?["proxy"] == false)
        #expect(operators[0]["xftpRoles"]?["storage"] == false && operators[1]["enabled"] == false)
        await alice.controller.close()
    }

    @Test
    func `'/last_item_id' returns the newest item of a chat or of all chats`() async throws {
        try await withConnectedPeople { alice, bob in
            let first = try await alice.run("@bob one")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]
            let second = try await alice.run("@bob two")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]
            #expect(try await alice.run("/last_item_id @bob")["data"]?[1] == second)
            #expect(try await alice.run("/last_item_id @bob 1")["data"]?[1] == first)
            #expect(try await alice.run("/last_item_id")["data"]?[1] == second)
            #expect(try await alice.run("/last_item_id *")["data"]?[1] == .null)
            #expect(try await alice.run("/last_item_id @nobody").errorType == "contactNotFoundByName")
        }
    }

    @Test
    func `If a link is already known, the console command '/c' returns the connection plan of the link`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let link = try #require(try await alice.run("/c")["connLinkInvitation"]?["connFullLink"]?.stringValue)
        #expect(try await bob.run("/c \(link)")["type"] == "sentConfirmation")
        try await bob.wait(for: "contactConnected", count: 2)
        let again = try await bob.run("/c \(link)")
        #expect(again["type"] == "connectionPlan" && again["connectionPlan"]?["invitationLinkPlan"]?["type"] == "known")
        #expect(try await bob.run("/c nonsense")["type"] == "error")
        await alice.controller.close()
        await bob.controller.close()
    }
}
