import NIOCore
import NTF
import SMP
import SimpleXCrypto
import Synchronization
import Transport
import XFTP

/// The clients of relays: one for each user and relay, or one for each connection. Different users never share a
/// session.
final class RelayClients: Sendable {
    struct Key: Hashable, Sendable {
        var user: AgentUserID
        var server: ProtocolServer
    }

    /// The user and the relay of a session. With ``NetworkSettings/SessionMode/entity``, also the connection of the
    /// session.
    struct SessionKey: Hashable, Sendable {
        var relay: Key
        /// The connection, if each connection has a separate session; otherwise nil.
        var separateConnection: ConnectionID?
    }

    private struct State {
        var network: NetworkSettings
        var isSlow: Bool
        var clients: [SessionKey: SMPClient] = [:]
        /// The connections of receive queues, by the relay and the recipient id of the queue.
        var connections: [Key: [[UInt8]: ConnectionID]] = [:]
        /// For each relay, the user's relay that forwards commands to this relay.
        var proxies: [Key: ProtocolServer] = [:]
        /// For each relay, the forwarding relay that was the last to fail on the way to this relay.
        var failedProxies: [Key: ProtocolServer] = [:]
        /// Random bytes in the user names for a SOCKS proxy. They change with the proxy, so that sessions before and
        /// after the change cannot be linked.
        var socksEpoch = RandomBytes.make(count: 16)
        /// Users who connect to relays as a service.
        var services: ClientServices
        var isClosed = false

        func sessionKey(_ relay: Key, _ connection: ConnectionID?) -> SessionKey {
            SessionKey(relay: relay, separateConnection: network.sessionMode == .entity ? connection : nil)
        }
    }
    private let state: Mutex<State>
    private let networkGate: NetworkGate
    let statistics: StatisticsCounter
    private let eventLoopGroup: any EventLoopGroup
    private let onCertificate: @Sendable (Key, ServiceCredentials) -> Void
    private let onEvent: @Sendable (SessionKey, SMPClientEvent) -> Void

    /// - Parameter onCertificate: a function that gets each new certificate of a service.
    init(
        network: NetworkSettings,
        isSlow: Bool = false,
        services: ClientServices = ClientServices(),
        gate: NetworkGate,
        statistics: StatisticsCounter,
        group: any EventLoopGroup,
        onCertificate: @escaping @Sendable (Key, ServiceCredentials) -> Void = { _, _ in },
        onEvent: @escaping @Sendable (SessionKey, SMPClientEvent) -> Void
    ) {
        state = Mutex(State(network: network, isSlow: isSlow, services: services))
        self.onCertificate = onCertificate
        self.networkGate = gate
        self.statistics = statistics
        self.eventLoopGroup = group
        self.onEvent = onEvent
    }

    /// Returns the client for a relay, and creates the client if it is missing.
    /// - Parameter connection: the connection that uses the client; nil for other uses.
    /// - Throws: `AgentError.inactive` when the agent is stopped.
    func requireClient(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        for connection: ConnectionID?
    ) throws(AgentError) -> SMPClient {
        let relay = Key(user: user, server: server)
        let (client, certificate) = state.withLock { state -> (SMPClient?, ServiceCredentials?) in
            if state.isClosed { return (nil, nil) }
            let key = state.sessionKey(relay, connection)
            if let client = state.clients[key] { return (client, nil) }
            let certificate = key.separateConnection == nil ? state.services.makeCertificate(relay) : nil
            let client = SMPClient(server: server, configuration: makeConfiguration(key, state), group: eventLoopGroup)
            {
                [onEvent] in onEvent(key, $0)
            }
            state.clients[key] = client
            return (client, certificate)
        }
        if let certificate { onCertificate(relay, certificate) }
        guard let client else { throw .inactive }
        return client
    }

    /// Makes a client that only the caller uses. The events of this client are ignored.
    func makeUnsharedClient(_ user: AgentUserID, _ server: ProtocolServer) -> SMPClient {
        var configuration = makeConfiguration(user, server)
        // The queues of this client do not belong to the service, so the client shows no certificate.
        configuration.serviceCredentials = nil
        return SMPClient(server: server, configuration: configuration, group: eventLoopGroup) { _ in }
    }

    /// Adds a user who connects to relays as a service.
    func addService(_ user: AgentUserID) { state.withLock { $0.services.addUser(user) } }

    /// Opens a session with a file server for the caller alone.
    /// - Parameter file: the file of the session, if each file has separate sessions.
    func openFileSession(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        for file: FileID? = nil
    ) async throws(XFTPClientError) -> XFTPSession {
        try await XFTPSession.connect(
            to: server,
            configuration: makeConfiguration(user, server, for: file).transport,
            group: eventLoopGroup
        )
    }

