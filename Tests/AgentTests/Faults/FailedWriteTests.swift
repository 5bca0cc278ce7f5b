import Concurrency
import SQLCipher
import TestSupport
import Testing

@testable import Agent

/// Database writes that fail or are cut off by a crash. The ratchet must not advance without its message, and a message
/// must not be stored without its ratchet.
@Suite(.socketTimeLimit, .faultTests) struct FailedWriteTests {
    /// Makes a statement fail until `allowWrites` is called.
    private func forbidWrite(_ write: String, _ agent: TestAgent) async throws {
        try await agent.agent.database.write { db in
            try db.execute("CREATE TRIGGER crash BEFORE \(write) BEGIN SELECT RAISE(ABORT, 'crash'); END")
        }
    }

    private func allowWrites(_ agent: TestAgent) async throws {
        try await agent.agent.database.write { db in try db.execute("DROP TRIGGER crash") }
    }

    @Test(arguments: [
        "UPDATE OF ratchet ON connections", "INSERT ON rcv_hashes", "INSERT ON rcv_messages",
        "INSERT ON skipped_keys",
    ])
    func `A received message that cannot be stored is dropped with an error, and later messages arrive`(
        write: String
    ) async throws {
        let pair = try await Pair()
        for turn in 0..<2 {
            try await pair.alice.send(["turn \(turn)"], on: pair.aliceID)
            #expect(try await pair.bob.waitForTexts(turn + 1).last == "turn \(turn)")
            try await pair.bob.send(["turn \(turn)"], on: pair.bobID)
            #expect(try await pair.alice.waitForTexts(turn + 1).last == "turn \(turn)")
        }
        // `late` arrives after later messages, so bob's agent decrypts `late` with a stored key.
        let late = try await pair.alice.sealMessage("late", on: pair.aliceID)
        try await forbidWrite(write, pair.bob)
        try await pair.alice.send(["1"], on: pair.aliceID)
        let error = try await pair.bob.waitForFirst("failure") {
            if case .error(_, let error) = $0 { error } else { nil }
        }
        #expect(error == .internal("message not stored"))
        try await allowWrites(pair.bob)
        // The agent needs no restart after the failed write.
        try await pair.alice.send(["2", "3"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(4).suffix(2) == ["2", "3"])
        try await pair.alice.sendBody(late, on: pair.aliceID)
        try await pair.alice.send(["4"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(6).suffix(2) == ["late", "4"])
        try await pair.bob.send(["back"], on: pair.bobID)
        #expect(try await pair.alice.waitForTexts(3).last == "back")
        #expect(pair.bob.errors.count == 1 && pair.bob.ratchetSyncs.isEmpty)
        let refused = try await pair.bob.agent.database.read { db in
            try db.firstRow("SELECT refused_messages FROM rcv_queues")?.int64("refused_messages")
        }
        #expect(refused == 1)
    }

    @Test
    func `If the database refuses to store received messages, the messages are delivered after the next start`()
        async throws
    {
        let pair = try await Pair()
        try await pair.bob.failTransactions(afterWrites: 0)
        try await pair.alice.send(["1", "2"], on: pair.aliceID)
        _ = try await pair.bob.waitForFirst("failure") {
            if case .error(_, .internal("message not stored")) = $0 { true } else { nil }
        }
        await pair.bob.agent.close()
        try await pair.bob.removeFailures()
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        #expect(try await bob.waitForTexts(2) == ["1", "2"])
        #expect(try await bob.waitForIntegrities(2) == [.ok, .ok])
    }

    /// Returns the pair with bob's agent after its process has ended `attempts` times during the handover of a message.
    /// Two messages have arrived, and neither is acknowledged.
    private func pairAfterCrashes(_ attempts: Int) async throws -> Pair {
        let pair = try await Pair(bobAcknowledges: false)
        for (number, text) in ["1", "2"].enumerated() {
            try await pair.alice.send([text], on: pair.aliceID)
            #expect(try await pair.bob.waitForTexts(number + 1).last == text)
        }
        try await pair.bob.agent.database.write { db in
            try db.execute(
                "UPDATE rcv_messages SET attempts = ? WHERE internal_id = (SELECT min(internal_id) FROM rcv_messages)",
                attempts
            )
        }
        await pair.bob.agent.close()
        return pair
    }

    @Test
    func `An event whose handler has crashed the process five times is delivered as 'setAside'`() async throws {
        let pair = try await pairAfterCrashes(5)
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        let aside = try await bob.waitForFirst("set aside") {
            if case .setAside(.message(_, _, _, let body)) = $0 { body } else { nil }
        }
        #expect(aside == Array("1".utf8))
        #expect(try await bob.waitForTexts(1) == ["2"])
    }

    @Test
    func `An intended end of the process in an event handler is not counted as a crash of the handler`() async throws {
        let pair = try await pairAfterCrashes(0)
        for _ in 0..<7 {
            let bob = try await TestAgent(
                pair.relay.address,
                folder: pair.bob.folder,
                user: pair.bob.user,
                acknowledges: false,
                endsAt: "1"
            )
            #expect(try await bob.waitForTexts(1) == ["1"])
            await bob.agent.close()
        }
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        #expect(try await bob.waitForTexts(2) == ["1", "2"])
    }

    @Test
    func `If the process ends during the delay before the retry of an event, the retry is not counted`() async throws {
        let pair = try await pairAfterCrashes(4)
        for _ in 0..<3 {
            let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user) {
                $0.redeliveryBackoff = Backoff(initial: .seconds(3_600), limit: .seconds(3_600))
            }
            let attempts = try await bob.agent.database.read { db in
                try db.query("SELECT attempts FROM rcv_messages ORDER BY internal_id").map { try $0.int64("attempts") }
            }
            #expect(attempts == [4, 0])
            await bob.agent.close()
        }
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user) {
            $0.redeliveryBackoff = Backoff(initial: .milliseconds(1), limit: .milliseconds(1))
        }
        #expect(try await bob.waitForTexts(2) == ["1", "2"])
    }

