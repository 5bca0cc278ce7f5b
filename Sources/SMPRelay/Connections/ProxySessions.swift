import NIOCore
import SMP
import Transport

/// The sessions with other relays, through which this relay forwards clients' commands. There is one session with each
/// other relay. It stays open until it breaks, or until it is the least recently used of too many sessions.
actor ProxySessions {
    private struct Entry {
        var number: UInt64
        var task: Task<Result<SMPSession, SMPClientError>, Never>
        var sessionID: [UInt8]?
        var lastUseTime: NIODeadline
    }

    private let configuration: RelayConfiguration
    private let group: any EventLoopGroup
    private var entries: [ProtocolServer: Entry] = [:]
    private var sessionsByID: [[UInt8]: (server: ProtocolServer, session: SMPSession)] = [:]
    private var nextNumber: UInt64 = 0
    private var isClosed = false
    /// The address of this relay. The address rule always allows it, so this relay may forward commands to itself.
    private var ownAddress: ProtocolServer?

    init(configuration: RelayConfiguration, group: any EventLoopGroup) {
        self.configuration = configuration
        self.group = group
    }

    /// The time after a failed connection in which this relay does not try to connect to the other relay again.
    private static let retryPause = TimeAmount.seconds(1)

    func setOwnAddress(_ ownAddress: ProtocolServer) { self.ownAddress = ownAddress }

    /// Returns the session with a relay, and connects to the relay if there is no session.
    func findOrConnectSession(with server: ProtocolServer) async throws(SMPClientError) -> SMPSession {
        guard !isClosed else { throw .closed }
        entries[server]?.lastUseTime = .now()
        let entry = entries[server] ?? startConnecting(server)
        return try await entry.task.value.get()
    }

    /// Returns the session with this id; nil if the session has ended.
    func findSession(id: [UInt8]) -> SMPSession? {
        guard let (server, session) = sessionsByID[id] else { return nil }
        entries[server]?.lastUseTime = .now()
        return session
    }

    private func startConnecting(_ server: ProtocolServer) -> Entry {
        if entries.count >= configuration.maxProxiedRelays,
            let oldest = entries.min(by: { $0.value.lastUseTime < $1.value.lastUseTime })
        {
            removeEntry(oldest.key, number: oldest.value.number)
        }
        nextNumber &+= 1
        let number = nextNumber
        let task = Task { await self.connectSession(server, number) }
        let entry = Entry(number: number, task: task, sessionID: nil, lastUseTime: .now())
        entries[server] = entry
        return entry
    }

    private func connectSession(_ server: ProtocolServer, _ number: UInt64) async -> Result<SMPSession, SMPClientError>
    {
        var settings = SMPClientConfiguration()
        settings.isProxy = true
        settings.transport.addressRule = addressRule
        do throws(SMPClientError) {
            let session = try await SMPSession.connect(to: server, configuration: settings, group: group) {
                [weak self] event in
                guard case .closed = event, let self else { return }
                Task { await self.removeEntry(server, number: number) }
            }
            guard !isClosed, entries[server]?.number == number else {
                await session.close()
                return .failure(.closed)
            }
            entries[server]?.sessionID = session.parameters.sessionID
            sessionsByID[session.parameters.sessionID] = (server, session)
            return .success(session)
        } catch {
            Task {
                try? await Task.sleep(nanoseconds: UInt64(Self.retryPause.nanoseconds))
                self.removeEntry(server, number: number)
            }
            return .failure(error)
        }
    }

    /// The rule that decides whether an address of another relay is allowed. A channel checks exactly the address to
    /// which it connects. So a name that resolves to another address later cannot avoid the rule.
    private var addressRule: TransportConfiguration.AddressRule? {
        guard let rule = configuration.addressRule else { return nil }
        let own = ownAddress
        return { host, port, address in
            if let own, own.portNumber.map(Int.init) == port, own.hosts.contains(where: { $0.description == host }) {
                return true
            }
            return rule(host, port, address)
        }
    }

    private func removeEntry(_ server: ProtocolServer, number: UInt64) {
        guard let entry = entries[server], entry.number == number else { return }
        entries[server] = nil
        if let id = entry.sessionID, let (_, session) = sessionsByID.removeValue(forKey: id) {
            Task { await session.close() }
        }
    }

    func close() async {
        isClosed = true
        let sessions = sessionsByID.values.map(\.session)
        entries = [:]
        sessionsByID = [:]
        for session in sessions { await session.close() }
    }
}
