import ChatAPI
import ChatCore
import ChatStore
import Clocks
import JSON
import OutgoingHTTP
import SMPTestSupport
import Synchronization
import Testing
import TestSupport

@testable import Gateway

/// Notifications about events of a journal that a test writes.
extension WebPushTests {
    /// Returns the event of a message to the user.
    private static func makeEvent(_ contact: Int64, mention: Bool = false) -> String {
        """
        {"type":"newChatItems","user":{"showNtfs":true},"chatItems":[{"chatInfo":{"type":"direct","contact":{"contactId":\(contact),"localDisplayName":"bob"}},\
        "chatItem":{"chatDir":{"type":"directRcv"},"content":{"type":"rcvMsgContent"},\
        "meta":{"itemText":"hi","itemStatus":{"type":"rcvNew"}\(mention ? #","userMention":true"# : "")}}}]}
        """
    }

    private func storeSubscription(
        _ world: DeliveryWorld,
        _ browser: Browser,
        to receiver: HTTPReceiver,
        expires: Int64? = nil,
        _ change: (inout PushSubscription) -> Void = { _ in }
    ) async throws {
        let text = "http://127.0.0.1:\(receiver.port)/ps_1"
        var push = PushSubscription(
            endpoint: try TargetURL(text),
            endpointText: text,
            publicKey: browser.key.publicKey,
            secret: browser.secret,
            expires: expires,
            rights: SubscriptionRights(Principal(keyID: world.keyId, scopes: .events, userId: nil))
        )
        change(&push)
        let subscription = EventSubscription(
            id: "ps_1",
            kind: PushSubscription.kind,
            keyId: world.keyId,
            settings: push.storedSettings,
            position: world.journal.latestSeq,
            created: WallClock.milliseconds()
        )
        #expect(try await world.subscriptions.add(subscription, limit: 10, share: 10))
    }

    private var nowText: String { Timestamp.now.fullText }

