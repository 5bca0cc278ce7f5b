import Files
import Foundation
import JSON
import NIOCore
import ServerSupport
import Synchronization

/// One, two and three nodes that have the same stores, with a relay and a PostgreSQL, all on this machine: what a node, an open and a closed store cost, and how
/// fast stores are read, written to, opened and moved.
/// - Parameters:
///   - folder: where the stores are made, and found again by a later run.
///   - count: of stores. `used` of them are in use: each has a profile and a contact, and is open.
func measureNodes(folder: String, executable: String, count: Int, used: Int, seconds: Int64, group: any EventLoopGroup) async throws -> [Figure] {
    let place = folder + "/nodes-\(count)-\(used)"
    let isMade = PlacedStores(savedIn: place) != nil
    if !isMade {
        try? FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place + "/stores", withIntermediateDirectories: true)
    }
    let relay = try Child(executable, ["relay", "--data", place + "/relay", "--port", "15240"], log: place + "/relay.log")
    defer { relay.terminate() }
    guard let line = relay.line(containing: "Relay:"), let address = line.split(separator: " ").last.map(String.init) else { throw HTTPConnection.Failure.closed }
    let postgres = try PostgresServer()
    defer { postgres.remove() }
    try (postgres.connection + "\n").write(toFile: place + "/placement", atomically: true, encoding: .utf8)
    let cluster = Cluster(folder: place, relay: address, executable: executable, openStores: used + 8, group: group)
    let stores: PlacedStores
    if let saved = PlacedStores(savedIn: place) { stores = saved } else {
        stores = try await PlacedStores(address, count: count, used: used, folder: place) { try await cluster.node(0) }
        for index in 1..<3 { try await cluster.node(index).stop() }
        try stores.save(in: place)
    }
    // As it is when each store was open once.
    try await cluster.node(0).stop()
    try postgres.sql("TRUNCATE sxgw_store")
    for part in stride(from: 0, to: stores.idle.count, by: 500) {
        let rows = stores.idle[part..<min(part + 500, stores.idle.count)].map { "('\($0.id)', 1)" }.joined(separator: ", ")
        try postgres.sql("INSERT INTO sxgw_store (id, token) VALUES \(rows)")
    }
    var figures = try diskFigures(place, stores)
    for nodes in 1...3 {
        figures += try await measure(cluster, stores, nodes: nodes, seconds: seconds, relayPort: 15_240, postgres)
    }
    figures.append(
        Figure(name: "PostgreSQL, for each of \(count) stores", value: (Double(try postgres.value("SELECT pg_total_relation_size('sxgw_store')")) ?? .nan) / Double(count), unit: "bytes"))
    return figures
}

/// How nodes are started.
private struct Cluster {
    let folder: String
    let relay: String
    let executable: String
    let openStores: Int
    let group: any EventLoopGroup

    static let names = ["one", "two", "three"]

    func node(_ index: Int) async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: folder + "/" + Self.names[index], port: 15_241 + index, relay: relay, executable: executable, group: group,
            more: [
                "--node", Self.names[index], "--stores", folder + "/stores", "--placement-file", folder + "/placement", "--close-idle-stores", "3600",
                "--max-open-stores", "\(openStores)",
            ])
    }
}

/// The port of the node at which each store is, so that requests go there; as a proxy knows it.
private final class Places: Sendable {
    private let ports: Mutex<[Int]>

    init(_ count: Int, _ nodes: [Int]) { ports = Mutex((0..<count).map { nodes[$0 / 2 % nodes.count] }) }

    subscript(_ index: Int) -> Int {
        get { ports.withLock { $0[index] } }
        set { ports.withLock { $0[index] = newValue } }
    }
}

/// One connection to each node.
private final class NodeConnections {
    private var open: [Int: HTTPConnection] = [:]
    private let group: any EventLoopGroup

    init(_ group: any EventLoopGroup) { self.group = group }

    func callAsFunction(_ port: Int) async throws -> HTTPConnection {
        if let connection = open[port] { return connection }
        let made = try await HTTPConnection.open(port: port, group: group)
        open[port] = made
        return made
    }

    func close() async { for connection in open.values { await connection.close() } }
}

