import Synchronization

@testable import Gateway

/// A placement without a database: this node is "one", and the node "two" accepts stores. A test makes the offers.
final class FakePlacement: StorePlacement {
    private struct State {
        var token: UInt64 = 0
        var wanted: Set<String> = []
        var given: [String: String] = [:]
        var refusals = 0
        var hasLease = true
        var isDraining = false
        /// The stores that the node "two" has.
        var elsewhere: Set<String> = []
        var register: (@Sendable () async -> Bool)?
        var offer: (@Sendable ([String]) async -> Void)?
    }

    let node = "one"
    var hasLease: Bool { state.withLock { $0.hasLease } }
    func set(hasLease: Bool) { state.withLock { $0.hasLease = hasLease } }
    private let state = Mutex(State())

    var isDraining: Bool { state.withLock { $0.isDraining } }
    func set(isDraining: Bool) { state.withLock { $0.isDraining = isDraining } }
    func put(elsewhere store: String) { state.withLock { _ = $0.elsewhere.insert(store) } }

    func nodes() async throws(PlacementError) -> [PlacedNode] {
        [
            PlacedNode(name: "one", openStores: 3, room: isDraining ? 0 : 10),
            PlacedNode(name: "two", openStores: given.count, room: 10),
        ]
    }

    func places(of stores: [String]) async throws(PlacementError) -> [String: String] {
        let state = state.withLock { ($0.elsewhere, $0.given) }
        return stores.reduce(into: state.1) { if state.0.contains($1) { $0[$1] = "two" } }
    }

    /// The stores that a node has to open without a request.
    var wanted: Set<String> { state.withLock { $0.wanted } }
    /// The nodes to which stores were given.
    var given: [String: String] { state.withLock { $0.given } }

    /// Makes the next notes of wanted stores fail.
    func refuse(_ count: Int) { state.withLock { $0.refusals = count } }

    func register() async -> Bool { await state.withLock { $0.register }?() ?? true }
    func offer(_ stores: [String]) async { await state.withLock { $0.offer }?(stores) }

    func acquire(_ store: String, above token: UInt64) async throws(PlacementError) -> StoreLease {
        let next = state.withLock { state in
            state.token = max(state.token, token) + 1
            return state.token
        }
        return StoreLease(token: next) { true }
    }

    func release(_ store: String, _ lease: StoreLease, isWanted: Bool?) async {
        guard let isWanted else { return }
        state.withLock { state in
            if isWanted { state.wanted.insert(store) } else { state.wanted.remove(store) }
        }
    }

    func give(_ store: String, _ lease: StoreLease, to node: String, isWanted: Bool?) async throws(PlacementError) {
        state.withLock { $0.given[store] = node }
    }

    func checkRoom(of node: String) async throws(PlacementError) { if node != "two" { throw .noNode(node) } }
    func nodeWithRoom() async -> String? { "two" }

    func want(_ stores: [String]) async throws(PlacementError) {
        let isRefused = state.withLock { state in
            guard state.refusals > 0 else {
                state.wanted.formUnion(stores)
                return false
            }
            state.refusals -= 1
            return true
        }
        if isRefused { throw .unavailable(reason: "refused") }
    }

    func forget(_ store: String, _ lease: StoreLease) async { state.withLock { _ = $0.wanted.remove(store) } }
    func onLoss(_ handler: @escaping @Sendable () async -> Void) {}
    func onRegistration(_ handler: @escaping @Sendable () async -> Bool) { state.withLock { $0.register = handler } }
    func onOffer(_ handler: @escaping @Sendable ([String]) async -> Void) { state.withLock { $0.offer = handler } }
}
