/// The division of the process's file descriptors, so that clients can never use up the last one.
///
/// A process without a free descriptor does not only refuse connections: databases fail, timers are lost, and the
/// Swift runtime aborts when it cannot open a file in `/proc`. So each kind of connection has a limit, and the limits
/// leave a reserve.
public struct DescriptorBudget: Sendable, Equatable {
    /// Descriptors of HTTP clients. A connection needs one, a WebSocket two (over TLS four). A connection whose answer
    /// was sent before its body was read needs one more for a moment.
    public var connections: Int
    /// Connections among these from one address that is not loopback.
    public var connectionsPerAddress: Int
    /// Requests among these that follow something: long polls, event streams, WebSockets. The rest stays for commands.
    public var streams: Int
    /// Sessions of the embedded relay with its clients.
    public var relayConnections: Int
    /// Sessions among these from one address that is not loopback.
    public var relayConnectionsPerAddress: Int
    /// Sessions of the embedded file relay with its clients. A quarter is for one address that is not loopback. Its
    /// files are open only for moments.
    public var fileRelayConnections: Int
    /// Sessions of the embedded relay with other relays, to which it forwards.
    public var proxiedRelays: Int
    /// Sessions of the agents of all stores with relays and file servers.
    public var relaySessions: Int
    /// Connections to webhooks.
    public var deliveries: Int
    /// Stores that may be open at a time.
    public var openStores: Int

    /// Numbers chosen by the operator; nil uses the default share.
    public struct Wishes: Sendable {
        public var connections: Int?
        public var connectionsPerAddress: Int?
        public var relayConnections: Int?
        public var relayConnectionsPerAddress: Int?
        public var openStores: Int?

        public init() {}
    }

    /// Why the descriptors of the process cannot be divided as they should.
    public enum Shortage: Error, Equatable, CustomStringConvertible {
        /// The limit is too low for what is always open and a few clients.
        case limit(Int, needed: Int)
        /// A requested number does not fit.
        case wish(String, Int, room: Int, limit: Int)

        public var description: String {
            switch self {
            case .limit(let limit, let needed):
                "the limit of open files (ulimit -n) is \(limit); at least \(needed) are needed"
            case .wish(let name, let wish, let room, let limit):
                "\(name) is \(wish), and the limit of \(limit) open files (ulimit -n) has room for \(max(room, 0))"
            }
        }
    }

    /// Two databases with a writer and two readers each, every one with its file and its write-ahead log (12), an index
    /// in shared memory for each database (2), and as many again while one is exported or its key is changed.
    static let perStore = 24
    /// Upper bound of the connections of one kind, whatever the limit of descriptors: each connection also costs
    /// memory.
    static let maxConnections = 20_000
    /// The minimum left for HTTP after all other shares.
    static let leastConnections = 16

    /// Below this limit a gateway has no room for its reserve and one store, or for more than a handful of clients.
    public static let leastForGateway = 256
    /// The same for a relay alone.
    public static let leastForRelay = 128

    /// Descriptors outside of all shares: standard streams, event loops, the HTTP library's threads, timers, listening
    /// sockets, locks, the relay's log, name lookups, archives being written or read, connections that are accepted
    /// only to be refused, and short-lived files of the runtime.
    static func reserve(of limit: Int) -> Int { 96 + min(limit / 64, 1024) }

    /// The shares of a gateway.
    /// - Parameters:
    ///   - hasRelay: whether its relay is in the same process.
    ///   - hasFileRelay: the same for the file relay.
    public static func gateway(
        limit: Int,
        hasRelay: Bool,
        hasFileRelay: Bool = false,
        wishes: Wishes = Wishes()
    ) throws(Shortage) -> DescriptorBudget {
        guard limit >= leastForGateway else { throw .limit(limit, needed: leastForGateway) }
        var budget = DescriptorBudget()
        var left = limit - reserve(of: limit)
        let share = left / 16
        // Whoever wants more of them has less left for HTTP.
        let others =
            2 * share + min(share, 256) + (hasFileRelay ? min(share, 2000) : 0)
            + (hasRelay ? min(share, 512) + 2 * share : 0)
        budget.openStores = try wishes.take(
            "max-open-stores",
            wishes.openStores,
            otherwise: max(1, 2 * share / perStore),
            from: (left - others - leastConnections) / perStore,
            limit
        )
        left -= budget.openStores * perStore
        budget.relaySessions = 2 * share
        left -= budget.relaySessions
        budget.deliveries = min(share, 256)
        left -= budget.deliveries
        if hasFileRelay {
            budget.fileRelayConnections = min(share, 2000)
            left -= budget.fileRelayConnections
        }
        if hasRelay {
            budget.proxiedRelays = min(share, 512)
            left -= budget.proxiedRelays
            budget.relayConnections = try wishes.take(
                "max-relay-connections",
                wishes.relayConnections,
                otherwise: 2 * share,
                from: left - leastConnections,
                limit
            )
            left -= budget.relayConnections
        }
        budget.connections = try wishes.take("max-connections", wishes.connections, otherwise: left, from: left, limit)
        budget.fill(wishes)
        return budget
    }

    /// The shares of a relay that is alone in its process.
    public static func relay(limit: Int, wishes: Wishes = Wishes()) throws(Shortage) -> DescriptorBudget {
        guard limit >= leastForRelay else { throw .limit(limit, needed: leastForRelay) }
        var budget = DescriptorBudget()
        var left = limit - reserve(of: limit)
        budget.proxiedRelays = min(left / 8, 512)
        left -= budget.proxiedRelays
        budget.relayConnections = try wishes.take(
            "max-connections",
            wishes.relayConnections,
            otherwise: left,
            from: left,
            limit
        )
        budget.fill(wishes)
        return budget
    }

    private init() {
        (connections, connectionsPerAddress, streams) = (0, 0, 0)
        (relayConnections, relayConnectionsPerAddress, proxiedRelays) = (0, 0, 0)
        (fileRelayConnections, relaySessions, openStores, deliveries) = (0, 0, 0, 0)
    }

    /// Divides the shares further. One address gets a quarter: an office behind one address is served, and three others
    /// still are while it misbehaves.
    private mutating func fill(_ wishes: Wishes) {
        streams = connections - connections / 8
        connectionsPerAddress = wishes.connectionsPerAddress ?? max(connections / 4, 1)
        relayConnectionsPerAddress = wishes.relayConnectionsPerAddress ?? max(relayConnections / 4, 1)
    }
}

extension DescriptorBudget.Wishes {
    fileprivate func take(
        _ name: String,
        _ wish: Int?,
        otherwise share: Int,
        from room: Int,
        _ limit: Int
    ) throws(DescriptorBudget.Shortage) -> Int {
        guard let wish else { return min(share, DescriptorBudget.maxConnections) }
        guard wish <= room else { throw .wish(name, wish, room: room, limit: limit) }
        return wish
    }
}
