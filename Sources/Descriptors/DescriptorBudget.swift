/// Divides the file descriptors of the process among its kinds of connections, so that clients can never use all
/// descriptors.
///
/// A process without a free descriptor does not only refuse connections: databases fail, timers are lost, and the Swift
/// runtime aborts when it cannot open a file in `/proc`. So each kind of connection has a limit, and the limits leave a
/// reserve.
package struct DescriptorBudget: Sendable, Equatable {
    /// Number of descriptors for HTTP clients. A connection needs one, a WebSocket two (over TLS four). A connection
    /// whose answer was sent before its body was read needs one more for a short time.
    package var connections: Int
    /// The part of ``connections`` for one address that is not loopback.
    package var connectionsPerAddress: Int
    /// The part of ``connections`` for requests that wait for events: long polls, event streams, WebSockets. The other
    /// descriptors stay free for commands.
    package var streams: Int
    /// Number of sessions of the embedded message relay with its clients.
    package var relayConnections: Int
    /// The part of ``relayConnections`` for one address that is not loopback.
    package var relayConnectionsPerAddress: Int
    /// Number of sessions of the embedded file relay with its clients. A quarter of them is the limit for one address
    /// that is not loopback. The relay opens its files only for short times.
    package var fileRelayConnections: Int
    /// Number of sessions of the embedded relay with other relays, to which it forwards commands.
    package var proxiedRelays: Int
    /// Number of sessions of the agents of all stores with relays and file servers.
    package var relaySessions: Int
    /// Number of connections to webhooks and push services. Connections that are kept for later requests count too.
    package var deliveryConnections: Int
    /// Number of stores that may be open at the same time.
    package var openStores: Int
    /// Number of open stores whose databases may have connections at the same time. The databases of other open stores
    /// are closed until they are used.
    package var storesWithDatabases: Int

    /// Numbers that the operator has chosen; nil for the default share.
    package struct Wishes: Sendable {
        package var connections: Int?
        package var connectionsPerAddress: Int?
        package var relayConnections: Int?
        package var relayConnectionsPerAddress: Int?
        package var openStores: Int?

        package init() {}
    }

    /// The reason why the process has too few descriptors for its parts.
    package enum Shortage: Error, Equatable, CustomStringConvertible {
        /// The limit of open files is too low for the descriptors that are always open and a few clients.
        case limitTooLow(Int, needed: Int)
        /// A number that the operator has chosen is larger than the remaining descriptors allow.
        case wishTooLarge(String, Int, room: Int, limit: Int)

        package var description: String {
            switch self {
            case .limitTooLow(let limit, let needed):
                "the limit of open files (ulimit -n) is \(limit); at least \(needed) are needed"
            case .wishTooLarge(let name, let wish, let room, let limit):
                "\(name) is \(wish), and the limit of \(limit) open files (ulimit -n) has room for \(max(room, 0))"
            }
        }
    }

    /// Number of descriptors of an open store without connections to its databases: one for each database, to hold the
    /// identity of its file, and one spare. Sessions with relays have their own share.
    static let descriptorsPerStore = 3
    /// Number of descriptors of the connections to the databases of a store. There are two databases, each with the
    /// connections of a writer and of two readers. Each connection has the file and its write-ahead log open (12). Each
    /// database has an index in shared memory (2). The other 10 are for a change of the key, or for a copy of both
    /// databases. A copy needs up to 14 descriptors, and takes the last 4 from the reserve. Copies of stores whose
    /// databases are closed take all descriptors from the reserve.
    static let descriptorsPerDatabases = 24
    /// Maximal number of stores whose databases have connections, for any limit of descriptors. The connections of one
    /// store keep up to 8 MiB of pages in memory, and up to 120 KiB of keys in the area of locked memory, which has 128
    /// MiB for the process.
    static let maxStoresWithDatabases = 512
    /// The minimal number of connections that stay for HTTP when the operator has chosen no numbers.
    static let minDefaultConnections = 64
    /// The smallest share of descriptors. A share is the unit in which descriptors are divided among the kinds of
    /// connections.
    static let minDescriptorShare = 8
    /// Maximal number of connections of one kind for any limit of descriptors, since each connection also needs memory.
    static let maxConnections = 20_000
    /// The minimal number of connections that stay for HTTP after all other shares.
    static let minConnections = 16

    /// The smallest limit of open files with which a gateway starts. With a lower limit, there are not enough
    /// descriptors for the reserve, one store and a few clients.
    package static let minGatewayDescriptors = 256
    /// The smallest limit of open files with which a relay without a gateway starts.
    package static let minRelayDescriptors = 128

    /// Returns the number of descriptors outside of all shares: standard streams, event loops, the HTTP library's
    /// threads, timers, listening sockets, locks, the relay's log, name lookups, archives that are written or read,
    /// connections that are accepted only to be refused, and short-lived files of the runtime.
    static func computeReserve(of limit: Int) -> Int { 96 + min(limit / 64, 1024) }

    /// Divides the file descriptors of a gateway's process.
    /// - Parameters:
    ///   - hasRelay: whether the process also runs a message relay.
    ///   - hasFileRelay: whether the process also runs a file relay.
    package static func makeForGateway(
        limit: Int,
        hasRelay: Bool,
        hasFileRelay: Bool = false,
        wishes: Wishes = Wishes()
    ) throws(Shortage) -> DescriptorBudget {
        guard limit >= minGatewayDescriptors else { throw .limitTooLow(limit, needed: minGatewayDescriptors) }
        var budget = DescriptorBudget()
        var left = limit - computeReserve(of: limit)
        // Returns the number of descriptors that the parts other than HTTP and the open stores get by default. If the
        // operator chooses a greater number for one of these parts, fewer descriptors are left for HTTP.
        func countOtherDescriptors(_ share: Int) -> Int {
            countStoresWithDatabases(share) * descriptorsPerDatabases + 2 * share + min(share, 256)
                + (hasFileRelay ? min(share, 2000) : 0)
                + (hasRelay ? min(share, 512) + 2 * share : 0)
        }
        let storeDescriptors = min(left / 4, left - countOtherDescriptors(left / 16) - minDefaultConnections)
        budget.openStores = try wishes.resolveWish(
            "max-open-stores",
            wishes.openStores,
            otherwise: max(1, storeDescriptors / descriptorsPerStore),
            from: (left - countOtherDescriptors(minDescriptorShare) - minConnections) / descriptorsPerStore,
            limit
        )
        // If many stores are open, a share is a twelfth of the remaining descriptors. All parts except HTTP together
        // take nine shares.
        let share = min(left / 16, max(minDescriptorShare, (left - budget.openStores * descriptorsPerStore) / 12))
        left -= budget.openStores * descriptorsPerStore
        budget.storesWithDatabases = countStoresWithDatabases(share)
        left -= budget.storesWithDatabases * descriptorsPerDatabases
        budget.relaySessions = 2 * share
        left -= budget.relaySessions
        budget.deliveryConnections = min(share, 256)
        left -= budget.deliveryConnections
        if hasFileRelay {
            budget.fileRelayConnections = min(share, 2000)
            left -= budget.fileRelayConnections
        }
        if hasRelay {
            budget.proxiedRelays = min(share, 512)
            left -= budget.proxiedRelays
            budget.relayConnections = try wishes.resolveWish(
                "max-relay-connections",
                wishes.relayConnections,
                otherwise: 2 * share,
                from: left - minConnections,
                limit
            )
            left -= budget.relayConnections
        }
        budget.connections = try wishes.resolveWish(
            "max-connections",
            wishes.connections,
            otherwise: left,
            from: left,
            limit
        )
        budget.setPerAddressLimits(wishes)
        return budget
    }

    /// Returns the number of stores whose databases may have connections. These connections get two shares, each of
    /// `share` descriptors.
    private static func countStoresWithDatabases(_ share: Int) -> Int {
        min(max(1, 2 * share / descriptorsPerDatabases), maxStoresWithDatabases)
    }

    /// Divides the file descriptors of a process that runs only a relay.
    package static func makeForRelay(limit: Int, wishes: Wishes = Wishes()) throws(Shortage) -> DescriptorBudget {
        guard limit >= minRelayDescriptors else { throw .limitTooLow(limit, needed: minRelayDescriptors) }
        var budget = DescriptorBudget()
        var left = limit - computeReserve(of: limit)
        budget.proxiedRelays = min(left / 8, 512)
        left -= budget.proxiedRelays
        budget.relayConnections = try wishes.resolveWish(
            "max-connections",
            wishes.relayConnections,
            otherwise: left,
            from: left,
            limit
        )
        budget.setPerAddressLimits(wishes)
        return budget
    }

    private init() {
        (connections, connectionsPerAddress, streams) = (0, 0, 0)
        (relayConnections, relayConnectionsPerAddress, proxiedRelays) = (0, 0, 0)
        (fileRelayConnections, relaySessions, deliveryConnections) = (0, 0, 0)
        (openStores, storesWithDatabases) = (0, 0)
    }

    /// Computes the number of streams, and the numbers of connections per address. One address gets a quarter of the
    /// connections. So many clients behind the address of an office can be served. When one address uses all of its
    /// connections, clients at other addresses are still served.
    private mutating func setPerAddressLimits(_ wishes: Wishes) {
        streams = connections - connections / 8
        connectionsPerAddress = wishes.connectionsPerAddress ?? max(connections / 4, 1)
        relayConnectionsPerAddress = wishes.relayConnectionsPerAddress ?? max(relayConnections / 4, 1)
    }
}

extension DescriptorBudget.Wishes {
    fileprivate func resolveWish(
        _ name: String,
        _ wish: Int?,
        otherwise share: Int,
        from room: Int,
        _ limit: Int
    ) throws(DescriptorBudget.Shortage) -> Int {
        guard let wish else { return min(share, DescriptorBudget.maxConnections) }
        guard wish <= room else { throw .wishTooLarge(name, wish, room: room, limit: limit) }
        return wish
    }
}
