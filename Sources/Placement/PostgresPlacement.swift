internal import Clocks
internal import Concurrency
package import Gateway
package import Logging
internal import Prometheus
internal import Synchronization

/// Reasons why a node does not start.
package enum NodeError: Error, Sendable, CustomStringConvertible {
    /// Another running process has this node name, and renews its lease.
    case nameTaken(String)
    /// The folder of stores of a running node differs from the folder of this node.
    case otherFolder(node: String)
    case unavailable(reason: String)

    package var description: String {
        switch self {
        case .nameTaken(let name): "another running node has the name \(name): each node needs its own name"
        case .otherFolder(let node):
            "the folder of --stores is not the folder of the running node \(node): all nodes need the same folder"
        case .unavailable(let reason): "the placement of stores cannot be read: \(reason)"
        }
    }
}

/// Determines which node of a cluster has which store. The nodes and their leases are stored in PostgreSQL.
///
/// The node stops using its lease before the lease ends in PostgreSQL. The node counts the time from the start of its
/// request for the lease, and does not use the last fifth of the lease.
package final class PostgresPlacement: StorePlacement {
    package struct Settings: Sendable {
        /// A connection string or URI of libpq.
        package var connectionString: String
        package var node: String
        /// Random text that identifies the node. It is in the data folder, which only one process at a time uses.
        package var ownerID: String
        /// The id that is stored in the folder of the stores; nil to skip the comparison with the folders of other
        /// nodes.
        package var folderID: String?
        /// Duration of the lease in seconds, at least 1.
        package var leaseSeconds: Double
        /// Returns the number of open stores, and the number of additional stores that can be opened.
        package var readLoad: @Sendable () -> (open: Int, room: Int)

        package init(
            connection: String,
            node: String,
            owner: String,
            folder: String? = nil,
            lease: Double,
            load: @escaping @Sendable () -> (open: Int, room: Int)
        ) {
            self.connectionString = connection
            self.node = node
            self.ownerID = owner
            self.folderID = folder
            self.leaseSeconds = lease
            self.readLoad = load
        }
    }

    /// The time from a registration of the node to the loss of its lease. The lease of a store ends with the tenure in
    /// which the node acquired the store.
    private final class Tenure: Sendable {
        let incarnation: String
        /// The end of the tenure, in microseconds of the ``LeaseClock``.
        private let endMicroseconds: Atomic<Int64>

        init(_ incarnation: String, until end: Int64) {
            self.incarnation = incarnation
            self.endMicroseconds = Atomic(end)
        }

        var isValid: Bool { LeaseClock.microseconds() < endMicroseconds.load(ordering: .acquiring) }
        /// The number of seconds until the tenure ends.
        var secondsLeft: Double {
            Double(max(0, endMicroseconds.load(ordering: .acquiring) - LeaseClock.microseconds())) / 1_000_000
        }
        func extend(until end: Int64) { self.endMicroseconds.store(end, ordering: .releasing) }
        func endTenure() { endMicroseconds.store(0, ordering: .releasing) }
    }

    private struct State {
        var tenure: Tenure
        var onRegistration: (@Sendable () async -> Bool)?
        /// The tenure for which the handler of registrations is running, or has succeeded.
        var registeredTenure: Tenure?
        var onLoss: (@Sendable () async -> Void)?
        var onOffer: (@Sendable ([String]) async -> Void)?
        var renewalLoop: Task<Void, Never>?
        var isOffering = false
        var isDraining = false
        var renewalCount: UInt64 = 0
        var failureCount: UInt64 = 0
        var lossCount: UInt64 = 0
        /// The tenure that the node has lost most recently.
        var lostTenure: Tenure?
        /// The last logged reason why the node has no lease.
        var loggedReason: String?
    }

    /// Maximal difference between two consecutive tokens of a store. The number of a store's changes between nodes
    /// stays far below this limit.
    private static let maxTokenStep: UInt64 = 1 << 40

    /// Maximal number of stores that are offered to a node when it renews its lease. So after the death of a node with
    /// many stores, the other nodes open these stores gradually.
    static let maxOfferedStores = 16

    package var node: String { settings.node }
    private let settings: Settings
    private let log: Logger
    /// Connection for the lease, so that the renewal does not wait for statements about stores.
    private let leaseConnection: Postgres
    private let storeConnection: Postgres
    private let state: Mutex<State>

    /// Registers the node, and renews its lease until ``endPlacement()``.
    package static func registerAndStart(_ settings: Settings, log: Logger) async throws(NodeError) -> PostgresPlacement
    {
        let patience = Int32(clamping: Int(min(5, settings.leaseSeconds / 2) * 1000))
        let leases = Postgres(settings.connectionString, patience: max(patience, 500))
        do {
            _ = try await leases.runQuery(PlacementSchema.createTablesSQL)
            let tenure = try await registerFirst(settings, leases)
            do { try await checkFolder(settings, leases) } catch {
                // Other nodes may have passed stores to this node before the check of the folder failed. So this node
                // ends its lease, and other nodes can acquire these stores.
                _ = try? await leases.runQuery(PlacementSchema.endLeaseSQL, [settings.node, tenure.incarnation])
                throw error
            }
            let placement = PostgresPlacement(settings, leases, tenure, log)
            let loop = Task { [weak placement] in
                while let pause = await placement?.renewLease(), (try? await Task.sleep(for: .seconds(pause))) != nil {}
            }
            placement.state.withLock { $0.renewalLoop = loop }
            return placement
        } catch {
            throw error as? NodeError ?? .unavailable(reason: "\(error)")
        }
    }

    private init(_ settings: Settings, _ leases: Postgres, _ tenure: Tenure, _ log: Logger) {
        self.settings = settings
        self.log = log
        self.leaseConnection = leases
        storeConnection = Postgres(settings.connectionString, patience: 5_000, failurePause: .seconds(1))
        state = Mutex(State(tenure: tenure))
    }

    /// Registers the node for the first time, and returns its tenure. A dead process with this node name and another
    /// data folder may have left a lease. Then this function waits for the end of that lease.
    private static func registerFirst(_ settings: Settings, _ leases: Postgres) async throws -> Tenure {
        var seen: String?
        while true {
            if let tenure = try await registerNode(settings, leases, earlierProcessHasEnded: true) { return tenure }
            let lease = try await leases.runQuery(PlacementSchema.readLeaseEndSQL, [settings.node]).first?.first ?? nil
            // The lease was renewed during the wait, so another process has the name.
            if let seen, let lease, lease != seen { throw NodeError.nameTaken(settings.node) }
            seen = lease
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Compares the folder of stores of this node with the folder of the running nodes. This node must already be
    /// registered. So if two nodes start at the same time, at least one of them finds the other node.
    private static func checkFolder(_ settings: Settings, _ leases: Postgres) async throws {
        guard let folder = settings.folderID else { return }
        let rows = try await leases.runQuery(PlacementSchema.findOtherFolderSQL, [settings.node, folder])
        if let other = rows.first?.first ?? nil { throw NodeError.otherFolder(node: other) }
    }

    /// Registers the node.
    /// - Parameter earlierProcessHasEnded: whether an earlier process with this node's data folder is known to have
    ///   ended.
    /// - Returns: nil while another process has the lease of this name.
    private static func registerNode(
        _ settings: Settings,
        _ leases: Postgres,
        earlierProcessHasEnded: Bool
    ) async throws -> Tenure? {
        let begin = LeaseClock.microseconds()
        let load = settings.readLoad()
        let rows = try await leases.runQuery(
            PlacementSchema.registerNodeSQL,
            [
                settings.node, settings.ownerID, "\(settings.leaseSeconds)", "\(load.room)",
                earlierProcessHasEnded ? "t" : "f",
                settings.folderID,
            ]
        )
        guard let incarnation = rows.first?.first ?? nil else { return nil }
        return Tenure(incarnation, until: computeLeaseEnd(settings, begin))
    }

    private static func computeLeaseEnd(_ settings: Settings, _ begin: Int64) -> Int64 {
        begin + Int64(settings.leaseSeconds * 800_000)
    }

    /// Renews the lease, and takes offered stores.
    /// - Returns: the seconds until the next renewal.
    private func renewLease() async -> Double {
        let tenure = state.withLock { $0.tenure }
        guard tenure.isValid else {
            return await registerNodeAgain(after: tenure, "the lease could not be renewed in time")
        }
        let begin = LeaseClock.microseconds()
        let load = settings.readLoad()
        do {
            let rows = try await leaseConnection.runQuery(
                PlacementSchema.renewLeaseSQL,
                [
                    settings.node, tenure.incarnation, "\(settings.leaseSeconds)", "\(load.open)",
                    "\(remainingStoreCapacity(load))",
                ]
            )
            guard !rows.isEmpty else {
                return await self.registerNodeAgain(after: tenure, "the lease is missing in PostgreSQL")
            }
            tenure.extend(until: Self.computeLeaseEnd(settings, begin))
            state.withLock { $0.renewalCount &+= 1 }
        } catch {
            state.withLock { $0.failureCount &+= 1 }
            log.warning("The lease of this node was not renewed.", metadata: ["node": "\(node)", "reason": "\(error)"])
            return tenure.isValid ? settings.leaseSeconds / 10 : 0
        }
        callRegistrationHandler(tenure)
        await passOffersToHandler(remainingStoreCapacity(load), tenure)
        return settings.leaseSeconds / 4
    }

    /// Calls the handler of registrations once for each tenure, and again after a failure. Does not wait for the
    /// handler.
    private func callRegistrationHandler(_ tenure: Tenure) {
        let handler = state.withLock { state -> (@Sendable () async -> Bool)? in
            guard let handler = state.onRegistration, state.registeredTenure !== tenure else { return nil }
            state.registeredTenure = tenure
            return handler
        }
        guard let handler else { return }
        Task { [weak self] in
            if await handler() { return }
            self?.state.withLock { if $0.registeredTenure === tenure { $0.registeredTenure = nil } }
        }
    }

    /// Gives up all stores, and registers the node again.
    /// - Returns: the seconds until the next renewal.
    private func registerNodeAgain(after tenure: Tenure, _ reason: String) async -> Double {
        tenure.endTenure()
        let (isLoss, isNews) = state.withLock { state in
            // A loss is counted once for each tenure: a failed attempt to register again is no further loss.
            let isLoss = tenure !== state.lostTenure
            if isLoss { (state.lostTenure, state.lossCount, state.loggedReason) = (tenure, state.lossCount &+ 1, nil) }
            return (isLoss, state.tenure === tenure && state.onLoss != nil)
        }
        if isLoss { log.error("This node has lost its stores.", metadata: ["node": "\(node)", "reason": "\(reason)"]) }
        if isNews { await state.withLock { $0.onLoss }?() }
        do {
            guard let new = try await Self.registerNode(settings, leaseConnection, earlierProcessHasEnded: false) else {
                logReasonOnce("Another process has the name of this node.", [:])
                return settings.leaseSeconds / 2
            }
            state.withLock { $0.tenure = new }
            log.notice("This node has a lease again.", metadata: ["node": "\(node)"])
            return 0
        } catch {
            logReasonOnce("The placement of stores does not answer.", ["reason": "\(error)"])
            return min(1, settings.leaseSeconds / 4)
        }
    }

    /// Logs the reason why the node has no lease. The same reason is logged only once, although attempts are repeated.
    private func logReasonOnce(_ hindrance: Logger.Message, _ details: Logger.Metadata) {
        let text = "\(hindrance) \(details)"
        let isNew = state.withLock { state in
            defer { state.loggedReason = text }
            return state.loggedReason != text
        }
        if isNew { log.error(hindrance, metadata: details.merging(["node": "\(node)"]) { $1 }) }
    }

    /// Passes free stores to the handler of offers, which opens the stores. Does not wait for the handler, because the
    /// lease must be renewed while the stores are opened.
    private func passOffersToHandler(_ room: Int, _ tenure: Tenure) async {
        let handler = state.withLock { state in
            guard !state.isOffering, let handler = state.onOffer else {
                return (@Sendable ([String]) async -> Void)?.none
            }
            state.isOffering = true
            return handler
        }
        guard let handler else { return }
        guard room > 0 else {
            // This node may have become full after stores were passed to it, or may have a lower limit than before its
            // restart. Now every node may acquire these stores, so that they do not wait for this node.
            _ = try? await leaseConnection.runQuery(
                PlacementSchema.releaseFullNodeStoresSQL,
                [node, tenure.incarnation]
            )
            state.withLock { $0.isOffering = false }
            return
        }
        let stores = await findOfferedStores(room)
        guard !stores.isEmpty else {
            state.withLock { $0.isOffering = false }
            return
        }
        Task { [weak self] in
            await handler(stores)
            self?.state.withLock { $0.isOffering = false }
        }
    }

    /// Returns free stores that this node has to open. For the time of a lease, they are offered to no other node.
    func findOfferedStores(_ room: Int) async -> [String] {
        let rows = try? await leaseConnection.runQuery(
            PlacementSchema.findOfferedStoresSQL,
            [node, "\(min(room, Self.maxOfferedStores))", "\(settings.leaseSeconds)"]
        )
        return rows?.compactMap { $0.first ?? nil } ?? []
    }

    package func onLeaseLoss(_ handler: @escaping @Sendable () async -> Void) { state.withLock { $0.onLoss = handler } }
    package func onStoreOffer(_ handler: @escaping @Sendable ([String]) async -> Void) {
        state.withLock { $0.onOffer = handler }
    }

    package func onRegistration(_ handler: @escaping @Sendable () async -> Bool) {
        state.withLock { $0.onRegistration = handler }
    }

    package var hasLease: Bool { state.withLock { $0.tenure }.isValid }

    package var isDraining: Bool { state.withLock { $0.isDraining } }
    package func setDraining(isDraining: Bool) { state.withLock { $0.isDraining = isDraining } }

    /// Returns the number of additional stores that this node can take over; 0 while it is being drained.
    private func remainingStoreCapacity(_ load: (open: Int, room: Int)) -> Int { isDraining ? 0 : load.room }

    package func listNodes() async throws(PlacementError) -> [PlacedNode] {
        do {
            return try await storeConnection.runQuery(PlacementSchema.listNodesSQL).compactMap { row in
                guard row.count == 5, let name = row[0], let open = row[2].flatMap({ Int($0) }),
                    let room = row[3].flatMap({ Int($0) })
                else { return nil }
                return PlacedNode(name: name, openStores: open, room: room)
            }
        } catch { throw .unavailable(reason: "\(error)") }
    }

    package func findNodes(of stores: [String]) async throws(PlacementError) -> [String: String] {
        do {
            let list = "{" + stores.joined(separator: ",") + "}"
            return try await storeConnection.runQuery(PlacementSchema.findNodesOfStoresSQL, [list]).reduce(into: [:]) {
                found,
                row in
                if row.count == 2, let id = row[0] { found[id] = row[1] }
            }
        } catch { throw .unavailable(reason: "\(error)") }
    }

    package func recordWantedStores(_ stores: [String]) async throws(PlacementError) {
        guard !stores.isEmpty else { return }
        do {
            _ = try await storeConnection.runQuery(
                PlacementSchema.recordWantedStoresSQL,
                ["{" + stores.joined(separator: ",") + "}"]
            )
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    package func acquireStore(_ store: String, above token: UInt64) async throws(PlacementError) -> StoreLease {
        let tenure = state.withLock { $0.tenure }
        guard tenure.isValid else { throw .unavailable(reason: "the lease of this node has ended") }
        guard token <= UInt64(Int64.max) - Self.maxTokenStep
        else { throw .unavailable(reason: "the store's fence is damaged") }
        do {
            for _ in 0..<3 {
                if let text = try await storeConnection.runQuery(
                    PlacementSchema.acquireStoreSQL,
                    [store, node, tenure.incarnation, "\(token)"]
                ).first?.first ?? nil {
                    // The token will be written into the store's fence, and every later token must be greater. A token
                    // near the maximal number would leave no numbers for later tokens, so a large step is refused. A
                    // token that is not greater is refused too.
                    guard let next = UInt64(text), next > token, next - token <= Self.maxTokenStep
                    else { throw PostgresError.unexpectedAnswer }
                    return StoreLease(token: next) { tenure.isValid }
                }
                let row =
                    try await storeConnection.runQuery(
                        PlacementSchema.findHolderSQL,
                        [store, node, tenure.incarnation]
                    ).first
                    ?? []
                guard row.count == 2, row[1] == "t" else {
                    throw PlacementError.unavailable(reason: "the lease of this node has ended")
                }
                if let holder = row[0], holder != node { throw PlacementError.atOtherNode(node: holder) }
                // If no other node has the store, it was released after the first statement. So the loop tries again.
            }
            throw PlacementError.unavailable(reason: "the store is moving between nodes")
        } catch {
            throw error as? PlacementError ?? .unavailable(reason: "\(error)")
        }
    }

    package func releaseStore(_ store: String, _ lease: StoreLease, isWanted: Bool?) async {
        // Without a valid lease, the store no longer belongs to this node, and cannot be released.
        guard lease.isValid() else { return }
        do {
            _ = try await storeConnection.runQuery(
                PlacementSchema.releaseStoreSQL,
                [store, "\(lease.token)", isWanted.map { $0 ? "t" : "f" }, nil]
            )
        } catch {
            // The store was not released. It becomes free when the node's lease ends, or at this node's next attempt.
            log.warning("A store was not released.", metadata: ["store": "\(store)", "reason": "\(error)"])
        }
    }

    package func passStore(
        _ store: String,
        _ lease: StoreLease,
        to node: String,
        isWanted: Bool?
    ) async throws(PlacementError) {
        do {
            _ = try await storeConnection.runQuery(
                PlacementSchema.releaseStoreSQL,
                [store, "\(lease.token)", isWanted.map { $0 ? "t" : "f" }, node]
            )
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    package func checkCapacity(of node: String) async throws(PlacementError) {
        let rows: [[String?]]
        do { rows = try await storeConnection.runQuery(PlacementSchema.readRoomSQL, [node]) } catch {
            throw .unavailable(reason: "\(error)")
        }
        guard let room = rows.first?.first ?? nil else { throw .unknownNode(node) }
        guard room != "0" else { throw .noRoom(node: node) }
    }

    package func findNodeWithRoom() async -> String? {
        guard let row = try? await storeConnection.runQuery(PlacementSchema.findNodeWithRoomSQL, [node]).first else {
            return nil
        }
        return row.first ?? nil
    }

    package func removeStore(_ store: String, _ lease: StoreLease) async {
        _ = try? await storeConnection.runQuery(PlacementSchema.removeStoreSQL, [store, "\(lease.token)"])
    }

    /// The metrics of the placement in the text form of Prometheus.
    package var metricsText: String {
        let (tenure, renewals, failures, losses) = state.withLock {
            ($0.tenure, $0.renewalCount, $0.failureCount, $0.lossCount)
        }
        let load = settings.readLoad()
        var text = MetricsText()
        text.writeValue(
            "sxgw_node_lease_seconds",
            .gauge,
            "Time until this node must release its stores, unless its lease is renewed; 0 without a lease.",
            tenure.secondsLeft
        )
        text.writeValue("sxgw_node_stores_open", .gauge, "Stores that are open at this node.", load.open)
        text.writeValue(
            "sxgw_node_stores_room",
            .gauge,
            "How many more stores this node can open.",
            remainingStoreCapacity(load)
        )
        text.writeValue("sxgw_node_lease_renewals_total", .counter, "Renewals of the lease of this node.", renewals)
        text.writeValue(
            "sxgw_node_lease_failures_total",
            .counter,
            "Renewals that PostgreSQL did not answer, or refused.",
            failures
        )
        text.writeValue("sxgw_node_lease_losses_total", .counter, "How often this node has lost its stores.", losses)
        return text.text
    }

    /// Ends the placement of this node. All its stores are free immediately.
    package func endPlacement() async {
        let (loop, tenure) = state.withLock { ($0.renewalLoop, $0.tenure) }
        loop?.cancel()
        await loop?.value
        tenure.endTenure()
        _ = try? await leaseConnection.runQuery(PlacementSchema.endLeaseSQL, [node, tenure.incarnation])
        await leaseConnection.closeConnection()
        await storeConnection.closeConnection()
    }
}
