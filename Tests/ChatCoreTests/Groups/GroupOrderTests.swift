import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Items of groups are ordered by the time of sending, and not by the time of arrival.
@Suite(.socketTimeLimit) struct GroupOrderTests {
    private struct PlacedItem {
        let id: Int64
        let timestamp: Int64
        let text: String
        let isUnread: Bool
    }

    @Test
    func `Items of a group are ordered by the time of sending`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        try await alice.createGroup()
        var random = SeededRandom(seed: 5)
        let start = Timestamp.now
        // Several items have the same second, over five days.
        let times = (0..<300).map { _ in
            start.adding(seconds: Int64.random(in: -432_000...0, using: &random) / 900 * 900)
        }
        try await alice.controller.store.write { tx in
            var group = try #require(try GroupRecord.find(1, user: 1, in: tx.db))
            for (index, time) in times.enumerated() {
                // The items have an author, as if others had sent them, because the group has no other members.
                var item = NewItem(
                    isSent: false,
                    content: .rcvMsgContent(
                        msgContent: .text(text: index % 3 == 0 ? "needle \(index)" : "item \(index)")
                    ),
                    text: index % 3 == 0 ? "needle \(index)" : "item \(index)",
                    status: index % 4 == 0 ? .rcvNew : .rcvRead
                )
                item.author = group.membership
                item.itemTs = time
                _ = try ItemWriter.create(item, in: &group, movesChat: false, tx)
            }
        }
        let items = try await alice.controller.store.read { db in
            try db.query("SELECT chat_item_id, item_ts, item_text, item_status FROM chat_items WHERE chat_type = 1").map
            { row in
                PlacedItem(
                    id: try row.int64(0),
                    timestamp: try row.int64(1),
                    text: try row.string(2),
                    isUnread: try row.string(3) == "rcvNew"
                )
            }
        }.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
        let ids = items.map(\.id)
        #expect(ids != ids.sorted())

        for command in ["/_get chat #1 count=400", "/_get chat #1 after=\(ids[0]) count=400"] {
            #expect(try await alice.run(command).itemIds == (command.contains("after") ? Array(ids.dropFirst()) : ids))
        }
        for _ in 0..<20 {
            let place = Int.random(in: 0..<ids.count, using: &random)
            let found = items[place]
            #expect(
                try await alice.run("/_get chat #1 before=\(found.id) count=7").itemIds
                    == Array(ids[max(0, place - 7)..<place])
            )
            #expect(
                try await alice.run("/_get chat #1 after=\(found.id) count=7").itemIds
                    == Array(ids[(place + 1)...].prefix(7))
            )
            let around = try await alice.run("/_get chat #1 around=\(found.id) count=5")
            #expect(around.itemIds == Array(ids[max(0, place - 5)...min(ids.count - 1, place + 5)]))
            let rest = items.dropFirst(min(items.count, place + 6))
            #expect(around["navInfo"]?["afterTotal"]?.integerValue == Int64(rest.count))
            #expect(around["navInfo"]?["afterUnread"]?.integerValue == Int64(rest.count { $0.isUnread }))
            let needles = items[..<place].filter { $0.text.hasPrefix("needle") }.suffix(5)
            #expect(
                try await alice.run("/_get chat #1 before=\(found.id) count=5 search=needle").itemIds
                    == needles.map(\.id)
            )
            let later = items[(place + 1)...].filter { $0.text.hasPrefix("needle") }.prefix(70)
            #expect(
                try await alice.run("/_get chat #1 after=\(found.id) count=70 search=needle").itemIds == later.map(\.id)
            )
        }
        let chat = try await alice.run("/_get chats 1 count=10")["chats"]?.arrayValue?.first {
            $0["chatInfo"]?["type"] == "group"
        }
        #expect(chat?["chatItems"]?[0]?["meta"]?["itemId"]?.integerValue == ids.last)
        #expect(chat?["chatStats"]?["minUnreadItemId"]?.integerValue == items.first { $0.isUnread }?.id)
        #expect(chat?["chatStats"]?["unreadCount"]?.integerValue == Int64(items.count { $0.isUnread }))
        let initial = try await alice.run("/_get chat #1 initial=2")
        let viewed = try #require(
            items.lastIndex { !$0.isUnread && ($0.text.hasPrefix("needle") || $0.text.hasPrefix("item")) }
        )
        #expect(initial.itemIds == Array(ids[(viewed - 2)...min(viewed + 2, ids.count - 1)]))
        await alice.controller.close()
    }

    @Test
    func `A forwarded group message is sorted by its time of sending`() async throws {
        let trio = try await Trio(roles: ("admin", "member"))
        try await trio.alice.sendToGroup("first", to: 1)
        for core in [trio.bob, trio.carol] { try await core.waitForGroupText("first") }
        let alice = try await trio.bob.memberID("alice")
        try await trio.bob.sendToMembers([
            (
                "x.grp.msg.forward",
                #"{"memberId":"\#(alice)","memberName":"alice","msgTs":"2024-01-01T00:00:00Z","msg":{"v":"1-19","msgId":"CQgHBg","event":"x.msg.new","params":{"content":{"type":"text","text":"long ago"}}}}"#
            )
        ])
        try await trio.carol.waitForGroupText("long ago")
        let texts = try await trio.carol.run("/_get chat #1 count=100").itemTexts
        let (old, new) = (texts.firstIndex(of: "long ago"), texts.firstIndex(of: "first"))
        #expect(try #require(old) < #require(new))
        // The list of chats shows the message that was sent last.
        let chat = try await trio.carol.run("/_get chats 1 count=10")["chats"]?.arrayValue?.first {
            $0["chatInfo"]?["type"] == "group"
        }
        #expect(chat?["chatItems"]?[0]?["meta"]?["itemText"]?.stringValue != "long ago")
        await trio.close()
    }

    @Test
    func `An old item of a group expires no earlier than twelve hours after its arrival`() async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        try await alice.createGroup()
        let texts = ["sent and come long ago", "has just come", "sent now"]
        try await alice.controller.store.write { tx in
            var group = try #require(try GroupRecord.find(1, user: 1, in: tx.db))
            for text in texts {
                var item = NewItem(
                    isSent: false,
                    content: .rcvMsgContent(msgContent: .text(text: text)),
                    text: text,
                    status: .rcvRead
                )
                item.author = group.membership
                item.itemTs = text == "sent now" ? nil : tx.now.adding(seconds: -90_000)
                _ = try ItemWriter.create(item, in: &group, movesChat: false, tx)
            }
            try tx.db.execute(
                "UPDATE chat_items SET created_at = ? WHERE item_text <> 'has just come'",
                tx.now.adding(seconds: -50_000).nanoseconds
            )
            // The first items of the group have the present time.
            try tx.db.execute("UPDATE groups SET chat_item_ttl = 86400")
            #expect(try ExpiringItems.deleteDueItems(tx) == false)
        }
        let left = try await alice.run("/_get chat #1 count=100").itemTexts
        #expect(texts.filter(left.contains) == ["has just come", "sent now"])
        let wait = try await alice.controller.store.read { try ExpiringItems.timeUntilNextExpiry(.now, $0) }
        #expect(try #require(wait) > .seconds(42_000))
        await alice.controller.close()
    }
}
