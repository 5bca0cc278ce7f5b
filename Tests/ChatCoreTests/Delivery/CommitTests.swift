import JSON
import Testing
import TestSupport

@testable import Agent
@testable import ChatCore

/// Number of commits per message, and the order of commits and events. Changes that may wait for another commit can
/// wait an hour here.
@Suite(.timeLimit(.minutes(5))) struct CommitTests {
    private func pair(patientAgents: Bool) async throws -> (alice: Core, bob: Core) {
        let world = try await World()
        let hour = Duration.seconds(3600)
        func core(_ name: String) async throws -> Core {
            let core = try await world.core(name) { configuration in
                configuration.maxSendResultDelay = hour
                guard patientAgents else { return }
                configuration.agentCommitDelays.deletionDelay = hour
                configuration.agentCommitDelays.ownReceiptDelay = hour
                configuration.agentCommitDelays.receivedReceiptDelay = hour
            }
            try await core.createUser(name)
            return core
        }
        let (alice, bob) = (try await core("alice"), try await core("bob"))
        try await connectUsers(alice, 1, to: bob, 1)
        return (alice, bob)
    }

    /// Commits waiting changes until the cores can close.
    private func close(_ cores: Core...) async {
        for core in cores {
            let commits = Task {
                while !Task.isCancelled, (try? await core.controller.store.database.write { _ in }) != nil {
                    await Task.yield()
                }
            }
            await core.controller.close()
            commits.cancel()
        }
    }

    private func send(_ text: String, from sender: Core, to recipient: Core) async throws {
        try await sender.run("/_send @1 text \(text)")
        try await waitForText(text, recipient)
    }

    @Test
    func `Sending a message and its receipt takes at most one commit per database on each side`() async throws {
        let (alice, bob) = try await pair(patientAgents: true)
        for number in 0..<3 { try await send("first \(number)", from: alice, to: bob) }
        let before = [alice.controller.commitCounts, bob.controller.commitCounts]
        for number in 0..<20 { try await send("one way \(number)", from: alice, to: bob) }
        for (core, before) in zip([alice, bob], before) {
            #expect(core.controller.commitCounts.chatCount - before.chatCount <= 20)
            #expect(core.controller.commitCounts.agentCount - before.agentCount <= 20)
        }
        await close(alice, bob)
    }

    /// Whether the agent still has a message of the chat.
    private func has(_ core: Core) async throws -> Bool {
        try await core.controller.services.agent.database.read {
            try $0.firstRow("SELECT 1 FROM snd_messages WHERE external_id IS NOT NULL") != nil
        }
    }

    /// Commits the waiting changes of the chat's database.
    /// - Returns: whether the agent has no message of the chat any more.
    private func forgets(_ core: Core) async throws -> Bool {
        try await core.controller.store.database.write { _ in }
        return try await !has(core)
    }

    @Test
    func `The status 'sent' of a message is published only after the commit that stores this status`() async throws {
        let (alice, bob) = try await pair(patientAgents: false)
        // The agent may still report messages of the connection procedure, so the test waits until no report is left.
        try await waitUntil("no report of connecting is left") { try await forgets(alice) }
        let seen = alice.controller.journal.latestSeq
        try await send("one", from: alice, to: bob)
        func ofOne() async throws -> [JSONValue] {
            try await alice.entries(after: seen, limit: .max).map {
                try JSONValue(parsing: $0.eventJSON, limits: .forOwnText)
            }
            .filter { $0["type"] == "chatItemsStatusesUpdated" }
        }
        #expect(try await ofOne().isEmpty)
        #expect(try await has(alice))
        let item = try await alice.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]
        #expect(item?["meta"]?["itemStatus"]?["type"] == "sndNew")
        // The next commit includes the change.
        try await waitUntil("the status is published") {
            try await alice.controller.store.database.write { _ in }
            return try await !ofOne().isEmpty
        }
        try await waitUntil("the agent forgets") { try await forgets(alice) }
        await close(alice, bob)
    }
}
