import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@Suite("Relay: queues", .socketTimeLimit)
struct QueueTests {
    private static func makeKeys() throws -> [AuthorizationPrivateKey] {
        [.ed25519(try Ed25519.PrivateKey()), .ed448(try Ed448.PrivateKey()), .x25519(try X25519.PrivateKey())]
    }

    @Test(arguments: 0..<3)
    func `A recipient and a sender can sign commands with each of the three kinds of keys`(kind: Int) async throws {
        try await withRelay { relay in
            let (recipient, sender) = (try await relay.connect(), try await relay.connect())
            let queue = try await recipient.createQueue(
                rcvKey: try Self.makeKeys()[kind],
                sndKey: try Self.makeKeys()[kind]
            )
            #expect(try await recipient.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await sender.post("a", to: queue, secured: true) == .ok)
            let message = try await recipient.nextMessage(queue)
            #expect(try await recipient.acknowledge(message.id, queue) == .ok)
        }
    }

    @Test(arguments: 0..<3)
    func `A command signed with a wrong key of any kind is refused with AUTH`(kind: Int) async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            #expect(try await session.send(.sub, queue.rcvID, try Self.makeKeys()[kind]) == .err(.auth))
            #expect(try await session.send(.sub, RandomBytes.make(count: 24), try Self.makeKeys()[kind]) == .err(.auth))
            #expect(try await session.send(.sub, [1, 2, 3], try Self.makeKeys()[kind]) == .err(.auth))
            #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            #expect(
                try await session.send(.send(.none, body: [1]), queue.sndID, try Self.makeKeys()[kind]) == .err(.auth)
            )
        }
    }

    @Test
    func `An unsecured queue refuses messages signed with a key, and a secured queue refuses unsigned messages`()
        async throws
    {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            #expect(try await session.post("a", to: queue) == .ok)
            #expect(try await session.post("a", to: queue, secured: true) == .err(.auth))
            #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.post("b", to: queue) == .err(.auth))
            #expect(try await session.post("b", to: queue, secured: true) == .ok)
        }
    }

    @Test
    func `Securing a secured queue again gets OK with the same key, and AUTH with a different key`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            let other = try X25519.PrivateKey()
            for _ in 0..<2 {
                #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            }
            #expect(try await session.send(.key(.x25519(other.publicKey)), queue.rcvID, queue.rcvKey) == .err(.auth))
            #expect(try await session.send(.skey(queue.sndKey.publicKey), queue.sndID, queue.sndKey) == .ok)
            #expect(try await session.send(.skey(.x25519(other.publicKey)), queue.sndID, .x25519(other)) == .err(.auth))
        }
    }

    @Test
    func `SKEY secures a messaging queue if the new key signs it, and is refused for a contact queue`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            let other = try X25519.PrivateKey()
            #expect(try await session.send(.skey(queue.sndKey.publicKey), queue.sndID, .x25519(other)) == .err(.auth))
            #expect(try await session.send(.skey(queue.sndKey.publicKey), queue.rcvID, queue.sndKey) == .err(.auth))
            #expect(try await session.send(.skey(queue.sndKey.publicKey), queue.sndID, queue.sndKey) == .ok)
            #expect(try await session.post("a", to: queue, secured: true) == .ok)
            let contact = try await session.createQueue(mode: .contact)
            #expect(
                try await session.send(.skey(contact.sndKey.publicKey), contact.sndID, contact.sndKey) == .err(.auth)
            )
        }
    }

    @Test(arguments: [nil, "wrong", "secre", "secrets", "secret"])
    func `NEW without the password of the relay is refused with AUTH`(given: String?) async throws {
        try await withRelay({ $0.createPassword = "secret" }) { relay in
            let session = try await relay.connect()
            if given == "secret" {
                _ = try await session.createQueue(password: given)
            } else {
                await #expect { try await session.createQueue(password: given) } throws: { error in
                    (error as? UnexpectedAnswer)?.answer == .err(.auth)
                }
            }
            #expect(relay.relay.address.password == "secret")
        }
    }

    @Test
    func `NEW is refused if it is not signed with the recipient key that it contains`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let (key, other) = (try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
            let request = NewQueueRequest(authKey: .ed25519(key.publicKey), dhKey: try X25519.PrivateKey().publicKey)
            #expect(try await session.send(.new(request), [], .ed25519(other)) == .err(.auth))
            #expect(try await session.send(.new(request)) == .err(.cmd(.noAuth)))
        }
    }

    @Test
    func `A suspended queue refuses new messages and delivers earlier messages`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            #expect(try await session.post("a", to: queue) == .ok)
            #expect(try await session.send(.off, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.post("b", to: queue) == .err(.auth))
            let message = try await session.nextMessage(queue)
            #expect(message.text == "a")
            #expect(try await session.acknowledge(message.id, queue) == .ok)
        }
    }

    @Test
    func `A blocked queue refuses SEND and SUB with AUTH, even after a restart, until it is unblocked`() async throws {
        try await withRelay { relay in
            var session = try await relay.connect()
            let queue = try await session.createQueue(subscribe: false)
            #expect(try await session.post("a", to: queue) == .ok)
            #expect(try relay.relay.blockOrUnblock(SMPBlockingInfo(reason: .spam), queue: queue.rcvID))
            #expect(try !relay.relay.blockOrUnblock(SMPBlockingInfo(reason: .spam), queue: queue.sndID))
            try await relay.restart()
            session = try await relay.connect()
            #expect(try await session.post("b", to: queue) == .err(.auth))
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .err(.auth))
            #expect(try relay.relay.blockOrUnblock(nil, queue: queue.rcvID))
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.nextMessage(queue).text == "a")
        }
    }

    @Test
    func `A deleted queue refuses SEND and SUB, and its messages are removed`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            #expect(try await session.post("a", to: queue) == .ok)
            _ = try await session.nextMessage(queue)
            #expect(try await session.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.post("b", to: queue) == .err(.auth))
            #expect(try await session.send(.sub, queue.rcvID, queue.rcvKey) == .err(.auth))
            #expect(relay.relay.counts.queues == 0 && relay.relay.counts.messages == 0)
            try await session.expectSilence()
        }
    }

    @Test(arguments: UInt16(9)...11)
    func `The subscriber of a deleted queue gets DELD, or END before version 10`(version: UInt16) async throws {
        try await withRelay { relay in
            let (subscriber, other) = (try await relay.connect(version: version), try await relay.connect())
            let queue = try await subscriber.createQueue()
            #expect(try await other.send(.del, queue.rcvID, queue.rcvKey) == .ok)
            let event = try await subscriber.nextEvent()
            #expect(event.entityID == queue.rcvID)
            #expect(event.message == (version < 10 ? .end : .deld))
        }
    }

    @Test
    func `The subscription of a queue moves to the last session that subscribes, and the former one gets END`()
        async throws
    {
        try await withRelay { relay in
            let (first, second) = (try await relay.connect(), try await relay.connect())
            let queue = try await first.createQueue()
            #expect(try await second.post("a", to: queue) == .ok)
            let message = try await first.nextMessage(queue)
            #expect(try await second.send(.sub, queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await second.nextMessage(queue) == message)
            let event = try await first.nextEvent()
            #expect(event.entityID == queue.rcvID && event.message == .end)
            // After END, the first session can no longer acknowledge the message.
            #expect(try await first.acknowledge(message.id, queue) == .err(.noMsg))
            #expect(try await second.acknowledge(message.id, queue) == .ok)
            #expect(try await first.post("b", to: queue) == .ok)
            #expect(try await second.nextMessage(queue).text == "b")
            try await first.expectSilence()
        }
    }

    @Test
    func `QUE returns the state of the queue`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            let que = SMPRequest(.que, entityID: queue.rcvID, key: queue.rcvKey)
            let empty = #"{"qiSnd":false,"qiNtf":false,"qiSub":{"qSubThread":"noSub"},"qiSize":0}"#
            #expect(try await session.send([que]) == [.info(Array(empty.utf8))])
            #expect(try await session.send(.key(queue.sndKey.publicKey), queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.post("a", to: queue, secured: true) == .ok)
            let message = try await session.nextMessage(queue)
            guard case .info(let bytes) = try await session.send([que])[0] else {
                Issue.record("no INFO")
                return
            }
            let id = Base64.encode(message.id)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(
                text.hasPrefix(
                    #"{"qiSnd":true,"qiNtf":false,"qiSub":{"qSubThread":"noSub","qDelivered":"\#(id)"},"qiSize":1,"#
                )
            )
            #expect(text.contains(#""qiMsg":{"msgId":"\#(id)","msgTs":"20"#))
            #expect(text.hasSuffix(#"","msgType":"message"}}"#))
        }
    }

    @Test
    func `PING with an entity id is refused with HAS_AUTH`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect()
            let queue = try await session.createQueue()
            #expect(try await session.send(.ping, queue.rcvID) == .err(.cmd(.hasAuth)))
        }
    }
}
