import Files
import Foundation
import JSON
import NIOCore
import NIOPosix
import ServerSupport
import Synchronization

/// Measures one, two and three nodes: gateways that share stores, with a relay and PostgreSQL on this machine. Measures
/// the costs of a node, an open store and a closed store, and the speed of reading, writing, opening and moving stores.
/// - Parameters:
///   - folder: the folder of the stores. A later run uses them again.
///   - count: the number of stores.
///   - used: the number of these stores that are open. Each has a profile and a contact.
func measureNodes(
    folder: String,
    executable: String,
    count: Int,
    used: Int,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let nodesFolder = folder + "/nodes-\(count)-\(used)"
    let relay = try KeptRelay(folder: nodesFolder, executable: executable)
    defer { relay.child.terminateProcess() }
    try FileManager.default.createDirectory(atPath: nodesFolder + "/stores", withIntermediateDirectories: true)
    let postgres = try PostgresServer()
    defer { postgres.remove() }
    try (postgres.connectionString + "\n").write(toFile: nodesFolder + "/placement", atomically: true, encoding: .utf8)
    let cluster = NodeCluster(
        folder: nodesFolder,
        relay: relay.address,
        executable: executable,
        maxOpenStores: used + 8,
        group: group
    )
    let stores = try await cluster.makeStores(count: count, used: used)
    // The node makes the tables. Then the tables get one row for each unused store, as if the store had been open once.
    try await cluster.startNode(0).stop()
    try postgres.resetPlacement(of: stores)
    var figures = try measureDisk(nodesFolder, stores)
    for nodes in 1...3 {
        let measurement = try await NodesMeasurement(
            cluster,
            stores,
            nodes: nodes,
            seconds: seconds,
            relayPort: relay.port,
            postgres
        )
        figures += try await measurement.runMeasurements()
    }
    let tableBytes = Double(try postgres.queryValue("SELECT pg_total_relation_size('sxgw_store')")) ?? .nan
    return figures + [
        Figure(name: "PostgreSQL, for each of \(count) stores", value: tableBytes / Double(count), unit: "bytes")
    ]
}

extension PostgresServer {
    /// Deletes all rows of stores in PostgreSQL. Then writes a row for each unused store, as if the store had been open
    /// once.
    fileprivate func resetPlacement(of stores: PlacedStores) throws {
        try runSQL("TRUNCATE sxgw_store")
        for part in stride(from: 0, to: stores.idle.count, by: 500) {
            let rows = stores.idle[part..<min(part + 500, stores.idle.count)].map { "('\($0.id)', 1)" }.joined(
                separator: ", "
            )
            try runSQL("INSERT INTO sxgw_store (id, token) VALUES \(rows)")
        }
    }
}

/// The folder and settings of the nodes that share stores.
private struct NodeCluster {
    let folder: String
    let relay: String
    let executable: String
    let maxOpenStores: Int
    let group: any EventLoopGroup

    static let nodeNames = ["one", "two", "three"]

    /// Makes the stores, or returns the stores of an earlier run.
    func makeStores(count: Int, used: Int) async throws -> PlacedStores {
        if let saved = PlacedStores(savedIn: folder) { return saved }
        let stores = try await PlacedStores(relay, count: count, used: used, folder: folder) {
            try await startNode(0)
        }
        for index in 1..<3 { try await startNode(index).stop() }
        try stores.saveStores(in: folder)
        return stores
    }

    func startNode(_ index: Int) async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: folder + "/" + Self.nodeNames[index],
            port: try FreePort.takeNext(),
            relay: relay,
            executable: executable,
            group: group,
            more: [
                "--node", Self.nodeNames[index], "--stores", folder + "/stores", "--placement-file",
                folder + "/placement",
                "--close-idle-stores", "3600",
                "--max-open-stores", "\(maxOpenStores)",
            ]
        )
    }
}

/// Maps the index of each store to the port of the node that has the store. Requests go directly to this port, as
/// through a proxy that knows the node. The two stores of a pair are at the same node until stores are moved.
private final class StorePorts: Sendable {
    private let ports: Mutex<[Int]>

    init(_ count: Int, _ nodes: [Int]) { ports = Mutex((0..<count).map { nodes[$0 / 2 % nodes.count] }) }

    subscript(_ index: Int) -> Int {
        get { ports.withLock { $0[index] } }
        set { ports.withLock { $0[index] = newValue } }
    }
}

