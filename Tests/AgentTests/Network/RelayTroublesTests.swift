import SMP
import Testing

@testable import Agent

/// What the log reports of relays that have several sessions.
struct RelayTroublesTests {
    @Test("a relay is reported once, however many of its sessions are lost, and as found when the last of them is open again or given up")
    func sessions() throws {
        let server = try ProtocolServer(parsing: "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@127.0.0.1:5223")
        let relay = RelayClients.Key(user: 1, server: server)
        let sessions = (0..<3).map { _ in RelayClients.SessionKey(relay: relay, entity: ConnectionID()) }
        let other = RelayClients.SessionKey(relay: RelayClients.Key(user: 2, server: server), entity: nil)
        let troubles = RelayTroubles()
        #expect(!troubles.end(sessions[0]) { sessions })
        #expect(troubles.begin(sessions[0]))
        #expect(!troubles.begin(sessions[0]) && !troubles.begin(sessions[1]) && !troubles.begin(sessions[2]))
        #expect(troubles.begin(other))
        #expect(!troubles.end(sessions[0]) { sessions })
        #expect(!troubles.begin(sessions[0]))
        #expect(!troubles.end(sessions[0]) { sessions })
        // The third one is not there any more.
        #expect(troubles.end(sessions[1]) { Array(sessions.prefix(2)) })
        #expect(!troubles.end(sessions[0]) { sessions })
        #expect(troubles.begin(sessions[2]))
        #expect(troubles.end(other) { [other] })
    }
}
