import SMP
import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct IntegrityTests {
    @Test
    func `Two hundred messages arrive unchanged and once, in the order in which they were sent`() async throws {
        let pair = try await Pair()
        let texts = (0..<200).map { "m\($0)" }
        try await pair.alice.send(texts, on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(200) == texts)
        #expect(try await pair.bob.waitForIntegrities(200).allSatisfy { $0 == .ok })
        #expect(pair.bob.errors.isEmpty)
    }

    @Test
    func `A received message with a wrong hash of the previous message is reported with this fault`() async throws {
        let pair = try await Pair()
        try await pair.alice.alterConnection(pair.aliceID, "last_snd_hash = x'00'")
        try await pair.alice.send(["forged past", "next"], on: pair.aliceID)
        #expect(try await pair.bob.waitForIntegrities(2) == [.badHash, .ok])
    }

    @Test
    func `Missing message numbers are reported with the next message`() async throws {
        let pair = try await Pair()
        try await pair.alice.alterConnection(pair.aliceID, "last_snd_id = 10")
        try await pair.bob.alterConnection(pair.bobID, "last_external_snd_id = 7")
        try await pair.alice.send(["eleventh"], on: pair.aliceID)
        #expect(try await pair.bob.waitForIntegrities(1) == [.skipped(from: 8, to: 10)])
    }

    @Test(arguments: [(11, MessageIntegrity.duplicate), (20, .badID(number: 11))])
    func `A message with the number of an earlier message is reported with this fault`(
        lastReceived: Int,
        expected: MessageIntegrity
    ) async throws {
        let pair = try await Pair()
        try await pair.bob.alterConnection(pair.bobID, "last_external_snd_id = \(lastReceived)")
        try await pair.alice.alterConnection(pair.aliceID, "last_snd_id = 10")
        try await pair.alice.send(["again"], on: pair.aliceID)
        #expect(try await pair.bob.waitForIntegrities(1) == [expected])
    }

    @Test
    func `A message that is sent twice with the same bytes arrives once`() async throws {
        let pair = try await Pair()
        let body = try await pair.alice.sealMessage("once", on: pair.aliceID)
        try await pair.alice.sendBody(body, on: pair.aliceID)
        try await pair.alice.sendBody(body, on: pair.aliceID)
        try await pair.alice.send(["after"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(2) == ["once", "after"])
        #expect(try await pair.bob.waitForIntegrities(2) == [.ok, .ok])
        #expect(pair.bob.errors.isEmpty)
    }

    @Test
    func `Messages that arrive in a wrong order are decrypted and reported as out of order`() async throws {
        let pair = try await Pair()
        let first = try await pair.alice.sealMessage("first", on: pair.aliceID),
            second = try await pair.alice.sealMessage("second", on: pair.aliceID)
        try await pair.alice.sendBody(second, on: pair.aliceID)
        try await pair.alice.sendBody(first, on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(2) == ["second", "first"])
        let number = try #require(
            pair.bob.events.compactMap { if case .message(_, let meta, _, _) = $0 { meta.sndMsgID } else { nil } }.last
        )
        #expect(
            try await pair.bob.waitForIntegrities(2) == [.skipped(from: number, to: number), .badID(number: number)]
        )
    }

    @Test
    func `An undecryptable message is reported as an error, and later messages arrive`() async throws {
        let pair = try await Pair()
        let version = AgentVersions.supported.max
        let noise = try AgentEnvelope.message(agentVersion: version, encrypted: [UInt8](repeating: 7, count: 400))
            .encoded()
        var damaged = try await pair.alice.sealMessage("damaged", on: pair.aliceID)
        damaged[damaged.count - 1] ^= 1
        let bodies = [
            try await pair.alice.sealForQueue(envelope: noise, on: pair.aliceID), damaged, [1, 2, 3],
            try await pair.alice.sealForQueue(envelope: [0, 7, 0x5A], on: pair.aliceID),
        ]
        for body in bodies { try await pair.alice.sendBody(body, on: pair.aliceID) }
        try await pair.alice.send(["after"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(1) == ["after"])
        #expect(pair.bob.errors.count == bodies.count)
        #expect(pair.bob.errors.contains(.agent(.message)))
        #expect(pair.bob.errors.contains(.agent(.crypto(.decryptCB))))
    }

    @Test
    func `A stored message without an acknowledgement is delivered at the next start, even without the relay`()
        async throws
    {
        let pair = try await Pair(bobAcknowledges: false)
        try await pair.alice.send(["kept"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(1) == ["kept"])
        await pair.bob.agent.close()
        await pair.relay.relay.stopAndWait()
        let again = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        #expect(try await again.waitForTexts(1) == ["kept"])
    }

    @Test
    func `A connection is complete on both sides if both sides send HELLO at the same time`() async throws {
        let pair = try await Pair(queueMode: .contact)
        for (side, id, sndStatus) in [
            (pair.alice, pair.aliceID, QueueStep.active), (pair.bob, pair.bobID, .confirmed),
        ] {
            try await side.agent.database.write { db in
                try db.execute("UPDATE rcv_queues SET status = 'confirmed' WHERE conn_id = ?", id.bytes)
                try db.execute("UPDATE snd_queues SET status = ? WHERE conn_id = ?", sndStatus.rawValue, id.bytes)
            }
        }
        try await pair.bob.enqueue(.hello, kind: .hello, on: pair.bobID)
        try await pair.alice.enqueue(.hello, kind: .hello, on: pair.aliceID)
        try pair.alice.wakeOutbox(pair.aliceID)
        try await pair.alice.send(["behind the HELLO"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(1) == ["behind the HELLO"])
        try pair.bob.wakeOutbox(pair.bobID)
        try await pair.bob.send(["done"], on: pair.bobID)
        #expect(try await pair.alice.waitForTexts(1) == ["done"])
        _ = try await pair.bob.waitForAll("connected twice", 2) { if case .connected = $0 { true } else { nil } }
        #expect(pair.alice.errors.isEmpty && pair.bob.errors.isEmpty)
    }
}

/// Two connected agents on a relay.
struct Pair {
    let relay: TestRelay
    let alice: TestAgent
    let bob: TestAgent
    let aliceID: ConnectionID
    let bobID: ConnectionID

    init(queueMode: QueueMode = .messaging, bobAcknowledges: Bool = true) async throws {
        relay = try await TestRelay()
        alice = try await TestAgent(relay.address, queueMode: queueMode)
        bob = try await TestAgent(relay.address, acknowledges: bobAcknowledges, queueMode: queueMode)
        (aliceID, bobID) = try await connect(alice, bob)
    }
}
