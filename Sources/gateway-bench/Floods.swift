import JSON
import NIOCore

/// The stores in the benchmark of floods. One store floods the gateway with notes, and notes are written to the other
/// stores one after the other.
private struct FloodedStores: Sendable {
    static let notesPath = "/v1/users/1/chats/local/1/messages"
    let port: Int
    let group: any EventLoopGroup
    let floodingKey: String
    let otherKeys: [String]

    init(_ gateway: BenchedGateway, others: Int) async throws {
        var keys: [String] = []
        for number in 0...others {
            let made = try await gateway.sendRequest("POST", "/v1/stores", #"{"name":"store \#(number)"}"#)
            guard let key = made["key"]?.stringValue else { throw HTTPConnection.Failure.notHTTP }
            let profile = #"{"profile":{"displayName":"user","fullName":""}}"#
            let answer = try await gateway.connection.sendRequest("POST", "/v1/users", key: key, body: profile)
            guard answer.status == 201 else { throw HTTPConnection.Failure.notHTTP }
            keys.append(key)
        }
        (port, group, floodingKey) = (gateway.port, gateway.group, keys.removeFirst())
        otherKeys = keys
    }

    /// Writes notes to the flooding store over several connections until `deadline`, and returns the number of notes.
    func flood(connections: Int, until deadline: NIODeadline) async throws -> Int {
        let note = BenchedGateway.makeTextMessage(String(repeating: "f", count: 3_000))
        return try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<connections {
                tasks.addTask { try await writeNotes([floodingKey], note, until: deadline).count }
            }
            return try await tasks.reduce(0, +)
        }
    }

    /// Writes notes to the other stores, one after the other, until `deadline`. Returns the time of each note in
    /// milliseconds.
    func writeToOthers(until deadline: NIODeadline) async throws -> [Double] {
        try await writeNotes(otherKeys, BenchedGateway.makeTextMessage("a note"), until: deadline)
    }

    private func writeNotes(_ keys: [String], _ note: String, until deadline: NIODeadline) async throws -> [Double] {
        let connection = try await HTTPConnection.openConnection(port: port, group: group)
        var times: [Double] = []
        while NIODeadline.now() < deadline {
            let begin = NIODeadline.now()
            let key = keys[times.count % keys.count]
            let answer = try await connection.sendRequest("POST", Self.notesPath, key: key, body: note)
            guard answer.status == 201 else { throw HTTPConnection.Failure.notHTTP }
            times.append(millisecondsPassed(since: begin))
        }
        await connection.close()
        return times
    }
}

/// Measures how much a store that floods the gateway slows other stores down. Periods with and without the flood
/// alternate, so that other load on the machine affects both kinds equally.
func measureFloods(
    folder: String,
    executable: String,
    connections: Int,
    seconds: Int64,
    rounds: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let gateway = try await BenchedGateway(
        folder: folder + "/flood-data",
        port: try FreePort.takeNext(),
        relayPort: try FreePort.takeNext(),
        executable: executable,
        group: group
    )
    let stores = try await FloodedStores(gateway, others: 20)
    _ = try await stores.writeToOthers(until: .now() + .seconds(seconds))
    var (quiet, flooded) = ([Double](), [Double]())
    var (alone, beside) = (0, 0)
    for _ in 0..<rounds {
        quiet += try await stores.writeToOthers(until: .now() + .seconds(seconds))
        let deadline = NIODeadline.now() + .seconds(seconds)
        async let notes = stores.flood(connections: connections, until: deadline)
        flooded += try await stores.writeToOthers(until: deadline)
        beside += try await notes
        alone += try await stores.flood(connections: connections, until: .now() + .seconds(seconds))
    }
    await gateway.stop()
    let measuredSeconds = Double(Int(seconds) * rounds)
    func makeSlowdownFigure(_ name: String, _ share: Double, target: Figure.Target = .none) -> Figure {
        Figure(
            name: "note of another store, \(name), while a store floods over \(connections) connections",
            value: percentile(flooded, share),
            unit: "ms",
            baseline: ("without the flood", percentile(quiet, share)),
            target: target
        )
    }
    return [
        makeSlowdownFigure("median", 0.5, target: .atMost(2)),
        makeSlowdownFigure("99 %", 0.99),
        Figure(
            name: "notes of the flooding store",
            value: Double(beside) / measuredSeconds,
            unit: "/s",
            baseline: ("alone", Double(alone) / measuredSeconds)
        ),
    ]
}
