import NIOCore
import SMP
import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// A relay that delivers messages in any order and any number of times.
@Suite(.socketTimeLimit) struct HostileRelayTests {
    @Test(arguments: 0..<4)
    func `Each message that a relay repeats or reorders is delivered once`(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed &+ 300))
        let pair = try await Pair()
        var sent: [String] = [], before: [UInt8]?
        for round in 0..<3 {
            let texts = (0..<12).map { "round \(round), \($0)" }
            var bodies: [[UInt8]] = []
            for text in texts { bodies.append(try await pair.alice.sealMessage(text, on: pair.aliceID)) }
            sent += texts
            // One message of the previous round, and some messages of this round two or three times.
            let repeated =
                (0..<6).compactMap { _ in bodies.randomElement(using: &random) } + (before.map { [$0] } ?? [])
            before = bodies.first
            for body in (bodies + repeated).shuffled(using: &random) {
                try await pair.alice.sendBody(body, on: pair.aliceID)
            }
            #expect(try await Set(pair.bob.waitForTexts(sent.count)) == Set(sent))
            // The answer makes a DH step of the ratchet on both sides, so the next round uses new keys.
            try await pair.bob.send(["answer \(round)"], on: pair.bobID)
            #expect(try await pair.alice.waitForTexts(round + 1).last == "answer \(round)")
        }
        try await pair.alice.send(["after"], on: pair.aliceID)
        let all = try await pair.bob.waitForTexts(sent.count + 1)
        #expect(all.last == "after" && Set(all).count == all.count)
        #expect(pair.bob.errors.isEmpty && pair.bob.ratchetSyncs.isEmpty)
        #expect(try await pair.bob.waitForIntegrities(all.count).contains { $0 != .ok })
    }

    @Test
    func `An undecryptable message is acknowledged to the relay only after the handler of its error has finished`()
        async throws
    {
        let queues = Atomic<UInt8>(0)
        let acknowledged = AsyncStream<Void>.makeStream()
        let count = Atomic(0)
        let relay = try await WaywardRelay.start(
            .answers { received, _ in
                func bad(_ number: Int) -> BrokerMessage {
                    .msg(id: [UInt8](repeating: UInt8(number), count: 24), encBody: [UInt8](repeating: 4, count: 100))
                }
                switch try? received.parseClientCommand() {
                case .new(let request)?:
                    let id = [UInt8](repeating: queues.add(2, ordering: .relaxed).newValue, count: 24)
                    let ids = QueueIDs(rcvID: id, sndID: id.map { $0 + 1 }, dhKey: request.dhKey, mode: .messaging)
                    return [.message(.ids(ids), corrID: received.corrID, entityID: [])]
                case .sub?:
                    return [.answer(.sok(serviceID: nil)), .message(bad(0), corrID: [], entityID: received.entityID)]
                case .ack?:
                    let number = count.add(1, ordering: .relaxed).newValue
                    acknowledged.continuation.yield()
                    return [.answer(number < 4 ? bad(number) : .ok)]
                case .ping?: return [.answer(.pong)]
                default: return [.answer(.ok)]
                }
            }
        )
        let alice = try await TestAgent(relay.server)
        _ = try await alice.agent.createInvitation(user: alice.user)
        await alice.agent.stop()
        let (told, door) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        try await alice.agent.start { events in
            for case .error in events {
                told.continuation.yield()
                for await _ in door.stream {}
            }
        }
        var (errors, acks) = (told.stream.makeAsyncIterator(), acknowledged.stream.makeAsyncIterator())
        _ = await errors.next()
        // The relay answers in order. After the answer to this command, an acknowledgement would have been counted.
        _ = try await alice.agent.createInvitation(user: alice.user)
        #expect(count.load(ordering: .relaxed) == 0)
        door.continuation.finish()
        for _ in 0..<4 { _ = await acks.next() }
        for _ in 1..<4 { _ = await errors.next() }
        await alice.agent.close()
        await relay.stop()
    }

    @Test
    func `A new queue with the id of an existing queue is refused, and the existing queue stays`() async throws {
        let relay = try await WaywardRelay.start(
            .answers { received, _ in
                switch try? received.parseClientCommand() {
                case .new(let request)?:
                    let ids = QueueIDs(
                        rcvID: [UInt8](repeating: 1, count: 24),
                        sndID: [UInt8](repeating: 2, count: 24),
                        dhKey: request.dhKey,
                        mode: .messaging
                    )
                    return [.message(.ids(ids), corrID: received.corrID, entityID: [])]
                case .ping?: return [.answer(.pong)]
                default: return [.answer(.ok)]
                }
            }
        )
        let alice = try await TestAgent(relay.server)
        let first = try await alice.agent.createInvitation(user: alice.user)
        await #expect {
            try await alice.agent.createInvitation(user: alice.user)
        } throws: { error in
            if case AgentError.broker(_, .unexpected("IDS")) = error { true } else { false }
        }
        let stored = try await alice.agent.database.read { db in
            try RcvQueue.find(server: relay.server, rcvID: [UInt8](repeating: 1, count: 24), db)
        }
        #expect(stored?.connection == first.0)
        await alice.agent.close()
        await relay.stop()
    }
}
