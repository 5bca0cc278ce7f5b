internal import SimpleXCrypto
internal import Synchronization

/// Single-use tickets for browsers, which cannot set a header when they open an event stream.
public final class TicketStore: Sendable {
    /// Seconds for which a ticket is good.
    public static let lifetime: Int64 = 30
    /// Open tickets of one store, so that a store cannot use up the tickets of another.
    private static let limit = 10_000
    /// Open tickets of one key. A further one voids the key's oldest, so that a key cannot use up the tickets of others.
    static let keyLimit = 64

    private struct Holder: Hashable {
        let store: String?
        let key: String

        init(_ principal: Principal) {
            store = principal.store
            key = principal.keyID
        }
    }

    private struct State {
        var open: [[UInt8]: (principal: Principal, expires: Int64)] = [:]
        var counts: [String?: Int] = [:]
        /// The hashes of a key's tickets, oldest first.
        var held: [Holder: [[UInt8]]] = [:]

        mutating func remove(_ hash: [UInt8]) -> (principal: Principal, expires: Int64)? {
            guard let entry = open.removeValue(forKey: hash) else { return nil }
            let count = (counts[entry.principal.store] ?? 0) - 1
            counts[entry.principal.store] = count > 0 ? count : nil
            let holder = Holder(entry.principal)
            held[holder]?.removeAll { $0 == hash }
            if held[holder]?.isEmpty == true { held[holder] = nil }
            return entry
        }

        mutating func sweep(_ now: Int64) {
            for hash in open.filter({ $0.value.expires <= now }).keys { _ = remove(hash) }
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// - Returns: the ticket; `nil` when too many are open.
    func issue(to principal: Principal) -> String? {
        let text = "sxgt_" + Base64URL.encode(RandomBytes.make(count: 32), padding: false)
        let hash = Digest.sha256(Array(text.utf8))
        let now = MonotonicClock.microseconds() / 1_000_000
        let issued = state.withLock { state in
            let holder = Holder(principal)
            if let tickets = state.held[holder], tickets.count >= TicketStore.keyLimit { _ = state.remove(tickets[0]) }
            if state.counts[principal.store] ?? 0 >= TicketStore.limit { state.sweep(now) }
            guard state.counts[principal.store] ?? 0 < TicketStore.limit else { return false }
            state.open[hash] = (principal, now + TicketStore.lifetime)
            state.counts[principal.store, default: 0] += 1
            state.held[holder, default: []].append(hash)
            return true
        }
        return issued ? text : nil
    }

    /// Redeems a ticket, which works once. It is looked up by its hash, so that the duration reveals nothing.
    func redeem(_ text: String) -> Principal? {
        let hash = Digest.sha256(Array(text.utf8))
        let now = MonotonicClock.microseconds() / 1_000_000
        guard let entry = state.withLock({ $0.remove(hash) }), entry.expires > now else { return nil }
        return entry.principal
    }
}