    @Test
    func `A notification that the push service refuses is sent again with the same id, unless it is too large`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let answers = Mutex([429, 500, 201, 413])
            let receiver = try await HTTPReceiver.start { _ in
                let status = answers.withLock { $0.isEmpty ? 201 : $0.removeFirst() }
                return .status(status, status == 429 ? [("Retry-After", "0")] : [])
            }
            let silent = Atomic(false)
            let door = try await HTTPReceiver.start { _ in silent.load(ordering: .relaxed) ? .silence : .status(201) }
            try await storeSubscription(world, browser, to: receiver)
            try await world.withDelivery { _ in
                world.journal.publish(
                    events: [Self.makeEvent(1), Self.makeEvent(1), Self.makeEvent(1)],
                    userId: 1,
                    time: nowText
                )
                let ids = try await receiver.nextRequests(5).map { try browser.decryptMessage($0)["id"]?.stringValue }
                #expect(ids == ["test-1", "test-1", "test-1", "test-2", "test-3"])
                try await world.waitUntilTaken(3, "ps_1")
            }
            try await world.subscriptions.delete("ps_1")
            try await storeSubscription(world, browser, to: door)
            silent.store(true, ordering: .relaxed)
            try await world.withDelivery { _ in
                world.journal.publish(events: [Self.makeEvent(1)], userId: 1, time: nowText)
                let seen = try await browser.nextMessage(door)
                #expect(seen["id"] == "test-4")
            }
            silent.store(false, ordering: .relaxed)
            try await world.withDelivery { _ in
                let seen = try await browser.nextMessage(door)
                #expect(seen["id"] == "test-4")
                try await world.waitUntilTaken(4, "ps_1")
            }
        }
    }

    @Test
    func `A push subscription for mentions gets only new messages that mention the user`() async throws {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let receiver = try await HTTPReceiver.start { _ in .status(201) }
            try await storeSubscription(world, browser, to: receiver) { $0.isOnlyForMentions = true }
            try await world.withDelivery { _ in
                world.journal.publish(
                    events: [Self.makeEvent(1), Self.makeEvent(2, mention: true)],
                    userId: 1,
                    time: nowText
                )
                world.journal.publish(events: [Self.makeEvent(3, mention: true)], userId: 1)
                world.publish([4])
                world.journal.publish(events: [Self.makeEvent(5, mention: true)], userId: 1, time: nowText)
                let seen = try await receiver.nextRequests(2).map { try browser.decryptMessage($0) }
                #expect(
                    Set(seen.compactMap { $0["id"]?.stringValue }) == ["test-2", "test-5"]
                        && seen.allSatisfy { $0["mention"] == true }
                )
                try await world.waitUntilTaken(5, "ps_1")
            }
            #expect(receiver.requests.count == 2)
        }
    }

    @Test
    func `A push subscription is deleted at its expiry, even during a delivery`() async throws {
        try await DeliveryWorld.run { world in
            let browser = try Browser()
            let receiver = try await HTTPReceiver.start { _ in .silence }
            for seconds: Int64 in [-1_000, 50] {
                try await storeSubscription(world, browser, to: receiver, expires: WallClock.milliseconds() + seconds)
                try await world.withDelivery { _ in
                    world.journal.publish(events: [Self.makeEvent(1)], userId: 1, time: nowText)
                    try await waitUntil("the subscription is deleted") {
                        try await world.storedSubscription("ps_1") == nil
                    }
                }
            }
        }
    }

    @Test
    func `A new message or call causes a notification, unless its chat or profile is muted`() throws {
        func item(
            _ status: String,
            settings: String = "all",
            mention: Bool = false,
            deleted: Bool = false,
            content: String = "rcvMsgContent"
        ) -> JSONValue {
            var meta: JSONObject = [
                "itemText": "hi", "userMention": .bool(mention), "itemStatus": ["type": .string(status)],
            ]
            if deleted { meta["itemDeleted"] = ["type": "deleted"] }
            return [
                "chatInfo": [
                    "type": "group",
                    "groupInfo": [
                        "groupId": 3, "localDisplayName": "team", "chatSettings": ["enableNtfs": .string(settings)],
                    ],
                ],
                "chatItem": [
                    "chatDir": ["type": "groupRcv", "groupMember": ["localDisplayName": "ann"]],
                    "content": ["type": .string(content)], "meta": .object(meta),
                ],
            ]
        }
        func event(_ items: JSONValue..., show: Bool = true) -> JSONValue {
            ["type": "newChatItems", "user": ["showNtfs": .bool(show)], "chatItems": .array(items)]
        }
        let note = try #require(PushNote(event(item("rcvNew"))))
        #expect(
            note.title == "team" && note.text == "ann: hi" && note.chat == EventChat(.group, 3)
                && note.urgency == .normal && !note.isMention
        )
        #expect(PushNote(event(item("sndNew"))) == nil && PushNote(event(item("rcvNew", settings: "none"))) == nil)
        #expect(
            PushNote(event(item("rcvNew", settings: "mentions"))) == nil
                && PushNote(event(item("rcvNew"), show: false)) == nil
        )
        #expect(PushNote(event(item("rcvNew", deleted: true))) == nil && PushNote(event()) == nil)
        #expect(PushNote(event(item("rcvRead"))) == nil && PushNote(event(item("rcvNew", content: "rcvCall"))) == nil)
        let mention = try #require(PushNote(event(item("rcvNew", settings: "mentions", mention: true), item("rcvNew"))))
        #expect(mention.isMention && mention.urgency == .high)
        let call: JSONValue = [
            "type": "callInvitation",
            "callInvitation": ["user": ["showNtfs": true], "contact": ["contactId": 4, "localDisplayName": "bob"]],
        ]
        #expect(PushNote(call)?.urgency == .high && PushNote(call)?.chat == EventChat(.direct, 4))
        for odd: JSONValue in [
            [:], ["type": "contactConnected"], ["type": 1], ["type": "newChatItems", "chatItems": 1],
            ["type": "newChatItems", "chatItems": [1, [:]]],
        ] {
            #expect(PushNote(odd) == nil)
        }
    }
}
