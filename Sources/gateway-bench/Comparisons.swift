import ComparedProtocols
import Foundation
import NIOCore

/// Compares the gateway with well-known servers. For writes, the gateway stores notes, and storage servers store
/// payloads of the same size. For reads, the gateway returns its smallest answer, and nginx serves a file with the same
/// bytes. A server that is not installed, or that fails, is named on standard output.
func measureComparisons(
    executable: String,
    folder: String,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let gateway = try await BenchedGateway(
        folder: folder + "/comparisons",
        port: try FreePort.takeNext(),
        relayPort: try FreePort.takeNext(),
        executable: executable,
        group: group
    )
    do {
        try await gateway.createUser("alice")
        let comparison = Comparison(gateway: gateway, folder: folder + "/compared", seconds: seconds)
        var figures: [Figure] = []
        for storage in ComparedStorage.allCases {
            figures += await comparison.measureUnlessProgramMissing(storage.title, storage.missingProgram) {
                try await comparison.measureWrites(storage)
            }
        }
        figures += await comparison.measureUnlessProgramMissing("nginx", ComparedNginx.missingProgram) {
            try await comparison.measureReads()
        }
        await gateway.stop()
        return figures
    } catch {
        await gateway.stop()
        throw error
    }
}

private struct Comparison {
    let gateway: BenchedGateway
    let folder: String
    let seconds: Int64

    /// Number of clients at the same time. It is the same for the gateway and for each compared server.
    private static let clientCount = 8
    private static let roundCount = 3
    private static let payload = String(repeating: "x", count: 100)

    func measureUnlessProgramMissing(
        _ title: String,
        _ missingProgram: String?,
        _ measure: () async throws -> [Figure]
    ) async -> [Figure] {
        if let missingProgram {
            print(missingProgram)
            return []
        }
        do { return try await measure() } catch {
            print("comparisons: \(title): failed: \(error)")
            return []
        }
    }

    func measureWrites(_ storage: ComparedStorage) async throws -> [Figure] {
        let server = try storage.startServer(in: folder)
        defer { server.stop() }
        // The connections are opened one after the other, because each may create the table or the stream that all of
        // them use.
        var connections: [RequestConnection] = []
        for client in 0..<Self.clientCount {
            connections.append(try await openConnection(to: server, storage.makeProtocol(client: client)))
        }
        var (ours, theirs) = (0.0, 0.0)
        // The rounds alternate between the gateway and the other server, so that other load on the machine affects both
        // equally.
        for _ in 0..<Self.roundCount {
            theirs += try await measureRate(connections) { connection, deadline in
                try await connection.repeatWrite(Array(Self.payload.utf8), until: deadline)
            }
            ours += try await measureNoteRate()
        }
        for connection in connections { await connection.close() }
        return [makeFigure("notes of \(Self.payload.utf8.count) bytes stored", ours, storage.title, theirs)]
    }

    func measureReads() async throws -> [Figure] {
        let path = "/livez"
        try await gateway.reconnect()
        let body = try await gateway.connection.sendRequest("GET", path, key: nil).body
        let server = try ComparedNginx.startServer(in: folder, body: body)
        defer { server.stop() }
        try await waitUntilReady(server) {
            await (try HTTPConnection.openConnection(port: server.port, group: gateway.group)).close()
        }
        var (ours, theirs) = (0.0, 0.0)
        for _ in 0..<Self.roundCount {
            theirs += try await measureReadRate(
                port: server.port,
                path: ComparedNginx.path,
                key: nil,
                clients: Self.clientCount,
                seconds: seconds,
                group: gateway.group
            )
            ours += try await measureReadRate(
                port: gateway.port,
                path: path,
                key: nil,
                clients: Self.clientCount,
                seconds: seconds,
                group: gateway.group
            )
        }
        return [makeFigure("GET \(path), \(body.count) bytes", ours, "nginx, a file", theirs)]
    }

    private func makeFigure(_ name: String, _ ours: Double, _ title: String, _ theirs: Double) -> Figure {
        Figure(
            name: "\(name), \(Self.clientCount) clients",
            value: ours / Double(Self.roundCount),
            unit: "/s",
            baseline: (title, theirs / Double(Self.roundCount))
        )
    }

    /// Measures the number of notes that the gateway stores per second.
    private func measureNoteRate() async throws -> Double {
        var connections: [HTTPConnection] = []
        for _ in 0..<Self.clientCount {
            connections.append(try await HTTPConnection.openConnection(port: gateway.port, group: gateway.group))
        }
        let (key, body) = (gateway.key, BenchedGateway.makeTextMessage(Self.payload))
        let rate = try await measureRate(connections) { connection, deadline in
            try await connection.repeatNote(key: key, body: body, until: deadline)
        }
        for connection in connections { await connection.close() }
        return rate
    }

    /// Calls `repeatRequest` for all connections at the same time, and returns the total number of requests per second.
    private func measureRate<Connection: Sendable>(
        _ connections: [Connection],
        _ repeatRequest: @escaping @Sendable (Connection, NIODeadline) async throws -> Int
    ) async throws -> Double {
        let start = NIODeadline.now()
        let deadline = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for connection in connections { tasks.addTask { try await repeatRequest(connection, deadline) } }
            return try await tasks.reduce(0, +)
        }
        return Double(count) * 1000 / millisecondsPassed(since: start)
    }

    private func openConnection(
        to server: any ComparedServer,
        _ requestProtocol: any RequestProtocol
    ) async throws -> RequestConnection {
        try await waitUntilReady(server) {
            try await RequestConnection.openConnection(to: server.address, requestProtocol, group: gateway.group)
        }
    }

    /// Repeats `connect` until it succeeds, and returns its result. Throws when it has failed for ten seconds, or when
    /// a ``ConfiguredServer`` has ended.
    private func waitUntilReady<Value>(
        _ server: any ComparedServer,
        _ connect: () async throws -> Value
    ) async throws -> Value {
        let deadline = NIODeadline.now() + .seconds(10)
        while true {
            do { return try await connect() } catch {
                // If the server has ended, the error contains the end of the server's log. The log explains more than a
                // refused connection.
                try (server as? ConfiguredServer)?.checkRunning()
                guard NIODeadline.now() < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension HTTPConnection {
    /// Posts the same note repeatedly until `deadline`.
    /// - Returns: the number of stored notes.
    fileprivate func repeatNote(key: String, body: String, until deadline: NIODeadline) async throws -> Int {
        let path = "/v1/users/1/chats/local/1/messages"
        var count = 0
        while NIODeadline.now() < deadline {
            let answer = try await sendRequest("POST", path, key: key, body: body)
            guard (200..<300).contains(answer.status) else {
                throw BenchedGateway.UnexpectedAnswer(
                    request: "POST \(path)",
                    status: answer.status,
                    body: String(decoding: answer.body, as: UTF8.self)
                )
            }
            count += 1
        }
        return count
    }
}
