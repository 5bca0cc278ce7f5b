import Descriptors
import NIOCore
import Synchronization

/// An open connection to a server.
struct OutgoingConnection: Sendable {
    /// The properties that must be equal in two requests that use one connection. The trusted certificate authorities
    /// are not among them, because each ``OutgoingHTTP`` has a separate pool.
    struct Identity: Hashable, Sendable {
        let isEncrypted: Bool
        /// The host of the URL, for whose name the server's certificate must be valid.
        let host: TargetURL.Host
        let port: UInt16
        /// The address of the server. Each request finds and checks the addresses of its host, so a kept connection
        /// cannot lead to an address that the request must not use.
        let serverAddress: IPAddress
        let owner: String?
    }

    let identity: Identity
    let channel: any Channel
}

/// The open connections that are kept for later requests.
///
/// Each running request and each kept connection holds one unit of an ``Allowance``. So the number of open descriptors
/// has one limit, however many servers there are. At most half of the units are for kept connections. When no unit is
/// free, a new request gets the unit of the connection that has waited longest.
final class ConnectionPool: Sendable {
    private struct KeptConnection {
        let connection: OutgoingConnection
        /// The task that closes the connection when it was not used for too long.
        let expiryTask: Task<Void, Never>

        func close() {
            expiryTask.cancel()
            connection.channel.close(promise: nil)
        }
    }

    /// The kept connections. The first one has waited longest.
    private let keptConnections = Mutex<[KeptConnection]>([])
    private let requestAllowance: Allowance
    private let limits: OutgoingHTTP.Limits
    private let clock: any Clock<Duration>

    init(_ units: Allowance, _ limits: OutgoingHTTP.Limits, _ clock: any Clock<Duration>) {
        self.requestAllowance = units
        self.limits = limits
        self.clock = clock
    }

    deinit {
        for kept in keptConnections.withLock({ $0 }) {
            kept.close()
            requestAllowance.returnUnit()
        }
    }

    /// The number of kept connections.
    var keptCount: Int { keptConnections.withLock { $0.count } }

    /// Takes a unit of the allowance for a request. The caller returns the unit with ``returnUnit()`` or
    /// ``keepConnection(_:)``.
    /// - Returns: whether a unit was free, or held by a kept connection, which is then closed.
    func takeUnit() -> Bool {
        if requestAllowance.takeUnit() { return true }
        guard let oldest = keptConnections.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        oldest.close()
        return true
    }

    func returnUnit() { requestAllowance.returnUnit() }

    /// Removes and returns the most recently used kept connection with one of these identities; nil if there is none.
    func takeConnection(_ keys: [OutgoingConnection.Identity]) -> OutgoingConnection? {
        let found = keptConnections.withLock { kept in
            kept.lastIndex { keys.contains($0.connection.identity) }.map { kept.remove(at: $0) }
        }
        guard let found else { return nil }
        found.expiryTask.cancel()
        // The new request has a unit of its own, so the unit that was kept with the connection is returned.
        requestAllowance.returnUnit()
        return found.connection
    }

    /// Keeps a connection for a later request. The connection also keeps the unit of the allowance that its request
    /// held.
    func keepConnection(_ connection: OutgoingConnection) {
        let channel = connection.channel
        let expiry = Task { [weak self, clock, time = limits.maxIdleTime] in
            do { try await clock.sleep(for: time) } catch { return }
            self?.closeKeptConnection(channel)
        }
        let surplus = keptConnections.withLock { kept -> [KeptConnection] in
            kept.append(KeptConnection(connection: connection, expiryTask: expiry))
            let ofServer = kept.indices.filter { kept[$0].connection.identity == connection.identity }
            if ofServer.count > limits.maxKeptConnectionsPerServer { return [kept.remove(at: ofServer[0])] }
            return kept.count > min(limits.maxKeptConnections, requestAllowance.maxUnits / 2)
                ? [kept.removeFirst()] : []
        }
        for surplus in surplus {
            surplus.close()
            requestAllowance.returnUnit()
        }
        // If the server has closed the connection before it was in the list, the handler of the close did not find it
        // there. Such a connection is removed from the list here.
        if !channel.isActive { closeKeptConnection(channel) }
    }

    /// Closes a kept connection, and removes it from the pool. Does nothing for other connections.
    func closeKeptConnection(_ channel: any Channel) {
        let found = keptConnections.withLock { kept in
            kept.firstIndex { $0.connection.channel === channel }.map { kept.remove(at: $0) }
        }
        guard let found else { return }
        found.close()
        requestAllowance.returnUnit()
    }
}
