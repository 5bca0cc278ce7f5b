import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Sharing of a channel in other chats", .socketTimeLimit)
struct ChannelSharingTests {
    /// Returns the content of a message that shares the link, with a signature by the owner for this binding to a chat.
    private func cardContent(_ link: ShortLink, _ stage: ChannelStage, bound: [UInt8]) throws -> String {
        let signature = try stage.owner.key.sign(bound + link.smpEncoded())
        let owner =
            #"{"ownerId":"\#(Base64URL.encode(stage.owner.id.bytes))","chatBinding":"\#(Base64URL.encode(bound))","ownerSig":"\#(Base64URL.encode(signature))"}"#
        let chat =
            #"{"type":"group","connLink":"\#(link.uri)","groupProfile":\#(ChannelStage.profileJSON("shared", id: stage.entityID))}"#
        return #"{"type":"chat","text":"\#(link.uri)","chatLink":\#(chat),"ownerSig":\#(owner)}"#
    }

    private func ownerSignatureFlags(_ core: Core, _ chat: String) async throws -> [Bool] {
        let items = try await core.run("/_get chat \(chat) count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.compactMap { $0["content"]?["msgContent"] }.filter { $0["type"] == "chat" }.map {
            $0["ownerSig"] != nil
        }
    }

    @Test
    func `The owner's signature on a shared channel link is kept only if it was made for the chat that gets the link`()
        async throws
    {
        let stage = try await ChannelStage()
        let link = try ShortLink(
            parsing:
                "https://127.0.0.1/c#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA?p=1&c=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        )
        let asMember = GroupBinding(publicGroupID: stage.entityID, member: stage.owner.id).bytes,
            asChannel = ChatBinding.makeChannelBinding(stage.entityID)
        let elsewhere = ChatBinding.makeChannelBinding(Digest.sha256([1])),
            direct = ChatBinding.makeDirectBinding([UInt8](repeating: 1, count: 32))
        var posted: SharedMessageID?
        // A post as the channel and a post as the owner. Each is sent with its correct binding, with the binding of the
        // other kind, and with bindings of other chats.
        for (isChannel, binding, stays) in [
            (true, asChannel, true), (true, asMember, false), (true, elsewhere, false), (true, direct, false),
            (true, [], false), (false, asMember, true),
            (false, asChannel, false), (false, elsewhere, false),
        ] {
            let before = try await ownerSignatureFlags(stage.core, "#1")
            let id = SharedMessageID.random()
            let message = try stage.messageJSON(
                "x.msg.new",
                "{\(isChannel ? "\"asGroup\":true," : "")\"content\":\(cardContent(link, stage, bound: binding))}",
                id: id
            )
            try await stage.sendElements(stage.forwardedElement(message, by: isChannel ? nil : stage.owner.id))
            let now = try await ownerSignatureFlags(stage.core, "#1")
            #expect(now == before + [stays], "\(isChannel) \(binding.prefix(1))")
            if isChannel, !stays { posted = id }
        }
        let before = try await ownerSignatureFlags(stage.core, "#1")
        let update = try stage.messageJSON(
            "x.msg.update",
            #"{"asGroup":true,"msgId":"\#(#require(posted).text)","content":\#(cardContent(link, stage, bound: direct))}"#
        )
        try await stage.sendElements(stage.forwardedElement(update, by: nil))
        #expect(try await ownerSignatureFlags(stage.core, "#1") == before)
        await stage.core.controller.close()
    }

    @Test
    func `Only an owner's share of a channel is signed, and each chat gets its own signature`() async throws {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        try await channel.joinChannel(bob, relays: 1)
        let contact = try #require(try await bob.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
        let unsigned = try await bob.run("/_share chat content #1 @\(contact)")
        #expect(
            unsigned["type"] == "chatMsgContent" && unsigned["msgContent"]?["chatLink"]?["type"] == "group",
            "\(unsigned)"
        )
        #expect(
            unsigned["msgContent"]?["ownerSig"] == nil
                && unsigned["msgContent"]?["text"] == unsigned["msgContent"]?["chatLink"]?["connLink"]
        )
        for refused in ["/_share chat content @\(contact) #1", "/_share chat content #9 @\(contact)"] {
            #expect(try await bob.run(refused)["type"] != "chatMsgContent")
        }
        // The owner shares the existing link of the channel.
        let link = try channel.link.uri
        try await bob.controller.store.write { tx in
            try tx.db.execute("UPDATE group_members SET member_role = 'owner' WHERE member_category = 'user'", [])
            try tx.db.execute("UPDATE groups SET root_private_key = member_key", [])
            var group = try GroupRecord.get(1, user: #require(try UserRecord.find(1, in: tx.db)), in: tx.db)
            group.profile.publicGroup?.groupLink = link
            try group.replaceProfile(group.profile, tx)
        }
        var bindings: Set<String> = []
        let key = try await bob.controller.store.read { db in
            try db.firstRow("SELECT member_key FROM groups")?.blob("member_key")
        }
        let publicKey = try Ed25519.PrivateKey(rawRepresentation: #require(key)).publicKey
        for target in ["@\(contact)", "#1", "#1(as_group=on)"] {
            let shared = try await bob.run("/_share chat content #1 \(target)")["msgContent"]?["ownerSig"]
            let binding = try #require(shared?["chatBinding"]?.stringValue, "\(target)")
            bindings.insert(binding)
            let signature = try Base64URL.decode(#require(shared?["ownerSig"]?.stringValue))
            #expect(
                try publicKey.isValidSignature(signature, for: Base64URL.decode(binding) + channel.link.smpEncoded())
            )
        }
        #expect(bindings.count == 3)
        let content = try #require(try await bob.run("/_share chat content #1 @\(contact)")["msgContent"])
        try await bob.run(#"/_send @\#(contact) json [{"msgContent":\#(content.text),"mentions":{}}]"#)
        let elsewhere = try #require(try await bob.run("/_share chat content #1 #1")["msgContent"])
        try await bob.run(#"/_send @\#(contact) json [{"msgContent":\#(elsewhere.text),"mentions":{}}]"#)
        let chat = try #require(try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
        try await bob.run("/_send @\(contact) text these were both")
        try await alice.waitForItem("these were both", in: "@\(chat)")
        #expect(try await ownerSignatureFlags(alice, "@\(chat)") == [true, false])
        for core in [alice, bob] { await core.controller.close() }
        await channel.close()
    }
}
