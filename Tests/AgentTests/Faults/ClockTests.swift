import TestSupport
import Testing

@testable import Agent

/// A clock that was set forward or back by a day while the agent was stopped. All decisions that use the time of day
/// depend on the database.
@Suite(.socketTimeLimit) struct ClockTests {
    private static let secondsPerDay: Int64 = 86_400

    @Test(arguments: [secondsPerDay, -secondsPerDay])
    func `No message is lost or repeated when the system clock is set forward or back by a day`(
        by seconds: Int64
    ) async throws {
        let pair = try await Pair(bobAcknowledges: false)
        try await pair.alice.send(["shown"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(1) == ["shown"])
        let late = try await pair.alice.sealMessage("twice", on: pair.aliceID)
        try await pair.alice.sendBody(late, on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(2) == ["shown", "twice"])
        await pair.relay.relay.stopAndWait()
        _ = try await pair.alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await pair.alice.send(["waiting"], on: pair.aliceID)
        for side in [pair.alice, pair.bob] {
            try await side.ageRows(seconds: seconds)
            await side.agent.close()
        }
        let relay = try await TestRelay(folder: pair.relay.folder, port: Int(pair.relay.address.portNumber ?? 0))
        let alice = try await TestAgent(relay.address, folder: pair.alice.folder, user: pair.alice.user)
        let bob = try await TestAgent(relay.address, folder: pair.bob.folder, user: pair.bob.user, givesReceipts: true)
        #expect(try await bob.waitForTexts(3) == ["shown", "twice", "waiting"])
        // Messages received before the jump are still known, and receipts of earlier messages still arrive.
        try await alice.sendBody(late, on: pair.aliceID)
        try await alice.send(["after"], on: pair.aliceID)
        #expect(try await bob.waitForTexts(4) == ["shown", "twice", "waiting", "after"])
        // The test has sealed `twice` with the date 1970, so the agent no longer awaits its receipt.
        #expect(try await alice.waitForReceipts(3).allSatisfy(\.isIntact))
        #expect(!alice.events.contains { if case .messageError = $0 { true } else { false } })
        #expect(bob.errors.isEmpty)
    }

    @Test
    func `Hashes of received messages and awaited receipts are deleted after 30 days, even without a restart`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address) { $0.oldDataDeletionInterval = .milliseconds(50) }
        let bob = try await TestAgent(relay.address) { $0.oldDataDeletionInterval = .milliseconds(50) }
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["1", "2", "3"], on: aliceID)
        #expect(try await bob.waitForTexts(3) == ["1", "2", "3"])
        func remembered() async throws -> [Int64] {
            let sent = try await alice.agent.database.read { db in
                try db.firstRow("SELECT count(*) AS n FROM awaited_receipts")?.int64("n") ?? 0
            }
            let received = try await bob.agent.database.read { db in
                try db.firstRow("SELECT count(*) AS n FROM rcv_hashes")?.int64("n") ?? 0
            }
            return [sent, received]
        }
        #expect(try await remembered() == [3, 3])
        for side in [alice, bob] { try await side.ageRows(seconds: 30 * Self.secondsPerDay + 1) }
        try await waitUntil("both agents have deleted old data") { try await remembered() == [0, 0] }
        try await alice.send(["4"], on: aliceID)
        #expect(try await bob.waitForTexts(4).last == "4")
        for side in [alice, bob] { await side.agent.close() }
    }
}