    /// Opens a session with a notification server for the caller alone. The session belongs to no user, since the
    /// device's token belongs to no user.
    func openNotificationSession(
        _ server: ProtocolServer,
        patience: Patience
    ) async throws(SMPClientError) -> NTFSession {
        try await NTFSession.openSession(
            to: server,
            configuration: makeConfiguration(0, server),
            patience: patience,
            group: eventLoopGroup
        )
    }

    /// Whether each connection, and each file, has separate sessions.
    var usesSessionPerEntity: Bool { state.withLock { $0.network.sessionMode == .entity } }

    private func makeConfiguration(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        for file: FileID? = nil
    ) -> SMPClientConfiguration {
        state.withLock { state in
            makeConfiguration(
                SessionKey(
                    relay: Key(user: user, server: server),
                    separateConnection: file.map { ConnectionID(bytes: $0.bytes) }
                ),
                state
            )
        }
    }

    /// Policy that decides when a sender's command goes to its relay through a forwarding relay.
    var proxyPolicy: ProxyPolicy { state.withLock { $0.network.proxyPolicy } }

    var logsTLSErrors: Bool { state.withLock { $0.network.logsTLSErrors } }

    /// Whether the user's IP address is hidden from a relay even without a forwarding relay: by a SOCKS proxy, or by an
    /// onion host.
    func hidesUserAddress(_ server: ProtocolServer) -> Bool {
        state.withLock { $0.network.clientConfiguration.transport.hidesUserAddress(server.hosts) }
    }

    /// Summaries of all clients, each with the user and the relay.
    var summaries: [(Key, SMPClient.Summary)] {
        state.withLock { Array($0.clients) }.map { ($0.key.relay, $0.value.summary) }
    }

    /// The states of all clients, with the numbers of their queues.
    var sessionQueueCounts: [(link: SMPClient.Summary.LinkState, active: Int, pending: Int)] {
        state.withLock { Array($0.clients.values) }.map(\.queueCounts)
    }

    /// The states of all clients, with the numbers of the queues that wait for their subscription.
    var sessionStates: [(key: SessionKey, link: SMPClient.Summary.LinkState, pending: Int)] {
        state.withLock { Array($0.clients) }.map { key, client in
            let counts = client.queueCounts
            return (key, counts.link, counts.pending)
        }
    }

    /// The recipient ids of all queues that are subscribed now.
    var subscribedQueueIDs: Set<[UInt8]> { Set(summaries.flatMap(\.1.activeQueueIDs)) }

    /// The keys of all clients, connected or not.
    var sessionKeys: [SessionKey] { state.withLock { Array($0.clients.keys) } }

    // MARK: Settings

    /// Replaces the settings, and all sessions.
    func applySettings(_ network: NetworkSettings) {
        let (kept, retired) = state.withLock { state in
            let regroups = (state.network.sessionMode == .entity) != (network.sessionMode == .entity)
            if state.network.clientConfiguration.transport.socks != network.clientConfiguration.transport.socks {
                state.socksEpoch = RandomBytes.make(count: 16)
            }
            state.network = network
            let clients = state.clients
            if regroups { state.clients = [:] }
            let kept = regroups ? [] : clients.map { ($1, makeConfiguration($0, state)) }
            return (kept, regroups ? clients : [:])
        }
        for (client, configuration) in kept { client.replaceSession(configuration) }
        for (key, client) in retired {
            client.closeAndPassQueues { [weak self] queues in
                guard let self else { return }
                Task { await self.subscribeQueues(queues, key.relay) }
            }
        }
    }

    /// Changes between longer timeouts (for a slow network) and usual timeouts. The next sessions use the changed
    /// timeouts.
    func setNetworkSlow(isSlow: Bool) { state.withLock { $0.isSlow = isSlow } }

    /// Replaces the sessions that a user has with a relay by new sessions. If `relay` is nil, replaces all sessions.
    func replaceSessions(_ relay: Key? = nil) {
        let clients = state.withLock { state in
            state.clients.filter { key, _ in
                guard let relay else { return true }
                return key.relay.user == relay.user && key.relay.server.withoutPassword == relay.server.withoutPassword
            }
        }
        for client in clients.values { client.replaceSession() }
    }

    /// Repeats waiting connection attempts immediately, since the network is available again.
    func retryConnecting() {
        for client in state.withLock({ Array($0.clients.values) }) where !client.isConnected { client.replaceSession() }
    }

