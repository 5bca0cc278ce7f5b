import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

@Suite(.overSockets) struct HostileMessageTests {
    @Test("What a peer sends wrong is reported, kept, and does not stop what comes after it")
    func malformed() async throws {
        let (alice, bob) = try await World().pair()
        let bodies = [
            "", "garbage", "{", #"{"event":"x.msg.new","params":{}}"#, #"{"event":"x.msg.new","params":{"content":{"type":"text"}}}"#,
            #"{"v":"1-16","event":"x.future","params":{"a":1}}"#, #"{"event":"x.msg.del","params":{"msgId":"AQIDBA=="}}"#,
            #"{"event":"x.msg.react","params":{"msgId":"AQIDBA==","reaction":{"type":"emoji","emoji":"👍"},"add":true}}"#,
            #"{"event":"x.msg.update","params":{"msgId":"AQIDBQ==","content":{"type":"sticker","text":"late"}}}"#,
            #"{"event":"x.info","params":{"profile":{"displayName":"","fullName":""}}}"#, #"{"event":"x.grp.inv","params":{}}"#,
            #"{"event":"x.msg.new","params":{"content":{"type":"text","text":"ttl"},"ttl":9000000000000000000}}"#,
            #"{"msgId":"AQIDBA==","event":"x.msg.new","params":{"content":{"type":"future","text":"shown","x":1}}}"#,
        ]
        try await alice.controller.store.write { tx in
            let connection = try #require(try ConnectionRecord.find(1, in: tx.db))
            for body in bodies { try tx.enqueue(raw: Array(body.utf8), to: connection) }
        }
        try await alice.run("/_send @1 text the end")
        try await waitForText("the end", bob)
        let items = try await bob.run("/_get chat @1 count=50")["chat"]?["chatItems"]?.arrayValue ?? []
        func item(_ text: String) throws -> JSONValue { try #require(items.first { $0["meta"]?["itemText"] == .string(text) }, "\(text)") }
        for text in ["late", "updated profile", "the end"] { _ = try item(text) }
        #expect(try item("ttl")["meta"]?["itemTimed"] == nil)
        #expect(try item("shown")["content"]?["msgContent"] == ["type": "future", "text": "shown", "x": 1])
        #expect(try item("shown")["reactions"]?.arrayValue?.count == 1)
        #expect(try await bob.wait(for: "chatError", count: 4).count >= 4)
        #expect(try await bob.wait(for: "chatItemDeletedNotFound").count == 1)
        #expect(try await bob.run("/_contacts 1")["contacts"]?[0]?["localDisplayName"] == "unnamed")
        let kept = try await bob.controller.store.read { db in
            try db.query("SELECT chat_msg_event FROM messages").map { try $0.string("chat_msg_event") }
        }
        #expect(kept.contains("x.future") && kept.contains("x.grp.inv") && !kept.contains("x.msg.del"))
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test("Messages of groups, files and calls, and those that nobody knows, are kept as they came and show nothing")
    func laterRooms() async throws {
        let (alice, bob) = try await World().pair()
        let before = try await bob.run("/_get chat @1 count=100").itemIds
        let tags = ["x.grp.inv", "x.grp.msg.forward", "x.file", "x.file.acpt", "x.call.inv", "x.call.end", "x.direct.else", "x"]
        for tag in tags { try await alice.sendRaw(tag, #"{"callId":"AQID","groupInvitation":{},"odd":[1,{"a":null}]}"#) }
        try await alice.run("/_send @1 text after all")
        try await waitForText("after all", bob)
        #expect(try await bob.run("/_get chat @1 count=100").itemIds.count == before.count + 1)
        let kept = try await bob.controller.store.read { db in
            try db.query("SELECT chat_msg_event, msg_body FROM messages ORDER BY message_id", []).map { row in
                (try row.string("chat_msg_event"), try JSONValue(parsing: row.blob("msg_body")))
            }
        }
        for tag in tags {
            let body = try #require(kept.first { $0.0 == tag }?.1, "\(tag)")
            #expect(body["params"]?["odd"] == [1, ["a": .null]])
        }
        #expect(try await !bob.events().contains { $0.event["type"] == "chatError" })
        for core in [alice, bob] { await core.controller.close() }
    }
}

extension Transaction {
    /// Sends a body as it is.
    fileprivate func enqueue(raw body: [UInt8], to connection: ConnectionRecord) throws {
        try db.execute(
            "INSERT INTO deliveries (connection_id, message_id, msg_body, created_at) VALUES (?, 0, ?, ?)",
            [connection.connectionId, body, now.nanoseconds])
        deliveries.append(
            Delivery(
                deliveryId: db.lastInsertRowID, connectionId: connection.connectionId, agentConnId: connection.agentConnId, body: body,
                notifies: false))
    }
}
