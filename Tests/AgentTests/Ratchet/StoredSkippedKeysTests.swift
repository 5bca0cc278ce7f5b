import SMP
import SQLCipher
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Limits of the keys that a peer can make this side store and read when it skips messages.
@Suite struct StoredSkippedKeysTests {
    private let connection = ConnectionID(bytes: Array(repeating: 1, count: 16))

    /// Runs `body` in a transaction on an agent's database with one connection.
    private func withStoredKeys<T: Sendable>(
        _ body: @escaping @Sendable (StoredSkippedKeys) throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await Database.open(
            at: folder.path + "/agent.db",
            key: .none,
            migrations: AgentSchema.migrations
        )
        let result = try await database.write { [connection] db in
            try db.execute("INSERT INTO users (deleted) VALUES (0)")
            try AgentConnection(id: connection, userID: db.lastInsertRowID, agentVersion: 7, e2eKeys: nil, ratchet: nil)
                .insert(db)
            return try body(StoredSkippedKeys(connection: connection, db: db))
        }
        await database.close()
        return result
    }

    /// Returns the numbers of stored chains and message keys.
    private func countRows(_ keys: StoredSkippedKeys) throws -> [Int] {
        func count(_ table: String) throws -> Int {
            Int(try keys.db.firstRow("SELECT count(*) AS n FROM \(table)")?.int64("n") ?? 0)
        }
        return [try count("skipped_chains"), try count("skipped_keys")]
    }

    /// Counts the keys that are looked up.
    private final class CountingLookup: SkippedKeyLookup {
        let keys: StoredSkippedKeys
        var readCount = 0
        init(_ keys: StoredSkippedKeys) { self.keys = keys }
        func headerKeys() throws(RatchetError) -> [SymmetricKey] {
            let found = try keys.headerKeys()
            readCount += found.count
            return found
        }
        func messageKey(headerKey: SymmetricKey, number: UInt32) throws(RatchetError) -> MessageKey? {
            readCount += 1
            return try keys.messageKey(headerKey: headerKey, number: number)
        }
    }

    /// Plays `rounds` chains of a peer. In each chain `skipped` messages do not arrive, and one message does.
    /// - Returns: the first message that did not arrive, by round.
    private func playChains(
        rounds: Int,
        skipped: Int,
        _ peer: inout Ratchet,
        _ own: inout Ratchet,
        _ counted: CountingLookup,
        _ check: (_ read: Int) throws -> Void
    ) throws -> [[UInt8]] {
        var missing: [[UInt8]] = []
        for _ in 0..<rounds {
            missing.append(try peer.encrypt([1], paddedLength: 64))
            for _ in 1..<skipped { _ = try peer.encrypt([1], paddedLength: 64) }
            counted.readCount = 0
            let outcome = try own.decrypt(peer.encrypt([2], paddedLength: 64), skipped: counted)
            #expect(outcome.plaintext == .success([2]))
            try counted.keys.applyChange(outcome.skippedKeysChange, at: 0)
            try check(counted.readCount)
            // The answer makes the peer start another chain.
            #expect(try peer.decrypt(own.encrypt([3], paddedLength: 64)).plaintext == .success([3]))
        }
        return missing
    }

    @Test
    func `Stored keys of skipped messages stay within their limit if a peer skips a message in each chain`()
        async throws
    {
        try await withStoredKeys { keys in
            var (own, peer) = try makeRatchetPair()
            let counted = CountingLookup(keys)
            let limit = StoredSkippedKeys.chainLimit
            let missing = try playChains(rounds: 3 * limit, skipped: 1, &peer, &own, counted) { read in
                #expect(read == 0)
                let chains = try countRows(keys)[0]
                #expect(chains <= limit)
            }
            #expect(try countRows(keys) == [limit, limit])
            // The newest messages can still be read, and the oldest keys are deleted. At most one header key for each
            // chain and one message key are looked up.
            counted.readCount = 0
            #expect(try own.decrypt(missing[3 * limit - 1], skipped: counted).plaintext == .success([1]))
            #expect(try own.decrypt(missing[2 * limit], skipped: counted).plaintext == .success([1]))
            #expect(counted.readCount <= 2 * (limit + 1))
            counted.readCount = 0
            #expect(throws: RatchetError.undecryptableHeader) {
                try own.decrypt(missing[2 * limit - 1], skipped: counted)
            }
            #expect(counted.readCount == limit)
        }
    }

    @Test
    func `Only the newest four ratchet chains keep keys of skipped messages if each chain has the maximum`()
        async throws
    {
        try await withStoredKeys { keys in
            var (own, peer) = try makeRatchetPair()
            let counted = CountingLookup(keys)
            let skipped = Int(SkippedMessageKeys.maxSkippedMessages)
            let missing = try playChains(rounds: 6, skipped: skipped, &peer, &own, counted) { _ in
                let kept = try countRows(keys)[1]
                #expect(kept <= StoredSkippedKeys.keyLimit)
            }
            #expect(try countRows(keys) == [4, StoredSkippedKeys.keyLimit])
            #expect(throws: RatchetError.undecryptableHeader) { try own.decrypt(missing[1], skipped: keys) }
            let outcome = try own.decrypt(missing[2], skipped: keys)
            #expect(outcome.plaintext == .success([1]))
            try keys.applyChange(outcome.skippedKeysChange, at: 0)
            #expect(try countRows(keys)[1] == StoredSkippedKeys.keyLimit - 1)
            #expect(throws: RatchetError.undecryptableHeader) { try own.decrypt(missing[2], skipped: keys) }
        }
    }

    @Test
    func `A ratchet chain with more skipped messages than the limit keeps only the newest keys`() async throws {
        try await withStoredKeys { keys in
            var (own, peer) = try makeRatchetPair()
            var first: [UInt8] = []
            for _ in 0..<6 {
                first = try peer.encrypt([1], paddedLength: 64)
                for _ in 1..<Int(SkippedMessageKeys.maxSkippedMessages) { _ = try peer.encrypt([1], paddedLength: 64) }
                try keys.applyChange(
                    own.decrypt(peer.encrypt([2], paddedLength: 64), skipped: keys).skippedKeysChange,
                    at: 0
                )
            }
            #expect(try countRows(keys) == [1, StoredSkippedKeys.keyLimit])
            #expect(try own.decrypt(first, skipped: keys).plaintext == .success([1]))
        }
    }

    @Test
    func `Stored keys of skipped messages are deleted after their time limit`() async throws {
        try await withStoredKeys { keys in
            var (own, peer) = try makeRatchetPair()
            for time in [1000, 2000] as [Int64] {
                _ = try peer.encrypt([1], paddedLength: 64)
                try keys.applyChange(
                    own.decrypt(peer.encrypt([2], paddedLength: 64), skipped: keys).skippedKeysChange,
                    at: time
                )
                _ = try peer.decrypt(own.encrypt([3], paddedLength: 64))
            }
            #expect(try countRows(keys) == [2, 2])
            try AgentSchema.deleteOldData(at: 1500 + AgentSchema.messageDataLifetimeSeconds, keys.db)
            #expect(try countRows(keys) == [1, 1])
            try keys.removeAllChains()
            #expect(try countRows(keys) == [0, 0])
        }
    }
}
