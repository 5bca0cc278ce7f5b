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
    func `A relay of another operator is preferred for the second queue of a connection`() throws {
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
        // The second relay needs another host name than the first relay, because servers are compared by their hosts.
        var local = relays.1.address
        local.hosts = [.domain("localhost")]
        let (alice, bob) = (try await TestAgent(relays.0.address), try await TestAgent(relays.0.address))
        try await bob.setServers(relays: [AgentServer(relays.0.address), AgentServer(local)])
        for _ in 0..<3 {
            let (_, id) = try await connect(alice, bob)
            #expect(try await bob.agent.fetchConnectionQueueStates(id).rcvQueues.map(\.server) == [local.str])
        }
    }

    @Test
    func `Storing unchanged servers of a user makes no commit, and storing different servers replaces them`()
        async throws
    {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let servers = try [makeServer("a.example", 1), makeServer("b.example", nil)]
        var closed = servers
        closed[1].hasStorageRole = false
        try await alice.setServers(relays: servers, files: servers)
        let before = alice.agent.commitCount
        try await alice.setServers(relays: servers, files: servers)
        #expect(alice.agent.commitCount == before)
        try await alice.setServers(relays: closed, files: servers.reversed())
        #expect(alice.agent.commitCount == before + 1)
        let (relays, files) = try await alice.agent.database.read { [user = alice.user] db in
            (try readServers(of: user, db), try readFileServers(of: user, db))
        }
        #expect(relays == closed)
        #expect(files == servers.reversed())
    }

    @Test
    func `The servers of several users are stored in one transaction, or all are refused`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let agent = alice.agent, servers = try [makeServer("a.example", 1), makeServer("b.example", nil)]
        let users = [alice.user, try await agent.createUser(servers: [relay.address])]
        let before = agent.commitCount
        try await agent.setServers(
            zip(users, servers).map { AgentUserServers(user: $0, relays: [$1], fileServers: [$1]) }
        )
        #expect(agent.commitCount == before + 1)
        let unknown = AgentUserServers(user: .max, relays: servers, fileServers: servers)
        await #expect(throws: AgentError.self) {
            try await agent.setServers([
                AgentUserServers(user: users[0], relays: servers, fileServers: servers), unknown,
            ])
        }
        for (user, server) in zip(users, servers) {
            let stored = try await agent.database.read { db in
                (try readServers(of: user, db), try readFileServers(of: user, db))
            }
            #expect(stored.0 == [server] && stored.1 == [server])
        }
    }

    @Test
    func `If one of several users is being deleted, only the servers of the other users are stored`() async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let agent = alice.agent, server = try makeServer("a.example", 1)
        let deleted = try await agent.createUser(servers: [relay.address])
        try await agent.database.write { try $0.execute("UPDATE users SET deleted = 1 WHERE user_id = ?", deleted) }
        try await agent.setServers(
            [deleted, alice.user].map { AgentUserServers(user: $0, relays: [server], fileServers: [server]) }
        )
        let (kept, changed) = try await agent.database.read { [user = alice.user] db in
            (try readServers(of: deleted, db), try readServers(of: user, db))
        }
        #expect(kept == [AgentServer(relay.address)])
        #expect(changed == [server])
    }
}
