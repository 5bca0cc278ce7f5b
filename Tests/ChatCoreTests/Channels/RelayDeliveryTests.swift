import ChatAPI
import ChatProtocol
import JSON
import SimpleXCrypto
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Delivery by relays of channels", .socketTimeLimit)
struct RelayDeliveryTests {
    @Test
    func `A relay sends several posts in one body to all subscribers, without the author of channel posts`()
        async throws
    {
        let stage = try await ServedStage()
        try await stage.send(stage.post("one"), from: stage.owner)
        try await stage.send(stage.post("two", asGroup: false), from: stage.owner)
        try await stage.workAll()
        for subscriber in stage.subscribers {
            let passed = try await stage.passed(to: subscriber)
            #expect(passed.count == 1 && passed[0].texts == ["one", "two"])
            #expect(passed.first?.forwards.map(\.authorID) == [nil, stage.owner.id])
            // The form in which the original encodes a parsed message.
            #expect(passed.first?.forwards.first?.message.objectValue?.map(\.0) == ["event", "msgId", "params", "v"])
        }
        #expect(try await stage.passed(to: stage.owner).isEmpty)
        // One body serves any number of recipients.
        #expect(try await stage.count("message_bodies") == 1)
        #expect(try await stage.count("relay_jobs") == 0)
        #expect(try await stage.count("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    @Test
    func `Subscribers see the owner as author of a reaction, but not of a channel post, its edit or its deletion`()
        async throws
    {
        let stage = try await ServedStage()
        let id = SharedMessageID.random()
        try await stage.send(stage.post("one", id: id), from: stage.owner)
        try await stage.send(
            stage.json("x.msg.react", #"{"msgId":"\#(id.text)","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#),
            from: stage.owner
        )
        try await stage.send(
            stage.json(
                "x.msg.update",
                #"{"msgId":"\#(id.text)","asGroup":true,"content":{"type":"text","text":"two"}}"#
            ),
            from: stage.owner
        )
        try await stage.send(stage.json("x.msg.del", #"{"msgId":"\#(id.text)"}"#), from: stage.owner)
        let info = try stage.signed(stage.info("other name"), by: stage.owner)
        try await stage.send(info, from: stage.owner)
        try await stage.workAll()
        let passed = try await stage.passed(to: stage.subscribers[0])
        #expect(passed.flatMap(\.forwards).map(\.authorID) == [nil, stage.owner.id, nil, nil, stage.owner.id])
        #expect(passed.last?.forwards.last?.signedMessage?.element == info)
        #expect(try await stage.group()?.profile.displayName == "other name")
        await stage.core.controller.close()
    }

    @Test
    func `A signed post of the channel is passed on without its signature, which would name the owner`() async throws {
        let stage = try await ServedStage()
        try await stage.send(stage.signed(stage.post("one"), by: stage.owner), from: stage.owner)
        try await stage.send(stage.signed(stage.post("two", asGroup: false), by: stage.owner), from: stage.owner)
        try await stage.workAll()
        let passed = try await stage.passed(to: stage.subscribers[0])
        #expect(passed.flatMap(\.texts) == ["one", "two"])
        #expect(passed.flatMap(\.forwards).map { $0.signedMessage == nil } == [true, false])
        await stage.core.controller.close()
    }

    @Test
    func `After a crash while a relay sends a body, each subscriber gets the body exactly once`() async throws {
        let stage = try await ServedStage(subscribers: RelayJobs.pageSize + 200)
        try await stage.send(stage.post("one"), from: stage.owner)
        try await stage.work()
        let first = try await stage.passed()
        #expect(first.count < RelayJobs.pageSize + 200 && first.count >= RelayJobs.pageSize - 2)
        // A message that arrives in the meantime waits.
        try await stage.send(stage.post("two"), from: stage.owner)
        try await stage.restart()
        try await stage.workAll()
        let texts = Dictionary(grouping: try await stage.passed(), by: \.connection).mapValues { $0.flatMap(\.texts) }
        #expect(texts.count == RelayJobs.pageSize + 200)
        #expect(texts.values.allSatisfy { $0 == ["one", "two"] })
        #expect(try await stage.count("message_bodies") == 2)
        await stage.core.controller.close()
    }

    @Test
    func `An author is announced to each subscriber once, before the author's first message`() async throws {
        let stage = try await ServedStage()
        let id = SharedMessageID.random()
        try await stage.send(stage.post("one", id: id), from: stage.owner)
        try await stage.workAll()
        try await stage.clear()
        let author = stage.subscribers[1]
        for add in [true, false] {
            try await stage.send(
                stage.json(
                    "x.msg.react",
                    #"{"msgId":"\#(id.text)","reaction":{"type":"emoji","emoji":"👍"},"add":\#(add)}"#
                ),
                from: author
            )
            try await stage.workAll()
        }
        #expect(try await stage.passed(to: author).isEmpty)
        let passed = try await stage.passed(to: stage.subscribers[0])
        #expect(passed.map { $0.events.map(\.tag) } == [["x.grp.mem.new"], []])
        guard case .group(.memberNew(let info, nil))? = passed.first?.events.first else { throw Missing() }
        #expect(info.id == author.id && info.memberKey?.key == author.key.publicKey && info.role == .observer)
        #expect(passed.flatMap(\.forwards).map(\.authorID) == [author.id, author.id])
        await stage.core.controller.close()
    }

    private struct Missing: Error {}

    @Test
    func `If a body has messages of several authors, no author gets back the author's own messages`() async throws {
        let stage = try await ServedStage()
        for peer in stage.subscribers { try await stage.setRole(.member, of: peer) }
        for (index, peer) in stage.subscribers.enumerated() {
            try await stage.send(stage.post("by \(index)", asGroup: false), from: peer)
        }
        try await stage.workAll()
        #expect(try await stage.passed(to: stage.owner).flatMap(\.texts) == ["by 0", "by 1", "by 2"])
        #expect(try await stage.passed(to: stage.subscribers[1]).flatMap(\.texts) == ["by 0", "by 2"])
        await stage.core.controller.close()
    }

    @Test
    func `A message of a support chat reaches only its member and the members who may moderate`() async throws {
        let stage = try await ServedStage()
        let (member, moderator) = (stage.subscribers[0], stage.subscribers[1])
        try await stage.setRole(.moderator, of: moderator)
        try await stage.send(stage.post("help", asGroup: false, scope: member.id), from: member)
        try await stage.workAll()
        #expect(try await stage.passed(to: stage.owner).flatMap(\.texts) == ["help"])
        #expect(try await stage.passed(to: moderator).flatMap(\.texts) == ["help"])
        try await stage.send(stage.post("how?", asGroup: false, scope: member.id), from: moderator)
        try await stage.workAll()
        #expect(try await stage.passed(to: member).flatMap(\.texts) == ["how?"])
        #expect(try await stage.passed(to: stage.subscribers[2]).isEmpty)
        // Other members may not write in the support chat.
        try await stage.send(stage.post("me too", asGroup: false, scope: member.id), from: stage.subscribers[2])
        try await stage.workAll()
        #expect(try await !stage.passed().flatMap(\.texts).contains("me too"))
        await stage.core.controller.close()
    }

    @Test
    func `A relay passes on no message that is forbidden, repeated or lacks a required signature`() async throws {
        let stage = try await ServedStage()
        let (observer, member, blocked) = (stage.subscribers[0], stage.subscribers[1], stage.subscribers[2])
        try await stage.setRole(.member, of: member)
        try await stage.setRole(.member, of: blocked)
        let block = stage.json(
            "x.grp.mem.restrict",
            #"{"memberId":"\#(blocked.id.text)","memberRestrictions":{"restriction":"blocked"}}"#
        )
        try await stage.send(stage.signed(block, by: stage.owner), from: stage.owner)
        try await stage.workAll()
        try await stage.clear()
        let id = SharedMessageID.random()
        try await stage.send(stage.post("mine", id: id, asGroup: false), from: member)
        try await stage.workAll()
        try await stage.clear()
        let inner = stage.post("inner", asGroup: false)
        let bodies: [(body: [UInt8], from: ServedStage.Peer)] = [
            (stage.post("no right", asGroup: false), observer), (stage.post("as the channel"), member),
            (stage.post("blocked", asGroup: false), blocked),
            // The same message is sent again.
            (stage.post("mine", id: id, asGroup: false), member),
            // A message of another member, and an unknown id.
            (stage.json("x.msg.del", #"{"msgId":"\#(id.text)","memberId":"\#(member.id.text)"}"#), observer),
            (
                stage.json("x.msg.update", #"{"msgId":"\#(id.text)","content":{"type":"text","text":"changed"}}"#),
                observer
            ),
            (
                Array(#"{"v":"1-19","event":"x.msg.new","params":{"content":{"type":"text","text":"no id"}}}"#.utf8),
                member
            ),
            // Events that an owner must sign.
            (stage.info("unsigned"), stage.owner), (try stage.signed(stage.info("mine"), by: member), member),
            (try stage.signed(stage.info("pretended"), by: member, as: stage.owner.id), stage.owner),
            (try stage.signed(stage.info("elsewhere"), by: stage.owner, in: [1, 2, 3]), stage.owner),
            (stage.json("x.grp.del", "{}"), stage.owner),
            (try stage.signed(stage.json("x.grp.del", "{}"), by: member), member),
            (
                try stage.signed(
                    stage.json("x.grp.relay.new", #"{"relayLink":"https://example.org/g#AAAA"}"#),
                    by: member
                ), member
            ),
            (try stage.signed(stage.json("x.grp.mem.del", #"{"memberId":"\#(stage.me.text)"}"#), by: member), member),
            (
                try stage.signed(
                    stage.json("x.grp.mem.role", #"{"memberId":"\#(member.id.text)","role":"owner"}"#),
                    by: member
                ), member
            ),
            // Only a relay may forward, and only an owner may introduce members.
            (ForwardedMessage.encodeElement(by: stage.owner.id, named: "alice", at: .now, inner), member),
            (stage.json("x.grp.mem.new", "{}"), member),
            // Bodies that are not messages.
            ([UInt8](), member), (Array("=".utf8), member), ([0x3d, 255, 0, 1], member), ([0x2f, 0x47, 1], member),
            ([0x3e, 0x4d, 3], member), ([0x46, 0, 255], member),
        ]
        for (body, peer) in bodies { try await stage.send(body, from: peer) }
        try await stage.workAll()
        #expect(try await stage.passed().map(\.texts) == [])
        #expect(try await stage.count("relay_tasks") == 0)
        let group = try await stage.group()
        #expect(
            group?.profile.displayName == "news" && group?.membership.status == .connected
                && group?.relayStatus == .accepted
        )
        await stage.core.controller.close()
    }

    @Test(arguments: [true, false])
    func `When the channel ends or the relay is removed, all subscribers are informed and then disconnected`(
        isDeleted: Bool
    ) async throws {
        let stage = try await ServedStage()
        try await stage.send(stage.post("waits"), from: stage.owner)
        let last =
            isDeleted
            ? stage.json("x.grp.del", "{}") : stage.json("x.grp.mem.del", #"{"memberId":"\#(stage.me.text)"}"#)
        let element = try stage.signed(last, by: stage.owner)
        try await stage.send(element, from: stage.owner)
        try await stage.workAll()
        for subscriber in stage.subscribers {
            #expect(
                try await stage.passed(to: subscriber).flatMap(\.forwards).map { $0.signedMessage?.element } == [
                    element
                ]
            )
        }
        let group = try await stage.group()
        #expect(group?.relayStatus == .inactive && group?.membership.status == (isDeleted ? .deleted : .removed))
        #expect(try await stage.count("retired_connections") == 4)
        // Nothing is accepted after the end of the channel.
        try await stage.send(stage.post("too late"), from: stage.owner)
        #expect(try await stage.count("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    @Test
    func `A relay that leaves informs all members, and refuses the channel until the user allows a new invitation`()
        async throws
    {
        let stage = try await ServedStage()
        try await stage.core.controller.store.write { tx in
            var group = try #require(try GroupRecord.find(1, user: 1, in: tx.db))
            try group.leaveAsRelay(.random(), tx)
            try group.membership.setStatus(.left, tx)
        }
        #expect(try await stage.group()?.relayStatus == .rejected)
        try await stage.workAll()
        let passed = try await stage.passed(to: stage.subscribers[0])
        let signed = try SignedMessage(try #require(passed.first?.body))
        #expect(
            signed.isValid(stage.myKey.publicKey, bound: GroupBinding(publicGroupID: stage.entityID, member: stage.me))
        )
        #expect(try await stage.passed(to: stage.owner).count == 1)
        func isRefused() async throws -> Bool {
            try await stage.core.controller.store.read { db in
                try ServedChannel.isRefused(
                    ShortLink(atServer: "https://example.org/c#AAAA"),
                    try #require(try UserRecord.find(1, in: db)),
                    db
                )
            }
        }
        #expect(try await isRefused())
        try await stage.core.controller.start()
        let allowed = try await stage.core.run("/_relay allow #1")
        #expect(
            allowed["type"] == "relayGroupAllowed" && allowed["groupInfo"]?["relayOwnStatus"] == "inactive",
            "\(allowed)"
        )
        #expect(try await !isRefused())
        await stage.core.controller.close()
    }
}
