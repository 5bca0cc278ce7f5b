import ChatProtocol
import JSON
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite(.socketTimeLimit) struct HostileMessageTests {
    @Test
    func `After invalid messages from a peer, the peer's next messages are received`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let bodies = [
            "", "garbage", "{", #"{"event":"x.msg.new","params":{}}"#,
            #"{"event":"x.msg.new","params":{"content":{"type":"text"}}}"#,
            #"{"v":"1-16","event":"x.future","params":{"a":1}}"#,
            #"{"event":"x.msg.del","params":{"msgId":"CQgHBg=="}}"#,
            #"{"event":"x.msg.react","params":{"msgId":"CQgHBg==","reaction":{"type":"emoji","emoji":"👍"},"add":true}}"#,
            #"{"event":"x.msg.update","params":{"msgId":"AQIDBQ==","content":{"type":"sticker","text":"late"}}}"#,
            #"{"event":"x.info","params":{"profile":{"displayName":"","fullName":""}}}"#,
            #"{"event":"x.grp.inv","params":{}}"#,
            #"{"event":"x.msg.new","params":{"content":{"type":"text","text":"ttl"},"ttl":9000000000000000000}}"#,
            #"{"msgId":"CQgHBg==","event":"x.msg.new","params":{"content":{"type":"future","text":"shown","x":1}}}"#,
        ]
        try await alice.controller.store.write { tx in
            let connection = try #require(try ConnectionRecord.find(1, in: tx.db))
            for body in bodies { try tx.enqueueBody(raw: Array(body.utf8), to: connection) }
        }
        try await alice.run("/_send @1 text the end")
        try await waitForText("the end", bob)
        let items = try await bob.run("/_get chat @1 count=50")["chat"]?["chatItems"]?.arrayValue ?? []
        func item(_ text: String) throws -> JSONValue {
            try #require(items.first { $0["meta"]?["itemText"] == .string(text) }, "\(text)")
        }
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
        #expect(kept.contains("x.future") && !kept.contains("x.msg.del"))
        await alice.controller.close()
        await bob.controller.close()
    }

    @Test
    func `A message with an unknown event is stored unchanged and adds no chat item`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let before = try await bob.run("/_get chat @1 count=100").itemIds
        let tags = ["x.grp.later", "x.grp.msg.later", "x.file.later", "x.file.acpt", "x.direct.else", "x"]
        for tag in tags { try await alice.sendRaw(tag, #"{"groupInvitation":{},"odd":[1,{"a":null}]}"#) }
        try await alice.run("/_send @1 text after all")
        try await waitForText("after all", bob)
        #expect(try await bob.run("/_get chat @1 count=100").itemIds.count == before.count + 1)
        // Elements of one body are kept together.
        let kept = try await bob.unhandledMessages().flatMap { MessageBody.parse($0.body) }.compactMap {
            element -> ChatMessage? in
            if case .success(.message(let message)) = element { message } else { nil }
        }
        for tag in tags {
            let message = try #require(kept.first { $0.event.tag == tag }, "\(tag)")
            #expect(message.event.params["odd"] == [1, ["a": .null]])
        }
        #expect(try await !bob.events().contains { $0.event["type"] == "chatError" })
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `An agent message of thousands of invalid elements is stored once and reported in one error event`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let body = Array("[\(String(repeating: "0,", count: 6_000))0]".utf8)
        try await alice.sendBody(raw: body)
        try await alice.run("/_send @1 text after all")
        try await waitForText("after all", bob)
        #expect(try await bob.unhandledMessages().map(\.body) == [body])
        #expect(try await bob.events().count { $0.event["type"] == "chatError" } == 1)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `The valid elements of an agent message take effect, and one error event reports the invalid elements`()
        async throws
    {
        let (alice, bob) = try await World().makeConnectedCores()
        let good = #"{"msgId":"CQgHBg==","event":"x.msg.new","params":{"content":{"type":"text","text":"good"}}}"#
        let unknown = #"{"event":"x.future","params":{"a":1}}"#
        try await alice.sendBody(raw: Array("[0,\(good),[],\(unknown)]".utf8))
        try await waitForText("good", bob)
        let kept = try await bob.unhandledMessages()
        #expect(kept.map(\.event) == [""])
        var rest: [UInt8] = [UInt8(ascii: "="), 3]
        for element in ["0", "[]", unknown] { rest += [0, UInt8(element.utf8.count)] + Array(element.utf8) }
        #expect(kept.first?.body == rest)
        let errors = try await bob.events().filter { ["chatError", "messageError"].contains($0.event["type"]) }
        #expect(errors.count == 1)
        #expect(errors.contains { $0.event.text.contains("(and 2 more errors in the same message)") })
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `A received text with the character U+0000 is shown and can be quoted`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        let message =
            #"{"msgId":"CQgHBg==","event":"x.msg.new","params":{"content":{"type":"text","text":"a\u0000b"}}}"#
        try await alice.sendBody(raw: Array(message.utf8))
        try await waitForText("a\0b", bob)
        let item = try #require(try await bob.run("/_get chat @1 count=1").itemIds.first)
        #expect(try await bob.run("/_get chat @1 count=1").itemTexts == ["a\0b"])
        let quote = #"[{"quotedItemId":\#(item),"msgContent":{"type":"text","text":"answer"},"mentions":{}}]"#
        #expect(try await bob.run("/_send @1 json \(quote)")["type"] == "newChatItems")
        try await waitForText("answer", alice)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `Stored unhandled messages are limited in number, bytes and age`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        try await bob.controller.store.write { tx in
            let connection = try #require(try ConnectionRecord.find(1, in: tx.db))
            var limits = UnhandledMessages.Limits()
            limits.maxMessagesPerConnection = 3
            for number in 0..<5 {
                try UnhandledMessages.store([UInt8(number)], event: "", connection, limits: limits, tx)
            }
            #expect(try Core.unhandledMessages(tx.db).map(\.body) == [[2], [3], [4]])
            limits.maxBytes = 2
            try UnhandledMessages.deleteBeyondLimits(to: limits, tx)
            #expect(try Core.unhandledMessages(tx.db).map(\.body) == [[3], [4]])
            limits.maxMessages = 1
            try UnhandledMessages.deleteBeyondLimits(to: limits, tx)
            #expect(try Core.unhandledMessages(tx.db).map(\.body) == [[4]])
            limits.maxAgeSeconds = -1
            try UnhandledMessages.deleteBeyondLimits(to: limits, tx)
            #expect(try Core.unhandledMessages(tx.db).isEmpty)
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}

extension Core {
    /// Sends a body unchanged to the first contact.
    func sendBody(raw body: [UInt8]) async throws {
        try await controller.store.write { tx in
            let connection = try #require(try ConnectionRecord.find(1, in: tx.db))
            try tx.enqueueBody(raw: body, to: connection)
        }
    }

    /// Returns the messages that had no effect, in order.
    func unhandledMessages() async throws -> [(event: String, body: [UInt8])] {
        try await controller.store.read { try Self.unhandledMessages($0) }
    }

    static func unhandledMessages(_ db: StoreConnection) throws -> [(event: String, body: [UInt8])] {
        try db.query("SELECT chat_msg_event, msg_body FROM messages ORDER BY message_id").map { row in
            (try row.string("chat_msg_event"), try row.blob("msg_body"))
        }
    }
}

extension Transaction {
    /// Sends a body unchanged.
    func enqueueBody(raw body: [UInt8], to connection: ConnectionRecord) throws {
        try db.execute(
            "INSERT INTO deliveries (connection_id, body_id, created_at) VALUES (?, ?, ?)",
            [connection.connectionId, MessageBodies.store(body, deliveries: 1, in: db), now.nanoseconds]
        )
        deliveries.append(
            Delivery(
                deliveryId: db.lastInsertRowID,
                connectionId: connection.connectionId,
                agentConnId: connection.agentConnId,
                body: body,
                notifiesReceiver: false
            )
        )
    }
}
