import SMP
import Testing

@testable import Agent

/// Log entries about relays that have several sessions.
struct RelayFailureLogTests {
    @Test
    func `The loss and the return of a relay are each logged once for all sessions that a user has with the relay`()
        throws
    {
        let server = try ProtocolServer(parsing: "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@127.0.0.1:5223")
        let relay = RelayClients.Key(user: 1, server: server)
        let sessions = (0..<3).map { _ in RelayClients.SessionKey(relay: relay, separateConnection: ConnectionID()) }
        let other = RelayClients.SessionKey(relay: RelayClients.Key(user: 2, server: server), separateConnection: nil)
        let troubles = RelayFailureLog()
        #expect(!troubles.recordRestoredSession(sessions[0]) { sessions })
        #expect(troubles.recordLostSession(sessions[0]))
        #expect(
            !troubles.recordLostSession(sessions[0]) && !troubles.recordLostSession(sessions[1])
                && !troubles.recordLostSession(sessions[2])
        )
        #expect(troubles.recordLostSession(other))
        #expect(!troubles.recordRestoredSession(sessions[0]) { sessions })
        #expect(!troubles.recordLostSession(sessions[0]))
        #expect(!troubles.recordRestoredSession(sessions[0]) { sessions })
        // The third session no longer exists, so the relay counts as restored without this session.
        #expect(troubles.recordRestoredSession(sessions[1]) { Array(sessions.prefix(2)) })
        #expect(!troubles.recordRestoredSession(sessions[0]) { sessions })
        #expect(troubles.recordLostSession(sessions[2]))
        #expect(troubles.recordRestoredSession(other) { [other] })
    }
}
