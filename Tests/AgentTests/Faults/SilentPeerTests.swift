import Concurrency
import SMP
import SMPTestSupport
import SQLCipher
import TestSupport
import Testing

@testable import Agent

/// Peers and relays that never answer.
@Suite(.socketTimeLimit) struct SilentPeerTests {
    /// Returns the names of the tables that still have a row of the connection.
    private func findTables(of id: ConnectionID, _ agent: TestAgent) async throws -> [String] {
        try await agent.agent.database.read { db in
            let tables = try db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%conn_id%'")
                .map { try $0.string("name") }
            return try tables.filter {
                try db.firstRow("SELECT 1 AS trace FROM \($0) WHERE conn_id = ?", id.bytes) != nil
            }
        }
    }

    private func expectCompleteDeletion(_ id: ConnectionID, _ agent: TestAgent) async throws {
        _ = try await agent.waitForFirst("deletion") { if case .connectionsDeleted([id]) = $0 { true } else { nil } }
        #expect(try await findTables(of: id, agent) == [])
    }

    @Test(arguments: [QueueMode.messaging, .contact])
    func `If the inviter never answers, the joiner's queue stays until the joiner deletes the connection`(
        mode: QueueMode
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: mode),
            bob = try await TestAgent(relay.address, queueMode: mode)
        let (_, request) = try await alice.agent.createInvitation(user: alice.user)
        await alice.agent.close()
        let id = try await bob.agent.prepareJoin(user: bob.user, request: request)
        let isSecured = try await bob.agent.join(connection: id, request: request, connInfo: [1])
        #expect(isSecured == (mode == .messaging))
        if isSecured {
            // The queue is secured, so bob can send. The inviter does not receive the message.
            try await bob.send(["anybody there?"], on: id)
            _ = try await bob.waitForFirst("sent") { if case .sent = $0 { true } else { nil } }
        }
        try await bob.waitForEmptyOutbox(id)
        await bob.agent.close()
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        try await again.waitForEmptyOutbox(id)
        // The start of the agent sends no new message: the inviter's queue contains only the earlier messages. If the
        // stop came between the confirmation and the deletion of a message, this message is sent a second time. The
        // recipient would recognize the repeated message.
        #expect((isSecured ? 2...3 : 1...1).contains(relay.relay.counts.messages))
        #expect(relay.relay.counts.queues == 2)
        try await again.agent.delete(connections: [id], waitDelivery: true)
        try await expectCompleteDeletion(id, again)
        #expect(relay.relay.counts.queues == 1)
        #expect(again.errors.isEmpty)
    }

    @Test
    func `If a contact request is never answered, its sender keeps one queue until the connection is deleted`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address) = try await alice.agent.createAddress(user: alice.user)
        let id = try await bob.agent.prepareJoin(user: bob.user, request: address)
        _ = try await bob.agent.join(connection: id, request: address, connInfo: [1])
        _ = try await alice.waitForFirst("request") { if case .request = $0 { true } else { nil } }
        await bob.agent.close()
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(relay.relay.counts.queues == 2)
        // Before the answer, the sender knows no queue of the owner, so the message is refused.
        let results = try await again.agent.sendMessages([
            OutgoingMessage(connection: id, notify: true, body: [1], externalID: "x")
        ])
        #expect(results.map { try? $0.get() } == [nil])
        try await again.agent.delete(connections: [id], waitDelivery: true)
        try await expectCompleteDeletion(id, again)
        #expect(relay.relay.counts.queues == 1)
        #expect(again.errors.isEmpty)
    }

    @Test
    func `If the joiner's relay is gone, the inviter can delete the connection with the inviter's queue`() async throws
    {
        let relay = try await TestRelay(), other = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(other.address)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(_, let id, _) = $0 { id } else { nil }
        }
        await other.relay.stopAndWait()
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        await alice.agent.close()
        let again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        try await again.agent.delete(connections: [aliceID], waitDelivery: true)
        try await expectCompleteDeletion(aliceID, again)
        #expect(relay.relay.counts.queues == 0)
        #expect(again.errors.isEmpty)
    }

    @Test
    func `Messages and deletions for a relay that never answers are repeated, and fail after their time limit`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address) {
            $0.sendRetry = Backoff.makeRetryBackoff(.milliseconds(40), limit: .milliseconds(80))
        }
        let bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        var network = alice.agent.networkSettings
        network.clientConfiguration.transport.connectTimeout = .milliseconds(60)
        alice.agent.setNetworkSettings(network)
        let silent = try await SilentServer(port: Int(relay.address.portNumber ?? 0))
        _ = try await alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await alice.send(["unheard"], on: aliceID)
        try await alice.agent.delete(connections: [aliceID], waitDelivery: true)
        try await silent.waitForConnections(4)
        #expect(!alice.events.contains { if case .messageError = $0 { true } else { false } })
        try await alice.ageRows(seconds: alice.agent.configuration.messageTimeoutSeconds + 1)
        let error = try await alice.waitForFirst("giving up") {
            if case .messageError(_, _, _, let error) = $0 { error } else { nil }
        }
        guard case .broker = error else { throw error }
        // After the time limit, the next start makes one attempt and then gives up the deletion of the queue.
        try await alice.waitUntilDeleted(aliceID)
        try await alice.ageRows(seconds: alice.agent.configuration.deletionTimeoutSeconds + 1)
        await alice.agent.close()
        let again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user) {
            $0.clientConfiguration.transport.connectTimeout = .milliseconds(60)
        }
        try await expectCompleteDeletion(aliceID, again)
        await silent.stop()
    }

    @Test
    func `Each delay between attempts is 1.5 times the previous one, up to the maximum, with a random addition`() {
        let delays = Backoff.makeRetryBackoff(.milliseconds(500), limit: .seconds(60))
        for (attempt, seconds) in [(0, 0.5), (1, 0.75), (4, 2.53125), (12, 60), (1_000_000, 60)] {
            let drawn = (0..<20).map { _ in delays.computeDelay(attempt: attempt) / .seconds(1) }
            #expect(drawn.allSatisfy { $0 >= seconds && $0 <= seconds * 1.25 })
            #expect(Set(drawn).count > 1)
        }
    }
}

extension TestAgent {
    /// Waits until the connection has no message or command in transit.
    func waitForEmptyOutbox(_ id: ConnectionID) async throws {
        try await waitForDatabase("an empty outbox") { db in
            try db.firstRow("SELECT 1 AS waits FROM snd_messages WHERE conn_id = ?", id.bytes) == nil
        }
    }

    func waitUntilDeleted(_ id: ConnectionID) async throws {
        try await waitForDatabase("no connection") { db in try AgentConnection.find(id, db) == nil }
    }

    /// Waits until the condition on the database is true.
    func waitForDatabase(_ what: String, _ isSo: @escaping @Sendable (DatabaseConnection) throws -> Bool) async throws {
        try await waitUntil("\(what); seen: \(events.map { "\($0)".prefix(60) })") {
            try await agent.database.read { db in try isSo(db) }
        }
    }
}
