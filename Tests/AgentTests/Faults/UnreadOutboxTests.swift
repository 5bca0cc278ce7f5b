import Concurrency
import SQLCipher
import Synchronization
import Testing

@testable import Agent

/// Waiting messages that cannot be read from the database.
@Suite(.timeLimit(.minutes(3))) struct UnreadOutboxTests {
    @Test(arguments: [DatabaseError.busy, .inputOutput(code: 10)])
    func `A failed read of the outbox is tried again until the waiting messages are sent`(
        error: DatabaseError
    ) async throws {
        let relay = try await TestRelay()
        let failures = Mutex(0)
        let alice = try await TestAgent(relay.address) {
            $0.willReadOutbox = {
                guard
                    failures.withLock({ left in
                        defer { left -= 1 }; return left > 0
                    })
                else { return }
                throw error
            }
        }
        let bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        failures.withLock { $0 = 3 }
        try await alice.send(["1"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["1"])
        #expect(failures.withLock { $0 } <= 0)
        #expect(alice.errors.isEmpty)
    }

    @Test
    func `An unreadable outbox is reported as an error of its connection, and its messages are sent when readable`()
        async throws
    {
        let pair = try await Pair()
        await pair.relay.relay.stopAndWait()
        _ = try await pair.alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await pair.alice.send(["1"], on: pair.aliceID)
        await pair.alice.agent.close()
        let relay = try await TestRelay(folder: pair.relay.folder, port: Int(pair.relay.address.portNumber ?? 0))
        let isBroken = Mutex(true)
        let alice = try await TestAgent(relay.address, folder: pair.alice.folder, user: pair.alice.user) {
            $0.willReadOutbox = { if isBroken.withLock({ $0 }) { throw DatabaseError.corrupt } }
        }
        let error = try await alice.waitForFirst("error") {
            if case .error(pair.aliceID, let error) = $0 { error } else { nil }
        }
        guard case .internal(let text) = error else { throw error }
        #expect(text.contains("messages to be sent cannot be read: "))
        isBroken.withLock { $0 = false }
        try await alice.send(["2"], on: pair.aliceID)
        #expect(try await pair.bob.waitForTexts(2) == ["1", "2"])
        #expect(alice.errors.count == 1)
        await relay.relay.stopAndWait()
    }

    @Test
    func `An agent whose outbox is unreadable stops without delay`() async throws {
        let relay = try await TestRelay()
        let isBroken = Mutex(false)
        let (tried, trying) = AsyncStream.makeStream(of: Void.self)
        let alice = try await TestAgent(relay.address) {
            $0.sendRetry = Backoff.makeRetryBackoff(.seconds(3_600), limit: .seconds(3_600))
            $0.willReadOutbox = {
                guard isBroken.withLock({ $0 }) else { return }
                trying.yield()
                throw DatabaseError.busy
            }
        }
        let bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        isBroken.withLock { $0 = true }
        try await alice.send(["1"], on: aliceID)
        for await _ in tried { break }
        await alice.agent.close()
        #expect(alice.errors.isEmpty)
    }

    @Test
    func `The list of accepted messages without a reported send result is available only from a stopped agent`()
        async throws
    {
        let pair = try await Pair()
        try await pair.alice.send(["0"], on: pair.aliceID)
        _ = try await pair.alice.waitForFirst("sent") { if case .sent = $0 { true } else { nil } }
        await pair.relay.relay.stopAndWait()
        _ = try await pair.alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await pair.alice.send(["1", "2"], on: pair.aliceID)
        await #expect(throws: AgentError.command(.prohibited, context: "outstanding")) {
            _ = try await pair.alice.agent.fetchUnconfirmedExternalIDs()
        }
        await pair.alice.agent.stop()
        #expect(
            try await pair.alice.agent.fetchUnconfirmedExternalIDs() == [
                "\(pair.aliceID.text) 1", "\(pair.aliceID.text) 2",
            ]
        )
    }
}
