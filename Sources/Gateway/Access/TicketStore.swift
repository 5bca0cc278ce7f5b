internal import SimpleXCrypto
internal import Synchronization

/// Tickets for browsers. A browser cannot set a header when it opens a stream, an image or a link.
///
/// A ticket is valid for one path: the path for which it was made, or the path of its first request. It can be used
/// again for this path, so that a stream can be opened again after an interruption. Each ticket has at most one stream:
/// a new stream ends the previous stream.
package final class TicketStore: Sendable {
    /// Seconds within which a new ticket must be used.
    package static let lifetime: Int64 = 30
    /// Seconds for which a ticket stays valid after its last request, or after the end of its stream.
    static let idleLifetime: Int64 = 600
    /// Maximal number of valid tickets of one store. The limit is separate for each store, so that no store can use up
    /// the tickets of other stores.
    private static let limit = 10_000
    /// Maximal number of unused tickets of one key. At the limit, a new ticket replaces the oldest unused ticket, so
    /// that no key can use up the tickets of other keys.
    static let keyLimit = 64
    /// Maximal number of used tickets of one key. At the limit, a further ticket replaces the ticket that was not used
    /// for the longest time.
    static let usedLimit = 256

    private struct Holder: Hashable {
        let store: String?
        let key: String

        init(_ principal: Principal) {
            store = principal.store
            key = principal.keyID
        }
    }

    private struct Ticket {
        let principal: Principal
        var path: String?
        var expires: Int64
        var isUsed = false
        var stream: (number: UInt64, end: @Sendable () -> Void)?

        /// A ticket does not expire while its stream is open.
        func isGood(_ now: Int64) -> Bool { stream != nil || expires > now }
    }

    private struct State {
        var open: [[UInt8]: Ticket] = [:]
        var counts: [String?: Int] = [:]
        /// The hashes of a key's tickets: the unused tickets with the oldest first, and the used tickets with the least
        /// recently used first.
        var held: [Holder: (unused: [[UInt8]], used: [[UInt8]])] = [:]
        var streams: UInt64 = 0

        mutating func remove(_ hash: [UInt8]) {
            guard let ticket = open.removeValue(forKey: hash) else { return }
            let count = (counts[ticket.principal.store] ?? 0) - 1
            counts[ticket.principal.store] = count > 0 ? count : nil
            let holder = Holder(ticket.principal)
            guard var tickets = held[holder] else { return }
            if ticket.isUsed { tickets.used.removeAll { $0 == hash } } else { tickets.unused.removeAll { $0 == hash } }
            held[holder] = tickets.unused.isEmpty && tickets.used.isEmpty ? nil : tickets
        }

        mutating func sweep(_ now: Int64) {
            for hash in open.filter({ !$0.value.isGood(now) }).keys { remove(hash) }
        }

        /// Records a request with a ticket. The ticket becomes the most recently used ticket of its key.
        mutating func use(_ hash: [UInt8], _ ticket: Ticket) {
            open[hash] = ticket
            var tickets = held[Holder(ticket.principal)] ?? ([], [])
            tickets.unused.removeAll { $0 == hash }
            tickets.used.removeAll { $0 == hash }
            tickets.used.append(hash)
            held[Holder(ticket.principal)] = tickets
            if tickets.used.count > TicketStore.usedLimit { remove(tickets.used[0]) }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the store that a ticket names. A proxy finds the store in the same way.
    static func store(in text: some StringProtocol) -> String? { StoreFolders.named(in: text, after: "sxgt_", 43) }

    /// Makes a ticket.
    /// - Parameter path: the only path that the ticket opens; `nil` for the path of its first request.
    /// - Returns: the ticket; `nil` when the store has too many valid tickets.
    func issue(to principal: Principal, path: String? = nil) -> String? {
        let text =
            "sxgt_" + (principal.store.map { $0 + "_" } ?? "")
            + Base64URL.encode(RandomBytes.make(count: 32), padding: false)
        let hash = Digest.sha256(Array(text.utf8))
        let now = TicketStore.now
        let issued = state.withLock { state in
            let holder = Holder(principal)
            if let tickets = state.held[holder]?.unused, tickets.count >= TicketStore.keyLimit {
                state.remove(tickets[0])
            }
            if state.counts[principal.store] ?? 0 >= TicketStore.limit { state.sweep(now) }
            guard state.counts[principal.store] ?? 0 < TicketStore.limit else { return false }
            state.open[hash] = Ticket(principal: principal, path: path, expires: now + TicketStore.lifetime)
            state.counts[principal.store, default: 0] += 1
            state.held[holder, default: ([], [])].unused.append(hash)
            return true
        }
        return issued ? text : nil
    }

    /// Uses a ticket for a request. The ticket is found by its hash, so that the duration reveals nothing about
    /// tickets.
    func redeem(_ text: String, for path: String) -> Principal? {
        let hash = Digest.sha256(Array(text.utf8))
        let now = TicketStore.now
        return state.withLock { state in
            guard var ticket = state.open[hash] else { return nil }
            guard ticket.isGood(now) else {
                state.remove(hash)
                return nil
            }
            guard ticket.path ?? path == path else { return nil }
            ticket.path = path
            ticket.expires = now + TicketStore.idleLifetime
            ticket.isUsed = true
            state.use(hash, ticket)
            return ticket.principal
        }
    }

    /// Ties a stream to its ticket. Ends the former stream of the ticket, since its client has connected again.
    /// - Parameter end: ends the stream.
    func hold(_ text: String, end: @escaping @Sendable () -> Void) -> TicketHold {
        let hash = Digest.sha256(Array(text.utf8))
        let (number, previous) = state.withLock { state in
            state.streams += 1
            let previous = state.open[hash]?.stream?.end
            state.open[hash]?.stream = (state.streams, end)
            return (state.streams, previous)
        }
        previous?()
        return TicketHold(store: self, hash: hash, number: number)
    }

    fileprivate func release(_ hash: [UInt8], _ number: UInt64) {
        let now = TicketStore.now
        state.withLock { state in
            guard state.open[hash]?.stream?.number == number else { return }
            state.open[hash]?.stream = nil
            state.open[hash]?.expires = now + TicketStore.idleLifetime
        }
    }

    private static var now: Int64 { MonotonicClock.microseconds() / 1_000_000 }
}

/// The connection between an open stream and its ticket.
struct TicketHold: Sendable {
    fileprivate let store: TicketStore
    fileprivate let hash: [UInt8]
    fileprivate let number: UInt64

    /// Records that the stream has ended.
    func release() { store.release(hash, number) }
}

extension RouteContext {
    /// Ties a stream to the ticket that has opened the stream; nil if no ticket was used.
    func holdTicket(end: @escaping @Sendable () -> Void) -> TicketHold? {
        guard route.policy.entrance != .key, request.header("authorization") == nil,
            let ticket = request.parameter("ticket")
        else { return nil }
        return services.tickets.hold(ticket, end: end)
    }
}