/// Measures a cluster with a given number of nodes.
private final class NodesMeasurement {
    private let cluster: NodeCluster
    private let usedStores: [PlacedStores.Store]
    private let idleStores: [PlacedStores.Store]
    private let nodes: [BenchedGateway]
    private let ports: [Int]
    private let storePorts: StorePorts
    private let measureSeconds: Int64
    private let relayPort: Int
    private let postgres: PostgresServer
    /// Number of bytes of the stores in use, before this measurement opened them.
    private let initialStoreBytes: Double
    private let title: String
    private var figures: [Figure] = []

    init(
        _ cluster: NodeCluster,
        _ stores: PlacedStores,
        nodes count: Int,
        seconds: Int64,
        relayPort: Int,
        _ postgres: PostgresServer
    ) async throws {
        initialStoreBytes = try stores.used.reduce(0) { try $0 + measureStoreBytes($1, in: cluster.folder) }
        var nodes: [BenchedGateway] = []
        for index in 0..<count { nodes.append(try await cluster.startNode(index)) }
        (self.cluster, self.nodes, self.measureSeconds, self.relayPort, self.postgres) = (
            cluster, nodes, seconds, relayPort, postgres
        )
        (usedStores, idleStores) = (stores.used, stores.idle)
        ports = nodes.map(\.port)
        storePorts = StorePorts(stores.used.count, ports)
        title = count == 1 ? "1 node" : "\(count) nodes"
    }

    private var loads: StoreLoads {
        StoreLoads(stores: usedStores, group: cluster.group) { [storePorts] in storePorts[$0] }
    }

    private var residentBytes: Double { nodes.reduce(0) { $0 + Double($1.child.residentBytes) } }
    private var processorSeconds: Double { nodes.reduce(0) { $0 + $1.child.processorSeconds } }

    private func addFigure(_ name: String, _ value: Double, _ unit: String, baseline: (String, Double)? = nil) {
        figures.append(Figure(name: "\(title): \(name)", value: value, unit: unit, baseline: baseline))
    }

    func runMeasurements() async throws -> [Figure] {
        addFigure("start to ready", nodes.map(\.secondsToReady).reduce(0, +) / Double(nodes.count) * 1000, "ms")
        if nodes.count == 1 { try await measureClosedStores() }
        try await measureOpening()
        try await measureIdleNodes()
        try await measureReads()
        let messages = try await measureMessages()
        if nodes.count > 1 { try await measureMoves() }
        for node in nodes { await node.stop() }
        let grown = try usedStores.reduce(0) { try $0 + measureStoreBytes($1, in: cluster.folder) } - initialStoreBytes
        addFigure("disk of both sides for a message, with its events", grown / Double(messages) / 1024, "KiB")
        return figures
    }

    private func measureClosedStores() async throws {
        let (alone, port, key, idle) = (residentBytes, ports[0], nodes[0].key, idleStores)
        addFigure("resident memory, no store open", alone / 1_048_576, "MiB")
        _ = try await runForEachStore(idle.count, group: cluster.group) { index, connections in
            try checkAnswer(
                try await connections.findOrOpenConnection(toPort: port).sendRequest(
                    "GET",
                    "/v1/stores/\(idle[index].id)",
                    key: key
                ),
                "GET store"
            )
        }
        addFigure(
            "memory for each of \(idle.count) closed stores that were requested",
            (residentBytes - alone) / Double(max(idle.count, 1)) / 1024,
            "KiB"
        )
    }

    private func measureOpening() async throws {
        let (before, begin, used) = (residentBytes, NIODeadline.now(), usedStores)
        let openings = try await loads.readProfiles(tasks: 4)
        addFigure("stores opened, four at a time", Double(used.count) / (millisecondsPassed(since: begin) / 1000), "/s")
        addFigure("a store opened, p50", percentile(openings, 0.5), "ms")
        // Waits until all stores have subscribed to their queues.
        let sessions = try await waitForConnections(to: relayPort, atLeast: used.count)
        addFigure(
            "memory for each of \(used.count) open stores",
            (residentBytes - before) / Double(used.count) / 1024,
            "KiB"
        )
        addFigure(
            "open files for each open store",
            Double(nodes.reduce(0) { $0 + readOpenFileCount($1) }) / Double(used.count),
            "files"
        )
        addFigure("connections to the relay", Double(sessions), "", baseline: ("open stores", Double(used.count)))
    }

