import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Choice of the server for new queues.
@Suite(.socketTimeLimit) struct ServerChoiceTests {
    private func makeServer(_ host: String, _ operatorID: Int64?) throws -> AgentServer {
        AgentServer(
            try ProtocolServer(parsing: "smp://\(Base64URL.encode(Digest.sha256(Array(host.utf8))))@\(host)"),
            operatorID: operatorID
        )
    }

    @Test
    func `A server of another operator is preferred for the second queue of a connection`() throws {
        let servers = try [
            makeServer("a1.example", 1), makeServer("a2.example", 1), makeServer("b1.example", 2),
            makeServer("own.example", nil),
        ]
        for _ in 0..<30 {
            #expect(servers.pickServer(avoiding: [servers[0].server])?.operatorID != 1)
            #expect(servers.prefix(2).pickServer(avoiding: [servers[0].server]) == servers[1])
            #expect(servers.prefix(1).pickServer(avoiding: [servers[0].server]) == servers[0])
            #expect(servers.prefix(3).pickServer(avoiding: [servers[0].server, servers[2].server]) == servers[1])
        }
        #expect([AgentServer]().pickServer(avoiding: []) == nil)
    }

    @Test
    func `A user with two servers uses the server that differs from the peer's server`() async throws {
        let relays = (try await TestRelay(), try await TestRelay())
        // A host name that differs from the first relay's host, on the same machine.
        var local = relays.1.address
        local.hosts = [.domain("localhost")]
        let (alice, bob) = (try await TestAgent(relays.0.address), try await TestAgent(relays.0.address))
        try await bob.agent.setServers(bob.user, servers: [relays.0.address, local])
        for _ in 0..<3 {
            let (_, id) = try await connect(alice, bob)
            #expect(try await bob.agent.fetchConnectionServers(id).rcvQueues.map(\.server) == [local.str])
        }
    }

    @Test
    func `Servers that are stored already cause no commit, and other servers replace them`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let servers = try [makeServer("a.example", 1), makeServer("b.example", nil)]
        var closed = servers
        closed[1].isStorage = false
        try await alice.agent.setServers(alice.user, servers: servers)
        try await alice.agent.setFileServers(alice.user, servers: servers)
        let before = alice.agent.commitCount
        try await alice.agent.setServers(alice.user, servers: servers)
        try await alice.agent.setFileServers(alice.user, servers: servers)
        #expect(alice.agent.commitCount == before)
        try await alice.agent.setServers(alice.user, servers: closed)
        #expect(alice.agent.commitCount == before + 1)
        try await alice.agent.setFileServers(alice.user, servers: servers.reversed())
        let (relays, files) = try await alice.agent.database.read { [user = alice.user] db in
            (try readServers(of: user, db), try readFileServers(of: user, db))
        }
        #expect(relays == closed)
        #expect(files == servers.reversed())
    }
}
