import TestSupport
import Testing

@testable import Agent

/// A relay that delivers in any order, and as often as it likes.
@Suite(.overSockets) struct HostileRelayTests {
    @Test("messages delivered in any order, and several times, are each shown once, and the conversation goes on", arguments: 0..<4)
    func shuffled(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed &+ 300))
        let pair = try await Pair()
        var sent: [String] = [], before: [UInt8]?
        for round in 0..<3 {
            let texts = (0..<12).map { "round \(round), \($0)" }
            var bodies: [[UInt8]] = []
            for text in texts { bodies.append(try await pair.alice.seal(text, on: pair.aliceID)) }
            sent += texts
            // One of the round before, and some of this one twice or three times.
            let repeated = (0..<6).compactMap { _ in bodies.randomElement(using: &random) } + (before.map { [$0] } ?? [])
            before = bodies.first
            for body in (bodies + repeated).shuffled(using: &random) { try await pair.alice.post(body, on: pair.aliceID) }
            #expect(try await Set(pair.bob.texts(sent.count)) == Set(sent))
            // A turn of the ratchet on both sides.
            try await pair.bob.send(["answer \(round)"], on: pair.bobID)
            #expect(try await pair.alice.texts(round + 1).last == "answer \(round)")
        }
        try await pair.alice.send(["after"], on: pair.aliceID)
        let all = try await pair.bob.texts(sent.count + 1)
        #expect(all.last == "after" && Set(all).count == all.count)
        #expect(pair.bob.errors.isEmpty && pair.bob.ratchetSyncs.isEmpty)
        #expect(try await pair.bob.integrities(all.count).contains { $0 != .ok })
    }
}
