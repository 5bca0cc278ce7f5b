import SQLCipher
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(3))) struct SentOnceTests {
    @Test
    func `If a sent message cannot be deleted from the outbox, the message is still sent only once`() async throws {
        let pair = try await Pair()
        try await pair.alice.agent.database.write { db in
            try db.execute("CREATE TRIGGER kept BEFORE DELETE ON snd_messages BEGIN SELECT RAISE(ABORT, 'kept'); END")
        }
        let before = try #require(pair.relay.relay.statistics["messages_sent"])
        for (number, text) in ["1", "2", "3"].enumerated() {
            try await pair.alice.send([text], on: pair.aliceID)
            _ = try await pair.alice.waitForAll("news of being sent", number + 1) {
                if case .sent = $0 { true } else { nil }
            }
        }
        #expect(try await pair.bob.waitForTexts(3) == ["1", "2", "3"])
        #expect(pair.relay.relay.statistics["messages_sent"] == before + 3)
        #expect(pair.alice.events.count { if case .sent = $0 { true } else { false } } == 3)
    }
}
