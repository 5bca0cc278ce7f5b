import SMP
import SMPRelay
import SimpleXCrypto
import TestSupport
import Testing

@Suite("Relay: short links", .socketTimeLimit)
struct LinkTests {
    private static func makeLinkData(_ text: String = "user") -> QueueLinkData {
        QueueLinkData(encFixedData: Array("fixed".utf8), encUserData: Array(text.utf8))
    }

    /// A queue with link data, as its owner knows it.
    private struct LinkedQueue {
        let queue: TestQueue
        let linkID: [UInt8]

        init(_ session: TestSession, _ mode: QueueMode, _ data: QueueLinkData = LinkTests.makeLinkData()) async throws {
            let (rcvKey, dhKey) = (AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey()), try X25519.PrivateKey())
            let corrID = RandomBytes.make(count: 24)
            let senderID = QueueRequestData.senderID(corrID: corrID)
            let request = NewQueueRequest(
                authKey: rcvKey.publicKey,
                dhKey: dhKey.publicKey,
                subscription: .subscribe,
                data: mode == .messaging
                    ? .messaging(.init(senderID: senderID, data: data))
                    : .contact(.init(linkID: RandomBytes.make(count: 24), senderID: senderID, data: data))
            )
            let answer = try await session.session.sendRequest(SMPRequest(.new(request), key: rcvKey, corrID: corrID))
            guard case .ids(let ids) = answer else { throw UnexpectedAnswer(answer: answer) }
            #expect(ids.sndID == senderID && ids.mode == mode)
            if case .contact(let link?) = request.requestData { #expect(ids.linkID == link.linkID) }
            linkID = try #require(ids.linkID)
            queue = TestQueue(
                rcvID: ids.rcvID,
                sndID: ids.sndID,
                rcvKey: rcvKey,
                sndKey: .ed25519(try Ed25519.PrivateKey()),
                secret: try dhKey.sharedSecret(with: ids.dhKey)
            )
        }

        func expectedLink(_ text: String = "user") -> BrokerMessage {
            .lnk(senderID: queue.sndID, LinkTests.makeLinkData(text))
        }
    }

