import ChatAPI
import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatCore
@testable import SQLCipher

/// Stored numbers that a store uses in calculations as soon as it is opened.
@Suite(.socketTimeLimit) struct StoredNumberTests {
    @Test(arguments: [("events", -1), ("events", Int64.max), ("deliveries", .max), ("deliveries", .min)])
    func `A store whose last row number is out of range does not open, and the error names the reason`(
        table: String,
        last: Int64
    ) async throws {
        let world = try await World()
        let alice = try await world.core("alice", key: DatabaseKey.none)
        try await alice.createUser("alice")
        await alice.controller.close()
        let database = try ExtremeStore.openDatabase(.chat, in: world.directory.appending(path: "alice").path)
        try database.execute("DELETE FROM sqlite_sequence WHERE name = ?", table)
        try database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, last)
        let error = await #expect(throws: ChatOpenError.self) { try await world.core("alice", key: DatabaseKey.none) }
        #expect(error?.description.contains("the column seq") == true)
    }

    @Test
    func `Durations between times centuries apart do not overflow`() {
        let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
        #expect(last.duration(since: first) > .seconds(18_000_000_000))
        #expect(first.duration(since: last) < .seconds(-18_000_000_000))
        #expect(Timestamp(seconds: 3).duration(since: Timestamp(seconds: 1)) == .seconds(2))
    }
}