    private func makeConfiguration(_ key: SessionKey, _ state: borrowing State) -> SMPClientConfiguration {
        var configuration = state.network.clientConfiguration
        if state.isSlow { configuration.transport = configuration.transport.withLongTimeouts }
        configuration.networkGate = networkGate
        // Separate sessions hide that several connections belong to one user. The certificate of a service would reveal
        // the user, so separate sessions show no certificate.
        configuration.serviceCredentials =
            key.separateConnection == nil ? state.services.findCertificate(key.relay) : nil
        if state.network.usesSOCKSCredentialsPerSession, configuration.transport.socks != nil {
            configuration.transport.socks?.credentials = SOCKSProxy.Credentials(
                username: Self.makeSOCKSUserName(key, mode: state.network.sessionMode, epoch: state.socksEpoch),
                password: ""
            )
        }
        return configuration
    }

    /// Makes a name that distinguishes clients of a SOCKS proxy, and reveals nothing else.
    static func makeSOCKSUserName(_ key: SessionKey, mode: NetworkSettings.SessionMode, epoch: [UInt8]) -> String {
        var text = Array("\(key.relay.user)".utf8)
        if mode != .user { text += [UInt8(ascii: ":")] + epoch }
        if mode == .server || mode == .entity { text += Array("@\(key.relay.server.withoutPassword.str)".utf8) }
        if let entity = key.separateConnection { text += [UInt8(ascii: "/")] + entity.bytes }
        return Base64URL.encode(Digest.sha256(text))
    }

    // MARK: Queues

    /// Subscribes to queues of a user at a relay. If each connection has a separate session, the queues of a connection
    /// are subscribed to in the session of the connection.
    func subscribeQueues(_ queues: [RcvQueueCredentials], _ relay: Key, patience: Patience = .background) async {
        let sessions = state.withLock { state in
            Dictionary(grouping: queues) { state.sessionKey(relay, state.connections[relay]?[$0.rcvID]) }
        }
        await withTaskGroup(of: Void.self) { group in
            for (key, queues) in sessions {
                group.addTask {
                    _ = try? await self.requireClient(relay.user, relay.server, for: key.separateConnection)
                        .subscribeQueues(
                            queues,
                            patience: patience
                        )
                }
            }
        }
    }

    /// Returns the relay that forwards commands to `destination`; nil when the user has no relay that forwards
    /// commands. The same relay is used as long as it belongs to the user and succeeds. The destination itself is the
    /// last choice.
    func chooseProxy(_ destination: Key, among servers: [AgentServer]) -> ProtocolServer? {
        state.withLock { state in
            let proxies = servers.filter(\.isProxy)
            if let known = state.proxies[destination], proxies.contains(where: { $0.server == known }) { return known }
            let others = proxies.filter { $0.server.keyHash != destination.server.keyHash }
            let avoided = [state.failedProxies[destination], destination.server].compactMap(\.self)
            let chosen = (others.isEmpty ? proxies : others).pickServer(avoiding: avoided)?.server
            state.proxies[destination] = chosen
            return chosen
        }
    }

    /// Stores a failure of a forwarding relay, which was unreachable or could not reach `destination`. The next command
    /// to `destination` uses another relay if the user has one.
    func recordProxyFailure(_ proxy: ProtocolServer, _ destination: Key) {
        state.withLock { state in
            guard state.proxies[destination] == proxy else { return }
            state.proxies[destination] = nil
            state.failedProxies[destination] = proxy
        }
    }

    /// Records the connection of a new queue, before a message can arrive.
    func registerNewQueue(_ user: AgentUserID, _ queue: RcvQueue) {
        registerStoredQueue(user, queue)
        statistics.updateCounts(user, queue.server) { $0.connCreated += 1 }
    }

    /// Records the connection of a queue that existed before the start.
    func registerStoredQueue(_ user: AgentUserID, _ queue: RcvQueue) {
        state.withLock {
            $0.connections[Key(user: user, server: queue.server), default: [:]][queue.rcvID] = queue.connection
        }
    }

    func forgetQueue(_ key: Key, rcvID: [UInt8]) {
        state.withLock { _ = $0.connections[key]?.removeValue(forKey: rcvID) }
    }

    func findConnection(_ key: Key, rcvID: [UInt8]) -> ConnectionID? {
        state.withLock { $0.connections[key]?[rcvID] }
    }

    /// Closes the separate session of a connection with a relay, unless the connection still has a queue on this relay.
    func closeSeparateSession(_ connection: ConnectionID, _ relay: Key) {
        let client = state.withLock { state -> SMPClient? in
            guard state.connections[relay]?.values.contains(connection) != true else { return nil }
            return state.clients.removeValue(forKey: SessionKey(relay: relay, separateConnection: connection))
        }
        if let client { Task { await client.close() } }
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
