import NIOPosix
import SMP
import TestSupport
import Testing

@testable import Agent

/// Unfinished work of connections whose relay is absent, also after restarts of the agent.
@Suite(.socketTimeLimit) struct UnfinishedTests {
    private func reopenAgent(_ agent: TestAgent, _ relay: TestRelay) async throws -> TestAgent {
        await agent.agent.close()
        return try await TestAgent(relay.address, folder: agent.folder, user: agent.user)
    }

    private func startRelayAgain(_ relay: TestRelay) async throws -> TestRelay {
        try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0))
    }

    @Test
    func `If a contact request is accepted while the relay is down, one connection is made after its restart`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (_, address) = try await alice.agent.createAddress(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: address)
        _ = try await bob.agent.join(connection: bobID, request: address, connInfo: [1])
        let invitation = try await alice.waitForFirst("request") {
            if case .request(_, let id, _) = $0 { id } else { nil }
        }
        await relay.relay.stopAndWait()
        let aliceID = try await alice.agent.prepareAcceptance(invitation)
        try await alice.agent.acceptRequest(invitation, connection: aliceID, connInfo: [2])
        let second = try await reopenAgent(alice, relay)
        let third = try await reopenAgent(second, relay)
        let returned = try await startRelayAgain(relay)
        let confirmation = try await bob.waitForFirst("confirmation") {
            if case .confirmation(bobID, let id, _) = $0 { id } else { nil }
        }
        try await bob.agent.allow(connection: bobID, confirmation: confirmation, connInfo: [3])
        try await third.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        #expect(third.events.count { if case .joined = $0 { true } else { false } } == 1)
        #expect(bob.events.count { if case .confirmation = $0 { true } else { false } } == 1)
        // The relay has three queues: the queue of the address, and one queue for each side.
        #expect(returned.relay.counts.queues == 3)
    }

    @Test
    func `A connection that is deleted while its messages wait stays until these messages are delivered`() async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        _ = try await alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await alice.send(["last", "words"], on: aliceID)
        try await alice.agent.delete(connections: [aliceID], waitDelivery: true)
        let late = OutgoingMessage(connection: aliceID, notify: true, body: [1], externalID: "late")
        #expect(try await alice.agent.sendMessages([late]) == [.failure(.connection(.simplex, context: ""))])
        let second = try await reopenAgent(alice, relay)
        #expect(try await second.agent.fetchConnectionQueueStates(aliceID).rcvQueues.count == 1)
        let third = try await reopenAgent(second, relay)
        let returned = try await startRelayAgain(relay)
        _ = try await third.waitForFirst("deleted") {
            if case .connectionsDeleted([aliceID]) = $0 { true } else { nil }
        }
        #expect(try await bob.waitForTexts(2) == ["last", "words"])
        #expect(returned.relay.counts.queues == 1)
    }

    @Test
    func `If a connection is deleted while its confirmation waits, the confirmation is sent before the deletion`()
        async throws
    {
        let (relay, own) = (try await TestRelay(), try await TestRelay())
        let alice = try await TestAgent(relay.address, queueMode: .contact), bob = try await TestAgent(own.address)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        await relay.relay.stopAndWait()
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        try await bob.agent.delete(connections: [bobID], waitDelivery: true)
        #expect(try await bob.agent.fetchConnectionQueueStates(bobID).rcvQueues.count == 1)
        let returned = try await startRelayAgain(relay)
        let info = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, _, let info) = $0 { info } else { nil }
        }
        #expect(info == [1])
        _ = try await bob.waitForFirst("deletion") { if case .connectionsDeleted([bobID]) = $0 { true } else { nil } }
        #expect(own.relay.counts.queues == 0 && returned.relay.counts.queues == 1)
    }

    @Test
    func `If the agent crashes before it deletes a connection without waiting messages, the next start deletes it`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        // Messages of the handshake would delay the deletion, so the test waits until the agent has deleted these
        // messages.
        try await waitUntil("nothing waits to be sent") {
            try await alice.agent.database.read { db in try db.firstRow("SELECT 1 AS waits FROM snd_messages") == nil }
        }
        try await alice.agent.database.write { db in
            try db.execute("UPDATE connections SET delete_when_sent = 1 WHERE conn_id = ?", aliceID.bytes)
        }
        let second = try await reopenAgent(alice, relay)
        _ = try await second.waitForFirst("deletion") {
            if case .connectionsDeleted([aliceID]) = $0 { true } else { nil }
        }
        #expect(relay.relay.counts.queues == 1)
    }

    @Test
    func `If a queue is deleted while its relay is down, the relay deletes the queue after the restart`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        try await alice.agent.delete(connections: [aliceID], waitDelivery: false)
        await #expect(throws: AgentError.connection(.notFound, context: "")) {
            _ = try await alice.agent.fetchConnectionQueueStates(aliceID)
        }
        let second = try await reopenAgent(alice, relay)
        let returned = try await startRelayAgain(relay)
        _ = try await second.waitForFirst("deleted") {
            if case .connectionsDeleted([aliceID]) = $0 { true } else { nil }
        }
        #expect(returned.relay.counts.queues == 1)
        let left = try await second.agent.database.read { db in try db.query("SELECT 1 FROM deleted_queues").count }
        #expect(left == 0)
    }

    @Test
    func `The loss and the return of a relay are each reported in one event with all connections of the relay`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let ids = [try await connect(alice, bob).1, try await connect(alice, bob).1, try await connect(alice, bob).1]
        await relay.relay.stopAndWait()
        let lost = try await bob.waitForFirst("down") { if case .down(_, let ids) = $0 { ids } else { nil } }
        #expect(Set(lost) == Set(ids))
        let returned = try await startRelayAgain(relay)
        let restored = try await bob.waitForFirst("up") { if case .up(_, let ids) = $0 { ids } else { nil } }
        #expect(Set(restored) == Set(ids))
        let queue = try #require(try await bob.agent.database.read { db in try RcvQueue.findCurrent(ids[1], db) })
        let other = SMPClient(server: returned.address, group: MultiThreadedEventLoopGroup.singleton) { _ in }
        for result in await other.subscribeQueues([queue.credentials]) { try result.get() }
        let ended = try await bob.waitForFirst("end") { if case .subscriptionEnded(let id) = $0 { id } else { nil } }
        #expect(ended == ids[1])
        #expect(try await bob.agent.subscribedConnections(ids) == [ids[0], ids[2]])
        await other.close()
    }
}
