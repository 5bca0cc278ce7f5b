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
    func `A relay sends several posts in one message body to all subscribers, without the author of channel posts`()
        async throws
    {
        let stage = try await ServedStage()
        try await stage.sendBody(stage.postBody("one"), from: stage.owner)
        try await stage.sendBody(stage.postBody("two", asGroup: false), from: stage.owner)
        try await stage.sendAllPages()
        for subscriber in stage.subscribers {
            let passed = try await stage.readPassedMessages(to: subscriber)
            #expect(passed.count == 1 && passed[0].forwardedTexts == ["one", "two"])
            #expect(passed.first?.forwardedMessages.map(\.authorID) == [nil, stage.owner.id])
            // The members have the order in which the original encodes a parsed message.
            #expect(
                passed.first?.forwardedMessages.first?.message.objectValue?.map(\.0) == [
                    "event", "msgId", "params", "v",
                ]
            )
        }
        #expect(try await stage.readPassedMessages(to: stage.owner).isEmpty)
        // One stored body serves all recipients.
        #expect(try await stage.countRows("message_bodies") == 1)
        #expect(try await stage.countRows("relay_jobs") == 0)
        #expect(try await stage.countRows("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    @Test
    func `Subscribers see the owner as author of a reaction, but not of a channel post, its edit or its deletion`()
        async throws
    {
        let stage = try await ServedStage()
        let id = SharedMessageID.random()
        try await stage.sendBody(stage.postBody("one", id: id), from: stage.owner)
        try await stage.sendBody(
            stage.messageJSON(
                "x.msg.react",
                #"{"msgId":"\#(id.text)","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#
            ),
            from: stage.owner
        )
        try await stage.sendBody(
            stage.messageJSON(
                "x.msg.update",
                #"{"msgId":"\#(id.text)","asGroup":true,"content":{"type":"text","text":"two"}}"#
            ),
            from: stage.owner
        )
        try await stage.sendBody(stage.messageJSON("x.msg.del", #"{"msgId":"\#(id.text)"}"#), from: stage.owner)
        let info = try stage.signedElement(stage.infoBody("other name"), by: stage.owner)
        try await stage.sendBody(info, from: stage.owner)
        try await stage.sendAllPages()
        let passed = try await stage.readPassedMessages(to: stage.subscribers[0])
        #expect(passed.flatMap(\.forwardedMessages).map(\.authorID) == [nil, stage.owner.id, nil, nil, stage.owner.id])
        #expect(passed.last?.forwardedMessages.last?.signedMessage?.element == info)
        #expect(try await stage.findGroup()?.profile.displayName == "other name")
        await stage.core.controller.close()
    }

    @Test
    func `A relay passes on a signed channel post without its signature, since the signature would name the owner`()
        async throws
    {
        let stage = try await ServedStage()
        try await stage.sendBody(stage.signedElement(stage.postBody("one"), by: stage.owner), from: stage.owner)
        try await stage.sendBody(
            stage.signedElement(stage.postBody("two", asGroup: false), by: stage.owner),
            from: stage.owner
        )
        try await stage.sendAllPages()
        let passed = try await stage.readPassedMessages(to: stage.subscribers[0])
        #expect(passed.flatMap(\.forwardedTexts) == ["one", "two"])
        let isUnsigned: [Bool] = passed.flatMap(\.forwardedMessages).map { $0.signedMessage == nil }
        #expect(isUnsigned == [true, false])
        await stage.core.controller.close()
    }

    @Test
    func `If a relay crashes while it sends a message body, each subscriber gets the body exactly once`() async throws {
        let stage = try await ServedStage(subscribers: RelayJobs.membersPerPage + 200)
        try await stage.sendBody(stage.postBody("one"), from: stage.owner)
        try await stage.sendNextPages()
        let first = try await stage.readPassedMessages()
        #expect(first.count < RelayJobs.membersPerPage + 200 && first.count >= RelayJobs.membersPerPage - 2)
        // The relay has sent only the first page, so this message must wait.
        try await stage.sendBody(stage.postBody("two"), from: stage.owner)
        try await stage.restart()
        try await stage.sendAllPages()
        let texts = Dictionary(grouping: try await stage.readPassedMessages(), by: \.connection).mapValues {
            $0.flatMap(\.forwardedTexts)
        }
        #expect(texts.count == RelayJobs.membersPerPage + 200)
        #expect(texts.values.allSatisfy { $0 == ["one", "two"] })
        #expect(try await stage.countRows("message_bodies") == 2)
        await stage.core.controller.close()
    }

    @Test
    func `An author is announced to each subscriber once, before the author's first message`() async throws {
        let stage = try await ServedStage()
        let id = SharedMessageID.random()
        try await stage.sendBody(stage.postBody("one", id: id), from: stage.owner)
        try await stage.sendAllPages()
        try await stage.clearOutbox()
        let author = stage.subscribers[1]
        for add in [true, false] {
            try await stage.sendBody(
                stage.messageJSON(
                    "x.msg.react",
                    #"{"msgId":"\#(id.text)","reaction":{"type":"emoji","emoji":"👍"},"add":\#(add)}"#
                ),
                from: author
            )
            try await stage.sendAllPages()
        }
        #expect(try await stage.readPassedMessages(to: author).isEmpty)
        let passed = try await stage.readPassedMessages(to: stage.subscribers[0])
        #expect(passed.map { $0.relayEvents.map(\.tag) } == [["x.grp.mem.new"], []])
        guard case .group(.memberNew(let info, nil))? = passed.first?.relayEvents.first else { throw MissingValue() }
        #expect(info.id == author.id && info.memberKey?.key == author.key.publicKey && info.role == .observer)
        #expect(passed.flatMap(\.forwardedMessages).map(\.authorID) == [author.id, author.id])
        await stage.core.controller.close()
    }

    private struct MissingValue: Error {}

    @Test
    func `If one body has messages of several authors, each author gets only the messages of the other authors`()
        async throws
    {
        let stage = try await ServedStage()
        for peer in stage.subscribers { try await stage.setRole(.member, of: peer) }
        for (index, peer) in stage.subscribers.enumerated() {
            try await stage.sendBody(stage.postBody("by \(index)", asGroup: false), from: peer)
        }
        try await stage.sendAllPages()
        #expect(
            try await stage.readPassedMessages(to: stage.owner).flatMap(\.forwardedTexts) == ["by 0", "by 1", "by 2"]
        )
        #expect(
            try await stage.readPassedMessages(to: stage.subscribers[1]).flatMap(\.forwardedTexts) == ["by 0", "by 2"]
        )
        await stage.core.controller.close()
    }

    @Test
    func `A message of a support chat reaches only the member of this chat and the members who may moderate`()
        async throws
    {
        let stage = try await ServedStage()
        let (member, moderator) = (stage.subscribers[0], stage.subscribers[1])
        try await stage.setRole(.moderator, of: moderator)
        try await stage.sendBody(stage.postBody("help", asGroup: false, scope: member.id), from: member)
        try await stage.sendAllPages()
        #expect(try await stage.readPassedMessages(to: stage.owner).flatMap(\.forwardedTexts) == ["help"])
        #expect(try await stage.readPassedMessages(to: moderator).flatMap(\.forwardedTexts) == ["help"])
        try await stage.sendBody(stage.postBody("how?", asGroup: false, scope: member.id), from: moderator)
        try await stage.sendAllPages()
        #expect(try await stage.readPassedMessages(to: member).flatMap(\.forwardedTexts) == ["how?"])
        #expect(try await stage.readPassedMessages(to: stage.subscribers[2]).isEmpty)
        // Other members may not write in the support chat.
        try await stage.sendBody(stage.postBody("me too", asGroup: false, scope: member.id), from: stage.subscribers[2])
        try await stage.sendAllPages()
        #expect(try await !stage.readPassedMessages().flatMap(\.forwardedTexts).contains("me too"))
        await stage.core.controller.close()
    }

    @Test
    func `A relay passes on no message that is forbidden, repeated or without a required signature`() async throws {
        let stage = try await ServedStage()
        let (observer, member, blocked) = (stage.subscribers[0], stage.subscribers[1], stage.subscribers[2])
        try await stage.setRole(.member, of: member)
        try await stage.setRole(.member, of: blocked)
        let block = stage.messageJSON(
            "x.grp.mem.restrict",
            #"{"memberId":"\#(blocked.id.text)","memberRestrictions":{"restriction":"blocked"}}"#
        )
        try await stage.sendBody(stage.signedElement(block, by: stage.owner), from: stage.owner)
        try await stage.sendAllPages()
        try await stage.clearOutbox()
        let id = SharedMessageID.random()
        try await stage.sendBody(stage.postBody("mine", id: id, asGroup: false), from: member)
        try await stage.sendAllPages()
        try await stage.clearOutbox()
        let inner = stage.postBody("inner", asGroup: false)
        let bodies: [(body: [UInt8], from: ServedStage.Peer)] = [
            (stage.postBody("no right", asGroup: false), observer), (stage.postBody("as the channel"), member),
            (stage.postBody("blocked", asGroup: false), blocked),
            // The member repeats an earlier message.
            (stage.postBody("mine", id: id, asGroup: false), member),
            // An observer deletes and edits a message of another member, and a member sends a message without an id.
            (stage.messageJSON("x.msg.del", #"{"msgId":"\#(id.text)","memberId":"\#(member.id.text)"}"#), observer),
            (
                stage.messageJSON(
                    "x.msg.update",
                    #"{"msgId":"\#(id.text)","content":{"type":"text","text":"changed"}}"#
                ),
                observer
            ),
            (
                Array(#"{"v":"1-19","event":"x.msg.new","params":{"content":{"type":"text","text":"no id"}}}"#.utf8),
                member
            ),
            // An owner must sign these events.
            (stage.infoBody("unsigned"), stage.owner),
            (try stage.signedElement(stage.infoBody("mine"), by: member), member),
            (try stage.signedElement(stage.infoBody("pretended"), by: member, as: stage.owner.id), stage.owner),
            (try stage.signedElement(stage.infoBody("elsewhere"), by: stage.owner, in: [1, 2, 3]), stage.owner),
            (stage.messageJSON("x.grp.del", "{}"), stage.owner),
            (try stage.signedElement(stage.messageJSON("x.grp.del", "{}"), by: member), member),
            (
                try stage.signedElement(
                    stage.messageJSON("x.grp.relay.new", #"{"relayLink":"https://example.org/g#AAAA"}"#),
                    by: member
                ), member
            ),
            (
                try stage.signedElement(
                    stage.messageJSON("x.grp.mem.del", #"{"memberId":"\#(stage.relayMemberID.text)"}"#),
                    by: member
                ), member
            ),
            (
                try stage.signedElement(
                    stage.messageJSON("x.grp.mem.role", #"{"memberId":"\#(member.id.text)","role":"owner"}"#),
                    by: member
                ), member
            ),
            // Only a relay may forward, and only an owner may introduce members.
            (ForwardedMessage.encodeElement(by: stage.owner.id, named: "alice", at: .now, inner), member),
            (stage.messageJSON("x.grp.mem.new", "{}"), member),
            // These bodies are not messages.
            ([UInt8](), member), (Array("=".utf8), member), ([0x3d, 255, 0, 1], member), ([0x2f, 0x47, 1], member),
            ([0x3e, 0x4d, 3], member), ([0x46, 0, 255], member),
        ]
        for (body, peer) in bodies { try await stage.sendBody(body, from: peer) }
        try await stage.sendAllPages()
        #expect(try await stage.readPassedMessages().map(\.forwardedTexts) == [])
        #expect(try await stage.countRows("relay_tasks") == 0)
        let group = try await stage.findGroup()
        #expect(
            group?.profile.displayName == "news" && group?.membership.status == .connected
                && group?.relayStatus == .accepted
        )
        await stage.core.controller.close()
    }

    @Test(arguments: [true, false])
    func `If the owner deletes a channel or removes a relay, the relay informs its subscribers and disconnects them`(
        isDeleted: Bool
    ) async throws {
        let stage = try await ServedStage()
        try await stage.sendBody(stage.postBody("waits"), from: stage.owner)
        let last =
            isDeleted
            ? stage.messageJSON("x.grp.del", "{}")
            : stage.messageJSON("x.grp.mem.del", #"{"memberId":"\#(stage.relayMemberID.text)"}"#)
        let element = try stage.signedElement(last, by: stage.owner)
        try await stage.sendBody(element, from: stage.owner)
        try await stage.sendAllPages()
        for subscriber in stage.subscribers {
            #expect(
                try await stage.readPassedMessages(to: subscriber).flatMap(\.forwardedMessages).map {
                    $0.signedMessage?.element
                } == [
                    element
                ]
            )
        }
        let group = try await stage.findGroup()
        #expect(group?.relayStatus == .inactive && group?.membership.status == (isDeleted ? .deleted : .removed))
        #expect(try await stage.countRows("retired_connections") == 4)
        // After the end of the channel, the relay accepts no message, so no task is made.
        try await stage.sendBody(stage.postBody("too late"), from: stage.owner)
        #expect(try await stage.countRows("relay_tasks") == 0)
        await stage.core.controller.close()
    }

    @Test
    func `A relay that leaves a channel informs all members, and refuses invitations until its user allows them again`()
        async throws
    {
        let stage = try await ServedStage()
        try await stage.core.controller.store.write { tx in
            var group = try #require(try GroupRecord.find(1, user: 1, in: tx.db))
            try group.leaveAsRelay(.random(), tx)
            try group.membership.setStatus(.left, tx)
        }
        #expect(try await stage.findGroup()?.relayStatus == .rejected)
        try await stage.sendAllPages()
        let passed = try await stage.readPassedMessages(to: stage.subscribers[0])
        let signed = try SignedMessage(try #require(passed.first?.body))
        #expect(
            signed.isValid(
                stage.relayKey.publicKey,
                bound: GroupBinding(publicGroupID: stage.entityID, member: stage.relayMemberID)
            )
        )
        #expect(try await stage.readPassedMessages(to: stage.owner).count == 1)
        func isRefused() async throws -> Bool {
            try await stage.core.controller.store.read { db in
                try ServedChannel.refusesInvitation(
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
