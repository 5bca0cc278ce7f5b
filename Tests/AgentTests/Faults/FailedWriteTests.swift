import SQLCipher
import Testing

@testable import Agent

/// Writes of the database that fail, or are cut off by a crash, in the middle of what they belong to: the ratchet must not go on without its message,
/// nor the message without its ratchet.
@Suite struct FailedWriteTests {
    /// Makes a statement fail until `allow`.
    private func forbid(_ write: String, _ agent: TestAgent) async throws {
        try await agent.agent.database.write { db in
            try db.execute("CREATE TRIGGER crash BEFORE \(write) BEGIN SELECT RAISE(ABORT, 'crash'); END")
        }
    }

    private func allow(_ agent: TestAgent) async throws {
        try await agent.agent.database.write { db in try db.execute("DROP TRIGGER crash") }
    }

    @Test(
        "a message whose reception is not stored comes again after the next start, once and in its place",
        arguments: ["UPDATE OF ratchet ON connections", "INSERT ON rcv_hashes", "INSERT ON rcv_messages", "INSERT ON skipped_keys"])
    func receiving(write: String) async throws {
        let pair = try await Pair()
        for turn in 0..<2 {
            try await pair.alice.send(["turn \(turn)"], on: pair.aliceID)
            #expect(try await pair.bob.texts(turn + 1).last == "turn \(turn)")
            try await pair.bob.send(["turn \(turn)"], on: pair.bobID)
            #expect(try await pair.alice.texts(turn + 1).last == "turn \(turn)")
        }
        // A message that comes later than those after it makes keys that are kept.
        let late = try await pair.alice.seal("late", on: pair.aliceID)
        try await forbid(write, pair.bob)
        try await pair.alice.send(["1", "2", "3"], on: pair.aliceID)
        let error = try await pair.bob.first("failure") { if case .error(_, let error) = $0 { error } else { nil } }
        #expect(error == .internal("message not stored"))
        try await allow(pair.bob)
        await pair.bob.agent.close()
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        #expect(try await bob.texts(3) == ["1", "2", "3"])
        try await pair.alice.post(late, on: pair.aliceID)
        try await pair.alice.send(["4"], on: pair.aliceID)
        #expect(try await bob.texts(5) == ["1", "2", "3", "late", "4"])
        try await bob.send(["back"], on: pair.bobID)
        #expect(try await pair.alice.texts(3).last == "back")
        #expect(bob.errors.isEmpty && bob.ratchetSyncs.isEmpty)
    }

    @Test(
        "a message that is not stored is not sent, and when it is taken over again it follows the one before",
        arguments: ["UPDATE OF ratchet ON connections", "INSERT ON snd_messages", "INSERT ON awaited_receipts"])
    func sending(write: String) async throws {
        let pair = try await Pair()
        try await pair.alice.send(["1"], on: pair.aliceID)
        try await forbid(write, pair.alice)
        await #expect(throws: DatabaseError.self) { try await pair.alice.send(["2"], on: pair.aliceID) }
        try await allow(pair.alice)
        try await pair.alice.send(["2", "3"], on: pair.aliceID)
        #expect(try await pair.bob.texts(3) == ["1", "2", "3"])
        #expect(try await pair.bob.integrities(3) == [.ok, .ok, .ok])
    }

    @Test("no two messages have the same key, whatever fails between them")
    func distinctKeys() async throws {
        let pair = try await Pair()
        await pair.relay.relay.stop()
        _ = try await pair.alice.first("down") { if case .down = $0 { true } else { nil } }
        for number in 0..<12 {
            if number % 3 == 1 {
                try await forbid(number % 2 == 0 ? "INSERT ON snd_messages" : "INSERT ON awaited_receipts", pair.alice)
                await #expect(throws: DatabaseError.self) { try await pair.alice.send(["\(number)"], on: pair.aliceID) }
                try await allow(pair.alice)
            }
            try await pair.alice.send(["\(number)"], on: pair.aliceID)
        }
        let keys = try await pair.alice.agent.database.read { db in
            try db.query("SELECT encryption_key FROM snd_messages WHERE kind = 'message'").map { try $0.blob("encryption_key") }
        }
        #expect(keys.count == 12)
        let messageKeys = try keys.map { try MessageEncryptionKey(stored: $0).key.stored }
        #expect(Set(messageKeys).count == 12)
    }
}
