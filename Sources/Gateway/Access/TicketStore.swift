internal import Clocks
internal import SimpleXCrypto
internal import Synchronization

/// Tickets, which browsers send in place of a key. A browser cannot set the header field with the key when it opens a
/// stream, an image or a link.
///
/// A ticket is valid for one path: the path for which it was made, or the path of its first request. The ticket can be
/// used for this path several times, so that a client can open a stream again after an interruption. Each ticket has at
/// most one stream: a new stream ends the previous stream.
package final class TicketStore: Sendable {
    /// Seconds within which a new ticket must be used.
    package static let lifetimeSeconds: Int64 = 30
    /// Seconds for which a ticket stays valid after its last request, or after the end of its stream.
    static let idleLifetimeSeconds: Int64 = 600
    /// Maximal number of valid tickets of one store. The limit is separate for each store, so that no store can use up
    /// the tickets of other stores.
    private static let maxTicketsPerStore = 10_000
    /// Maximal number of unused tickets of one key. At the limit, a new ticket replaces the oldest unused ticket, so
    /// that no key can use up the tickets of other keys.
    static let maxUnusedTicketsPerKey = 64
    /// Maximal number of used tickets of one key. At the limit, a further ticket replaces the ticket that was not used
    /// for the longest time.
    static let maxUsedTicketsPerKey = 256

    private struct Holder: Hashable {
        let storeID: String?
        let keyID: String

        init(_ principal: Principal) {
            storeID = principal.storeID
            keyID = principal.keyID
        }
    }

    private struct Ticket {
        let principal: Principal
        var path: String?
        var expiresAtSeconds: Int64
        var isUsed = false
        var stream: (number: UInt64, end: @Sendable () -> Void)?

        /// Whether the ticket is valid at a time, in seconds. A ticket does not expire while its stream is open.
        func isValid(_ now: Int64) -> Bool { stream != nil || expiresAtSeconds > now }
    }

    private struct State {
        var ticketsByHash: [[UInt8]: Ticket] = [:]
        var ticketCounts: [String?: Int] = [:]
        /// The hashes of each key's tickets. The oldest ticket is the first of `unused`. The least recently used ticket
        /// is the first of `used`.
        var ticketsByHolder: [Holder: (unused: [[UInt8]], used: [[UInt8]])] = [:]
        var lastStreamNumber: UInt64 = 0

        mutating func removeTicket(_ hash: [UInt8]) {
            guard let ticket = ticketsByHash.removeValue(forKey: hash) else { return }
            let count = (ticketCounts[ticket.principal.storeID] ?? 0) - 1
            ticketCounts[ticket.principal.storeID] = count > 0 ? count : nil
            let holder = Holder(ticket.principal)
            guard var tickets = ticketsByHolder[holder] else { return }
            if ticket.isUsed { tickets.used.removeAll { $0 == hash } } else { tickets.unused.removeAll { $0 == hash } }
            ticketsByHolder[holder] = tickets.unused.isEmpty && tickets.used.isEmpty ? nil : tickets
        }

        mutating func sweepTickets(_ now: Int64) {
            for hash in ticketsByHash.filter({ !$0.value.isValid(now) }).keys { removeTicket(hash) }
        }

        /// Records a request with a ticket. The ticket becomes the most recently used ticket of its key.
        mutating func recordUse(_ hash: [UInt8], _ ticket: Ticket) {
            ticketsByHash[hash] = ticket
            var tickets = ticketsByHolder[Holder(ticket.principal)] ?? ([], [])
            tickets.unused.removeAll { $0 == hash }
            tickets.used.removeAll { $0 == hash }
            tickets.used.append(hash)
            ticketsByHolder[Holder(ticket.principal)] = tickets
            if tickets.used.count > TicketStore.maxUsedTicketsPerKey { removeTicket(tickets.used[0]) }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the id of the store in a ticket; nil for a ticket of the first store. A proxy uses this id to find the
    /// node of the store.
    static func storeID(in text: some StringProtocol) -> String? { StoreID.parse(in: text, after: "sxgt_", 43) }

    /// Makes a ticket.
    /// - Parameter path: the only path that the ticket opens; `nil` for the path of its first request.
    /// - Returns: the ticket; `nil` when the store has too many valid tickets.
    func issue(to principal: Principal, path: String? = nil) -> String? {
        let text =
            "sxgt_" + (principal.storeID.map { $0 + "_" } ?? "")
            + Base64URL.encode(RandomBytes.make(count: 32), padding: false)
        let hash = Digest.sha256(Array(text.utf8))
        let now = TicketStore.nowSeconds
        let issued = state.withLock { state in
            let holder = Holder(principal)
            if let tickets = state.ticketsByHolder[holder]?.unused, tickets.count >= TicketStore.maxUnusedTicketsPerKey
            {
                state.removeTicket(tickets[0])
            }
            if state.ticketCounts[principal.storeID] ?? 0 >= TicketStore.maxTicketsPerStore { state.sweepTickets(now) }
            guard state.ticketCounts[principal.storeID] ?? 0 < TicketStore.maxTicketsPerStore else { return false }
            state.ticketsByHash[hash] = Ticket(
                principal: principal,
                path: path,
                expiresAtSeconds: now + TicketStore.lifetimeSeconds
            )
            state.ticketCounts[principal.storeID, default: 0] += 1
            state.ticketsByHolder[holder, default: ([], [])].unused.append(hash)
            return true
        }
        return issued ? text : nil
    }

    /// Uses a ticket for a request, and returns the principal for whom the ticket was made. Returns nil for an invalid
    /// ticket, and for a ticket of another path. The ticket is found by its hash, so that the duration of the search
    /// reveals nothing about tickets.
    func redeem(_ text: String, for path: String) -> Principal? {
        let hash = Digest.sha256(Array(text.utf8))
        let now = TicketStore.nowSeconds
        return state.withLock { state in
            guard var ticket = state.ticketsByHash[hash] else { return nil }
            guard ticket.isValid(now) else {
                state.removeTicket(hash)
                return nil
            }
            guard ticket.path ?? path == path else { return nil }
            ticket.path = path
            ticket.expiresAtSeconds = now + TicketStore.idleLifetimeSeconds
            ticket.isUsed = true
            state.recordUse(hash, ticket)
            return ticket.principal
        }
    }

    /// Records the stream of a ticket. Ends the former stream of the ticket, since its client has connected again.
    /// - Parameter end: ends the stream.
    /// - Returns: the link between the stream and the ticket. The caller must release the link when the stream has
    ///   ended.
    func attachStream(_ text: String, end: @escaping @Sendable () -> Void) -> StreamTicketLink {
        let hash = Digest.sha256(Array(text.utf8))
        let (number, previous) = state.withLock { state in
            state.lastStreamNumber += 1
            let previous = state.ticketsByHash[hash]?.stream?.end
            state.ticketsByHash[hash]?.stream = (state.lastStreamNumber, end)
            return (state.lastStreamNumber, previous)
        }
        previous?()
        return StreamTicketLink(ticketStore: self, ticketHash: hash, streamNumber: number)
    }

    fileprivate func detachStream(_ hash: [UInt8], _ number: UInt64) {
        let now = TicketStore.nowSeconds
        state.withLock { state in
            guard state.ticketsByHash[hash]?.stream?.number == number else { return }
            state.ticketsByHash[hash]?.stream = nil
            state.ticketsByHash[hash]?.expiresAtSeconds = now + TicketStore.idleLifetimeSeconds
        }
    }

    private static var nowSeconds: Int64 { MonotonicClock.microseconds() / 1_000_000 }
}

/// The link between an open stream and its ticket.
struct StreamTicketLink: Sendable {
    fileprivate let ticketStore: TicketStore
    fileprivate let ticketHash: [UInt8]
    fileprivate let streamNumber: UInt64

    /// Marks the stream as ended, so that the ticket can expire again.
    func release() { ticketStore.detachStream(ticketHash, streamNumber) }
}
