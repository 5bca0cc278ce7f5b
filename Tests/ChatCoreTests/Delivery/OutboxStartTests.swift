import Dispatch
import JSON
import Synchronization
import Testing

@testable import ChatCore

/// Starts and stops of the outbox. The test stops the outbox at one step while the agent continues.
@Suite(.timeLimit(.minutes(3))) struct OutboxStartTests {
    /// Returns alice's closed core. Her agent has a message that it has not sent, and her chat does not know the
    /// result.
    private func coreWithUnsentMessage(_ text: String) async throws -> (world: World, bob: Core) {
        let world = try await World()
        let (alice, bob) = try await world.makeConnectedCores()
        try await alice.waitForEmptyAgent()
        try await alice.recordAcceptedMessages()
        try await alice.setNetworkInfo(false)
        try await alice.run("/_send @1 text \(text)")
        await alice.controller.services.outbox.flush()
        await alice.controller.close()
        return (world, bob)
    }

    /// Expects that the agent got each message once, and that the contact has each once and in order.
    private func expectOnce(
        _ texts: [String],
        _ alice: Core,
        _ bob: Core,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await waitForText(texts.last ?? "", bob)
        let accepted = try await alice.readAcceptedMessages()
        #expect(Set(accepted).count == accepted.count, "\(accepted)", sourceLocation: sourceLocation)
        let received = try await bob.run("/_get chat @1 count=\(texts.count)").itemTexts
        #expect(received == texts, sourceLocation: sourceLocation)
        for core in [alice, bob] { await core.controller.close() }
    }

    @Test
    func `After a start, messages that the agent has already sent and deleted are not passed to the agent again`()
        async throws
    {
        let (world, bob) = try await coreWithUnsentMessage("left")
        let gate = OutboxGate(at: .beforeTaking)
        let alice = try await world.core("alice", started: false) {
            $0.outboxHooks.onStep = { try await gate.holdAtStep($0) }
        }
        try await alice.controller.start()
        await gate.waitUntilReached()
        try await alice.waitForEmptyAgent()
        gate.openGate()
        try await alice.run("/_send @1 text next")
        #expect(try await alice.readAcceptedMessages().count <= 2)
        try await expectOnce(["left", "next"], alice, bob)
    }

    @Test
    func `After a start, a message that the agent has sent but not yet deleted does not delay the next messages`()
        async throws
    {
        let (world, bob) = try await coreWithUnsentMessage("left")
        let gate = OutboxGate(at: .beforeTaking)
        let (settled, settling) = AsyncStream.makeStream(of: Int64.self)
        let alice = try await world.core("alice", started: false) {
            $0.outboxHooks.onStep = { try await gate.holdAtStep($0) }
            $0.outboxHooks.onDeliveryResult = { settling.yield($0) }
        }
        // The chat cannot commit the reported results, so the agent does not forget the message.
        let writer = DispatchSemaphore(value: 0)
        try await alice.controller.start()
        await gate.waitUntilReached()
        async let held: Void = alice.controller.store.database.write { _ in writer.wait() }
        for await _ in settled { break }
        gate.openGate()
        await alice.controller.services.outbox.flush()
        writer.signal()
        try await held
        try await alice.run("/_send @1 text next")
        try await expectOnce(["left", "next"], alice, bob)
    }

    @Test
    func `If the outbox fails after the agent has accepted a message, the message is not passed to the agent again`()
        async throws
    {
        let world = try await World()
        let (first, bob) = try await world.makeConnectedCores()
        await first.controller.close()
        let fails = Mutex(true)
        let gate = OutboxGate(at: .afterAccepting)
        let alice = try await world.core("alice") {
            $0.outboxHooks.onStep = { step in
                try await gate.holdAtStep(step)
                guard step == .afterAccepting,
                    fails.withLock({ fails in
                        defer { fails = false }; return fails
                    })
                else { return }
                throw Failure()
            }
        }
        try await alice.recordAcceptedMessages()
        try await alice.run("/_send @1 text one")
        await gate.waitUntilReached()
        try await alice.waitForEmptyAgent()
        gate.openGate()
        try await alice.run("/_send @1 text two")
        try await expectOnce(["one", "two"], alice, bob)
    }

    @Test
    func `If passing a message to the agent fails, the message is passed again before the messages after it`()
        async throws
    {
        let world = try await World()
        let (first, bob) = try await world.makeConnectedCores()
        await first.controller.close()
        let failures = Mutex(2)
        let alice = try await world.core("alice") {
            $0.outboxHooks.onStep = { step in
                guard step == .beforeAccepting,
                    failures.withLock({ left in
                        left -= 1; return left >= 0
                    })
                else { return }
                throw Failure()
            }
        }
        try await alice.recordAcceptedMessages()
        try await alice.run("/_send @1 text one")
        try await alice.run("/_send @1 text two")
        try await expectOnce(["one", "two"], alice, bob)
    }

    @Test(arguments: [OutboxHooks.Step.beforeTaking, .beforeAccepting, .afterAccepting])
    func `If a process ends at any step of sending, the next start sends the messages once and in order`(
        step: OutboxHooks.Step
    ) async throws {
        let world = try await World()
        let (first, bob) = try await world.makeConnectedCores()
        await first.controller.close()
        let gate = OutboxGate(at: step)
        // The first message is sent. Later messages form a batch, which the gate stops.
        let isArmed = Mutex(false)
        let alice = try await world.core("alice") {
            $0.outboxHooks.onStep = { if isArmed.withLock({ $0 }) { try await gate.holdAtStep($0) } }
        }
        try await alice.recordAcceptedMessages()
        try await alice.setNetworkInfo(false)
        try await alice.run("/_send @1 text 1")
        await alice.controller.services.outbox.flush()
        isArmed.withLock { $0 = true }
        for text in ["2", "3", "4"] { try await alice.run("/_send @1 text \(text)") }
        try await alice.setNetworkInfo(true)
        await gate.waitUntilReached()
        await alice.controller.close()
        let again = try await world.core("alice")
        try await again.run("/_send @1 text 5")
        try await expectOnce(["1", "2", "3", "4", "5"], again, bob)
    }

    @Test(arguments: [("/_stop", "/_start"), ("/_app suspend 0", "/_app activate")])
    func `Messages from before, during and after an offline period are sent once and in order`(
        leave: String,
        come: String
    ) async throws {
        let world = try await World()
        let (first, bob) = try await world.makeConnectedCores()
        await first.controller.close()
        let gate = OutboxGate(at: .beforeTaking)
        let isArmed = Mutex(false)
        let alice = try await world.core("alice") {
            $0.outboxHooks.onStep = { if isArmed.withLock({ $0 }) { try await gate.holdAtStep($0) } }
        }
        try await alice.waitForEmptyAgent()
        try await alice.recordAcceptedMessages()
        try await alice.setNetworkInfo(false)
        try await alice.run("/_send @1 text with the agent")
        await alice.controller.services.outbox.flush()
        try await alice.run("/_send @1 text waiting")
        try await alice.run(leave)
        if leave.hasPrefix("/_app") { try await alice.wait(for: "chatSuspended") }
        let isTaken = try await alice.run("/_send @1 text offline")["type"] == "newChatItems"
        #expect(isTaken == (leave != "/_stop"))
        try await alice.setNetworkInfo(true)
        isArmed.withLock { $0 = true }
        try await alice.run(come)
        await gate.waitUntilReached()
        // Before the outbox takes another message, the agent has sent its messages, and the chat has stored the
        // results.
        if leave == "/_stop" { try await alice.waitForEmptyAgent() }
        gate.openGate()
        try await alice.run("/_send @1 text online")
        try await expectOnce(["with the agent", "waiting"] + (isTaken ? ["offline"] : []) + ["online"], alice, bob)
    }

    private struct Failure: Error {}
}