    @Test(arguments: [
        "UPDATE OF ratchet ON connections", "UPDATE OF last_snd_hash ON connections", "INSERT ON snd_messages",
        "INSERT ON awaited_receipts",
    ])
    func `A message that its sender cannot store is not sent, and can be sent with a later call`(
        write: String
    ) async throws {
        let pair = try await Pair()
        try await pair.alice.send(["1"], on: pair.aliceID)
        try await forbidWrite(write, pair.alice)
        await #expect(throws: DatabaseError.self) { try await pair.alice.send(["2"], on: pair.aliceID) }
        try await allowWrites(pair.alice)
        try await pair.alice.send(["2", "3"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(3) == ["1", "2", "3"])
        #expect(try await pair.bob.waitForIntegrities(3) == [.ok, .ok, .ok])
    }

    @Test
    func `Each sent message has a different encryption key, even if the database write for a message fails`()
        async throws
    {
        let pair = try await Pair()
        await pair.relay.relay.stopAndWait()
        _ = try await pair.alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        for number in 0..<12 {
            if number % 3 == 1 {
                try await forbidWrite(
                    number % 2 == 0 ? "INSERT ON snd_messages" : "INSERT ON awaited_receipts",
                    pair.alice
                )
                await #expect(throws: DatabaseError.self) { try await pair.alice.send(["\(number)"], on: pair.aliceID) }
                try await allowWrites(pair.alice)
            }
            try await pair.alice.send(["\(number)"], on: pair.aliceID)
        }
        let keys = try await pair.alice.agent.database.read { db in
            try db.query("SELECT encryption_key FROM snd_messages WHERE kind = 'message'").map {
                try $0.blob("encryption_key")
            }
        }
        #expect(keys.count == 12)
        let messageKeys = try keys.map { try MessageEncryptionKey(stored: $0).key.storedForm }
        #expect(Set(messageKeys).count == 12)
    }

    enum Side: CaseIterable { case sender, recipient }

    @Test(
        arguments: Side.allCases,
        [0, 1, 2, 3, 5, 8, 12]
    )
    func `After a crash at any database write, all messages arrive in order`(side: Side, number: Int) async throws {
        let pair = try await Pair()
        let crashing = side == .sender ? pair.alice : pair.bob
        try await crashing.failTransactions(afterWrites: number)
        let texts = ["1", "2", "3"]
        do { for text in texts { try await pair.alice.send([text], on: pair.aliceID) } } catch is DatabaseError {}
        if side == .recipient {
            _ = try await pair.bob.waitForFirst("the end") { [bob = pair.bob] _ in
                bob.messageCount == 3 || !bob.errors.isEmpty ? true : nil
            }
        }
        for agent in [pair.alice, pair.bob] { await agent.agent.close() }
        try await crashing.removeFailures()
        let left = try await pair.alice.readUnsentIDs()
        let alice = try await TestAgent(pair.relay.address, folder: pair.alice.folder, user: pair.alice.user)
        let bob = try await TestAgent(pair.relay.address, folder: pair.bob.folder, user: pair.bob.user)
        // The next start sends the accepted messages without a command, and reports the results.
        if !left.isEmpty {
            let told = try await alice.waitForAll("what was left", left.count) {
                if case .sent(_, _, let id, _) = $0, left.contains(id) { id } else { nil }
            }
            #expect(Set(told) == left)
        }
        let told = Set(pair.alice.events.compactMap { if case .sent(_, _, let id, _) = $0 { id } else { nil } }).union(
            left
        )
        try await alice.send((texts + ["4"]).filter { !told.contains("\(pair.aliceID.text) \($0)") }, on: pair.aliceID)
        _ = try await bob.waitForFirst("the last") {
            if case .message(_, _, _, let body) = $0, body == Array("4".utf8) { true } else { nil }
        }
        try await bob.send(["back"], on: pair.bobID)
        #expect(try await alice.waitForTexts(1) == ["back"])
        // A message may be reported twice if the end of its handling was not stored.
        let all = (pair.bob.events + bob.events).compactMap { event -> (AgentMessageID, String, MessageIntegrity)? in
            guard case .message(_, let meta, _, let body) = event else { return nil }
            return (meta.recipientInfo.id, String(decoding: body, as: UTF8.self), meta.integrity)
        }
        let once = Dictionary(all.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first }).sorted {
            $0.key < $1.key
        }.map(\.value)
        #expect(once == texts + ["4"])
        #expect(all.allSatisfy { $0.2 == .ok })
        #expect(alice.errors.isEmpty && bob.errors.isEmpty && bob.ratchetSyncs.isEmpty)
    }
}

