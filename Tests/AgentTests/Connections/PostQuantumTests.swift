import SMP
import TestSupport
import Testing

@testable import Agent

/// Post-quantum encryption between two agents.
@Suite(.socketTimeLimit) struct PostQuantumTests {
    /// Connects with or without post-quantum support on each side.
    private func connect(
        _ alice: TestAgent,
        _ alicePQ: Bool,
        _ bob: TestAgent,
        _ bobPQ: Bool
    ) async throws -> (ConnectionID, ConnectionID) {
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user, pqSupport: alicePQ)
        let link = try ConnectionRequest(parsing: request.uri)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link, pqSupport: bobPQ)
        _ = try await bob.agent.join(connection: bobID, request: link, connInfo: Array("bob".utf8))
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: Array("alice".utf8))
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        return (aliceID, bobID)
    }

    /// Sends messages in alternation, and returns the encryption that is reported to the receivers.
    private func exchangeMessages(
        _ alice: (TestAgent, ConnectionID),
        _ bob: (TestAgent, ConnectionID),
        turns: Int,
        wish: Bool?,
        name: String = "t"
    ) async throws -> [Bool] {
        var encryption: [Bool] = []
        for turn in 0..<turns {
            let (from, to) = turn % 2 == 0 ? (alice, bob) : (bob, alice)
            let text = Array("\(name)\(turn)".utf8)
            let sent = try await from.0.agent.acceptMessages([
                OutgoingMessage(
                    connection: from.1,
                    notify: false,
                    body: text,
                    externalID: "\(from.1.text) \(name)\(turn)",
                    pqEncryption: wish
                )
            ])
            let accepted = try sent[0].get()
            let received = try await to.0.waitForFirst("turn \(turn)") { event -> Bool? in
                if case .message(_, let meta, _, let body) = event, body == text { meta.pqEncryption } else { nil }
            }
            #expect(accepted.pqEncryption == received)
            encryption.append(received)
        }
        return encryption
    }

    @Test(
        arguments: [true, false],
        [true, false]
    )
    func `Messages use a KEM only if both sides support post-quantum encryption`(
        alicePQ: Bool,
        bobPQ: Bool
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, alicePQ, bob, bobPQ)
        let both = alicePQ && bobPQ
        #expect(
            try await exchangeMessages((alice, aliceID), (bob, bobID), turns: 6, wish: nil)
                == Array(repeating: both, count: 6)
        )
        #expect(
            try await alice.agent.fetchPostQuantumState(of: aliceID)
                == PostQuantumState(isSupported: alicePQ, isSending: both, isReceiving: both)
        )
        #expect(
            try await bob.agent.fetchPostQuantumState(of: bobID)
                == PostQuantumState(isSupported: bobPQ, isSending: both, isReceiving: both)
        )
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test(arguments: [true, false])
    func `A joiner's message during the handshake is reported as post-quantum if the inviter supports a KEM`(
        alicePQ: Bool
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user, pqSupport: alicePQ)
        let link = try ConnectionRequest(parsing: request.uri)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: link, pqSupport: true)
        _ = try await bob.agent.join(connection: bobID, request: link, connInfo: Array("bob".utf8))
        let early = OutgoingMessage(
            connection: bobID,
            notify: false,
            body: [1],
            externalID: "early",
            pqEncryption: true
        )
        #expect(try await bob.agent.acceptMessages([early])[0].get().pqEncryption == false)
        let isPostQuantum = try await alice.waitForFirst("early") { event -> Bool? in
            if case .message(aliceID, let meta, _, _) = event { meta.pqEncryption } else { nil }
        }
        #expect(isPostQuantum == alicePQ)
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `A connection uses a KEM while both sides request post-quantum encryption`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, false, bob, false)
        let long = OutgoingMessage(
            connection: aliceID,
            notify: false,
            body: [UInt8](repeating: 1, count: 15_000),
            externalID: "long"
        )
        _ = try await alice.agent.sendMessages([long])[0].get()
        #expect(
            try await exchangeMessages((alice, aliceID), (bob, bobID), turns: 8, wish: true).suffix(4) == [
                true, true, true, true,
            ]
        )
        var longer = long
        longer.externalID = "longer"
        #expect(try await alice.agent.sendMessages([longer]) == [.failure(.command(.large, context: ""))])
        let off = try await exchangeMessages((alice, aliceID), (bob, bobID), turns: 8, wish: false, name: "off")
        #expect(off.suffix(4) == [false, false, false, false])
        #expect(try await alice.agent.fetchPostQuantumState(of: aliceID).isSupported)
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test(arguments: [true, false])
    func `A connection over an address uses a KEM only if the owner accepts the request with KEM support`(
        accepts: Bool
    ) async throws {
        let relay = try await TestRelay()
        var alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address) = try await alice.agent.createAddress(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: address)
        _ = try await bob.agent.join(connection: bobID, request: address, connInfo: Array("bob".utf8))
        let invitation = try await alice.waitForFirst("request") {
            if case .request(_, let id, _) = $0 { id } else { nil }
        }
        let aliceID = try await alice.agent.prepareAcceptance(invitation, pqSupport: accepts)
        try await alice.agent.acceptRequest(invitation, connection: aliceID, connInfo: Array("alice".utf8))
        let confirmation = try await bob.waitForFirst("confirmation") {
            if case .confirmation(bobID, let id, _) = $0 { id } else { nil }
        }
        try await bob.agent.allow(connection: bobID, confirmation: confirmation, connInfo: Array("bob".utf8))
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        #expect(
            try await exchangeMessages((alice, aliceID), (bob, bobID), turns: 4, wish: nil)
                == Array(repeating: accepts, count: 4)
        )
        await alice.agent.close()
        await bob.agent.close()
        alice = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        bob = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(
            try await exchangeMessages((alice, aliceID), (bob, bobID), turns: 4, wish: nil, name: "again")
                == Array(repeating: accepts, count: 4)
        )
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `The KEM key of an invitation is in the data of its short link, and not in its full link`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, shown, link) = try await alice.agent.createInvitation(user: alice.user, userData: [1])
        let (request, _, _) = try await bob.agent.fetchLinkData(user: bob.user, try #require(link))
        guard case .invitation(let e2e) = request.kind, case .invitation(let shownE2E) = shown.kind else {
            throw RatchetError.unexpectedKEM
        }
        #expect(e2e.kem != nil && shownE2E.kem == nil && e2e.key1 == shownE2E.key1)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        #expect(try await bob.agent.fetchPostQuantumState(of: bobID).isSending)
        // Reading the link has already secured the queue, so the join secures no second time.
        #expect(relay.relay.statistics["queues_secured"] == 1)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: Array("bob".utf8))
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        #expect(relay.relay.statistics["queues_secured"] == 1)
        #expect(
            try await alice.agent.fetchPostQuantumState(of: aliceID)
                == PostQuantumState(isSupported: true, isSending: true, isReceiving: true)
        )
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: Array("alice".utf8))
        try await bob.waitUntilConnected(bobID)
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }
}
