import NIOCore
import SMP
import Synchronization

/// The clients of relays, one for each user and relay: different users never share a session.
final class RelayClients: Sendable {
    struct Key: Hashable, Sendable {
        var user: AgentUserID
        var server: ProtocolServer
    }

    private struct State {
        var clients: [Key: SMPClient] = [:]
        /// Which connection a receive queue belongs to.
        var connections: [Key: [[UInt8]: ConnectionID]] = [:]
        /// Which of the user's relays commands for another one go through.
        var proxies: [Key: ProtocolServer] = [:]
        var isClosed = false
    }
    private let state = Mutex(State())
    private let configuration: SMPClientConfiguration
    private let group: any EventLoopGroup
    private let onEvent: @Sendable (Key, SMPClientEvent) -> Void

    init(
        configuration: SMPClientConfiguration, group: any EventLoopGroup,
        onEvent: @escaping @Sendable (Key, SMPClientEvent) -> Void
    ) {
        self.configuration = configuration
        self.group = group
        self.onEvent = onEvent
    }

    /// The client for a relay, made when there is none. `AgentError.inactive` when the agent is stopped.
    func client(_ user: AgentUserID, _ server: ProtocolServer) throws(AgentError) -> SMPClient {
        let key = Key(user: user, server: server)
        let client = state.withLock { state -> SMPClient? in
            if state.isClosed { return nil }
            if let client = state.clients[key] { return client }
            let client = SMPClient(server: server, configuration: configuration, group: group) { [onEvent] in onEvent(key, $0) }
            state.clients[key] = client
            return client
        }
        guard let client else { throw .inactive }
        return client
    }

    /// The relay through which commands for `destination` go, the same as long as it is one of the user's; another than the destination where
    /// there is one. Nil when the user has none.
    func proxy(_ destination: Key, among servers: [ProtocolServer]) -> ProtocolServer? {
        state.withLock { state in
            if let known = state.proxies[destination], servers.contains(known) { return known }
            let others = servers.filter { $0.keyHash != destination.server.keyHash }
            let chosen = (others.isEmpty ? servers : others).randomElement()
            state.proxies[destination] = chosen
            return chosen
        }
    }

    /// Remembers whose queue it is, before anything can arrive for it.
    func register(_ user: AgentUserID, _ queue: RcvQueue) {
        state.withLock { $0.connections[Key(user: user, server: queue.server), default: [:]][queue.rcvID] = queue.connection }
    }

    func forget(_ key: Key, rcvID: [UInt8]) {
        state.withLock { _ = $0.connections[key]?.removeValue(forKey: rcvID) }
    }

    func connection(_ key: Key, rcvID: [UInt8]) -> ConnectionID? {
        state.withLock { $0.connections[key]?[rcvID] }
    }

    func close() async {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { await client.close() }
    }
}
