import ChatProtocol
import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Messages that admins forward while members are connecting, and messages that wait for members.
@Suite(.socketTimeLimit) struct GroupForwardingTests {
    /// Sends a text to one member only, as if the other member were not connected yet.
    private func sendToMember(_ text: String, _ core: Core, to name: String) async throws {
        try await core.controller.store.write { tx in
            let id = try #require(
                try tx.db.queryFirst("SELECT group_member_id FROM group_members WHERE local_display_name = ?", [name])?
                    .int64(0)
            )
            let connection = try #require(try MemberRecord.find(id, user: 1, in: tx.db)?.connection)
            let body =
                #"{"v":"1-16","msgId":"\#(SharedMessageID.random().text)","event":"x.msg.new","params":{"content":{"type":"text","text":"\#(text)"}}}"#
            try tx.enqueueBody(raw: Array(body.utf8), to: connection)
        }
    }

    @Test(arguments: [false, true])
    func `The host forwards messages between two members until both members report that they are connected`(
        isKnown: Bool
    ) async throws {
        let trio = try await Trio()
        // These messages arrive after the members' reports of their connections.
        try await trio.carol.sendToGroup("here is carol", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("here is carol") }
        try await trio.bob.sendToGroup("here is bob", to: 1)
        for core in [trio.alice, trio.carol] { try await core.waitForGroupText("here is bob") }
        // Simulates that Carol, the newest member, has not yet reported her connection to Bob. Bob has reported it if
        // `isKnown`.
        try await trio.alice.controller.store.write { tx in
            func id(_ name: String) throws -> Int64 {
                try #require(
                    try tx.db.queryFirst(
                        "SELECT group_member_id FROM group_members WHERE local_display_name = ?",
                        [name]
                    )?
                    .int64(0)
                )
            }
            try tx.db.execute("DELETE FROM group_introductions")
            try tx.db.execute(
                "INSERT INTO group_introductions (user_id, new_member_id, to_member_id, to_connected) VALUES (1, ?, ?, ?)",
                [id("carol"), id("bob"), isKnown]
            )
        }
        try await sendToMember("of the new one", trio.carol, to: "alice")
        let item = try await trio.bob.waitForGroupText("of the new one")
        #expect(item["chatDir"]?["groupMember"]?["localDisplayName"] == "carol")
        #expect(item["meta"]?["forwardedByMember"] != nil)
        try await sendToMember("of the other one", trio.bob, to: "alice")
        try await trio.alice.waitForGroupText("of the other one")
        // A later message from alice to Carol shows that all earlier messages have arrived.
        try await trio.alice.sendToGroup("of alice", to: 1)
        try await trio.carol.waitForGroupText("of alice")
        #expect(try await trio.carol.run("/_get chat #1 count=100").itemTexts.contains("of the other one") == !isKnown)
        // After this report, the host forwards no message.
        let bob = try await trio.carol.memberID("bob")
        try await trio.carol.sendToMembers([("x.grp.mem.con", #"{"memberId":"\#(bob)"}"#)])
        try await sendToMember("later", trio.carol, to: "alice")
        try await trio.alice.waitForGroupText("later")
        try await trio.alice.sendToGroup("the last", to: 1)
        try await trio.bob.waitForGroupText("the last")
        #expect(try await !trio.bob.run("/_get chat #1 count=100").itemTexts.contains("later"))
        await trio.close()
    }

    @Test
    func `The host forwards messages of the member who joined first until this member also reports the connection`()
        async throws
    {
        let trio = try await Trio()
        try await trio.carol.sendToGroup("here is carol", to: 1)
        for core in [trio.alice, trio.bob] { try await core.waitForGroupText("here is carol") }
        try await trio.bob.sendToGroup("here is bob", to: 1)
        for core in [trio.alice, trio.carol] { try await core.waitForGroupText("here is bob") }
        // Simulates that only Carol, the newest member, has reported her connection to Bob.
        try await trio.alice.controller.store.write { tx in
            func id(_ name: String) throws -> Int64 {
                let sql = "SELECT group_member_id FROM group_members WHERE local_display_name = ?"
                return try #require(try tx.db.queryFirst(sql, [name])?.int64(0))
            }
            try tx.db.execute("DELETE FROM group_introductions")
            try tx.db.execute(
                "INSERT INTO group_introductions (user_id, new_member_id, to_member_id) VALUES (1, ?, ?)",
                [id("carol"), id("bob")]
            )
        }
        let (bob, carol) = (try await trio.carol.memberID("bob"), try await trio.bob.memberID("carol"))
        try await trio.carol.sendToMembers([("x.grp.mem.con", #"{"memberId":"\#(bob)"}"#)])
        try await sendToMember("of the new one", trio.carol, to: "alice")
        try await trio.alice.waitForGroupText("of the new one")
        try await sendToMember("of the other one", trio.bob, to: "alice")
        let item = try await trio.carol.waitForGroupText("of the other one")
        #expect(item["meta"]?["forwardedByMember"] != nil)
        // After both reports no message is forwarded.
        try await trio.bob.sendToMembers([("x.grp.mem.con", #"{"memberId":"\#(carol)"}"#)])
        try await sendToMember("later", trio.bob, to: "alice")
        try await trio.alice.waitForGroupText("later")
        try await trio.alice.sendToGroup("the last", to: 1)
        for core in [trio.bob, trio.carol] { try await core.waitForGroupText("the last") }
        #expect(try await !trio.bob.run("/_get chat #1 count=100").itemTexts.contains("of the new one"))
        #expect(try await !trio.carol.run("/_get chat #1 count=100").itemTexts.contains("later"))
        await trio.close()
    }

    @Test
    func `The host does not introduce two members to each other again if they are already connected`() async throws {
        let trio = try await Trio()
        let store = trio.alice.controller.store
        @Sendable func member(_ name: String, _ db: StoreConnection) throws -> MemberRecord {
            let sql = "SELECT group_member_id FROM group_members WHERE local_display_name = ?"
            let id = try #require(try db.queryFirst(sql, [name])?.int64(0))
            return try #require(try MemberRecord.find(id, user: 1, in: db))
        }
        // Simulates that the connection of Carol to Alice is not complete. Bob, who is connected, is introduced to
        // Carol.
        try await store.write { tx in
            try tx.db.execute("DELETE FROM group_introductions")
            var carol = try member("carol", tx.db)
            try carol.setStatus(.accepted, tx)
            try tx.db.execute(
                "INSERT INTO group_introductions (user_id, new_member_id, to_member_id) VALUES (1, ?, ?)",
                [member("bob", tx.db).memberId, carol.memberId]
            )
        }
        let carol = try await trio.bob.memberID("carol")
        try await trio.bob.sendToMembers([("x.grp.mem.con", #"{"memberId":"\#(carol)"}"#)])
        try await sendToMember("after the report", trio.bob, to: "alice")
        try await trio.alice.waitForGroupText("after the report")
        let introductions = try await store.write { tx in
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var carol = try member("carol", tx.db)
            try carol.setStatus(.connected, tx)
            let group = try GroupRecord.get(1, user: user, in: tx.db)
            try GroupIntroductions(user: user, tx: tx).introduceMember(carol, in: group)
            return try tx.db.query("SELECT new_member_id FROM group_introductions WHERE to_connected < 2").count
        }
        #expect(introductions == 0)
        await trio.close()
    }

    @Test
    func `A newly connected member gets directly the messages of the last minute that the host had forwarded`()
        async throws
    {
        let trio = try await Trio()
        let member = try await trio.bob.controller.store.read { db in
            try #require(
                try db.firstRow("SELECT group_member_id FROM group_members WHERE local_display_name = 'carol'")?.int64(
                    0
                )
            )
        }
        let reference = Recipients.MemberRef(userId: 1, memberId: member)
        func add(_ text: String) async throws {
            try await trio.bob.controller.store.write { tx in
                let content: JSONValue = ["type": "text", "text": .string(text)]
                let message = try OutgoingChatMessage(
                    ChatMessage(event: .messageNew(MessageContainer(content: content))),
                    over: []
                )
                try WaitingMessages.addForwarded(message, for: [reference], tx)
            }
        }
        func waiting() async throws -> Int64 {
            try await trio.bob.controller.store.read { db in
                try db.firstRow("SELECT count(*) AS n FROM waiting_messages")?.int64("n") ?? 0
            }
        }
        try await add("first")
        try await add("second")
        #expect(try await waiting() == 2)
        try await trio.bob.controller.store.write { tx in
            try tx.db.execute("UPDATE waiting_messages SET created_at = ?", tx.now.adding(seconds: -61).nanoseconds)
        }
        try await add("third")
        #expect(try await waiting() == 1)
        // The member is connected now: it gets the waiting message, and no message waits afterwards.
        try await trio.bob.controller.store.write { tx in
            let group = try GroupRecord.get(1, user: #require(try UserRecord.find(1, in: tx.db)), in: tx.db)
            try WaitingMessages.sendWaiting(
                to: #require(try MemberRecord.find(member, user: 1, in: tx.db)),
                in: group,
                tx
            )
        }
        try await trio.carol.waitForGroupText("third")
        let texts = try await trio.carol.run("/_get chat #1 count=100").itemTexts
        #expect(!texts.contains("first") && !texts.contains("second"))
        #expect(try await waiting() == 0)
        await trio.close()
    }

    @Test
    func `If a user blocks a member, the messages of the member are hidden only for this user`() async throws {
        let trio = try await Trio()
        let alice = try await trio.bob.controller.store.read { db in
            try #require(
                try db.firstRow("SELECT group_member_id FROM group_members WHERE local_display_name = 'alice'")?.int64(
                    0
                )
            )
        }
        #expect(try await trio.bob.run(#"/_member settings #1 \#(alice) {"showMessages":false}"#)["type"] == "cmdOk")
        try await trio.alice.sendToGroup("covered", to: 1)
        let covered = try await trio.bob.waitForGroupText("covered")
        #expect(covered["meta"]?["itemDeleted"]?["type"] == "blocked")
        let seen = try await trio.carol.waitForGroupText("covered")
        #expect(seen["meta"]?["itemDeleted"] == nil)
        _ = try await trio.bob.run(#"/_member settings #1 \#(alice) {"showMessages":true}"#)
        try await trio.alice.sendToGroup("shown", to: 1)
        #expect(try await trio.bob.waitForGroupText("shown")["meta"]?["itemDeleted"] == nil)
        // A restriction that names the user's own id does not block the user.
        let own = try await trio.alice.memberID("bob")
        try await trio.alice.sendToMembers([
            ("x.grp.mem.restrict", #"{"memberId":"\#(own)","memberRestrictions":{"restriction":"blocked"}}"#)
        ])
        try await trio.alice.sendToGroup("after it", to: 1)
        try await trio.bob.waitForGroupText("after it")
        #expect(try await trio.bob.run("/_info #1")["groupInfo"]?["membership"]?["blockedByAdmin"] == false)
        await trio.close()
    }
}
