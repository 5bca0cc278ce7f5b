import Clocks
import SMP
import TestSupport
import Testing

@testable import Agent

/// Notices of relays about queues that they have blocked.
@Suite(.socketTimeLimit) struct ClientNoticeTests {
    @Test(arguments: [86_400, nil] as [Int64?])
    func `After a relay's notice about a blocked queue, the agent creates no addresses there, only invitations`(
        ttl: Int64?
    ) async throws {
        let relay = try await TestRelay()
        let alice = try await TestAgent(relay.address)
        let (address, _, _) = try await alice.agent.createAddress(user: alice.user, userData: [1])
        let queue = try #require(try await alice.agent.database.read { db in try RcvQueue.findCurrent(address, db) })
        let info = SMPBlockingInfo(reason: .spam, notice: ttl.map { "{\"ttl\":\($0)}" } ?? "{}")
        #expect(try relay.relay.blockOrUnblock(info, queue: queue.rcvID))
        await alice.agent.close()
        var again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        let error = try await again.waitForFirst("error") { if case .error(_, let error) = $0 { error } else { nil } }
        #expect(error == .smp(server: relay.address.withoutPassword.str, .blocked(info)))
        try await again.waitForDatabase("a notice") { db in
            try db.firstRow("SELECT 1 AS told FROM client_notices") != nil
        }
        // The agent keeps the notice after a restart, even if the relay cannot be reached.
        for _ in 0..<2 {
            do {
                _ = try await again.agent.createAddress(user: again.user, userData: [1])
                Issue.record("the agent made an address")
            } catch AgentError.notice(let server, let isPreset, let expiresAt) {
                #expect(server == "127.0.0.1" && !isPreset)
                #expect((expiresAt == nil) == (ttl == nil))
                if let expiresAt { #expect(abs(expiresAt - WallClock.seconds() - 86_400) < 60) }
            }
            _ = try await again.agent.createInvitation(user: again.user)
            await again.agent.close()
            again = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        }
        #expect(try relay.relay.blockOrUnblock(nil, queue: queue.rcvID))
        await again.agent.close()
        let last = try await TestAgent(relay.address, folder: alice.folder, user: alice.user)
        try await last.waitForDatabase("no notice") { db in
            try db.firstRow("SELECT 1 AS told FROM client_notices") == nil
        }
        _ = try await last.agent.createAddress(user: last.user, userData: [1])
    }

    @Test
    func `A notice of one preset relay about a blocked queue applies to all preset relays`() async throws {
        let preset = try ["one", "two"].map { try ProtocolServer(parsing: "smp://q83vmA==@\($0).example") }
        let own = try ProtocolServer(parsing: "smp://q83vmA==@own.example")
        let agent = try await TestAgent(own)
        let notices = agent.agent.clientNotices
        try await agent.agent.database.write { db in
            try notices.storeNotice(
                SMPBlockingInfo(reason: .spam, notice: "{\"ttl\": 10}"),
                preset[0],
                [1],
                at: 100,
                db
            )
            try notices.storeNotice(
                SMPBlockingInfo(reason: .content, notice: "{\"ttl\":20}"),
                preset[1],
                [2],
                at: 200,
                db
            )
        }
        for server in preset {
            #expect(throws: AgentError.notice(server: server.hosts[0].str, isPreset: true, expiresAt: 230)) {
                try notices.checkNewAddressAllowed(server, presets: preset, at: 229)
            }
        }
        try notices.checkNewAddressAllowed(preset[0], presets: preset, at: 230)
        try notices.checkNewAddressAllowed(own, presets: preset, at: 0)
        try await agent.agent.database.write { db in
            try notices.storeNotice(SMPBlockingInfo(reason: .spam), preset[1], [2], at: 300, db)
        }
        try notices.checkNewAddressAllowed(preset[1], presets: preset, at: 110)
    }
}
