import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Renegotiation of the ratchet between two agents.
@Suite(.socketTimeLimit) struct RatchetSyncTests {
    private func waitForAgreedRatchets(_ agent: TestAgent, count: Int = 1) async throws {
        _ = try await agent.waitForAll("ratchets agree", count) {
            if case .ratchetSync(_, let change) = $0, change.state == .ok { true } else { nil }
        }
    }

    private func exchangeMessages(_ pair: Pair, _ word: String) async throws {
        let before = (pair.alice.messageCount, pair.bob.messageCount)
        try await pair.alice.send(["\(word) to bob"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(before.1 + 1).last == "\(word) to bob")
        try await pair.bob.send(["\(word) to alice"], on: pair.bobID)
        #expect(try await pair.alice.waitForTexts(before.0 + 1).last == "\(word) to alice")
    }

    @Test(arguments: [true, false])
    func `A renegotiation of a working ratchet is refused unless the call has the option 'force'`(
        pqSupport: Bool
    ) async throws {
        let pair = try await Pair()
        try await exchangeMessages(pair, "before")
        let old = try await pair.alice.agent.fetchRatchetHash(of: pair.aliceID)
        #expect(try await pair.bob.agent.fetchRatchetHash(of: pair.bobID) == old)
        await #expect(
            throws: AgentError.command(.prohibited, context: "synchronizeRatchet: not needed, or the peer is too old")
        ) {
            _ = try await pair.alice.agent.synchronizeRatchet(pair.aliceID, pqSupport: pqSupport, force: false)
        }
        let servers = try await pair.alice.agent.synchronizeRatchet(pair.aliceID, pqSupport: pqSupport, force: true)
        #expect(servers.ratchetSync == .started && servers.supportsRatchetSync)
        try await waitForAgreedRatchets(pair.alice)
        try await waitForAgreedRatchets(pair.bob)
        #expect(
            pair.alice.ratchetSyncs.map(\.state) == [.agreed, .ok]
                && pair.bob.ratchetSyncs.map(\.state) == [.agreed, .ok]
        )
        let new = try await pair.alice.agent.fetchRatchetHash(of: pair.aliceID)
        #expect(try await pair.bob.agent.fetchRatchetHash(of: pair.bobID) == new)
        #expect(new != old)
        for word in ["a", "b", "c", "d"] { try await exchangeMessages(pair, word) }
        let postQuantum = try await pair.alice.agent.fetchPostQuantumState(of: pair.aliceID)
        #expect(postQuantum.isSending == pqSupport && postQuantum.isReceiving == pqSupport)
        #expect(pair.alice.errors.isEmpty && pair.bob.errors.isEmpty)
    }

    @Test
    func `After an undecryptable message, new messages are refused until the ratchet is renegotiated`() async throws {
        let pair = try await Pair()
        try await exchangeMessages(pair, "before")
        let (aliceID, bobID) = (pair.aliceID, pair.bobID)
        let copy = try await pair.alice.agent.database.read { db in
            try db.firstRow("SELECT ratchet FROM connections WHERE conn_id = ?", aliceID.bytes)?.blob("ratchet")
        }
        for word in ["x", "y"] { try await exchangeMessages(pair, word) }
        // An old copy replaces the new ratchet, so bob cannot decrypt the next message of alice.
        try await pair.alice.agent.database.write { db in
            try db.execute("UPDATE connections SET ratchet = ? WHERE conn_id = ?", copy, aliceID.bytes)
        }
        try await pair.alice.send(["lost"], on: aliceID)
        let change = try await pair.bob.waitForFirst("failure to decrypt") {
            if case .ratchetSync(_, let change) = $0 { change } else { nil }
        }
        #expect(change.state == .required && change.failure != nil && change.queueStates.ratchetSync == .required)
        let refused = try await pair.bob.agent.sendMessages([
            OutgoingMessage(connection: bobID, notify: true, body: [1], externalID: "refused")
        ])
        #expect(refused == [.failure(.command(.prohibited, context: "sendMessagesB: send prohibited"))])
        _ = try await pair.bob.agent.synchronizeRatchet(bobID, pqSupport: true, force: false)
        try await waitForAgreedRatchets(pair.alice)
        try await waitForAgreedRatchets(pair.bob)
        try await exchangeMessages(pair, "after")
        #expect(pair.bob.ratchetSyncs.map(\.state) == [.required, .agreed, .ok])
    }

    @Test
    func `After a wrong KEM ciphertext, a renegotiation of the ratchet makes new messages readable`() async throws {
        let pair = try await Pair()
        let aliceID = pair.aliceID
        for word in ["a", "b", "c"] { try await exchangeMessages(pair, word) }
        try await pair.alice.agent.database.write { db in
            var record = try AgentConnection.get(aliceID, db)
            let other = SNTRUP761.PrivateKey().publicKey.encapsulate().ciphertext
            try #require(record.ratchet?.kem?.acceptedKEM != nil)
            record.ratchet?.kem?.acceptedKEM?.ciphertext = other
            try record.update(db)
        }
        try await pair.alice.send(["lost"], on: aliceID)
        let change = try await pair.bob.waitForFirst("failure to decrypt") {
            if case .ratchetSync(_, let change) = $0 { change } else { nil }
        }
        #expect(change.state == .allowed && change.failure == .decryptAES)
        _ = try await pair.bob.agent.synchronizeRatchet(pair.bobID, pqSupport: true, force: false)
        try await waitForAgreedRatchets(pair.alice)
        try await waitForAgreedRatchets(pair.bob)
        try await exchangeMessages(pair, "after")
    }

    @Test(arguments: 0..<3)
    func `A renegotiation of the ratchet succeeds if both sides start it at the same time`(_: Int) async throws {
        let pair = try await Pair()
        async let one = pair.alice.agent.synchronizeRatchet(pair.aliceID, pqSupport: true, force: true)
        async let other = pair.bob.agent.synchronizeRatchet(pair.bobID, pqSupport: true, force: true)
        _ = try await (one, other)
        try await waitForAgreedRatchets(pair.alice)
        try await waitForAgreedRatchets(pair.bob)
        try await exchangeMessages(pair, "after")
    }

    @Test
    func `A renegotiation of the ratchet continues after a restart of both sides`() async throws {
        let pair = try await Pair()
        await pair.bob.agent.close()
        _ = try await pair.alice.agent.synchronizeRatchet(pair.aliceID, pqSupport: true, force: true)
        await pair.alice.agent.close()
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        let alice = try await TestAgent(pair.relay.address, folder: pair.alice.folder, user: pair.alice.user)
        try await waitForAgreedRatchets(alice)
        try await waitForAgreedRatchets(bob)
        try await alice.send(["after"], on: pair.aliceID)
        #expect(try await bob.waitForTexts(1) == ["after"])
    }

    @Test
    func `Repeated ratchet keys of a peer are ignored, and different keys require a new renegotiation`() async throws {
        let pair = try await Pair()
        let bobID = pair.bobID
        let receptions = try await pair.bob.agent.database.write { db in
            var record = try AgentConnection.get(bobID, db)
            let receiver = Receiver(
                queue: try #require(try RcvQueue.findCurrent(bobID, db)),
                brokerMessageID: [1],
                nowSeconds: 1,
                db: db
            )
            let keys = try E2EPrivateKeys(kem: .propose).makeParameters(version: .current),
                others = try E2EPrivateKeys().makeParameters(version: .current)
            return try [keys, keys, others, others].map { try receiver.receive(ratchetKey: $0, &record) }
        }
        let states = receptions.map {
            $0.events.compactMap { if case .ratchetSync(_, let change) = $0.event { change.state } else { nil } }
        }
        #expect(states == [[.agreed], [], [.required], []])
        #expect(receptions[2].error == .agent(.crypto(.ratchetSync)))
    }
}
