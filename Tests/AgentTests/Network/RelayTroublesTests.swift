import SMP
import Testing

@testable import Agent

/// Log entries about relays that have several sessions.
struct RelayTroublesTests {
    @Test
    func `The loss and the return of a relay are each reported once for all its sessions`() throws {
        let server = try ProtocolServer(parsing: "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@127.0.0.1:5223")
        let relay = RelayClients.Key(user: 1, server: server)
        let sessions = (0..<3).map { _ in RelayClients.SessionKey(relay: relay, entity: ConnectionID()) }
        let other = RelayClients.SessionKey(relay: RelayClients.Key(user: 2, server: server), entity: nil)
        let troubles = RelayTroubles()
        #expect(!troubles.recordRestored(sessions[0]) { sessions })
        #expect(troubles.recordLost(sessions[0]))
        #expect(
            !troubles.recordLost(sessions[0]) && !troubles.recordLost(sessions[1]) && !troubles.recordLost(sessions[2])
        )
        #expect(troubles.recordLost(other))
        #expect(!troubles.recordRestored(sessions[0]) { sessions })
        #expect(!troubles.recordLost(sessions[0]))
        #expect(!troubles.recordRestored(sessions[0]) { sessions })
        // The third session no longer exists.
        #expect(troubles.recordRestored(sessions[1]) { Array(sessions.prefix(2)) })
        #expect(!troubles.recordRestored(sessions[0]) { sessions })
        #expect(troubles.recordLost(sessions[2]))
        #expect(troubles.recordRestored(other) { [other] })
    }
}
