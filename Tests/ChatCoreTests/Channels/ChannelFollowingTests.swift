import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore

@Suite("Following of channels", .socketTimeLimit)
struct ChannelFollowingTests {
    @Test
    func `The relay and the owner see only the random name of a subscriber who joined incognito`() async throws {
        let channel = try await CoreChannel()
        let bob = try await channel.joinSubscriber("bob", isIncognito: true)
        let own = try await channel.alice.listChannelMembers().compactMap { $0["localDisplayName"]?.stringValue }
        #expect(!own.contains("bob"))
        let membership = try #require(try await bob.channelInfo()["membership"])
        let name = try #require(membership["memberProfile"]?["displayName"]?.stringValue)
        #expect(name != "bob")
        for core in [channel.alice, channel.relay] {
            let member = try await core.listChannelMembers().first { $0["memberId"] == membership["memberId"] }
            #expect(member?["memberProfile"]?["displayName"]?.stringValue == name)
        }
        try await channel.alice.run("/_member role #1 \(channel.alice.channelMemberNumber(name)) member")
        try await waitUntil("bob may write") { try await bob.channelInfo()["membership"]?["memberRole"] == "member" }
        try await bob.sendToGroup("in disguise", to: 1)
        for core in [channel.alice, channel.relay] {
            try await core.waitForItem("in disguise")
            let names = try await core.events().map(\.event.text)
            #expect(!names.contains { $0.contains("\"bob\"") })
        }
        await channel.close(bob)
    }

    @Test
    func `Messages of a subscriber's support chat reach only the subscriber and the owners`() async throws {
        let channel = try await CoreChannel()
        let (bob, carol) = (try await channel.joinSubscriber("bob"), try await channel.joinSubscriber("carol"))
        func say(_ text: String, _ chat: String, _ core: Core) async throws -> JSONValue {
            try await core.run(
                #"/_send \#(chat) live=off ttl=default json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#
            )
        }
        let asked = try await say("who are you?", "#1(_support)", bob)
        #expect(asked["type"] == "newChatItems", "\(asked)")
        let chat = "#1(_support:\(try await channel.alice.channelMemberNumber("bob")))"
        try await channel.alice.waitForItem("who are you?", in: chat)
        #expect(try await say("it is alice", chat, channel.alice)["type"] == "newChatItems")
        try await bob.waitForItem("it is alice", in: "#1(_support)")
        // The later post shows that the members have received all earlier messages.
        try await channel.alice.postAsChannel("the end")
        for core in [bob, carol] { try await core.waitForItem("the end") }
        for text in ["who are you?", "it is alice"] {
            let events = try await carol.events().map(\.event.text)
            #expect(!events.contains { $0.contains("\"\(text)\"") })
            #expect(try await !bob.run("/_get chat #1 count=100").itemTexts.contains(text))
        }
        // Subscribers may not write in the channel itself, so the core refuses this message.
        #expect(try await say("to all", "#1", bob)["type"] == "error")
        await channel.close(bob, carol)
    }

    @Test
    func `No answer and no event of an owner, a relay or a subscriber contains a private key`() async throws {
        let channel = try await CoreChannel()
        let bob = try await channel.joinSubscriber("bob")
        try await channel.alice.run("/_member role #1 \(channel.alice.channelMemberNumber("bob")) member")
        try await waitUntil("bob may write") { try await bob.channelInfo()["membership"]?["memberRole"] == "member" }
        for core in [channel.alice, channel.relay, bob] {
            let keys = try await core.controller.store.read { db in
                try db.query("SELECT root_private_key, member_key FROM groups").flatMap {
                    [try $0.blobOrNil("root_private_key"), try $0.blobOrNil("member_key")]
                }
            }.compactMap(\.self)
            #expect(keys.count == (core === channel.alice ? 2 : 1))
            var told = try await core.events().map(\.event.text)
            for command in [
                "/_info #1", "/_members #1", "/_groups 1", "/_get chats 1 pcc=on", "/_get chat #1 count=100",
                "/_get relays #1", "/_get link #1",
            ] {
                told.append(try await core.run(command).text)
            }
            for key in keys {
                for form in [Base64.encode(key, padding: false), Base64URL.encode(key, padding: false)] {
                    #expect(!told.contains { $0.contains(form) })
                }
            }
            #expect(!told.contains { $0.contains("rivKey") })
        }
        await channel.close(bob)
    }
}
