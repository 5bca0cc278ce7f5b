internal import SimpleXCrypto
internal import Synchronization

/// Single-use tickets for browsers, which cannot set a header when they open an event stream.
public final class TicketBooth: Sendable {
    /// Seconds for which a ticket is good.
    public static let lifetime: Int64 = 30
    private static let limit = 10_000

    private let open = Mutex<[[UInt8]: (principal: Principal, expires: Int64)]>([:])

    public init() {}

    /// - Returns: the ticket; `nil` when too many are open.
    func issue(to principal: Principal) -> String? {
        let text = "sxgt_" + Base64URL.encode(RandomBytes.make(count: 32), padding: false)
        let hash = Digest.sha256(Array(text.utf8))
        let now = MonotonicClock.microseconds() / 1_000_000
        let issued = open.withLock { open in
            if open.count >= TicketBooth.limit { open = open.filter { $0.value.expires > now } }
            guard open.count < TicketBooth.limit else { return false }
            open[hash] = (principal, now + TicketBooth.lifetime)
            return true
        }
        return issued ? text : nil
    }

    /// Takes a ticket; it is good for this one time. Found by its hash, so that time tells nothing about it.
    func redeem(_ text: String) -> Principal? {
        let hash = Digest.sha256(Array(text.utf8))
        let now = MonotonicClock.microseconds() / 1_000_000
        guard let entry = open.withLock({ $0.removeValue(forKey: hash) }), entry.expires > now else { return nil }
        return entry.principal
    }
}
