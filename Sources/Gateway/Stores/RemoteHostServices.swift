internal import ChatCore
internal import Synchronization

/// The services for requests to connected phones. Each session with a phone has the same kinds of services as a store.
final class RemoteHostServices: Sendable {
    private let state = Mutex<[Int64: (epoch: String, services: GatewayServices)]>([:])

    /// The services of all sessions with phones.
    var allServices: [GatewayServices] { state.withLock { $0.values.map(\.services) } }

    /// Returns the services for a phone.
    /// - Parameter own: the services of the store to which the phone is connected.
    /// - Throws: `notFound` when the phone is not connected.
    func findOrMakeServices(_ id: Int64, _ own: GatewayServices) throws(ProblemDetails) -> GatewayServices {
        guard let controller = own.core.controller, let host = controller.findConnectedHost(id) else {
            throw ProblemDetails(.notFound, "There is no session with this device.")
        }
        let core = RemoteHostCore(id, host, of: controller)
        let (services, isNew) = state.withLock { state in
            if let known = state[id], known.epoch == core.epoch { return (known.services, false) }
            let services = own.makeServices(core)
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
