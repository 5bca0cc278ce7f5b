import Files
import Foundation
import JSON
import NIOCore

/// Holds one open connection to each node, and opens it at the first use.
final class NodeConnections {
    private var connections: [Int: HTTPConnection] = [:]
    private let group: any EventLoopGroup

    init(_ group: any EventLoopGroup) { self.group = group }

    func findOrOpenConnection(toPort port: Int) async throws -> HTTPConnection {
        if let connection = connections[port] { return connection }
        let made = try await HTTPConnection.openConnection(port: port, group: group)
        connections[port] = made
        return made
    }

    func close() async { for connection in connections.values { await connection.close() } }
}

func checkAnswer(_ answer: HTTPConnection.Answer, _ what: String) throws {
    guard (200..<300).contains(answer.status) else {
        throw BenchedGateway.UnexpectedAnswer(
            request: what,
            status: answer.status,
            body: String(decoding: answer.body, as: UTF8.self)
        )
    }
}

/// Runs `body` once for each store, with `tasks` tasks in parallel. If `end` is given, runs `body` for all stores again
/// and again until this time. Task `n` handles the stores with the indices `n`, `n + tasks`, and so on.
/// - Returns: the duration of each run of `body` in milliseconds.
func runForEachStore(
    _ count: Int,
    tasks: Int = 8,
    until end: NIODeadline? = nil,
    group: any EventLoopGroup,
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
                        times.append(millisecondsPassed(since: start))
                    }
                } while end.map { NIODeadline.now() < $0 } ?? false
                await connections.close()
                return times
            }
        }
        return try await running.reduce(into: []) { $0 += $1 }
    }
}

/// Sends requests to stores that have each other as contacts, in pairs.
struct StoreLoads: Sendable {
    let stores: [PlacedStores.Store]
    let group: any EventLoopGroup
    /// Returns the port of the gateway that has a store, by the store's index.
    let findPort: @Sendable (Int) -> Int

    /// Reads the profiles of each store once, or of all stores in turn until `end`. The first request to a store opens
    /// the store.
    /// - Returns: the time of each request in milliseconds.
    func readProfiles(tasks: Int = 8, until end: NIODeadline? = nil) async throws -> [Double] {
        try await runForEachStore(stores.count, tasks: tasks, until: end, group: group) { index, connections in
            try checkAnswer(
                try await connections.findOrOpenConnection(toPort: findPort(index)).sendRequest(
                    "GET",
                    "/v1/users",
                    key: stores[index].key
                ),
                "GET users"
            )
        }
    }

    /// Sends a message from each store to its contact once, or from all stores in turn until `end`.
    /// - Returns: the time of each request in milliseconds.
    func sendMessages(_ text: String, until end: NIODeadline? = nil) async throws -> [Double] {
        let body = BenchedGateway.makeTextMessage(text)
        return try await runForEachStore(stores.count, until: end, group: group) { index, connections in
            try checkAnswer(
                try await connections.findOrOpenConnection(toPort: findPort(index)).sendRequest(
                    "POST",
                    "/v1/users/1/chats/direct/\(stores[index].contactID)/messages",
                    key: stores[index].key,
                    body: body
                ),
                "POST message"
            )
        }
    }

    /// Waits until each store has received this text from the other store of its pair.
    func waitForText(_ text: String) async throws {
        _ = try await runForEachStore(stores.count, group: group) { index, connections in
            while true {
                let answer = try await connections.findOrOpenConnection(toPort: findPort(index)).sendRequest(
                    "GET",
                    "/v1/users/1/chats/direct/\(stores[index].contactID)?limit=4",
                    key: stores[index].key
                )
                try checkAnswer(answer, "GET chat")
                let items = try JSONValue(parsing: answer.body)["chat"]?["chatItems"]?.arrayValue ?? []
                if items.contains(where: {
                    $0["chatDir"]?["type"] == "directRcv" && $0["content"]?["msgContent"]?["text"]?.stringValue == text
                }) {
                    return
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

/// Waits until this machine has at least `wanted` connections to a port on loopback, at most `seconds`. Returns the
/// number of connections.
func waitForConnections(to port: Int, atLeast wanted: Int, seconds: Int64 = 20) async throws -> Int {
    let end = NIODeadline.now() + .seconds(seconds)
    while true {
        // Foundation would read only the first page of this file.
        let table = try DiskFiles.readFile("/proc/net/tcp", limit: 1 << 26) ?? []
        let suffix = ":" + String(format: "%04X", port)
        let count = String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
        }
        guard count < wanted, NIODeadline.now() < end else { return count }
        try await Task.sleep(for: .milliseconds(50))
    }
}