private func checked(_ answer: HTTPConnection.Answer, _ what: String) throws {
    guard (200..<300).contains(answer.status) else {
        throw BenchedGateway.Unexpected(request: what, status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
    }
}

/// Runs `body` for stores, each task with those that come `tasks` after each other, until there is none left or the time is over.
/// - Returns: how long each took, in milliseconds.
private func each(
    _ count: Int, tasks: Int = 8, until end: NIODeadline? = nil, group: any EventLoopGroup,
    _ body: @escaping @Sendable (Int, NodeConnections) async throws -> Void
) async throws -> [Double] {
    try await withThrowingTaskGroup(of: [Double].self) { running in
        for first in 0..<min(tasks, count) {
            running.addTask {
                let connections = NodeConnections(group)
                var times: [Double] = []
                repeat {
                    for index in stride(from: first, to: count, by: tasks) {
                        if let end, NIODeadline.now() >= end { break }
                        let start = NIODeadline.now()
                        try await body(index, connections)
                        times.append(milliseconds(since: start))
                    }
                } while end.map { NIODeadline.now() < $0 } ?? false
                await connections.close()
                return times
            }
        }
        return try await running.reduce(into: []) { $0 += $1 }
    }
}

private func measure(
    _ cluster: Cluster, _ stores: PlacedStores, nodes count: Int, seconds: Int64, relayPort: Int, _ postgres: PostgresServer
) async throws -> [Figure] {
    let onDisk = try stores.used.reduce(0) { try $0 + bytes($1, in: cluster.folder) }
    var nodes: [BenchedGateway] = []
    for index in 0..<count { nodes.append(try await cluster.node(index)) }
    let title = count == 1 ? "1 node" : "\(count) nodes"
    let group = cluster.group
    let (used, idle) = (stores.used, stores.idle)
    let ports = nodes.map(\.port)
    let keys = Dictionary(uniqueKeysWithValues: nodes.map { ($0.port, $0.key) })
    var figures = [Figure(name: "\(title): start to ready", value: nodes.map(\.secondsToReady).reduce(0, +) / Double(count) * 1000, unit: "ms")]
    func memory() -> Double { nodes.reduce(0) { $0 + Double($1.child.residentBytes) } }
    let alone = memory()
    if count == 1 {
        figures.append(Figure(name: "\(title): resident memory, no store open", value: alone / 1_048_576, unit: "MiB"))
        _ = try await each(idle.count, group: group) { index, connections in
            try checked(try await connections(ports[0]).request("GET", "/v1/stores/\(idle[index].id)", key: keys[ports[0]]), "GET store")
        }
        figures.append(Figure(name: "\(title): memory for each of \(idle.count) closed stores that were asked for", value: (memory() - alone) / Double(max(idle.count, 1)) / 1024, unit: "KiB"))
    }
    let places = Places(used.count, ports)
    let before = memory()
    let opened = NIODeadline.now()
    let openings = try await each(used.count, tasks: 4, group: group) { index, connections in
        try checked(try await connections(places[index]).request("GET", "/v1/users", key: used[index].key), "GET users")
    }
    figures += [
        Figure(name: "\(title): stores opened, four at a time", value: Double(used.count) / (milliseconds(since: opened) / 1000), unit: "/s"),
        Figure(name: "\(title): a store opened, p50", value: percentile(openings, 0.5), unit: "ms"),
    ]
    // All have subscribed to their queues.
    let sessions = try await connected(to: relayPort, atLeast: used.count)
    figures += [
        Figure(name: "\(title): memory for each of \(used.count) open stores", value: (memory() - before) / Double(used.count) / 1024, unit: "KiB"),
        Figure(name: "\(title): open files for each", value: Double(nodes.reduce(0) { $0 + files($1) }) / Double(used.count), unit: "files"),
        Figure(name: "\(title): connections to the relay", value: Double(sessions), unit: "", baseline: ("open stores", Double(used.count))),
    ]
    let processor = nodes.reduce(0) { $0 + $1.child.processorSeconds }, statements = try commits(postgres), quiet = NIODeadline.now()
    try await Task.sleep(for: .seconds(seconds))
    let still = milliseconds(since: quiet) / 1000
    figures += [
        Figure(name: "\(title): processor time while nothing happens", value: (nodes.reduce(0) { $0 + $1.child.processorSeconds } - processor) / still * 1000, unit: "ms/s"),
        Figure(name: "\(title): transactions of PostgreSQL meanwhile", value: (try commits(postgres) - statements) / still, unit: "/s"),
    ]
    var begin = NIODeadline.now()
    let reads = try await each(used.count, until: begin + .seconds(seconds), group: group) { index, connections in
        try checked(try await connections(places[index]).request("GET", "/v1/users", key: used[index].key), "GET users")
    }
    let readTime = milliseconds(since: begin) / 1000
    figures += [
        Figure(name: "\(title): reads, by node", value: Double(reads.count) / readTime / Double(count), unit: "req/s"),
        Figure(name: "\(title): a read, p99", value: percentile(reads, 0.99), unit: "ms"),
    ]
    begin = .now()
    let busy = nodes.reduce(0) { $0 + $1.child.processorSeconds }
    let messages = try await each(used.count, until: begin + .seconds(seconds), group: group) { index, connections in
        let body = BenchedGateway.textMessage("message")
        try checked(try await connections(places[index]).request("POST", "/v1/users/1/chats/direct/\(used[index].contact)/messages", key: used[index].key, body: body), "POST message")
    }
    let writeTime = milliseconds(since: begin) / 1000
    // The last of each is at the other one of the pair.
    _ = try await each(used.count, group: group) { index, connections in
        let body = BenchedGateway.textMessage("last \(count)")
        try checked(try await connections(places[index]).request("POST", "/v1/users/1/chats/direct/\(used[index].contact)/messages", key: used[index].key, body: body), "POST message")
    }
    _ = try await each(used.count, group: group) { index, connections in
        while true {
            let answer = try await connections(places[index]).request("GET", "/v1/users/1/chats/direct/\(used[index].contact)?count=4", key: used[index].key)
            try checked(answer, "GET chat")
            let items = try JSONValue(parsing: answer.body)["chat"]?["chatItems"]?.arrayValue ?? []
            if items.contains(where: { $0["chatDir"]?["type"] == "directRcv" && $0["content"]?["msgContent"]?["text"]?.stringValue == "last \(count)" }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
    let deliveredTime = milliseconds(since: begin) / 1000
    let spent = nodes.reduce(0) { $0 + $1.child.processorSeconds } - busy
    figures += [
        Figure(name: "\(title): messages taken, by node", value: Double(messages.count) / writeTime / Double(count), unit: "msg/s"),
        Figure(name: "\(title): messages delivered, by node", value: Double(messages.count + used.count) / deliveredTime / Double(count), unit: "msg/s"),
        Figure(name: "\(title): processor time of both sides for a message", value: spent / Double(messages.count + used.count) * 1000, unit: "ms"),
    ]
    if count > 1 { figures += try await moves(title, used, places, ports, keys, seconds: seconds, group: group) }
    for node in nodes { await node.stop() }
    let grown = try stores.used.reduce(0) { try $0 + bytes($1, in: cluster.folder) } - onDisk
    figures.append(
        Figure(name: "\(title): disk of both sides for a message, with its events", value: grown / Double(messages.count + used.count) / 1024, unit: "KiB"))
    return figures
}

private func moves(
    _ title: String, _ used: [PlacedStores.Store], _ places: Places, _ ports: [Int], _ keys: [Int: String], seconds: Int64, group: any EventLoopGroup
) async throws -> [Figure] {
    let begin = NIODeadline.now()
    let times = try await each(used.count, tasks: 4, until: begin + .seconds(seconds), group: group) { index, connections in
        let (from, at) = (places[index], ports.firstIndex(of: places[index]) ?? 0)
        let next = (at + 1) % ports.count
        try checked(
            try await connections(from).request("POST", "/v1/stores/\(used[index].id)/move", key: keys[from], body: #"{"node":"\#(Cluster.names[next])"}"#), "POST move")
        places[index] = ports[next]
        // Whoever asks for it now waits until it is open there.
        try checked(try await connections(ports[next]).request("GET", "/v1/users", key: used[index].key), "GET users")
    }
    return [
        Figure(name: "\(title): moves of open stores, four at a time", value: Double(times.count) / (milliseconds(since: begin) / 1000) * 60, unit: "/min"),
        Figure(name: "\(title): a move until the other node answers, p50", value: percentile(times, 0.5), unit: "ms"),
        Figure(name: "\(title): the same, p99", value: percentile(times, 0.99), unit: "ms"),
    ]
}

/// Connections of this machine to a port on loopback, as soon as there are so many, or when no more come.
private func connected(to port: Int, atLeast wanted: Int) async throws -> Int {
    let end = NIODeadline.now() + .seconds(20)
    while true {
        // Foundation reads only the first page of it.
        let table = try DiskFiles.read("/proc/net/tcp", limit: 1 << 26) ?? []
        let suffix = ":" + String(format: "%04X", port)
        let count = String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
        }
        guard count < wanted, NIODeadline.now() < end else { return count }
        try await Task.sleep(for: .milliseconds(50))
    }
}

private func files(_ node: BenchedGateway) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(node.child.identifier)/fd").count) ?? 0
}

private func commits(_ postgres: PostgresServer) throws -> Double {
    Double(try postgres.value("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")) ?? .nan
}

/// The size of all files of a store. No node has it open.
private func bytes(_ store: PlacedStores.Store?, in folder: String) throws -> Double {
    guard let store else { return .nan }
    let path = "\(folder)/stores/\(store.id)"
    return try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) {
        $0 + Double((try FileManager.default.attributesOfItem(atPath: path + "/" + $1)[.size] as? Int) ?? 0)
    }
}

private func diskFigures(_ folder: String, _ stores: PlacedStores) throws -> [Figure] {
    [
        Figure(name: "disk, a store with a profile and no contact", value: try bytes(stores.idle.first, in: folder) / 1024, unit: "KiB"),
        Figure(name: "disk, a store with a contact, p50 of those in use", value: percentile(try stores.used.map { try bytes($0, in: folder) }, 0.5) / 1024, unit: "KiB"),
    ]
}
