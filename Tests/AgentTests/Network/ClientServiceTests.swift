import SMP
import SMPRelay
import SQLCipher
import TestSupport
import Testing

@testable import Agent

@Suite("Users that are services", .socketTimeLimit) struct ClientServiceTests {
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
    func `After a restart, a service has the same certificate and queues, and gets the waiting messages`() async throws
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
    func `Queues are assigned again if the certificate is lost`() async throws {
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
    func `A certificate that is made while its user is deleted is not stored`() async throws {
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
    func `A new certificate is stored before the agent has closed`() async throws {
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

    @Test
    func `A service is refused if each connection has a separate session`() async throws {
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
