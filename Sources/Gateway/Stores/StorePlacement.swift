/// Decides which of several nodes has a store open.
public protocol StorePlacement: Sendable {
    /// The name of this node.
    var node: String { get }
    /// Makes this node the one that has a store.
    /// - Parameter token: the fencing token that the store's own files have. That of the lease is greater, whatever else was forgotten.
    func acquire(_ store: String, above token: UInt64) async throws(PlacementError) -> StoreLease
    /// Gives a store up, which is closed.
    /// - Parameter isWanted: whether another node is to open it though nobody asks for it; nil for as it was before this node had it.
    func release(_ store: String, _ lease: StoreLease, isWanted: Bool?) async
    /// Gives a store, which is closed, to another node, which opens it when it is wanted, or when somebody asks for it.
    func give(_ store: String, _ lease: StoreLease, to node: String, isWanted: Bool?) async throws(PlacementError)
    /// Whether another node can take a store now.
    func checkRoom(of node: String) async throws(PlacementError)
    /// Another node that can take a store now; nil where there is none.
    func nodeWithRoom() async -> String?
    /// Gives up a store that is deleted.
    func forget(_ store: String, _ lease: StoreLease) async
    /// Calls the handler when this node has lost all leases: its stores are to be closed.
    func onLoss(_ handler: @escaping @Sendable () async -> Void)
    /// Calls the handler with stores that are to be opened here: those of nodes that have died, and those that are wanted.
    func onOffer(_ handler: @escaping @Sendable ([String]) async -> Void)
}

/// The right to write to a store.
public struct StoreLease: Sendable {
    /// Greater than that of every lease of the store before.
    public let token: UInt64
    /// Whether it is still good; asked before each write.
    public let isValid: @Sendable () -> Bool

    public init(token: UInt64, isValid: @escaping @Sendable () -> Bool) {
        self.token = token
        self.isValid = isValid
    }
}

/// Why a node does not get a store.
public enum PlacementError: Error, Sendable {
    /// Another node has it.
    case elsewhere(node: String)
    /// There is no such node, or it is not alive.
    case noNode(String)
    /// The limit of open stores is reached there.
    case noRoom(node: String)
    /// This node has no right to any store now: the placement does not answer.
    case unavailable(reason: String)
}

extension ProblemDetails {
    init(_ error: PlacementError) {
        switch error {
        case .elsewhere(let node):
            self.init(.unavailable, "The store is on the node \(node).")
            // For a proxy, which sends the next request there.
            headers = [("Retry-After", "1"), ("Sxgw-Node", node)]
        case .noNode(let name): self.init(.conflict, "There is no node \(name) that is alive.")
        case .noRoom(let name): self.init(.conflict, "The node \(name) has no room for another open store.")
        case .unavailable(let reason):
            self.init(.unavailable, "Which node has the store cannot be known now: \(reason).")
            headers = [("Retry-After", "2")]
        }
    }
}
