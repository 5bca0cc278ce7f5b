internal import Clocks
internal import Descriptors
internal import Synchronization

/// A limit on the requests of a client: a fixed number in each second. The requests that are allowed in ten seconds may
/// also come all at once.
///
/// A client that has sent no request for ten seconds may be forgotten.
final class RequestRates<Client: Hashable & Sendable>: Sendable {
    /// Length of a burst, in microseconds: the requests that are allowed in this time may come all at once.
    private static var burstMicroseconds: Int64 { 10_000_000 }
    /// Maximal number of remembered clients. At the limit, the client with the fewest recent requests is forgotten.
    private static var maxClients: Int { 100_000 }

    private struct State {
        /// A time for each client, in microseconds of the monotonic clock. Each request moves the time of its client
        /// forward by ``microsecondsPerRequest``. A request is refused if it would move the time too far into the
        /// future.
        var arrivalTimes: [Client: Int64] = [:]
        var lastSweepMicroseconds: Int64 = 0
    }

    /// Microseconds between two requests at the allowed rate; nil for no limit.
    private let microsecondsPerRequest: Int64?
    private let state = Mutex(State())

    /// - Parameter perSecond: the number of requests in each second; nil for no limit.
    init(perSecond: Int?) { microsecondsPerRequest = perSecond.map { max(1, 1_000_000 / Int64(max(1, $0))) } }

    /// Counts a request.
    /// - Returns: nil when the request is allowed, otherwise the seconds after which a request is allowed again.
    func countRequest(_ client: Client, at now: Int64 = MonotonicClock.microseconds()) -> Int64? {
        guard let microsecondsPerRequest else { return nil }
        return state.withLock { state in
            let end = max(now, state.arrivalTimes[client] ?? now) + microsecondsPerRequest
            let late = end - now - Self.burstMicroseconds
            guard late <= 0 else { return (late - 1) / 1_000_000 + 1 }
            if state.arrivalTimes.count >= Self.maxClients || now - state.lastSweepMicroseconds > Self.burstMicroseconds
            {
                sweepClients(&state, now)
            }
            state.arrivalTimes[client] = end
            return nil
        }
    }

    /// Returns how many more requests the limit allows a client; nil without a limit.
    func makeQuota(_ client: Client, at now: Int64 = MonotonicClock.microseconds()) -> RequestQuota? {
        guard let microsecondsPerRequest else { return nil }
        let used = max(0, (state.withLock { $0.arrivalTimes[client] } ?? now) - now)
        return RequestQuota(
            maxRequests: Self.burstMicroseconds / microsecondsPerRequest,
            windowSeconds: Self.burstMicroseconds / 1_000_000,
            remainingRequests: max(0, Self.burstMicroseconds - used) / microsecondsPerRequest,
            secondsUntilReset: (used + 999_999) / 1_000_000
        )
    }

    private func sweepClients(_ state: inout State, _ now: Int64) {
        state.lastSweepMicroseconds = now
        state.arrivalTimes = state.arrivalTimes.filter { $0.value > now }
        guard state.arrivalTimes.count >= Self.maxClients,
            let first = state.arrivalTimes.min(by: { $0.value < $1.value })?.key
        else {
            return
        }
        state.arrivalTimes[first] = nil
    }
}

/// The limits on the requests of all clients, over HTTP and WebSockets together.
struct ClientRates: Sendable {
    /// The identity of a key among the keys of all stores.
    struct KeyIdentity: Hashable, Sendable {
        let storeID: String?
        let keyID: String
    }

    private let keyRates: RequestRates<KeyIdentity>
    private let addressRates: RequestRates<SourceAddress>

    /// - Parameters:
    ///   - key: maximal number of requests per second for one key; nil for no limit.
    ///   - address: maximal number of requests per second from one address other than loopback; nil for no limit.
    init(perKey key: Int?, perAddress address: Int?) {
        keyRates = RequestRates(perSecond: key)
        addressRates = RequestRates(perSecond: address)
    }

    /// Counts a request from an address.
    /// - Returns: nil when the request is allowed, otherwise the seconds after which a request is allowed again.
    func countRequest(_ address: SourceAddress?) -> Int64? {
        Self.findLimitedClient(address).flatMap { addressRates.countRequest($0) }
    }

    /// Returns how many more requests the limit allows an address; nil without a limit.
    func makeQuota(_ address: SourceAddress?) -> RequestQuota? {
        Self.findLimitedClient(address).flatMap { addressRates.makeQuota($0) }?.withName("address")
    }

    /// Counts a request with a key. The limit for keys does not apply to a request without a key.
    /// - Returns: nil when the request is allowed, otherwise the seconds after which a request is allowed again.
    func countRequest(_ principal: Principal?) -> Int64? {
        Self.findLimitedClient(principal).flatMap { keyRates.countRequest($0) }
    }

    /// Returns how many more requests the limit allows a key; nil without a limit.
    func makeQuota(_ principal: Principal?) -> RequestQuota? {
        Self.findLimitedClient(principal).flatMap { keyRates.makeQuota($0) }?.withName("key")
    }

    private static func findLimitedClient(_ address: SourceAddress?) -> SourceAddress? {
        address.flatMap { $0.isLoopback ? nil : $0 }
    }

    private static func findLimitedClient(_ principal: Principal?) -> KeyIdentity? {
        guard let principal, !principal.keyID.isEmpty else { return nil }
        return KeyIdentity(storeID: principal.storeID, keyID: principal.keyID)
    }
}
