internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import JSON
internal import Logging
internal import NIOCore
internal import RemoteControl
internal import SimpleXCrypto
internal import SMP
import Synchronization
internal import Transport
internal import XRCP

/// The session with a controller: a desktop that uses this core. At most one session exists. Clients of this core can
/// continue to use the core during the session.
///
/// The connection and the search for a desktop run in the background, and events report their results. When a session
/// has ended for any reason, all its resources are released.
actor RemoteDesktop {
    /// A controller that is connecting or connected.
    struct Peer: Sendable {
        /// The record of the controller; nil for a new controller.
        var record: RemoteCtrlRecord?
        let invitation: Invitation
        let app: CtrlAppInfo
        /// The app version that the session uses. The controller's app and this program both support this version.
        let version: String

        var name: String { app.deviceName }
    }

    enum State: Sendable {
        case searching
        case found(RemoteCtrlRecord, Invitation)
        case connecting(Peer)
        case pending(Peer, DeviceConnection, DeviceAuthority, code: String)
        case verifying(Peer, DeviceConnection, code: String)
        case connected(RemoteCtrlInfo, DeviceConnection, code: String)

        var api: RemoteCtrlSessionState {
            switch self {
            case .searching, .found: .searching
            case .connecting: .connecting
            case .pending(_, _, _, let code), .verifying(_, _, let code): .pendingConfirmation(sessionCode: code)
            case .connected(_, _, let code): .connected(sessionCode: code)
            }
        }

        var connection: DeviceConnection? {
            switch self {
            case .searching, .found, .connecting: nil
            case .pending(_, let connection, _, _), .verifying(_, let connection, _), .connected(_, let connection, _):
                connection
            }
        }

        var deviceName: String? {
            switch self {
            case .searching: nil
            case .found(let record, _): record.deviceName
            case .connecting(let peer), .pending(let peer, _, _, _), .verifying(let peer, _, _): peer.name
            case .connected(let info, _, _): info.ctrlDeviceName
            }
        }

        /// The id of the controller in this state; nil for a new controller, or during the search.
        var remoteCtrlId: Int64? {
            switch self {
            case .searching: nil
            case .found(let record, _): record.id
            case .connecting(let peer), .pending(let peer, _, _, _), .verifying(let peer, _, _): peer.record?.id
            case .connected(let info, _, _): info.remoteCtrlId
            }
        }
    }

    /// A session with its number. With this number, tasks of an earlier session are recognized and ignored.
    struct Session: Sendable {
        let number: Int
        var state: State
        var tasks: [Task<Void, Never>] = []
    }

    let store: ChatStore
    let folders: LocalFolders
    /// The rule for permitted addresses of desktops; nil permits any address.
    private let addressRule: TransportConfiguration.AddressRule?
    let eventLoopGroup: any EventLoopGroup
    let logger: Logger
    private(set) var session: Session?
    private var lastSessionNumber = 0
    private var isClosed = false
    /// The reason why the last session ended; nil if this device stopped the session.
    private(set) var lastStopReason: RemoteCtrlStopReason?
    /// The signal for new entries of the journal. Each session has its own signal, so that a task of an earlier session
    /// does not consume a signal of this session.
    private nonisolated let journalEntrySignal = Mutex<WakeSignal?>(nil)
    private nonisolated let weakCore = Mutex(WeakCore())

    private struct WeakCore: Sendable { weak var core: (any ControlledCore)? }

    /// The maximum time to connect, and to wait for the hello message of the controller.
    static let connectTimeout = TimeAmount.seconds(15)
    /// The maximum time from the beginning of a session until the codes are compared.
    private static let maxConfirmationTime = Duration.seconds(300)
    /// The maximum time of the search for a controller in the network.
    static let maxSearchTime = TimeAmount.seconds(60)

    init(
        store: ChatStore,
        folders: LocalFolders,
        permits: TransportConfiguration.AddressRule?,
        group: any EventLoopGroup,
        logger: Logger
    ) {
        self.store = store
        self.folders = folders
        self.addressRule = permits
        self.eventLoopGroup = group
        self.logger = logger
        store.journal.onPublish { [weak self] _ in self?.journalEntrySignal.withLock { $0 }?.wake() }
    }

    /// Sets the core that runs the commands of controllers.
    nonisolated func setCore(_ core: any ControlledCore) { weakCore.withLock { $0.core = core } }
    nonisolated var core: (any ControlledCore)? { weakCore.withLock { $0.core } }

    // MARK: Sessions

    /// Begins a session.
    /// - Throws: `busy` when another session exists, `chatNotStarted` after ``close()``.
    private func beginSession(_ state: State) throws -> Int {
        guard !isClosed else { throw ChatFailure(ChatErrorType.chatNotStarted) }
        guard session == nil else { throw ChatFailure(RemoteCtrlError.busy) }
        lastSessionNumber += 1
        lastStopReason = nil
        let number = lastSessionNumber
        session = Session(number: number, state: state)
        addTask(Task { await self.endSessionIfUnconfirmed(number) }, for: number)
        return number
    }

    /// Waits for ``maxConfirmationTime``. Then ends the session if its controller is not connected yet.
    private func endSessionIfUnconfirmed(_ number: Int) async {
        guard (try? await Task.sleep(for: Self.maxConfirmationTime)) != nil, let current = session,
            current.number == number
        else { return }
        if case .connected = current.state { return }
        await endSession(number, .connectionFailed(chatError: .errorRemoteCtrl(remoteCtrlError: .timeout)))
    }

    /// Sets the next state of a session that has not ended. Returns false if the session has ended.
    private func setState(_ number: Int, to state: State) -> Bool {
        guard session?.number == number else { return false }
        session?.state = state
        return true
    }

    private func addTask(_ task: Task<Void, Never>, for number: Int) {
        if session?.number == number { session?.tasks.append(task) } else { task.cancel() }
    }

    /// Ends a session, and emits an event with the reason.
    private func endSession(_ number: Int, _ reason: RemoteCtrlStopReason) async {
        guard let ended = session, ended.number == number else { return }
        lastStopReason = reason
        endSessionWithoutEvent()
        // The event is emitted in a new task, since the present task may be one of the cancelled tasks.
        await Task { [store, logger] in
            do {
                try await store.write { tx in
                    try tx.emit(.remoteCtrlStopped(rcsState: ended.state.api, rcStopReason: reason), user: nil)
                }
            } catch {
                logger.error("the end of the session with a desktop is not reported", metadata: ["error": "\(error)"])
            }
        }.value
    }

    /// Ends the session without an event.
    private func endSessionWithoutEvent() {
        guard let ended = session else { return }
        session = nil
        journalEntrySignal.withLock { $0 = nil }
        for task in ended.tasks { task.cancel() }
        ended.state.connection?.close()
    }

    /// `/stop remote ctrl`: stops the session.
    func stopSession() {
        lastStopReason = nil
        endSessionWithoutEvent()
    }

    func close() {
        isClosed = true
        endSessionWithoutEvent()
    }

    // MARK: Connecting

    /// `/connect remote ctrl`: begins to connect with the controller of an invitation.
    func connectByLink(link: String) async throws -> ChatResponse {
        let invitation: Invitation
        do { invitation = try Invitation(verifying: link) } catch XRCPError.invitation {
            throw ChatFailure(RemoteCtrlError.badInvitation)
        } catch {
            throw ChatFailure.commandError("the link is not an invitation of a desktop")
        }
        guard session == nil else { throw ChatFailure(RemoteCtrlError.busy) }
        let peer = try await makePeer(invitation)
        return startConnecting(peer, try beginSession(.connecting(peer)))
    }

    /// Checks the invitation of a controller, and finds the record of a known controller.
    private func makePeer(_ invitation: Invitation) async throws -> Peer {
        guard let app = try? JSONDecoder().decode(CtrlAppInfo.self, from: invitation.app),
            app.deviceName.utf8.count <= 1000
        else {
            throw ChatFailure(RemoteCtrlError.badInvitation)
        }
        guard let version = AppVersion.supportedRange.commonVersion(with: app.appVersionRange) else {
            throw ChatFailure(RemoteCtrlError.badVersion(appVersion: app.appVersionRange.maxVersion))
        }
        guard invitation.versions.contains(XRCPVersion.current) else {
            throw ChatFailure(RemoteCtrlError.protocolError(protocolError: .pRERemoteControl(rcError: .version)))
        }
        let record = try await store.read { db in
            try RemoteCtrlRecord.find(fingerprint: invitation.authorityFingerprint, in: db)
        }
        guard record == nil || record?.identityKey == invitation.identityKey else {
            throw ChatFailure(RemoteCtrlError.protocolError(protocolError: .pRERemoteControl(rcError: .identity)))
        }
        return Peer(record: record, invitation: invitation, app: app, version: version)
    }

    private func startConnecting(_ peer: Peer, _ number: Int) -> ChatResponse {
        addTask(Task { await self.openConnection(peer, number) }, for: number)
        return .remoteCtrlConnecting(
            remoteCtrl_: peer.record?.apiInfo(.connecting),
            ctrlAppInfo: peer.app,
            appVersion: AppVersion.currentText
        )
    }

    /// Connects to the controller, and emits the code that the user compares with the code on the controller.
    private func openConnection(_ peer: Peer, _ number: Int) async {
        do {
            let authority = try peer.record?.authority ?? DeviceAuthority.generate()
            let connection = try await DeviceConnection.connect(
                host: peer.invitation.host,
                port: peer.invitation.port,
                authority: peer.invitation.authorityFingerprint,
                as: authority,
                timeout: Self.connectTimeout,
                permits: addressRule,
                group: eventLoopGroup
            )
            let code = VerificationCode.makeText(connection.tls.channelBinding)
            guard setState(number, to: .pending(peer, connection, authority, code: code)) else {
                return connection.close()
            }
            endSessionWhenClosed(connection, number)
            let known = peer.record?.apiInfo(.pendingConfirmation(sessionCode: code))
            try await store.write { tx in
                try tx.emit(.remoteCtrlSessionCode(remoteCtrl_: known, sessionCode: code), user: nil)
            }
        } catch {
            await endSession(number, .connectionFailed(chatError: Self.makeFailure(error).error))
        }
    }

    private static func makeFailure(_ error: any Error) -> ChatFailure {
        if case XRCPError.timeout = error { return ChatFailure(RemoteCtrlError.timeout) }
        return .convertSessionError(error)
    }

    private func endSessionWhenClosed(_ connection: DeviceConnection, _ number: Int) {
        addTask(
            Task {
                await connection.waitUntilClosed()
                await self.endSession(number, .disconnected)
            },
            for: number
        )
    }

    /// `/verify remote ctrl`: starts the session after the comparison of the codes.
    func verifyCode(code given: String) async throws -> ChatResponse {
        guard let current = session else { throw ChatFailure(RemoteCtrlError.inactive) }
        guard case .pending(let peer, let connection, let authority, let code) = current.state else {
            throw ChatFailure(RemoteCtrlError.badState)
        }
        guard VerificationCode.areEqual(given, code) else {
            let failure = ChatFailure(RemoteCtrlError.protocolError(protocolError: .pRESessionCode))
            await endSession(current.number, .setupFailed(chatError: failure.error))
            throw failure
        }
        _ = setState(current.number, to: .verifying(peer, connection, code: code))
        do { return try await startSession(peer, connection, authority, code, current.number) } catch {
            let failure = Self.makeFailure(error)
            await endSession(current.number, .setupFailed(chatError: failure.error))
            throw failure
        }
    }

    private func startSession(
        _ peer: Peer,
        _ connection: DeviceConnection,
        _ authority: DeviceAuthority,
        _ code: String,
        _ number: Int
    ) async throws -> ChatResponse {
        let key = try X25519.PrivateKey()
        let deviceName = try await store.read { db in try LocalDeviceName.readName(in: db) }
        let app: JSONValue = [
            "appVersion": .string(peer.version), "deviceName": .string(deviceName), "encoding": "kotlin",
            "encryptFiles": .bool(folders.paths.encryptsFiles),
            "compression": true,
        ]
        let hello = try HostHandshake(peer.invitation, key: key, authority: authority.fingerprint, app: app)
        try await connection.sendBlock(hello.helloBlock)
        let keys = try hello.deriveSessionKeys(await connection.receiveBlock(within: Self.connectTimeout))
        let id = try await store.write { tx in
            try RemoteCtrlRecord.recordSession(peer.invitation, name: peer.name, authority: authority, key: key, tx)
        }
        let compression = peer.app.compression == true
        let info = RemoteCtrlInfo(
            remoteCtrlId: id,
            ctrlDeviceName: peer.name,
            sessionState: .connected(sessionCode: code)
        )
        guard setState(number, to: .connected(info, connection, code: code)) else {
            throw ChatFailure(RemoteCtrlError.inactive)
        }
        let events = RemoteEvents(store.journal)
        journalEntrySignal.withLock { $0 = events.journalEntrySignal }
        let requests = RemoteRequests(
            cipher: SessionCipher(keys, sessionID: connection.tls.channelBinding),
            compressesBodies: compression,
            events: events,
            desktop: self
        )
        try await connection.serveRequests { stream in await requests.answerRequest(stream) }
        return .remoteCtrlConnected(remoteCtrl: info, compression: compression)
    }

    // MARK: Searching

    /// `/find remote ctrl`: starts the search for announcements of known controllers.
    func startSearch() async throws -> ChatResponse {
        let known = try await store.read { db in try RemoteCtrlRecord.findAll(in: db) }
        guard !known.isEmpty else { throw ChatFailure(RemoteCtrlError.noKnownControllers) }
        let number = try beginSession(.searching)
        addTask(Task { await self.searchControllers(known, number) }, for: number)
        return .cmdOk(user_: nil)
    }

    private func searchControllers(_ known: [RemoteCtrlRecord], _ number: Int) async {
        do {
            let keys = known.flatMap { [$0.dhKey] + ($0.previousDHKey.map { [$0] } ?? []) }
            let found = try await Multicast.receiveDatagrams(within: Self.maxSearchTime, group: eventLoopGroup) {
                host,
                datagram -> Invitation? in
                guard let found = try? Announcement(datagram: datagram).openInvitation(for: keys),
                    found.invitation.host == host
                else { return nil }
                return known.contains { $0.fingerprint == found.invitation.authorityFingerprint }
                    ? found.invitation : nil
            }
            guard let found else { throw XRCPError.notDiscovered }
            await handleAnnouncement(found, number)
        } catch is CancellationError {
            return
        } catch {
            await endSession(
                number,
                .discoveryFailed(
                    chatError: ChatFailure.convertSessionError((error as? XRCPError) ?? XRCPError.exception("\(error)"))
                        .error
                )
            )
        }
    }

    /// Handles an announcement of a known controller.
    func handleAnnouncement(_ invitation: Invitation, _ number: Int) async {
        guard
            let record = try? await store.read({ db in
                try RemoteCtrlRecord.find(fingerprint: invitation.authorityFingerprint, in: db)
            })
        else {
            return await endSession(number, .discoveryFailed(chatError: XRCPError.controllerNotFound.chatError))
        }
        let app = try? JSONDecoder().decode(CtrlAppInfo.self, from: invitation.app)
        let isCompatible = (try? await makePeer(invitation)) != nil
        guard setState(number, to: .found(record, invitation)) else { return }
        do {
            try await store.write { tx in
                try tx.emit(
                    .remoteCtrlFound(
                        remoteCtrl: record.apiInfo(.searching),
                        ctrlAppInfo_: app,
                        appVersion: AppVersion.currentText,
                        compatible: isCompatible
                    ),
                    user: nil
                )
            }
        } catch {
            await endSession(number, .discoveryFailed(chatError: ChatFailure.convertSessionError(error).error))
        }
    }

    /// `/confirm remote ctrl`: connects to the controller that was found.
    func confirmController(_ id: Int64) async throws -> ChatResponse {
        let (number, record, invitation) = try requireFoundSession()
        guard record.id == id else { throw ChatFailure(RemoteCtrlError.badController) }
        let outcome: Result<Peer, any Error>
        do { outcome = .success(try await makePeer(invitation)) } catch { outcome = .failure(error) }
        // During the call of `makePeer`, another client may have confirmed this session or begun another session.
        guard try requireFoundSession().number == number else { throw ChatFailure(RemoteCtrlError.badState) }
        do {
            let peer = try outcome.get()
            _ = setState(number, to: .connecting(peer))
            return startConnecting(peer, number)
        } catch {
            let failure = ChatFailure.convertSessionError(error)
            await endSession(number, .connectionFailed(chatError: failure.error))
            throw failure
        }
    }

    /// Returns the session in which a controller was found and has not been confirmed yet.
    /// - Throws: `badState` if there is no session in this state.
    private func requireFoundSession() throws -> (number: Int, record: RemoteCtrlRecord, invitation: Invitation) {
        guard let session, case .found(let record, let invitation) = session.state else {
            throw ChatFailure(RemoteCtrlError.badState)
        }
        return (session.number, record, invitation)
    }

    /// The state of the session, and the reason why the last session ended.
    var status: RemoteCtrlStatus {
        RemoteCtrlStatus(
            sessionState: session?.state.api,
            remoteCtrlId: session?.state.remoteCtrlId,
            ctrlDeviceName: session?.state.deviceName,
            rcStopReason: lastStopReason
        )
    }

    // MARK: Known controllers

    /// `/list remote ctrls`: lists known controllers.
    func listControllers() async throws -> ChatResponse {
        let known = try await store.read { db in try RemoteCtrlRecord.findAll(in: db) }
        let (id, state) = (session?.state.remoteCtrlId, session?.state.api)
        return .remoteCtrlList(remoteCtrls: known.map { $0.apiInfo($0.id == id ? state : nil) })
    }

    /// Throws an error if a session exists.
    func requireNoSession() throws {
        if session != nil { throw ChatFailure(RemoteCtrlError.busy) }
    }
}
