/// The placement of stores on several nodes: decides which node has a store open.
package protocol StorePlacement: Sendable {
    /// The name of this node.
    var node: String { get }
    /// Whether this node has a lease, so that it can acquire stores.
    var hasLease: Bool { get }
    /// Whether this node opens no further stores while other nodes have room.
    var isDraining: Bool { get }
    func setDraining(isDraining: Bool)
    /// Returns the running nodes.
    func listNodes() async throws(PlacementError) -> [PlacedNode]
    /// Returns the running nodes that have the given stores, by the ids of the stores. The ids have only letters and
    /// digits.
    func findNodes(of stores: [String]) async throws(PlacementError) -> [String: String]
    /// Acquires a store for this node, and returns the lease of the store.
    /// - Parameter token: the fencing token in the store's own files. The token of the lease is greater, even if the
    ///   placement has lost its data.
    func acquireStore(_ store: String, above token: UInt64) async throws(PlacementError) -> StoreLease
    /// Releases a closed store.
    /// - Parameter isWanted: whether another node has to open the store without a request; nil to keep the setting from
    ///   before this node acquired the store.
    func releaseStore(_ store: String, _ lease: StoreLease, isWanted: Bool?) async
    /// Passes a closed store to another node. The other node opens the store when a request needs it.
    /// - Parameter isWanted: whether the other node has to open the store without a request; nil to keep this setting.
    func passStore(_ store: String, _ lease: StoreLease, to node: String, isWanted: Bool?) async throws(PlacementError)
    /// Checks that another node can open a further store now.
    func checkCapacity(of node: String) async throws(PlacementError)
    /// Returns another node that can open a further store now; nil if there is no such node.
    func findNodeWithRoom() async -> String?
    /// Records stores that a node has to open without a request. The placement may not know these stores yet. The ids
    /// have only letters and digits.
    func recordWantedStores(_ stores: [String]) async throws(PlacementError)
    /// Removes a deleted store from the placement.
    func removeStore(_ store: String, _ lease: StoreLease) async
    /// Sets a handler that is called when this node has lost all leases. The handler must close the node's stores.
    func onLeaseLoss(_ handler: @escaping @Sendable () async -> Void)
    /// Sets a handler that is called after each registration of this node, and again if the handler has returned false.
    /// The handler reports the stores that a node has to open without a request, since the placement may be new, or may
    /// have lost its data.
    func onRegistration(_ handler: @escaping @Sendable () async -> Bool)
    /// Sets a handler that is called with stores that this node has to open: stores of dead nodes, and stores that must
    /// stay open even without requests. A few stores are offered at a time, each to one node.
    func onStoreOffer(_ handler: @escaping @Sendable ([String]) async -> Void)
}

/// A running node, as it was at the last renewal of its lease.
package struct PlacedNode: Sendable, Hashable {
    package let name: String
    /// Number of stores that the node has open, including its first store.
    package var openStoreCount: Int
    /// Number of additional stores that the node can open.
    package var remainingStoreCapacity: Int

    package init(name: String, openStores: Int, room: Int) {
        self.name = name
        self.openStoreCount = openStores
        self.remainingStoreCapacity = room
    }
}

/// The right of a node to write to a store.
package struct StoreLease: Sendable {
    /// The fencing token. It is greater than the token of every earlier lease of the store.
    package let token: UInt64
    /// Returns whether the lease is still valid. This function is called before each write.
    package let isValid: @Sendable () -> Bool

    package init(token: UInt64, isValid: @escaping @Sendable () -> Bool) {
        self.token = token
        self.isValid = isValid
    }
}

/// Reasons why a node cannot acquire a store.
package enum PlacementError: Error, Sendable {
    /// Another node has the store.
    case atOtherNode(node: String)
    /// The node does not exist, or is not alive.
    case unknownNode(String)
    /// The node has reached its limit of open stores.
    case noRoom(node: String)
    /// This node cannot acquire any store now, because the placement does not answer.
    case unavailable(reason: String)
}

extension ProblemDetails {
    init(_ error: PlacementError) {
        switch error {
        case .atOtherNode(let node):
            self.init(.unavailable, "The store is on the node \(node).")
            // The header `Sxgw-Node` names the node to which the proxy has to send the next request.
            headers = [("Retry-After", "1"), ("Sxgw-Node", node)]
        case .unknownNode(let name): self.init(.conflict, "There is no running node \(name).")
        case .noRoom(let name): self.init(.conflict, "The node \(name) has no room for another open store.")
        case .unavailable(let reason):
            self.init(.unavailable, "The node of the store cannot be found now: \(reason).")
            headers = [("Retry-After", "2")]
        }
    }
}
