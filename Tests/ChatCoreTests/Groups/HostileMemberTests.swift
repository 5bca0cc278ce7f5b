import ChatProtocol
import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Members who send events for which their role has no right. Carol is such a member, and the test makes her messages.
@Suite(.socketTimeLimit) struct HostileMemberTests {
    @Test
    func `Events that a plain member is not permitted to send change neither the group nor its members`() async throws {
        let trio = try await Trio()
        let bob = try await trio.carol.memberID("bob")
        let alice = try await trio.carol.memberID("alice")
        let carol = try await trio.alice.memberID("carol")
        let before = try await trio.bob.memberProperties()
        try await trio.carol.sendToMembers([
            ("x.grp.mem.role", #"{"memberId":"\#(bob)","role":"observer"}"#),
            ("x.grp.mem.role", #"{"memberId":"\#(carol)","role":"owner"}"#),
            ("x.grp.mem.role", #"{"memberId":"\#(carol)","role":"emperor"}"#),
            ("x.grp.mem.role", #"{"memberId":"bm9ib2R5","role":"member"}"#),
            ("x.grp.mem.del", #"{"memberId":"\#(alice)","messages":true}"#),
            ("x.grp.mem.del", #"{"memberId":"\#(bob)"}"#),
            ("x.grp.mem.restrict", #"{"memberId":"\#(alice)","memberRestrictions":{"restriction":"blocked"}}"#),
            ("x.grp.info", #"{"groupProfile":{"displayName":"taken","fullName":""}}"#),
            ("x.grp.prefs", #"{"groupPreferences":{}}"#), ("x.grp.del", "{}"),
            (
                "x.grp.mem.new",
                #"{"memberInfo":{"memberId":"bmV3bWVtYmVy","memberRole":"owner","profile":{"displayName":"mallory","fullName":""}}}"#
            ),
            (
                "x.grp.mem.intro",
                #"{"memberInfo":{"memberId":"bmV3bWVtYmVy","memberRole":"member","v":"1-19","profile":{"displayName":"mallory","fullName":""}}}"#
            ),
            (
                "x.grp.mem.fwd",
                #"{"memberInfo":{"memberId":"bmV3bWVtYmVy","memberRole":"member","v":"1-19","profile":{"displayName":"mallory","fullName":""}},"memberIntro":{"groupConnReq":"simplex:/invitation#/?"}}"#
            ),
            ("x.grp.mem.inv", #"{"memberId":"\#(bob)","memberIntro":{"groupConnReq":"simplex:/invitation#/?"}}"#),
            ("x.grp.acpt", #"{"memberId":"\#(alice)"}"#), ("x.grp.inv", #"{"groupInvitation":{}}"#),
        ])
        try await trio.carol.sendToGroup("the end", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("the end") }
        #expect(try await trio.bob.memberProperties() == before)
        #expect(try await trio.alice.run("/_info #1")["groupInfo"]?["groupProfile"]?["displayName"] == "team")
        #expect(try await trio.alice.memberProperties().count == 2)
        await trio.close()
    }

    @Test
    func `Group members ignore all messages forwarded by a plain member, and forbidden events forwarded by an admin`()
        async throws
    {
        let trio = try await Trio(roles: (bob: "admin", carol: "member"))
        let alice = try await trio.bob.memberID("alice")
        func forwarded(_ event: String, _ params: String, id: String) -> (String, String) {
            (
                "x.grp.msg.forward",
                #"{"memberId":"\#(alice)","memberName":"alice","msgTs":"2999-01-01T00:00:00Z","msg":{"v":"1-19","msgId":"\#(id)","event":"\#(event)","params":\#(params)}}"#
            )
        }
        let text = #"{"content":{"type":"text","text":"forged"}}"#
        try await trio.carol.sendToMembers([forwarded("x.msg.new", text, id: "CQgHBg")])
        try await trio.carol.sendToGroup("of carol", to: 1)
        try await trio.bob.waitForGroupText("of carol")
        #expect(try await !trio.bob.run("/_get chat #1 count=100").itemTexts.contains("forged"))
        let own = try await trio.bob.memberID("carol")
        try await trio.bob.sendToMembers([
            forwarded(
                "x.grp.mem.intro",
                #"{"memberInfo":{"memberId":"bmV3","memberRole":"member","v":"1-19","profile":{"displayName":"m","fullName":""}}}"#,
                id: "AQIDBQ"
            ),
            // A change that only an owner may make has no effect when it is forwarded in the name of a member.
            (
                "x.grp.msg.forward",
                #"{"memberId":"\#(own)","memberName":"carol","msgTs":"2020-01-01T00:00:00Z","msg":{"v":"1-19","msgId":"AQIDBg","event":"x.grp.del","params":{}}}"#
            ),
            ("x.grp.msg.forward", #"{"memberId":"\#(own)","msgTs":"long ago","msg":[]}"#),
            forwarded(
                "x.grp.msg.forward",
                #"{"memberId":"\#(own)","msgTs":"2020-01-01T00:00:00Z","msg":{}}"#,
                id: "AQIDBw"
            ),
        ])
        try await trio.bob.sendToGroup("of bob", to: 1)
        for core in [trio.alice, trio.carol] { try await core.waitForGroupText("of bob") }
        #expect(try await trio.carol.memberProperties().count == 2)
        #expect(try await trio.alice.run("/_info #1")["groupInfo"]?["membership"]?["memberStatus"] == "creator")
        await trio.close()
    }

    @Test
    func `After an admin announces hundreds of members, messages in the group still arrive`() async throws {
        let trio = try await Trio(roles: (bob: "admin", carol: "member"))
        let count = 500
        try await trio.bob.sendInBatches(
            (0..<count).map { number in
                let id = SharedMessageID.random().text
                return
                    #"{"v":"1-16","msgId":"\#(id)","event":"x.grp.mem.new","params":{"memberInfo":{"memberId":"\#(id)","memberRole":"member","profile":{"displayName":"m\#(number)","fullName":""}}}}"#
            }
        )
        try await trio.bob.sendToGroup("that is all", to: 1)
        try await trio.alice.sendToGroup("still here", to: 1)
        for text in ["that is all", "still here"] { try await trio.carol.waitForGroupText(text) }
        try await trio.carol.sendToGroup("so am I", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("so am I") }
        // No connection to the announced members is started, since the announcing admin introduces them.
        let known = try await trio.carol.controller.store.read { db in
            try (
                db.firstRow("SELECT count(*) AS n FROM group_members")?.int64("n"),
                db.firstRow("SELECT count(*) AS n FROM connections")?.int64("n")
            )
        }
        #expect(known.0 == Int64(count) + 3 && known.1 == 3, "\(known)")
        await trio.close()
    }

    @Test
    func `A group message that a member sends repeatedly is shown once`() async throws {
        let trio = try await Trio()
        let message = ("x.msg.new", #"{"content":{"type":"text","text":"once"}}"#)
        try await trio.carol.sendToMembers([message, message], id: "CQgHBg")
        try await trio.alice.sendToMembers(
            [("x.msg.new", #"{"content":{"type":"text","text":"the same id"}}"#)],
            id: "CQgHBg"
        )
        let carol = try await trio.alice.memberID("carol")
        try await trio.alice.sendToMembers([
            (
                "x.grp.msg.forward",
                #"{"memberId":"\#(carol)","memberName":"carol","msgTs":"2026-01-01T00:00:00Z","msg":{"v":"1-19","msgId":"CQgHBg","event":"x.msg.new","params":{"content":{"type":"text","text":"once"}}}}"#
            )
        ])
        try await trio.alice.sendToGroup("of alice", to: 1)
        try await trio.carol.sendToGroup("of carol", to: 1)
        for text in ["of alice", "of carol"] { try await trio.bob.waitForGroupText(text) }
        let texts = try await trio.bob.run("/_get chat #1 count=100").itemTexts
        #expect(texts.count { $0 == "once" } == 1)
        #expect(texts.count { $0 == "the same id" } == 1)
        await trio.close()
    }

    @Test
    func `A member cannot edit or delete another member's message`() async throws {
        let trio = try await Trio()
        try await trio.bob.sendToGroup("of bob", to: 1)
        let id = try #require(try await trio.carol.waitForGroupText("of bob")["meta"]?["itemSharedMsgId"]?.stringValue)
        let bob = try await trio.carol.memberID("bob")
        try await trio.carol.sendToMembers([
            ("x.msg.update", #"{"msgId":"\#(id)","content":{"type":"text","text":"changed"}}"#),
            ("x.msg.del", #"{"msgId":"\#(id)"}"#),
            ("x.msg.del", #"{"msgId":"\#(id)","memberId":"\#(bob)"}"#),
        ])
        try await trio.carol.sendToGroup("the end", to: 1)
        try await trio.alice.waitForGroupText("the end")
        try await trio.bob.waitForGroupText("the end")
        for core in [trio.alice, trio.bob] {
            let items = try await core.run("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
            let item = try #require(items.first { $0["meta"]?["itemText"] == "of bob" })
            #expect(item["meta"]?["itemDeleted"] == nil && item["meta"]?["itemEdited"] == false)
        }
        await trio.close()
    }

    @Test
    func `After malformed messages and profiles of a member, the group's next messages still arrive`() async throws {
        let trio = try await Trio()
        let name = String(repeating: "n", count: 10_000)
        try await trio.carol.sendToMembers([
            ("x.info", #"{"profile":{"displayName":"\#(name)","fullName":""}}"#),
            ("x.info", #"{"profile":{"displayName":"","fullName":""}}"#), ("x.info", "{}"),
            ("x.grp.mem.role", "{}"), ("x.grp.mem.con", #"{"memberId":"bm9ib2R5"}"#),
            ("x.grp.mem.info", #"{"memberId":"bm9ib2R5","profile":{}}"#),
            (
                "x.msg.react",
                #"{"msgId":"CQgHBg","memberId":"bm9ib2R5","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#
            ),
            (
                "x.msg.new",
                #"{"content":{"type":"text","text":"q"},"quote":{"msgRef":{"sentAt":"never","sent":false,"memberId":"???"},"content":{"type":"text","text":""}}}"#
            ),
            ("x.future", #"{"a":1}"#), ("x.direct.del", "{}"),
            ("x.contact", #"{"profile":{"displayName":"c","fullName":""}}"#),
        ])
        try await trio.carol.sendToGroup("the end", to: 1)
        for core in [trio.alice, trio.bob] {
            try await core.waitForGroupText("the end")
            #expect(try await core.memberProperties().count == 2)
        }
        await trio.close()
    }
}

extension Core {
    /// Returns the member id by which the group knows a member.
    func memberID(_ name: String) async throws -> String {
        let members = try await run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return try #require(
            members.first { $0["localDisplayName"]?.stringValue == name }?["memberId"]?.stringValue,
            "\(members)"
        )
    }

    /// Returns the properties of the other members that messages can change.
    func memberProperties() async throws -> [JSONValue] {
        let members = try await run("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return members.map {
            [
                "id": $0["memberId"] ?? .null, "role": $0["memberRole"] ?? .null,
                "blocked": $0["blockedByAdmin"] ?? .null, "status": $0["memberStatus"] ?? .null,
            ]
        }
    }

    /// Sends all elements to all members, up to 250 in each message body.
    func sendInBatches(_ elements: [String]) async throws {
        try await controller.store.write { tx in
            let connections = try Self.memberConnections(tx)
            for start in stride(from: 0, to: elements.count, by: 250) {
                let body = "[" + elements[start..<min(start + 250, elements.count)].joined(separator: ",") + "]"
                let fitting = try CompressedBody.compressIfNeeded(
                    Array(body.utf8),
                    limit: ChatMessageLimits.compressedMessageBytes
                )
                for connection in connections { try tx.enqueueBody(raw: fitting, to: connection) }
            }
        }
    }

    private static func memberConnections(_ tx: Transaction) throws -> [ConnectionRecord] {
        try tx.db.query(
            "SELECT connection_id FROM connections WHERE group_member_id IS NOT NULL AND conn_status = 'ready'"
        )
        .compactMap { try ConnectionRecord.find($0.int64("connection_id"), in: tx.db) }
    }

    /// Sends events to all members that this program would not send.
    func sendToMembers(_ messages: [(event: String, params: String)], id: String? = nil) async throws {
        try await controller.store.write { tx in
            let connections = try Self.memberConnections(tx)
            for message in messages {
                let id = id ?? SharedMessageID.random().text
                let body = #"{"v":"1-16","msgId":"\#(id)","event":"\#(message.event)","params":\#(message.params)}"#
                for connection in connections { try tx.enqueueBody(raw: Array(body.utf8), to: connection) }
            }
        }
    }
}
