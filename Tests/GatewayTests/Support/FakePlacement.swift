import Synchronization

@testable import Gateway

/// A placement without a database: this node is "one", and the node "two" accepts stores. A test makes the offers.
final class FakePlacement: StorePlacement {
    private struct State {
        var token: UInt64 = 0
        var wantedStores: Set<String> = []
        var givenStores: [String: String] = [:]
        var refusals = 0
        var hasLease = true
        var isDraining = false
        /// The stores that the node "two" has.
        var storesOfOtherNode: Set<String> = []
        var registrationHandler: (@Sendable () async -> Bool)?
        var offerHandler: (@Sendable ([String]) async -> Void)?
    }

    let node = "one"
    var hasLease: Bool { state.withLock { $0.hasLease } }
    func set(hasLease: Bool) { state.withLock { $0.hasLease = hasLease } }
    private let state = Mutex(State())

    var isDraining: Bool { state.withLock { $0.isDraining } }
    func setDraining(isDraining: Bool) { state.withLock { $0.isDraining = isDraining } }
    func addToOtherNode(elsewhere store: String) { state.withLock { _ = $0.storesOfOtherNode.insert(store) } }

    func listNodes() async throws(PlacementError) -> [PlacedNode] {
        [
            PlacedNode(name: "one", openStores: 3, room: isDraining ? 0 : 10),
            PlacedNode(name: "two", openStores: givenStores.count, room: 10),
        ]
    }

    func findNodes(of stores: [String]) async throws(PlacementError) -> [String: String] {
        let state = state.withLock { ($0.storesOfOtherNode, $0.givenStores) }
        return stores.reduce(into: state.1) { if state.0.contains($1) { $0[$1] = "two" } }
    }

    /// The stores that a node has to open without a request.
    var wantedStores: Set<String> { state.withLock { $0.wantedStores } }
    /// The nodes to which stores were given.
    var givenStores: [String: String] { state.withLock { $0.givenStores } }

    /// Makes the given number of next reports of wanted stores fail.
    func refuseNext(_ count: Int) { state.withLock { $0.refusals = count } }

    func register() async -> Bool { await state.withLock { $0.registrationHandler }?() ?? true }
    func offer(_ stores: [String]) async { await state.withLock { $0.offerHandler }?(stores) }

    func acquireStore(_ store: String, above token: UInt64) async throws(PlacementError) -> StoreLease {
        let next = state.withLock { state in
            state.token = max(state.token, token) + 1
            return state.token
        }
        return StoreLease(token: next) { true }
    }

    func releaseStore(_ store: String, _ lease: StoreLease, isWanted: Bool?) async {
        guard let isWanted else { return }
        state.withLock { state in
            if isWanted { state.wantedStores.insert(store) } else { state.wantedStores.remove(store) }
        }
    }

    func passStore(_ store: String, _ lease: StoreLease, to node: String, isWanted: Bool?) async throws(PlacementError)
    {
        state.withLock { $0.givenStores[store] = node }
    }

    func checkCapacity(of node: String) async throws(PlacementError) { if node != "two" { throw .unknownNode(node) } }
    func findNodeWithRoom() async -> String? { "two" }

    func recordWantedStores(_ stores: [String]) async throws(PlacementError) {
        let isRefused = state.withLock { state in
            guard state.refusals > 0 else {
                state.wantedStores.formUnion(stores)
                return false
            }
            state.refusals -= 1
            return true
        }
        if isRefused { throw .unavailable(reason: "refused") }
    }

    func removeStore(_ store: String, _ lease: StoreLease) async {
        state.withLock { _ = $0.wantedStores.remove(store) }
    }
    func onLeaseLoss(_ handler: @escaping @Sendable () async -> Void) {}
    func onRegistration(_ handler: @escaping @Sendable () async -> Bool) {
        state.withLock { $0.registrationHandler = handler }
    }
    func onStoreOffer(_ handler: @escaping @Sendable ([String]) async -> Void) {
        state.withLock { $0.offerHandler = handler }
    }
}
