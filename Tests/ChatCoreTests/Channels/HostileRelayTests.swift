import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import Agent
@testable import ChatCore

/// Relays of the user's own channel that violate the protocol.
@Suite("Hostile relays of a channel", .socketTimeLimit)
struct HostileRelayTests {
    private func makeJoinedChannel(relays: Int) async throws -> (channel: ChannelNetwork, bob: Core) {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: relays, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        try await channel.joinChannel(bob, relays: relays)
        return (channel, bob)
    }

    private func chatTexts(_ core: Core) async throws -> [String] {
        try await core.run("/_get chat #1 count=100").itemTexts
    }

    @Test
    func `A post that relays repeat, delay or alter is shown once, with the text that arrived first`() async throws {
        let (channel, bob) = try await makeJoinedChannel(relays: 2)
        let posts = (0..<6).map { (id: SharedMessageID.random(), text: "post \($0)") }
        func element(_ number: Int, _ text: String? = nil) -> [UInt8] {
            channel.postElement(text ?? posts[number].text, id: posts[number].id)
        }
        // The relay drops posts 0 and 4, and sends post 1 twice. It alters post 3, which the other relay has already
        // passed on, and then sends the delayed posts.
        try await channel.sendFromRelay([element(0), element(1), element(2), element(3)], from: 1)
        try await bob.waitForItem("post 3")
        try await channel.sendFromRelay([element(1), element(1), element(3, "altered"), element(5)], from: 0)
        try await channel.sendFromRelay([element(2)], from: 0)
        try await bob.waitForItem("post 5")
        try await channel.sendFromRelay([element(4), element(5)], from: 1)
        try await bob.waitForItem("post 4")
        let shown = try await chatTexts(bob).filter { $0.hasPrefix("post") || $0 == "altered" }
        #expect(shown == ["post 0", "post 1", "post 2", "post 3", "post 5", "post 4"])
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `A subscriber refuses messages that a relay forges in the owner's name`() async throws {
        let (channel, bob) = try await makeJoinedChannel(relays: 1)
        let relay = channel.relays[0]
        func body(_ event: String, _ params: String) -> [UInt8] {
            Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"\#(event)","params":\#(params)}"#
                    .utf8
            )
        }
        func forwarded(_ message: [UInt8], by author: MemberID?) -> [UInt8] {
            ForwardedMessage.encodeElement(by: author, named: "owner", at: .now, message)
        }
        let info = body(
            "x.grp.info",
            "{\"groupProfile\":\(ChannelStage.profileJSON("taken over", id: channel.entityID))}"
        )
        let owner = GroupBinding(publicGroupID: channel.entityID, member: channel.owner.id)
        let elsewhere = GroupBinding(publicGroupID: Digest.sha256([1]), member: channel.owner.id)
        var flipped = try SignedMessage(info, by: channel.owner.key, bound: owner)
        flipped.body = body(
            "x.grp.info",
            "{\"groupProfile\":\(ChannelStage.profileJSON("altered", id: channel.entityID))}"
        )
        let inventions = [
            forwarded(info, by: channel.owner.id),
            forwarded(try SignedMessage(info, by: relay.linkKey, bound: owner).element, by: channel.owner.id),
            forwarded(flipped.element, by: channel.owner.id),
            forwarded(try SignedMessage(info, by: channel.owner.key, bound: elsewhere).element, by: channel.owner.id),
            forwarded(body("x.grp.del", "{}"), by: channel.owner.id),
            forwarded(body("x.grp.leave", "{}"), by: channel.owner.id),
        ]
        for element in inventions { try await channel.sendFromRelay([element]) }
        try await channel.sendFromRelay([channel.postElement("the end")])
        try await bob.waitForItem("the end")
        #expect(try await chatTexts(bob).count { $0 == "message rejected: bad signature" } == inventions.count)
        let group = try await bob.run("/_info #1")["groupInfo"]
        #expect(
            group?["groupProfile"]?["displayName"] == "news" && group?["membership"]?["memberStatus"] == "connected"
        )
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `A subscriber does not accept an owner's signed message twice, even after thousands of unsigned messages`()
        async throws
    {
        let (channel, bob) = try await makeJoinedChannel(relays: 1)
        func info(_ name: String) throws -> [UInt8] {
            try channel.signedElement(
                "x.grp.info",
                "{\"groupProfile\":\(ChannelStage.profileJSON(name, id: channel.entityID))}"
            )
        }
        let first = try info("first")
        try await channel.sendFromRelay([first])
        try await channel.sendFromRelay([try info("second")])
        let cancel = {
            Array(
                #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.file.cancel","params":{"msgId":"CQgHBg=="}}"#
                    .utf8
            )
        }
        for _ in 0..<30 {
            try await channel.sendFromRelay(
                (0..<75).map { _ in ForwardedMessage.encodeElement(by: nil, named: "", at: .now, cancel()) }
            )
        }
        try await channel.sendFromRelay([first, channel.postElement("the end")])
        try await bob.waitForItem("the end")
        #expect(try await bob.channelInfo()["groupProfile"]?["displayName"] == "second")
        // Thousands of unsigned messages leave only a limited number of stored message ids.
        let remembered = try await bob.controller.store.read { db in
            try db.firstRow("SELECT count(*) AS n FROM received_group_messages")?.int64("n") ?? 0
        }
        #expect((2_000..<2_100).contains(remembered), "\(remembered)")
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `The number of members that a relay can add to a subscriber's database is limited`() async throws {
        let (channel, bob) = try await makeJoinedChannel(relays: 1)
        func count() async throws -> Int64 {
            try await bob.controller.store.read { db in
                try db.firstRow("SELECT count(*) AS n FROM group_members")?.int64("n") ?? 0
            }
        }
        let before = try await count()
        for _ in 0..<6 {
            try await channel.sendFromRelay(
                (0..<50).map { number in
                    let message =
                        #"{"v":"1-19","msgId":"\#(SharedMessageID.random().text)","event":"x.msg.react","params":{"msgId":"CQgHBg==","reaction":{"type":"emoji","emoji":"👍"},"add":true}}"#
                    return ForwardedMessage.encodeElement(
                        by: .random(),
                        named: "name \(number)",
                        at: .now,
                        Array(message.utf8)
                    )
                }
            )
        }
        try await channel.sendFromRelay([channel.postElement("after the authors")])
        try await bob.waitForItem("after the authors")
        #expect(try await (before + 190...before + 200).contains(count()))
        // Simulates that the channel has the maximum of known members.
        try await bob.controller.store.write { tx in
            let columns = try tx.db.query("PRAGMA table_info(group_members)").map { try $0.string("name") }
            let copied = columns.map {
                [
                    "group_member_id": "group_member_id + n * 1000", "member_id": "randomblob(16)",
                    "index_in_group": "index_in_group + n * 1000",
                ][$0] ?? $0
            }
            try tx.db.execute(
                """
                WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 48)
                INSERT INTO group_members (\(columns.joined(separator: ", "))) SELECT \(copied.joined(separator: ", ")) FROM group_members, many
                  WHERE member_status = 'unknown' AND member_role = 'observer'
                """
            )
        }
        let full = try await count()
        #expect((9_700..<10_000).contains(full), "\(full)")
        for _ in 0..<8 {
            try await channel.sendFromRelay(
                (0..<40).map { number in
                    let info =
                        #"{"memberId":"\#(MemberID.random().text)","memberRole":"observer","profile":{"displayName":"m\#(number)","fullName":""},"v":"1-19"}"#
                    return Array(#"{"v":"1-19","event":"x.grp.mem.new","params":{"memberInfo":\#(info)}}"#.utf8)
                }
            )
        }
        try await channel.sendFromRelay([channel.postElement("after the members")])
        try await bob.waitForItem("after the members")
        #expect(try await count() == 10_000)
        await bob.controller.close()
        await channel.close()
    }

    /// A relay's answer for a wrong channel, relay or member.
    enum WrongPart: String, CaseIterable {
        case channel, relay, newcomer, nonsense
    }

    @Test(arguments: WrongPart.allCases)
    func `A subscriber does not join at a relay whose answer is malformed or names a wrong channel, relay or member`(
        answer: WrongPart
    ) async throws {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world) { relay, newcomer, id in
            switch answer {
            case .channel: ChannelNetwork.invitationBody(from: relay.id, to: newcomer, id: Digest.sha256([7]))
            case .relay: ChannelNetwork.invitationBody(from: .random(), to: newcomer, id: id)
            case .newcomer: ChannelNetwork.invitationBody(from: relay.id, to: .random(), id: id)
            case .nonsense: [0x3d, 1, 0xff, 0xff, 0x2f]
            }
        }
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        try await channel.prepareChat(bob)
        try await bob.run("/_connect group #1 incognito=off")
        try await bob.wait(for: answer == .nonsense ? "chatError" : "messageError")
        let types = try await bob.events().compactMap { $0.event["type"]?.stringValue }
        #expect(!types.contains("groupLinkConnecting") && !types.contains("userJoinedGroup"))
        #expect(try await bob.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "unknown")
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `A channel's link cannot declare the channel's owner as a relay, or take the id of another channel`()
        async throws
    {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        let asOwner = try await channel.addRelay(id: channel.owner.id.bytes)
        let asRelay = try await channel.addRelay(id: channel.relays[0].id.bytes)
        try await channel.publishRelays([0, asOwner, asRelay])
        try await channel.prepareChat(bob)
        let other = try await ChannelNetwork(relays: 1, in: world)
        try await channel.publishRelays(
            [0],
            userData:
                #"{"groupProfile":\#(ChannelStage.profileJSON("news", id: other.entityID)),"publicGroupData":{"publicMemberCount":3}}"#
        )
        let refused = try await bob.run("/_connect group #1 incognito=off")
        #expect(refused["errorType"]?["type"] == "invalidConnReq", "\(refused)")
        try await channel.publishRelays([0, asOwner, asRelay])
        let results = try await bob.run("/_connect group #1 incognito=off")["relayResults"]?.arrayValue ?? []
        #expect(results.count == 3 && results.count { $0["relayError"] == nil } == 1, "\(results)")
        try await bob.wait(for: "userJoinedGroup")
        let members = try await bob.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        #expect(members.first { $0["memberId"]?.stringValue == channel.owner.id.text }?["memberRole"] == "owner")
        // Link data with the id of another channel are also refused after the subscriber has joined.
        try await channel.publishRelays(
            [0],
            userData:
                #"{"groupProfile":\#(ChannelStage.profileJSON("news", id: other.entityID)),"publicGroupData":{"publicMemberCount":3}}"#
        )
        #expect(try await bob.run("/_get group link data #1")["errorType"]?["type"] == "invalidConnReq")
        await bob.controller.close()
        await channel.close()
        await other.close()
    }

    @Test
    func `Unknown JSON members in the link data of a channel are ignored, and invalid link data are refused`()
        async throws
    {
        let world = try await World()
        let channel = try await ChannelNetwork(relays: 1, in: world)
        let bob = try await world.core("bob")
        try await bob.createUser("bob")
        let profile = ChannelStage.profileJSON("news", id: channel.entityID).replacing(
            #""fullName":"""#,
            with: #""fullName":"","later":{"a":[1,2]}"#
        )
        try await channel.publishRelays(
            [0],
            userData:
                #"{"groupProfile":\#(profile),"publicGroupData":{"publicMemberCount":3,"later":true},"later":[{}]}"#
        )
        try await channel.joinChannel(bob, relays: 1)
        try await channel.publishRelays(
            [0],
            userData:
                #"{"groupProfile":\#(ChannelStage.profileJSON("news", id: channel.entityID).replacing("\"channel\"", with: "\"forum\""))}"#
        )
        let carol = try await world.core("carol")
        try await carol.createUser("carol")
        #expect(try await carol.run("/_connect plan 1 \(channel.link.uri)").groupPlan["type"] == "updateRequired")
        for data in ["", "7", "{}", #"{"groupProfile":{}}"#, String(repeating: "[", count: 5_000)] {
            try await channel.publishRelays([0], userData: data)
            #expect(
                try await bob.run("/_get group link data #1")["errorType"]?["type"] == "invalidConnReq",
                "\(data.prefix(20))"
            )
        }
        let negative =
            #"{"groupProfile":\#(ChannelStage.profileJSON("news", id: channel.entityID)),"publicGroupData":{"publicMemberCount":-5}}"#
        try await channel.publishRelays([0], userData: negative)
        #expect(try await bob.run("/_get group link data #1")["groupInfo"]?["groupSummary"]?["publicMemberCount"] == 3)
        for core in [bob, carol] { await core.controller.close() }
        await channel.close()
    }

    @Test
    func `After malformed batches of a relay, the relay's next messages are still read`() async throws {
        let (channel, bob) = try await makeJoinedChannel(relays: 1)
        let post = channel.postElement("inside")
        let whole = BinaryBatch.encodeElements([post, post])
        var bodies: [[UInt8]] = [
            [0x3d], [0x3d, 0], [0x3d, 0xff], [0x3d, 1], [0x3d, 1, 0xff, 0xff], [0x3d, 1, 0, 0], [0x2f],
            [0x2f, 0x47, 0], [0x2f, 0x47, 0xff], [0x3e], [0x3e, 0x4d, 0xff],
            [0x3e, 0x5a], [0x46], [0x46, 1, 0xff], [0x58], [0x58, 0xff], [0x58, 1, 0x31, 0xff, 0xff, 0],
            [UInt8](repeating: 0x3e, count: 10_000),
            Array(String(repeating: "[", count: 10_000).utf8),
        ]
        // The batch is cut at any place, has another count, or a length that is too large or too small.
        for cut in stride(from: 2, to: whole.count, by: 41) { bodies.append(Array(whole.prefix(cut))) }
        for (place, value) in [(1, UInt8(1)), (1, 3), (1, 255), (2, 255), (3, 0), (3, 255)] {
            var body = whole
            body[place] = value
            bodies.append(body)
        }
        // The container contains itself, which is forbidden.
        bodies.append(BinaryBatch.encodeElements([whole]))
        for body in bodies { try await channel.sendFromRelay(body) }
        try await channel.sendFromRelay([channel.postElement("after all")])
        try await bob.waitForItem("after all")
        #expect(try await chatTexts(bob).count { $0 == "inside" } <= 1)
        await bob.controller.close()
        await channel.close()
    }

    @Test
    func `If relays of a channel send different rosters, the newest complete roster is used`() async throws {
        let (channel, bob) = try await makeJoinedChannel(relays: 2)
        let (first, second) = (
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey()),
            ChannelStage.Peer(id: .random(), key: try Ed25519.PrivateKey())
        )
        func roster(_ version: Int64, _ peers: [ChannelStage.Peer]) throws -> (header: [UInt8], chunks: [[UInt8]]) {
            let bytes = Roster(
                peers.map { Roster.Entry(id: $0.id, key: MemberKey($0.key.publicKey), role: .moderator) }
            ).encoded
            let id = SharedMessageID.random(), half = bytes.count / 2
            let header = try channel.signedElement(
                "x.grp.roster",
                JSONValue.object(RosterHeader(version: version, of: bytes).params).text,
                id: id
            )
            let chunks = [
                InlineFileChunk(messageID: id, chunkNumber: 1, bytes: Array(bytes.prefix(half))),
                InlineFileChunk(messageID: id, chunkNumber: 2, bytes: Array(bytes.dropFirst(half))),
            ]
            return (header, chunks.map(\.element))
        }
        func role(_ peer: ChannelStage.Peer) async throws -> String? {
            try await bob.run("/_members #1")["group"]?["members"]?.arrayValue?.first {
                $0["memberId"]?.stringValue == peer.id.text
            }?["memberRole"]?.stringValue
        }
        let (old, new) = (try roster(1, [first]), try roster(2, [second]))
        // Mixtures: the header of one roster with a part of the other, chunks out of order, and different chunks from
        // each relay.
        try await channel.sendFromRelay([old.header, new.chunks[0], old.chunks[1]], from: 0)
        try await channel.sendFromRelay([channel.postElement("mixed")], from: 0)
        try await bob.waitForItem("mixed")
        #expect(try await role(first) == nil)
        try await channel.sendFromRelay([new.header, new.chunks[0]], from: 1)
        try await channel.sendFromRelay([old.header] + old.chunks, from: 0)
        try await channel.sendFromRelay([channel.postElement("the old one")], from: 0)
        try await bob.waitForItem("the old one")
        #expect(try await role(first) == "moderator")
        try await channel.sendFromRelay([new.chunks[1], channel.postElement("the new one")], from: 1)
        try await bob.waitForItem("the new one")
        #expect(try await (role(first), role(second)) == ("observer", "moderator"))
        try await channel.sendFromRelay([old.header] + old.chunks + [channel.postElement("replayed")], from: 0)
        try await bob.waitForItem("replayed")
        #expect(try await (role(first), role(second)) == ("observer", "moderator"))
        await bob.controller.close()
        await channel.close()
    }
}
