internal import ChatAPI
internal import ChatCore
internal import Synchronization

/// A connected phone, as routes see the core: the same commands, whose target it is.
final class RemoteHostCore: GatewayCore {
    let id: Int64
    private let core: ChatController
    private let host: ConnectedHost
    private let asked = Atomic<UInt64>(0)

    init(_ id: Int64, _ host: ConnectedHost, of core: ChatController) {
        self.id = id
        self.host = host
        self.core = core
    }

    /// Of this session.
    var epoch: String { host.events.epoch }

    func onEnd(_ handler: @escaping @Sendable () -> Void) { host.events.onEnd(handler) }

    var isReady: Bool { !host.events.hasEnded }
    var eventSource: any EventSource { RemoteHostSource(events: host.events) }
    var networkInfo: UserNetworkInfo { .unsaid }
    var isEncrypted: Bool { core.isEncrypted }
    /// What changes on the phone is not known before it is asked, so that nothing of it is kept.
    var revision: UInt64 { asked.wrappingAdd(1, ordering: .relaxed).newValue }

    func send(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, claim: RequestClaim?) async -> APIResult<ChatResponse> {
        await core.send(command, to: .remoteHost(id), as: userId, with: rights)
    }

    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest? { nil }
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) { host.onChange(handler) }

    func read(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights, origin: UInt64) async -> APIResult<ChatResponse> {
        await core.send(command, to: .remoteHost(id), as: userId, with: rights, origin: origin)
    }
}

/// The events of a phone.
private struct RemoteHostSource: EventSource {
    let events: RemoteHostEvents

    var epoch: String { events.epoch }
    var oldest: UInt64 { events.oldest }
    var latest: UInt64 { events.latest }

    func entries(after seq: UInt64, limit: Int) async throws -> [Event] { events.entries(after: seq, limit: limit).map(Event.init) }
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { events.onPublish { handler($0.map(Event.init)) } }
}

/// What requests for connected phones work with: for each session the same services as for a store.
final class RemoteHostServices: Sendable {
    private let state = Mutex<[Int64: (epoch: String, services: GatewayServices)]>([:])

    /// Those of all sessions.
    var all: [GatewayServices] { state.withLock { $0.values.map(\.services) } }

    /// The services of the phone.
    /// - Parameter own: those of the store that it is connected to.
    /// - Throws: `notFound` when it is not connected.
    func services(_ id: Int64, _ own: GatewayServices) throws(ProblemDetails) -> GatewayServices {
        guard let core = own.core.remoteHost(id) else { throw ProblemDetails(.notFound, "There is no session with this device.") }
        let (services, isNew) = state.withLock { state in
            if let known = state[id], known.epoch == core.epoch { return (known.services, false) }
            let services = own.with(core)
            state[id] = (core.epoch, services)
            return (services, true)
        }
        if isNew {
            core.onEnd { [weak self] in
                Task { await services.endStreams() }
                self?.state.withLock { state in
                    if state[id]?.epoch == core.epoch { state[id] = nil }
                }
            }
        }
        return services
    }
}