    @Test(arguments: UInt16(15)...20)
    func `The data of an invitation link can be read only with the key that secured the invitation's queue`(
        version: UInt16
    ) async throws {
        try await withRelay { relay in
            let (owner, sender) = (try await relay.connect(version: version), try await relay.connect(version: version))
            let linked = try await LinkedQueue(owner, .messaging)
            let (key, other) = (linked.queue.sndKey, AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey()))
            #expect(try await sender.send(.lget, linked.linkID) == .err(.auth))
            #expect(try await sender.send(.lkey(key.publicKey), linked.linkID, other) == .err(.auth))
            #expect(try await sender.send(.lkey(key.publicKey), linked.linkID, key) == linked.expectedLink())
            #expect(try await sender.send(.lkey(key.publicKey), linked.linkID, key) == linked.expectedLink())
            #expect(try await sender.send(.lkey(other.publicKey), linked.linkID, other) == .err(.auth))
            // After LKEY the owner cannot change the data; the first message removes them.
            #expect(
                try await owner.send(
                    .lset(linkID: linked.linkID, Self.makeLinkData("b")),
                    linked.queue.rcvID,
                    linked.queue.rcvKey
                ) == .err(.auth)
            )
            #expect(try await sender.post("a", to: linked.queue, secured: true) == .ok)
            #expect(try await sender.send(.lkey(key.publicKey), linked.linkID, key) == .err(.auth))
            #expect(try await owner.nextMessage(linked.queue).text == "a")
        }
    }

    @Test
    func `Data of short links above the size limit are refused with ERR STORE`() async throws {
        // Space for "fixed", "user" and one more byte.
        try await withRelay({ $0.maxLinkBytes = 10 }) { relay in
            let owner = try await relay.connect(version: 15)
            let linked = try await LinkedQueue(owner, .contact)
            func set(_ text: String) async throws -> BrokerMessage {
                try await owner.send(
                    .lset(linkID: linked.linkID, Self.makeLinkData(text)),
                    linked.queue.rcvID,
                    linked.queue.rcvKey
                )
            }
            await #expect(throws: SMPClientError.smp(.store("full"))) { try await LinkedQueue(owner, .contact) }
            #expect(try await set("users") == .ok)
            #expect(try await set("users!") == .err(.store("full")))
            #expect(try await owner.send(.lget, linked.linkID) == linked.expectedLink("users"))
            #expect(try await set("u") == .ok)
            #expect(relay.relay.counts.queues == 1)
        }
    }

    @Test
    func `Any client can read the data of a contact link, and only the owner can change the data`() async throws {
        try await withRelay { relay in
            var owner = try await relay.connect(version: 18)
            let linked = try await LinkedQueue(owner, .contact)
            let (id, key) = (linked.queue.rcvID, linked.queue.rcvKey)
            #expect(try await owner.send(.lget, linked.linkID) == linked.expectedLink())
            let (other, changed) = (RandomBytes.make(count: 24), QueueLinkData(encFixedData: [1], encUserData: [2]))
            #expect(try await owner.send(.lset(linkID: other, Self.makeLinkData("b")), id, key) == .err(.auth))
            #expect(try await owner.send(.lset(linkID: linked.linkID, changed), id, key) == .err(.auth))
            #expect(try await owner.send(.lset(linkID: linked.linkID, Self.makeLinkData("b")), id, key) == .ok)
            let sndKey = linked.queue.sndKey
            #expect(try await owner.send(.lkey(sndKey.publicKey), linked.linkID, sndKey) == .err(.auth))
            for _ in 0..<2 {
                try await relay.restart()
                owner = try await relay.connect(version: 18)
                #expect(try await owner.send(.lget, linked.linkID) == linked.expectedLink("b"))
                await relay.relay.compactLog()
            }
            #expect(try await owner.send(.ldel, id, key) == .ok)
            #expect(try await owner.send(.ldel, id, key) == .ok)
            #expect(try await owner.send(.lget, linked.linkID) == .err(.auth))
            #expect(try await owner.send(.lset(linkID: other, changed), id, key) == .ok)
            #expect(try await owner.send(.lget, other) == .lnk(senderID: linked.queue.sndID, changed))
            #expect(try await owner.send(.del, id, key) == .ok)
            #expect(try await owner.send(.lget, other) == .err(.auth))
        }
    }

    @Test
    func `NEW with a sender id or link id that another queue has is refused`() async throws {
        try await withRelay { relay in
            let session = try await relay.connect(version: 18)
            let linked = try await LinkedQueue(session, .contact)
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            func create(_ senderID: [UInt8], _ linkID: [UInt8], corrID: [UInt8]) async throws -> BrokerMessage? {
                let request = NewQueueRequest(
                    authKey: key.publicKey,
                    dhKey: try X25519.PrivateKey().publicKey,
                    data: .contact(.init(linkID: linkID, senderID: senderID, data: Self.makeLinkData()))
                )
                switch await session.session.sendRequests([SMPRequest(.new(request), key: key, corrID: corrID)])[0] {
                case .success(let answer): return answer
                case .failure(.smp(let error)): return .err(error)
                case .failure(let error): throw error
                }
            }
            let corrID = RandomBytes.make(count: 24)
            #expect(
                try await create(linked.queue.sndID, RandomBytes.make(count: 24), corrID: corrID)
                    == .err(.cmd(.prohibited))
            )
            #expect(
                try await create(QueueRequestData.senderID(corrID: corrID), linked.linkID, corrID: corrID)
                    == .err(.auth)
            )
            #expect(relay.relay.counts.queues == 1)
        }
    }

    @Test
    func `RKEY replaces the recipient key of a contact queue with several keys`() async throws {
        try await withRelay { relay in
            var session = try await relay.connect(version: 18)
            let queue = try await session.createQueue(mode: .contact)
            let keys: [AuthorizationPrivateKey] = [
                .ed25519(try Ed25519.PrivateKey()), .x25519(try X25519.PrivateKey()),
            ]
            #expect(try await session.send(.rkey(keys.map(\.publicKey)), queue.rcvID, queue.rcvKey) == .ok)
            #expect(try await session.send(.que, queue.rcvID, queue.rcvKey) == .err(.auth))
            try await relay.restart()
            session = try await relay.connect(version: 18)
            for key in keys { #expect(try await session.send(.sub, queue.rcvID, key) == .sok(serviceID: nil)) }
            let other = try await session.createQueue()
            #expect(try await session.send(.rkey(keys.map(\.publicKey)), other.rcvID, other.rcvKey) == .err(.auth))
        }
    }
}
