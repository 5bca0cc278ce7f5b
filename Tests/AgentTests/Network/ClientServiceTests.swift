import NIOPosix
import SMP
import SMPRelay
import SQLCipher
import TestSupport
import Testing

@testable import Agent

@Suite("Users that are SMP services", .socketTimeLimit) struct ClientServiceTests {
    /// The ids of the services of all queues of an agent, and the certificates of its users.
    private struct Services: Hashable {
        var serviceIDs: [[UInt8]?]
        var certificates: [[UInt8]]
    }

    private func readServices(_ agent: TestAgent) async throws -> Services {
        try await agent.agent.database.read { db in
            Services(
                serviceIDs: try db.query("SELECT service_id FROM rcv_queues").map { try $0.blobOrNil("service_id") },
                certificates: try db.query("SELECT certificate FROM client_services").map {
                    try $0.blob("certificate")
                }
            )
        }
    }

    @Test
    func `After a restart, an SMP service has the same certificate and queues, and gets the waiting messages`()
        async throws
    {
        let relay = try await TestRelay()
        let (folder, bob) = (try TemporaryFolder(), try await TestAgent(relay.address))
        let alice = try await TestAgent(relay.address, folder: folder, isService: true)
        let (first, second) = (try await connect(alice, bob), try await connect(alice, bob))
        try await waitUntil("the certificate is stored") { try await readServices(alice).certificates.count == 1 }
        let before = try await readServices(alice)
        #expect(
            before.serviceIDs.count == 2 && Set(before.serviceIDs).count == 1 && before.serviceIDs[0]?.count == 24,
            "\(before)"
        )
        #expect(try await readServices(bob) == Services(serviceIDs: [nil, nil], certificates: []))
        await alice.agent.close()
        try await bob.send(["one"], on: first.1)
        try await bob.send(["two"], on: second.1)
        let again = try await TestAgent(relay.address, folder: folder, user: alice.user)
        #expect(Set(try await again.waitForTexts(2)) == ["one", "two"])
        #expect(try await readServices(again) == before)
        try await again.send(["answer"], on: first.0)
        #expect(try await bob.waitForTexts(1) == ["answer"])
        await again.agent.close()
        await bob.agent.close()
    }

    @Test
    func `If the certificate of an SMP service is lost, its queues are assigned to a new certificate`() async throws {
        let relay = try await TestRelay()
        let (folder, bob) = (try TemporaryFolder(), try await TestAgent(relay.address))
        let alice = try await TestAgent(relay.address, folder: folder, isService: true)
        let connection = try await connect(alice, bob)
        let before = try await readServices(alice)
        try await alice.agent.database.write { db in
            try db.execute("UPDATE client_services SET certificate = x'00', private_key = x'00'")
        }
        await alice.agent.close()
        let again = try await TestAgent(relay.address, folder: folder, user: alice.user)
        try await waitUntil("the queue has another service") {
            try await readServices(again).serviceIDs != before.serviceIDs
        }
        #expect(try await readServices(again).serviceIDs.allSatisfy { $0 != nil })
        try await bob.send(["hello"], on: connection.1)
        #expect(try await again.waitForTexts(1) == ["hello"])
        await again.agent.close()
        await bob.agent.close()
    }

    @Test
    func `If a user is deleted while its SMP service certificate is made, the certificate is not stored`() async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, isService: true)
        let key = RelayClients.Key(user: alice.user, server: relay.address)
        let credentials = try ServiceCredentials.generate(role: .messaging)
        let store: @Sendable (DatabaseConnection) throws -> Void = {
            try ClientServices.storeCertificate(credentials, key, $0)
        }
        try await alice.agent.database.write(store)
        #expect(try await readServices(alice).certificates == credentials.certificates)
        try await alice.agent.deleteUser(alice.user)
        try await alice.agent.database.write(store)
        #expect(try await readServices(alice).certificates == [])
        await alice.agent.close()
    }

    @Test
    func `Closing an agent waits until a new SMP service certificate is stored`() async throws {
        let relay = try await TestRelay()
        let folder = try TemporaryFolder()
        let alice = try await TestAgent(relay.address, folder: folder, isService: true)
        let credentials = try ServiceCredentials.generate(role: .messaging)
        alice.agent.storeServiceCertificate(credentials, RelayClients.Key(user: alice.user, server: relay.address))
        await alice.agent.close()
        let again = try await TestAgent(relay.address, folder: folder, user: alice.user)
        #expect(try await readServices(again).certificates == credentials.certificates)
        await again.agent.close()
    }

    /// Stops an agent, changes whether its user is a service, and starts the agent again.
    private func restart(_ agent: TestAgent, at relay: TestRelay, isService: Bool) async throws -> TestAgent {
        await agent.agent.stop()
        try await agent.agent.setServices([agent.user: isService])
        await agent.agent.close()
        return try await TestAgent(relay.address, folder: agent.folder, user: agent.user)
    }

    @Test
    func `A user that is no longer an SMP service has no certificate, and the relay assigns it no queues`() async throws
    {
        let relay = try await TestRelay()
        let bob = try await TestAgent(relay.address)
        var alice = try await TestAgent(relay.address, isService: true)
        let (first, second) = (try await connect(alice, bob), try await connect(alice, bob))
        try await waitUntil("the certificate is stored") { [alice] in
            try await readServices(alice).certificates.count == 1
        }
        let key = RelayClients.Key(user: alice.user, server: relay.address)
        let certificate = try #require(
            try await alice.agent.database.read { db in try ClientServices(db).findCertificate(key) }
        )
        alice = try await restart(alice, at: relay, isService: false)
        try await bob.send(["one"], on: first.1)
        try await bob.send(["two"], on: second.1)
        #expect(Set(try await alice.waitForTexts(2)) == ["one", "two"])
        #expect(try await readServices(alice) == Services(serviceIDs: [nil, nil], certificates: []))
        // A service with the old certificate gets no queue, because the relay has removed the assignment.
        var configuration = SMPClientConfiguration()
        configuration.serviceCredentials = certificate
        let client = SMPClient(
            server: relay.address,
            configuration: configuration,
            group: MultiThreadedEventLoopGroup.singleton
        ) { _ in }
        #expect(try await client.subscribeServiceQueues().count == 0)
        await client.close()
        await alice.agent.close()
        await bob.agent.close()
    }

    @Test
    func `When a user becomes an SMP service, the relay assigns its queues to the service`()
        async throws
    {
        let relay = try await TestRelay()
        let bob = try await TestAgent(relay.address)
        var alice = try await TestAgent(relay.address)
        let (first, second) = (try await connect(alice, bob), try await connect(alice, bob))
        alice = try await restart(alice, at: relay, isService: true)
        try await waitUntil("the queues are assigned") { [alice] in
            let services = try await readServices(alice)
            return services.certificates.count == 1 && services.serviceIDs.allSatisfy { $0 != nil }
        }
        alice = try await restart(alice, at: relay, isService: true)
        try await bob.send(["one"], on: first.1)
        try await bob.send(["two"], on: second.1)
        #expect(Set(try await alice.waitForTexts(2)) == ["one", "two"])
        let count = try await alice.waitForFirst("the subscription of the service") { event -> Int64? in
            if case .service(_, .subscribed(let count, nil)) = event { count } else { nil }
        }
        #expect(count == 2)
        await alice.agent.close()
        await bob.agent.close()
    }

    @Test
    func `An SMP service reports its subscription, the delivery of waiting messages, and the loss of its session`()
        async throws
    {
        let relay = try await TestRelay()
        let bob = try await TestAgent(relay.address)
        var alice = try await TestAgent(relay.address, isService: true)
        let connection = try await connect(alice, bob)
        await bob.agent.close()
        alice = try await restart(alice, at: relay, isService: true)
        let change: @Sendable (AgentEvent) -> ServiceSubscriptionChange? = { event in
            if case .service(_, let change) = event { change } else { nil }
        }
        let first = try await alice.waitForAll("the subscription and the delivery", 2, change)
        #expect(Set(first) == [.subscribed(queueCount: 1, nil), .delivered])
        // The session is replaced, and the new session subscribes to the queues of the service again.
        alice.agent.setNetworkSettings(alice.agent.networkSettings)
        let later = try await alice.waitForAll("the loss and the next subscription", 5, change).dropFirst(2)
        #expect(later.first == .lost(queueCount: 1) && Set(later.dropFirst()) == Set(first))
        let server = relay.address.withoutPassword.str
        #expect(alice.events.contains { if case .up(server, [connection.0]) = $0 { true } else { false } })
        await alice.agent.close()
    }

    @Test
    func `Making a user an SMP service, or a usual client again, is refused while the agent is online`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address, isService: true)
        await #expect(throws: AgentError.command(.prohibited, context: "setServices")) {
            try await alice.agent.setServices([alice.user: false])
        }
        await alice.agent.close()
    }

    @Test
    func `Creating a user as an SMP service is refused if each connection has a separate session`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        var settings = alice.agent.networkSettings
        settings.sessionMode = .entity
        alice.agent.setNetworkSettings(settings)
        await #expect(throws: AgentError.command(.prohibited, context: "createUser")) {
            try await alice.agent.createUser(servers: [AgentServer(relay.address)], isService: true)
        }
        await alice.agent.close()
    }
}