    private func measureIdleNodes() async throws {
        let (processor, statements, begin) = (processorSeconds, try readCommitCount(postgres), NIODeadline.now())
        try await Task.sleep(for: .seconds(measureSeconds))
        let time = millisecondsPassed(since: begin) / 1000
        addFigure("processor time without any requests", (processorSeconds - processor) / time * 1000, "ms/s")
        addFigure("transactions of PostgreSQL meanwhile", (try readCommitCount(postgres) - statements) / time, "/s")
    }

    private func measureReads() async throws {
        let begin = NIODeadline.now()
        let reads = try await loads.readProfiles(until: begin + .seconds(measureSeconds))
        addFigure(
            "reads, by node",
            Double(reads.count) / (millisecondsPassed(since: begin) / 1000) / Double(nodes.count),
            "req/s"
        )
        addFigure("a read, p99", percentile(reads, 0.99), "ms")
    }

    /// Sends messages between the stores in use, and measures the rate and the processor time.
    /// - Returns: the number of messages that were sent.
    private func measureMessages() async throws -> Int {
        let (begin, busy) = (NIODeadline.now(), processorSeconds)
        let messages = try await loads.sendMessages("message", until: begin + .seconds(measureSeconds)).count
        let writeTime = millisecondsPassed(since: begin) / 1000
        let last = "last \(nodes.count)"
        _ = try await loads.sendMessages(last)
        try await loads.waitForText(last)
        let deliveredTime = millisecondsPassed(since: begin) / 1000
        let all = messages + usedStores.count
        addFigure("messages taken, by node", Double(messages) / writeTime / Double(nodes.count), "msg/s")
        addFigure("messages delivered, by node", Double(all) / deliveredTime / Double(nodes.count), "msg/s")
        addFigure("processor time of both sides for a message", (processorSeconds - busy) / Double(all) * 1000, "ms")
        return all
    }

    private func measureMoves() async throws {
        let (begin, places, ports, used) = (NIODeadline.now(), storePorts, ports, usedStores)
        let keys = Dictionary(uniqueKeysWithValues: nodes.map { ($0.port, $0.key) })
        let times = try await runForEachStore(
            used.count,
            tasks: 4,
            until: begin + .seconds(measureSeconds),
            group: cluster.group
        ) {
            index,
            connections in
            let (from, at) = (places[index], ports.firstIndex(of: places[index]) ?? 0)
            let next = (at + 1) % ports.count
            try checkAnswer(
                try await connections.findOrOpenConnection(toPort: from).sendRequest(
                    "POST",
                    "/v1/stores/\(used[index].id)/move",
                    key: keys[from],
                    body: #"{"node":"\#(NodeCluster.nodeNames[next])"}"#
                ),
                "POST move"
            )
            places[index] = ports[next]
            // The next node answers the request only when it has opened the store.
            try checkAnswer(
                try await connections.findOrOpenConnection(toPort: ports[next]).sendRequest(
                    "GET",
                    "/v1/users",
                    key: used[index].key
                ),
                "GET users"
            )
        }
        addFigure(
            "moves of open stores, four at a time",
            Double(times.count) / (millisecondsPassed(since: begin) / 1000) * 60,
            "/min"
        )
        addFigure("a move until the other node answers, p50", percentile(times, 0.5), "ms")
        addFigure("the same, p99", percentile(times, 0.99), "ms")
    }
}

private func readOpenFileCount(_ node: BenchedGateway) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(node.child.processID)/fd").count) ?? 0
}

private func readCommitCount(_ postgres: PostgresServer) throws -> Double {
    Double(try postgres.queryValue("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")) ?? .nan
}

/// Returns the size in bytes of all files of a store. No node may have the store open.
private func measureStoreBytes(_ store: PlacedStores.Store, in folder: String) throws -> Double {
    let path = "\(folder)/stores/\(store.id)"
    return try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) {
        $0 + Double((try FileManager.default.attributesOfItem(atPath: path + "/" + $1)[.size] as? Int) ?? 0)
    }
}

private func measureDisk(_ folder: String, _ stores: PlacedStores) throws -> [Figure] {
    [
        Figure(
            name: "disk, a store with a profile and no contact",
            value: try stores.idle.first.map { try measureStoreBytes($0, in: folder) / 1024 } ?? .nan,
            unit: "KiB"
        ),
        Figure(
            name: "disk, a store with a contact, p50 of those in use",
            value: percentile(try stores.used.map { try measureStoreBytes($0, in: folder) }, 0.5) / 1024,
            unit: "KiB"
        ),
    ]
}
