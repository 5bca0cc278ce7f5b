import SMP
import TestSupport
import Testing

@testable import Agent

@Suite(.socketTimeLimit) struct ConnectionTests {
    @Test(
        arguments: [QueueMode.messaging, .contact],
        [QueueMode.messaging, .contact]
    )
    func `Two agents connect and exchange messages in order, with each queue mode`(
        inviterMode: QueueMode,
        joinerMode: QueueMode
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: inviterMode),
            bob = try await TestAgent(relay.address, queueMode: joinerMode)
        let (aliceID, bobID) = try await connect(alice, bob)
        let toBob = (0..<30).map { "to bob \($0)" }, toAlice = (0..<30).map { "to alice \($0)" }
        try await alice.send(toBob, on: aliceID)
        try await bob.send(toAlice, on: bobID)
        #expect(try await bob.waitForTexts(30) == toBob)
        #expect(try await alice.waitForTexts(30) == toAlice)
        let integrity = bob.events.compactMap {
            if case .message(_, let meta, _, _) = $0 { meta.integrity } else { nil }
        }
        #expect(integrity.allSatisfy { $0 == .ok })
        await alice.agent.close()
        await bob.agent.close()
        await relay.relay.stopAndWait()
    }

    @Test
    func `A joiner with a contact queue can send a message before the inviter accepts the connection`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address, queueMode: .contact)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        // `join` returns false, so bob has to wait. A program of the original does not connect at this point.
        #expect(try await !bob.agent.join(connection: bobID, request: request, connInfo: [1]))
        #expect(try await !bob.agent.join(connection: bobID, request: request, connInfo: [1]))
        try await bob.send(["early"], on: bobID)
        #expect(try await alice.waitForTexts(1) == ["early"])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        try await alice.send(["late"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["late"])
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    }

    @Test
    func `If a user sends a message before the connection is ready, the message arrives after HELLO`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: .contact),
            bob = try await TestAgent(relay.address, queueMode: .contact)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        _ = try await bob.waitForFirst("info") { if case .info(bobID, _) = $0 { true } else { nil } }
        try await bob.send(["soon"], on: bobID)
        let number = try await alice.waitForFirst("message") {
            if case .message(_, let meta, _, _) = $0 { meta.sndMsgID } else { nil }
        }
        #expect(number == 3)
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    }

    @Test
    func `A message with the external id of an earlier message is not sent`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["once"], on: aliceID)
        try await alice.send(["once"], on: aliceID)
        try await alice.send(["after"], on: aliceID)
        #expect(try await bob.waitForTexts(2) == ["once", "after"])
    }

    @Test(arguments: [QueueMode.messaging, .contact])
    func `A repeated call to join an invitation makes no second connection`(mode: QueueMode) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, queueMode: mode),
            bob = try await TestAgent(relay.address, queueMode: mode)
        let (aliceID, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        for _ in 0..<3 {
            #expect(
                try await bob.agent.join(connection: bobID, request: request, connInfo: [1]) == (mode == .messaging)
            )
        }
        let confirmation = try await alice.waitForFirst("confirmation") {
            if case .confirmation(aliceID, let id, _) = $0 { id } else { nil }
        }
        try await alice.agent.allow(connection: aliceID, confirmation: confirmation, connInfo: [2])
        try await alice.waitUntilConnected(aliceID)
        try await bob.waitUntilConnected(bobID)
        #expect(try await bob.agent.join(connection: bobID, request: request, connInfo: [1]) == (mode == .messaging))
        try await bob.send(["after"], on: bobID)
        #expect(try await alice.waitForTexts(1) == ["after"])
        #expect(relay.relay.counts.queues == 2)
        #expect(alice.events.count { if case .confirmation = $0 { true } else { false } } == 1)
        await #expect(throws: AgentError.command(.prohibited, context: "join")) {
            _ = try await alice.agent.join(connection: aliceID, request: request, connInfo: [1])
        }
    }

    @Test
    func `Messages that wait while the relay is down are sent in order after the restart of the relay`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        _ = try await bob.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        let texts = (0..<20).map { "m\($0)" }
        try await alice.send(texts, on: aliceID)
        let again = try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0))
        #expect(try await bob.waitForTexts(20) == texts)
        #expect(again.address.keyHash == relay.address.keyHash)
    }

    @Test
    func `Messages for an absent recipient wait, and arrive when the recipient is back`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await bob.agent.close()
        try await alice.send(["one", "two", "three"], on: aliceID)
        _ = try await alice.waitForAll("sent", 3) { if case .sent = $0 { true } else { nil } }
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(3) == ["one", "two", "three"])
    }

    @Test
    func `A message is delivered again after each restart until it is acknowledged`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address, acknowledges: false)
        let (aliceID, _) = try await connect(alice, bob)
        try await alice.send(["one", "two"], on: aliceID)
        #expect(try await bob.waitForTexts(1) == ["one"])
        await bob.agent.close()
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(2) == ["one", "two"])
        await again.agent.close()
        let third = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        try await alice.send(["three"], on: aliceID)
        #expect(try await third.waitForTexts(1) == ["three"])
    }

    @Test
    func `Messages that wait when the agent stops are sent after the next start`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await relay.relay.stopAndWait()
        _ = try await alice.waitForFirst("down") { if case .down = $0 { true } else { nil } }
        try await alice.send(["kept"], on: aliceID)
        await alice.agent.close()
        let back = try await TestRelay(folder: relay.folder, port: Int(relay.address.portNumber ?? 0))
        let again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        #expect(try await bob.waitForTexts(1) == ["kept"])
        _ = try await again.waitForFirst("sent") { if case .sent = $0 { true } else { nil } }
        await back.relay.stopAndWait()
    }

    @Test
    func `The sender pauses while the recipient's queue is full, and continues when the recipient has emptied it`()
        async throws
    {
        let relay = try await TestRelay(quota: 3)
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, _) = try await connect(alice, bob)
        await bob.agent.close()
        let texts = (0..<12).map { "m\($0)" }
        try await alice.send(texts, on: aliceID)
        // The queue has three places. If the acknowledgement of the confirmation was lost, one place is still used, so
        // the test waits for two messages only.
        _ = try await alice.waitForAll("sent", 2) { if case .sent = $0 { true } else { nil } }
        let again = try await TestAgent(relay.address, folder: bob.folder, user: bob.user)
        #expect(try await again.waitForTexts(12) == texts)
    }

    @Test
    func `A second user cannot join a used invitation`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address),
            carol = try await TestAgent(relay.address)
        let (_, request) = try await alice.agent.createInvitation(user: alice.user)
        let bobID = try await bob.agent.prepareJoin(user: bob.user, request: request)
        _ = try await bob.agent.join(connection: bobID, request: request, connInfo: [1])
        let carolID = try await carol.agent.prepareJoin(user: carol.user, request: request)
        await #expect(throws: AgentError.smp(server: relay.address.withoutPassword.str, .auth)) {
            _ = try await carol.agent.join(connection: carolID, request: request, connInfo: [2])
        }
    }

    @Test
    func `If the relay is down, creating an invitation fails immediately with a broker error`() async throws {
        let relay = try await TestRelay()
        await relay.relay.stopAndWait()
        let alice = try await TestAgent(relay.address)
        do {
            _ = try await alice.agent.createInvitation(user: alice.user)
            Issue.record("the agent made a queue on a relay that does not exist")
        } catch AgentError.broker {}
    }

    @Test
    func `Deleting a connection deletes its queue, and later messages to this queue fail with AUTH`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address), bob = try await TestAgent(relay.address)
        let (aliceID, bobID) = try await connect(alice, bob)
        #expect(relay.relay.counts.queues == 2)
        try await bob.agent.delete(connections: [bobID], waitDelivery: false)
        _ = try await bob.waitForFirst("deleted") { if case .connectionsDeleted([bobID]) = $0 { true } else { nil } }
        #expect(relay.relay.counts.queues == 1)
        try await alice.send(["nobody"], on: aliceID)
        let error = try await alice.waitForFirst("error") {
            if case .messageError(aliceID, _, _, let error) = $0 { error } else { nil }
        }
        #expect(error == .smp(server: relay.address.withoutPassword.str, .auth))
    }
}
