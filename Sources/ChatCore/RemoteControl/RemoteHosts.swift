internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import JSON
internal import Logging
internal import NIOCore
internal import RemoteControl
internal import SimpleXCrypto
internal import SMP
import Synchronization
internal import Transport
internal import XRCP

/// The sessions with hosts: phones whose profiles clients of this gateway can use, as with a desktop app.
///
/// A session is offered first. Its further steps run in the background, and events report their results.
actor RemoteHosts {
    enum State: Sendable {
        case starting
        case connecting(link: String)
        case pending(DeviceConnection, code: String)
        case confirmed(DeviceConnection, code: String)
        case connected(ConnectedHost, code: String)

        var api: RemoteHostSessionState {
            switch self {
            case .starting: .starting
            case .connecting(let link): .connecting(invitation: link)
            case .pending(_, let code): .pendingConfirmation(sessionCode: code)
            case .confirmed(_, let code): .confirmed(sessionCode: code)
            case .connected(_, let code): .connected(sessionCode: code)
            }
        }

        var connection: DeviceConnection? {
            switch self {
            case .starting, .connecting: nil
            case .pending(let connection, _), .confirmed(let connection, _): connection
            case .connected(let host, _): host.client.connection
            }
        }
    }

    private struct Session: Sendable {
        let number: Int
        var state = State.starting
        var listener: ControllerListener?
        var tasks: [Task<Void, Never>] = []
    }

    /// The sessions by the id of their host. The key nil refers to the session that is offered to a new host.
    private var sessions: [Int64?: Session] = [:]
    private var lastSessionNumber = 0
    /// The reasons why the last sessions ended, by the id of the host.
    private var lastStopReasons: [Int64?: RemoteHostStopReason] = [:]
    private var isClosed = false
    /// The hosts to which commands can be sent.
    nonisolated let connectedHosts = Mutex<[Int64: ConnectedHost]>([:])
    private nonisolated let connectedHandlers = Mutex<[@Sendable (ConnectedHost) -> Void]>([])
    /// The hosts that are being deleted. No new session with these hosts can begin.
    private var deletingHostIds: Set<Int64> = []
    let store: ChatStore
    let folders: LocalFolders
    /// The address at which hosts connect.
    private let listenAddress: String
    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger

    /// The maximum time to wait for the connection of a host, and for the comparison of the codes.
    private static let hostTimeout = TimeAmount.seconds(300)
    /// The maximum number of hosts with a session.
    private static let maxSessions = 16

    init(store: ChatStore, folders: LocalFolders, address: String, group: any EventLoopGroup, logger: Logger) {
        self.store = store
        self.folders = folders
        listenAddress = address
        self.eventLoopGroup = group
        self.logger = logger
    }

    private static func hostKey(_ id: Int64?) -> RHKey { id.map { .id(remoteHostId: $0) } ?? .new }

    // MARK: Sessions

    /// `/start remote host`: offers a session.
    func startSession(_ id: Int64?, multicast: Bool, address: RCCtrlAddress?, port: Int?) async throws -> ChatResponse {
        let record = try await store.read { db in try id.map { try RemoteHostRecord.get($0, in: db) } }
        let deviceName = try await store.read { db in try LocalDeviceName.readName(in: db) }
        let (number, bindPort) = try reserveSession(id, port: port)
        do {
            let pairing = try record?.pairing ?? HostPairing.generate()
            if multicast, pairing.knownHost == nil { throw XRCPError.newController }
            let listener = try await ControllerListener.listen(
                address: listenAddress,
                port: bindPort,
                as: pairing.authority,
                hostFingerprint: pairing.knownHost?.fingerprint,
                group: eventLoopGroup
            )
            let preferred = address.map { LocalAddress(address: $0.address, interface: $0.interface) }
            let found = LocalAddress.findAll(preferring: preferred).filter(listener.isReachable(at:))
            guard let chosen = found.first, let host = try? TransportHost(parsing: chosen.address)
            else { throw XRCPError.noLocalAddress }
            let offer = RemoteHostOffer(
                pairing: pairing,
                listener: listener,
                sessionKey: try Ed25519.PrivateKey(),
                dhKey: try X25519.PrivateKey(),
                record: record,
                address: address == nil ? nil : RCCtrlAddress(address: chosen.address, interface: chosen.interface),
                port: port
            )
            let link = try offer.makeLink(to: host, deviceName: deviceName)
            guard sessions[id]?.number == number else {
                listener.close()
                throw ChatFailure(RemoteHostError.badState, Self.hostKey(id))
            }
            sessions[id]?.listener = listener
            sessions[id]?.state = .connecting(link: link)
            sessions[id]?.tasks.append(Task { await self.runSession(offer, id, number) })
            if multicast, let known = pairing.knownHost {
                sessions[id]?.tasks.append(
                    Task { [eventLoopGroup] in
                        await offer.announceLink(link, to: known.key, from: chosen.address, group: eventLoopGroup)
                    }
                )
            }
            return .remoteHostStarted(
                remoteHost_: record?.apiInfo(.starting),
                invitation: link,
                ctrlPort: "\(listener.port)",
                localAddrs: found.map { RCCtrlAddress(address: $0.address, interface: $0.interface) }
            )
        } catch {
            if sessions[id]?.number == number { endSessionWithoutEvent(id) }
            throw ChatFailure.convertSessionError(error)
        }
    }

    /// Creates the session with a host, before the listener of the session exists.
    /// - Returns: the number of the session, and the port at which the session will listen.
    private func reserveSession(_ id: Int64?, port: Int?) throws -> (number: Int, port: UInt16) {
        guard !isClosed, sessions[id] == nil, sessions.count < Self.maxSessions,
            id.map(deletingHostIds.contains) != true
        else {
            throw ChatFailure(RemoteHostError.busy, Self.hostKey(id))
        }
        guard let bindPort = UInt16(exactly: port ?? 0) else {
            throw ChatFailure.commandError("the port must be from 0 to 65535")
        }
        lastSessionNumber += 1
        let number = lastSessionNumber
        sessions[id] = Session(number: number)
        lastStopReasons[id] = nil
        return (number, bindPort)
    }

    private func setState(_ id: Int64?, _ number: Int, to state: State) throws {
        guard sessions[id]?.number == number else { throw CancellationError() }
        sessions[id]?.state = state
    }

    /// Waits for the host, establishes the session, and returns when the session has ended. Emits the events of the
    /// session.
    private func runSession(_ offer: RemoteHostOffer, _ id: Int64?, _ number: Int) async {
        var id = id
        do {
            guard let connection = await offer.listener.waitForHost(within: Self.hostTimeout) else {
                throw ChatFailure(RemoteHostError.timeout, Self.hostKey(id))
            }
            let code = VerificationCode.makeText(connection.tls.channelBinding)
            try setState(id, number, to: .pending(connection, code: code))
            offer.listener.close()
            let known = offer.record?.apiInfo(.pendingConfirmation(sessionCode: code))
            try await store.write { tx in
                try tx.emit(.remoteHostSessionCode(remoteHost_: known, sessionCode: code), user: nil)
            }
            let handshake = try await offer.answerHello(on: connection, within: Self.hostTimeout)
            let app = try Self.readApp(in: handshake, id)
            try setState(id, number, to: .confirmed(connection, code: code))
            let record = try await store.write { tx in
                try offer.storePairing(handshake, with: connection.peerAuthority, app, code, tx)
            }
            if id == nil {
                try moveNewSession(number, to: record.id)
                id = record.id
            }
            let host = try await connectHost(record, connection, handshake, app)
            try setState(id, number, to: .connected(host, code: code))
            connectedHosts.withLock { $0[record.id] = host }
            for follower in connectedHandlers.withLock({ $0 }) { follower(host) }
            let compression = host.client.traits.compressesBodies
            try await store.write { tx in
                try tx.emit(
                    .remoteHostConnected(
                        remoteHost: record.apiInfo(.connected(sessionCode: code)),
                        compression: compression
                    ),
                    user: nil
                )
            }
            let polling = Task {
                await host.client.pollEvents { event in
                    host.changes.publish(event)
                    host.events.add(event)
                }
            }
            await connection.waitUntilClosed()
            let failure = await polling.value
            await endSession(id, number, failure.map { .crashed(chatError: $0.error) } ?? .disconnected)
        } catch is CancellationError {
            return
        } catch {
            let isLate = if case XRCPError.timeout = error { true } else { false }
            let failure =
                isLate ? ChatFailure(RemoteHostError.timeout, Self.hostKey(id)) : ChatFailure.convertSessionError(error)
            await endSession(id, number, .crashed(chatError: failure.error))
        }
    }

    /// Reads the properties of the host's app.
    /// - Throws: `protocolError` or `badVersion` for an app that cannot be used.
    private static func readApp(in handshake: ControllerHandshake, _ id: Int64?) throws -> HostApp {
        guard let app = try? JSONDecoder().decode(HostApp.self, from: handshake.hello.app),
            app.deviceName.utf8.count <= 1000
        else {
            throw ChatFailure(
                RemoteHostError.protocolError(data: .invalidJSON(invalidJSON: "app")),
                hostKey(id)
            )
        }
        guard AppVersion.supportedRange.contains(app.appVersion) else {
            throw ChatFailure(RemoteHostError.badVersion(appVersion: app.appVersion), hostKey(id))
        }
        return app
    }

    /// Stores the session with a new host under the id of the host. Throws an error if the session was already stopped,
    /// or if the host already has another session.
    private func moveNewSession(_ number: Int, to id: Int64) throws {
        guard let session = sessions[nil], session.number == number else { throw CancellationError() }
        guard sessions[id] == nil else {
            throw ChatFailure(RemoteHostError.busy, Self.hostKey(id))
        }
        sessions.removeValue(forKey: nil)
        sessions[id] = session
    }

    /// Starts the exchange of requests with a host.
    private func connectHost(
        _ record: RemoteHostRecord,
        _ connection: DeviceConnection,
        _ handshake: ControllerHandshake,
        _ app: HostApp
    ) async throws -> ConnectedHost {
        let hosts = folders.paths.remoteHostsFolder
        let folder = try await runBlocking { try record.resolveFolder(in: hosts) }
        let client = RemoteHostClient(
            id: record.id,
            connection,
            try await connection.startRequests(),
            SessionCipher(handshake.sessionKeys, sessionID: connection.tls.channelBinding),
            .init(
                compresses: app.compression == true,
                encryptsFiles: app.encryptFiles,
                isSwift: app.encoding != "kotlin"
            ),
            folder: folder
        )
        try await client.makeFolders(LocalFolders.makeFolder)
        return ConnectedHost(client)
    }

    private func endSession(_ id: Int64?, _ number: Int, _ reason: RemoteHostStopReason) async {
        guard let ended = sessions[id], ended.number == number else { return }
        endSessionWithoutEvent(id)
        lastStopReasons[id] = reason
        // The event is emitted in a new task, since the present task was cancelled with the session.
        await Task { [store, logger] in
            do {
                try await store.write { tx in
                    try tx.emit(
                        .remoteHostStopped(remoteHostId_: id, rhsState: ended.state.api, rhStopReason: reason),
                        user: nil
                    )
                }
            } catch {
                logger.error("the end of the session with a phone is not reported", metadata: ["error": "\(error)"])
            }
        }.value
    }

    /// Ends a session without an event.
    private func endSessionWithoutEvent(_ id: Int64?) {
        guard let ended = sessions.removeValue(forKey: id) else { return }
        for task in ended.tasks { task.cancel() }
        ended.listener?.close()
        ended.state.connection?.close()
        if case .connected(let host, _) = ended.state {
            connectedHosts.withLock { _ = $0.removeValue(forKey: host.client.id) }
            host.changes.end()
            host.events.end()
        }
    }

    /// `/stop remote host`: stops a session.
    func stopSession(_ id: Int64?) {
        endSessionWithoutEvent(id)
        lastStopReasons[id] = nil
    }

    func close() {
        isClosed = true
        for id in Array(sessions.keys) { endSessionWithoutEvent(id) }
    }

    // MARK: Known hosts

    /// `/list remote hosts`: lists known hosts.
    func listHosts() async throws -> ChatResponse {
        let known = try await store.read { db in try RemoteHostRecord.findAll(in: db) }
        return .remoteHostList(remoteHosts: known.map { $0.apiInfo(sessions[$0.id]?.state.api) })
    }

    /// Returns the state of a session; nil for an unknown host.
    func readStatus(_ id: Int64?) async -> RemoteHostStatus? {
        if let id, (try? await store.read({ db in try RemoteHostRecord.get(id, in: db) })) == nil { return nil }
        return RemoteHostStatus(sessionState: sessions[id]?.state.api, rhStopReason: lastStopReasons[id])
    }

    /// `/switch remote host`: returns the state of a host, but does not select it. The original program
    /// (`simplex-chat`) sends all later terminal commands to the selected host. In this program, every request contains
    /// its target instead.
    func selectHost(_ id: Int64?) async throws -> ChatResponse {
        guard let id else { return .currentRemoteHost(remoteHost_: nil) }
        let record = try await store.read { db in try RemoteHostRecord.get(id, in: db) }
        guard let state = sessions[id]?.state, case .connected = state else {
            throw ChatFailure(RemoteHostError.inactive, Self.hostKey(id))
        }
        return .currentRemoteHost(remoteHost_: record.apiInfo(state.api))
    }

    /// `/delete remote host`: ends the session, and removes the host's files from this device.
    /// - Parameter delete: a function that deletes the host's record. It is called last. If the process crashes before
    ///   this call, the host is still known and can be deleted again.
    func deleteHost(_ id: Int64, _ delete: @Sendable () async throws -> ChatResponse) async throws -> ChatResponse {
        guard deletingHostIds.insert(id).inserted else { throw ChatFailure(RemoteHostError.busy, Self.hostKey(id)) }
        defer { deletingHostIds.remove(id) }
        let record = try await store.read { db in try RemoteHostRecord.get(id, in: db) }
        endSessionWithoutEvent(id)
        lastStopReasons[id] = nil
        let hosts = folders.paths.remoteHostsFolder
        try await runBlocking {
            guard let folder = try? record.resolveFolder(in: hosts) else { return }
            // The folder is renamed first, so that unfinished work of the session cannot write into it.
            let deleted = folder + ".deleted"
            if DiskFiles.exists(folder) { try DiskFiles.rename(folder, to: deleted) }
            DiskFiles.removeTree(deleted)
        }
        return try await delete()
    }

    /// Registers a handler for connected hosts (``ChatController/onConnectedHost(_:)``).
    nonisolated func onConnected(_ handler: @escaping @Sendable (ConnectedHost) -> Void) {
        connectedHandlers.withLock { $0.append(handler) }
        for host in connectedHosts.withLock({ Array($0.values) }) { handler(host) }
    }

    /// Returns a connected host.
    /// - Throws: `missing` without a session, `badState` before the host is connected.
    func requireHost(_ id: Int64) throws -> ConnectedHost {
        guard let session = sessions[id] else { throw ChatFailure(RemoteHostError.missing, Self.hostKey(id)) }
        guard case .connected(let host, _) = session.state else {
            throw ChatFailure(RemoteHostError.badState, Self.hostKey(id))
        }
        return host
    }
}

/// The description of the host's app in the hello message of the host.
struct HostApp: Decodable, Sendable {
    let appVersion: String
    let deviceName: String
    /// The JSON encoding of enum cases with values in messages of the app. With `kotlin`, an object has a member
    /// `type`. With any other text, the app uses the encoding of ``SwiftJSON``.
    let encoding: String
    let encryptFiles: Bool
    let compression: Bool?
}
