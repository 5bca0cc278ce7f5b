import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Changes of the queues of a connection to other relays.
@Suite(.socketTimeLimit) struct RotationTests {
    private typealias SwitchPhases = [QueueSwitch.Phase]
    private static let allPhases: SwitchPhases = [.started, .confirmed, .secured, .completed]

    private func waitForCompletion(_ agent: TestAgent, _ direction: QueueSwitch.Direction, count: Int = 1) async throws
    {
        _ = try await agent.waitForAll("\(direction) queue changed", count) { event -> Bool? in
            if case .queueSwitchChanged(_, let change) = event, change.direction == direction,
                change.phase == .completed
            {
                true
            } else {
                nil
            }
        }
    }

    /// Returns the relays of a side's receive and send queues. Requires that no queue is in a rotation.
    private func readQueueServers(_ agent: TestAgent, _ id: ConnectionID) async throws -> [String] {
        let servers = try await agent.agent.fetchConnectionQueueStates(id)
        #expect(
            servers.rcvQueues.allSatisfy { $0.switchStatus == nil }
                && servers.sndQueues.allSatisfy { $0.switchStatus == nil }
        )
        return servers.rcvQueues.map(\.server) + servers.sndQueues.map(\.server)
    }

    private func exchangeMessages(_ pair: Pair, _ word: String) async throws {
        let before = (pair.alice.messageCount, pair.bob.messageCount)
        try await pair.alice.send(["\(word) to bob"], on: pair.aliceID)
        try await pair.bob.send(["\(word) to alice"], on: pair.bobID)
        #expect(try await pair.bob.waitForTexts(before.1 + 1).last == "\(word) to bob")
        #expect(try await pair.alice.waitForTexts(before.0 + 1).last == "\(word) to alice")
    }

    @Test(arguments: [QueueMode.messaging, .contact])
    func `A connection's queue moves to another relay, and the old queue is deleted`(mode: QueueMode) async throws {
        let pair = try await Pair(queueMode: mode)
        let other = try await TestRelay()
        let (here, there) = (pair.relay.address.withoutPassword.str, other.address.withoutPassword.str)
        try await exchangeMessages(pair, "before")
        try await pair.alice.setServers(relays: [AgentServer(pair.relay.address), AgentServer(other.address)])
        let started = try await pair.alice.agent.switchConnection(pair.aliceID)
        #expect(started.rcvQueues.map(\.switchStatus) == [.started])
        await #expect(
            throws: AgentError.command(.prohibited, context: "switchConnectionAsync: the last switch is not complete")
        ) {
            _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        }
        try await waitForCompletion(pair.alice, .rcv)
        try await waitForCompletion(pair.bob, .snd)
        #expect(pair.alice.switchPhases(.rcv) == Self.allPhases && pair.bob.switchPhases(.snd) == Self.allPhases)
        #expect(try await readQueueServers(pair.alice, pair.aliceID) == [there, here])
        #expect(try await readQueueServers(pair.bob, pair.bobID) == [here, there])
        #expect(pair.relay.relay.counts.queues == 1 && other.relay.counts.queues == 1)
        try await exchangeMessages(pair, "after")
        // There is only one other relay, so the queue moves back to the first relay.
        _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        try await waitForCompletion(pair.alice, .rcv, count: 2)
        try await waitForCompletion(pair.bob, .snd, count: 2)
        #expect(try await readQueueServers(pair.alice, pair.aliceID) == [here, here])
        try await exchangeMessages(pair, "again")
        #expect(pair.alice.errors.isEmpty && pair.bob.errors.isEmpty)
        #expect(try await pair.bob.waitForIntegrities(3).allSatisfy { $0 == .ok })
    }

    @Test
    func `Each message arrives once while both sides change their queues`() async throws {
        let pair = try await Pair()
        let count = 150
        async let first: Void = pair.alice.send((0..<count).map { "a\($0)" }, on: pair.aliceID)
        async let second: Void = pair.bob.send((0..<count).map { "b\($0)" }, on: pair.bobID)
        _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        _ = try await pair.bob.agent.switchConnection(pair.bobID)
        _ = try await (first, second)
        for number in 0..<20 {
            try await pair.alice.send(["late a\(number)"], on: pair.aliceID)
            try await pair.bob.send(["late b\(number)"], on: pair.bobID)
        }
        for agent in [pair.alice, pair.bob] {
            try await waitForCompletion(agent, .rcv)
            try await waitForCompletion(agent, .snd)
        }
        let toBob = try await pair.bob.waitForTexts(count + 20), toAlice = try await pair.alice.waitForTexts(count + 20)
        #expect(Set(toBob).count == count + 20 && Set(toAlice).count == count + 20)
        try await exchangeMessages(pair, "after")
        #expect(pair.alice.messageCount == count + 21 && pair.bob.messageCount == count + 21)
        #expect(pair.relay.relay.counts.queues == 2)
        #expect(pair.alice.errors.isEmpty && pair.bob.errors.isEmpty)
    }

    @Test
    func `A change of queue continues after either side has stopped several times`() async throws {
        let pair = try await Pair()
        let (relay, aliceID, bobID) = (pair.relay.address, pair.aliceID, pair.bobID)
        await pair.bob.agent.close()
        _ = try await pair.alice.agent.switchConnection(aliceID)
        await pair.alice.agent.close()
        // Each side is online only long enough for one step.
        var alice = pair.alice, bob = pair.bob, told: [QueueSwitch.Phase] = []
        while told.last != .completed {
            alice = try await TestAgent(relay, folder: alice.folder, user: alice.user)
            bob = try await TestAgent(relay, folder: bob.folder, user: bob.user)
            _ = try await alice.waitForFirst("step") { if case .queueSwitchChanged = $0 { true } else { nil } }
            await alice.agent.close()
            await bob.agent.close()
            told += alice.switchPhases(.rcv)
        }
        #expect(told == Self.allPhases)
        alice = try await TestAgent(relay, folder: alice.folder, user: alice.user)
        bob = try await TestAgent(relay, folder: bob.folder, user: bob.user)
        try await alice.send(["there"], on: aliceID)
        try await bob.send(["back"], on: bobID)
        #expect(try await bob.waitForTexts(1) == ["there"])
        #expect(try await alice.waitForTexts(1) == ["back"])
    }

    @Test
    func `After an aborted change of queue, a second change succeeds`() async throws {
        let pair = try await Pair()
        await #expect(throws: AgentError.command(.prohibited, context: "abortConnectionSwitch: not allowed")) {
            _ = try await pair.alice.agent.abortSwitch(pair.aliceID)
        }
        await pair.bob.agent.close()
        _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        _ = try await pair.alice.waitForFirst("started") { if case .queueSwitchChanged = $0 { true } else { nil } }
        let adding = try await pair.alice.agent.fetchConnectionQueueStates(pair.aliceID)
        #expect(adding.rcvQueues.map(\.switchStatus) == [.sendingQADD, nil])
        #expect(pair.relay.relay.counts.queues == 3)
        let aborted = try await pair.alice.agent.abortSwitch(pair.aliceID)
        #expect(aborted.rcvQueues.map(\.switchStatus) == [nil])
        _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        try await waitForCompletion(pair.alice, .rcv)
        try await waitForCompletion(bob, .snd)
        #expect(
            try await pair.alice.agent.fetchConnectionQueueStates(pair.aliceID).rcvQueues.map(\.switchStatus) == [nil]
        )
        try await pair.alice.send(["there"], on: pair.aliceID)
        try await bob.send(["back"], on: pair.bobID)
        #expect(try await bob.waitForTexts(1) == ["there"])
        #expect(try await pair.alice.waitForTexts(1) == ["back"])
        #expect(!pair.alice.events.contains { if case .connectionsDeleted = $0 { true } else { false } })
        // Bob has sent keys for the abandoned queue, which causes this error.
        #expect(pair.alice.errors == [.agent(.queue("QKEY: no queue of the connection waits for this key"))])
        #expect(pair.relay.relay.counts.queues == 2)
    }

    @Test
    func `Deleting a connection during a change of queue deletes its old and its new queue`() async throws {
        let pair = try await Pair()
        await pair.bob.agent.close()
        _ = try await pair.alice.agent.switchConnection(pair.aliceID)
        _ = try await pair.alice.waitForFirst("started") { if case .queueSwitchChanged = $0 { true } else { nil } }
        #expect(pair.relay.relay.counts.queues == 3)
        let aliceID = pair.aliceID
        try await pair.alice.agent.delete(connections: [aliceID], waitDelivery: false)
        _ = try await pair.alice.waitForFirst("deleted") {
            if case .connectionsDeleted([aliceID]) = $0 { true } else { nil }
        }
        #expect(pair.relay.relay.counts.queues == 1)
        await pair.alice.agent.close()
        #expect(pair.alice.events.count { if case .connectionsDeleted = $0 { true } else { false } } == 1)
    }

    @Test
    func `If the relay does not have the queue of a rotation, messages still use the old queue`() async throws {
        let pair = try await Pair()
        let bobID = pair.bobID
        let lost = QueueAddress(server: pair.relay.address.withoutPassword, senderID: [UInt8](repeating: 9, count: 24))
        try await pair.bob.agent.database.write { db in
            let queue = try #require(try SndQueue.findCurrent(bobID, db))
            var replacement = queue
            replacement.sndID = lost.senderID
            try replacement.insert(isReplacement: true, db)
            try queue.setSwitchStatus(.sendingQKEY, db)
        }
        try await pair.alice.enqueue(
            .queueUse([.init(address: lost, isPrimary: true)]),
            kind: .queueUse,
            on: pair.aliceID
        )
        try pair.alice.wakeOutbox(pair.aliceID)
        let error = try await pair.bob.waitForFirst("failure") {
            if case .error(_, let error) = $0 { error } else { nil }
        }
        #expect(error == .agent(.queue("QTEST: AUTH")))
        try await pair.bob.send(["still here"], on: bobID)
        #expect(try await pair.alice.waitForTexts(1) == ["still here"])
        #expect(try await pair.bob.agent.fetchConnectionQueueStates(bobID).sndQueues.map(\.switchStatus) == [nil])
    }

    @Test
    func `Unexpected messages about a change of queue cause errors and leave the queues unchanged`() async throws {
        let pair = try await Pair()
        let (server, key) = (pair.relay.address.withoutPassword, try X25519.PrivateKey().publicKey)
        let unknown = QueueAddress(server: server, senderID: [1, 2, 3])
        let uri = QueueURI(
            clientVersions: AgentVersions.supportedClientVersions,
            server: server,
            senderID: [4, 5, 6],
            dhPublicKey: key,
            mode: .messaging
        )
        let info = SMPQueueInfo(
            clientVersion: 4,
            server: server,
            senderID: [1, 2, 3],
            dhPublicKey: key,
            mode: .messaging
        )
        let messages: [(AMessage, OutboxMessage.Kind, String)] = [
            (
                .queueAdd([.init(queue: uri, replaces: nil)]), .queueAdd,
                "QADD: the queue that it replaces is missing"
            ),
            (
                .queueAdd([.init(queue: uri, replaces: unknown)]), .queueAdd,
                "QADD: the queue to replace is not of this connection"
            ),
            (
                .queueKey([.init(queue: info, senderKey: .ed25519(try Ed25519.PrivateKey().publicKey))]), .queueKey,
                "QKEY: no queue of the connection waits for this key"
            ),
            (
                .queueUse([.init(address: unknown, isPrimary: true)]), .queueUse,
                "QUSE: the connection has no such new queue"
            ),
        ]
        for (message, kind, _) in messages { try await pair.alice.enqueue(message, kind: kind, on: pair.aliceID) }
        try await pair.alice.enqueue(.queueTest([unknown]), kind: .queueTest, on: pair.aliceID)
        try await pair.alice.send(["after"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(1) == ["after"])
        #expect(pair.bob.errors == messages.map { .agent(.queue($0.2)) })
        #expect(try await readQueueServers(pair.bob, pair.bobID).count == 2)
    }

    @Test
    func `The number of waiting messages is read from a relay's JSON about a queue`() {
        #expect(Agent.parseWaitingCount(Array(#"{"qiSnd":true,"qiSize":12,"qiMsg":{}}"#.utf8)) == 12)
        #expect(Agent.parseWaitingCount(Array(#"{"qiSize": 3}"#.utf8)) == 3)
        for text in ["", "{}", #"{"qiSize":}"#, #""qiSize":"#] {
            #expect(Agent.parseWaitingCount(Array(text.utf8)) == 0)
        }
    }
}

extension TestAgent {
    /// Reported steps, in order.
    func switchPhases(_ direction: QueueSwitch.Direction) -> [QueueSwitch.Phase] {
        events.compactMap {
            if case .queueSwitchChanged(_, let change) = $0, change.direction == direction { change.phase } else { nil }
        }
    }
}