extension TestAgent {
    /// Makes each transaction fail after it has written `number` rows.
    fileprivate func failTransactions(afterWrites number: Int) async throws {
        try await agent.database.write { db in
            let tables = try db.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).map { try $0.string("name") }
            try db.execute("CREATE TABLE crash (left INTEGER NOT NULL)")
            try db.execute("INSERT INTO crash VALUES (?)", number)
            // The crash must not count as a refusal of a message, since a message with too many refusals is given up.
            try db.execute(
                "CREATE TRIGGER crash_refused BEFORE UPDATE OF refused_messages ON rcv_queues BEGIN SELECT RAISE(ABORT, 'crash'); END"
            )
            for table in tables {
                for write in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(
                        """
                        CREATE TRIGGER crash_\(table)_\(write) BEFORE \(write) ON \(table) BEGIN
                          UPDATE crash SET left = left - 1;
                          SELECT RAISE(ABORT, 'crash') FROM crash WHERE left < 0;
                        END
                        """
                    )
                }
            }
        }
    }

    /// Restores the database of a closed agent to its state before the crash.
    fileprivate func removeFailures() async throws {
        try await withClosedDatabase { db in
            for row in try db.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
                try db.execute("DROP TRIGGER \(try row.string("name"))")
            }
            try db.execute("DROP TABLE crash")
        }
    }

    /// Returns the messages that a closed agent has accepted and not reported, read directly from its database.
    fileprivate func readUnsentIDs() async throws -> Set<String> {
        try await withClosedDatabase { db in
            Set(
                try db.query("SELECT external_id FROM snd_messages WHERE kind = 'message'").map {
                    try $0.string("external_id")
                }
            )
        }
    }

    /// Reads the database of a closed agent.
    private func withClosedDatabase<T: Sendable>(
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        let database = try await Database.open(
            at: agent.configuration.databasePath,
            key: agent.configuration.databaseKey,
            migrations: AgentSchema.migrations,
            readers: 1,
            create: false
        )
        let value = try await database.write(body)
        await database.close()
        return value
    }
}
