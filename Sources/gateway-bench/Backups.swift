import Foundation
import JSON
import NIOCore
import Synchronization

/// Measures how long writes to many stores take while a backup copies all stores. Periods without a backup and backups
/// alternate, so that other load on the machine affects both equally.
/// - Parameters:
///   - count: the number of stores, including the first store.
///   - writing: the number of these stores that notes are written to, each over its own connection.
///   - seconds: the duration of a period without a backup.
func measureBackups(
    folder: String,
    executable: String,
    stores count: Int,
    writing: Int,
    seconds: Int64,
    rounds: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let gateway = try await BenchedGateway(
        folder: folder + "/backup-data",
        port: try FreePort.takeNext(),
        relayPort: try FreePort.takeNext(),
        executable: executable,
        group: group,
        more: ["--max-open-stores", "\(count)"]
    )
    let writers = StoreWriters(port: gateway.port, keys: try await gateway.createStores(count - 1), group: group)
    // The first writes open the databases of the stores, so they are not measured.
    _ = try await writers.writeNotes(toFirst: writing) { try await Task.sleep(for: .seconds(seconds)) }
    var (usual, beside) = (MeasuredWrites(), MeasuredWrites())
    var backupMilliseconds: [Double] = []
    for round in 0..<rounds {
        usual += try await writers.writeNotes(toFirst: writing) { try await Task.sleep(for: .seconds(seconds)) }
        try await gateway.reconnect()
        let copy = "\(folder)/backup-\(round)"
        let during = try await writers.writeNotes(toFirst: writing) { try await gateway.makeBackup(in: copy) }
        beside += during
        backupMilliseconds.append(during.milliseconds)
        try FileManager.default.removeItem(atPath: copy)
    }
    await gateway.stop()
    return makeFigures(usual, beside, title: "\(count) stores, \(writing) of them write")
        + [Figure(name: "a backup meanwhile, median", value: percentile(backupMilliseconds, 0.5), unit: "ms")]
}

/// The durations of writes in one or more periods.
private struct MeasuredWrites: Sendable {
    /// The time of each write, in milliseconds.
    var times: [Double] = []
    /// The duration of the period, in milliseconds.
    var milliseconds = 0.0

    static func += (sum: inout MeasuredWrites, more: MeasuredWrites) {
        sum.times += more.times
        sum.milliseconds += more.milliseconds
    }

    var countPerSecond: Double { Double(times.count) * 1000 / milliseconds }
}

private func makeFigures(_ usual: MeasuredWrites, _ beside: MeasuredWrites, title: String) -> [Figure] {
    func makeTimeFigure(_ name: String, _ share: Double) -> Figure {
        Figure(
            name: "\(title): a note during a backup, \(name)",
            value: percentile(beside.times, share),
            unit: "ms",
            baseline: ("without a backup", percentile(usual.times, share))
        )
    }
    return [
        makeTimeFigure("median", 0.5),
        makeTimeFigure("99 %", 0.99),
        Figure(
            name: "the same 99 %, as a time",
            value: percentile(beside.times, 0.99),
            unit: "ms",
            target: .atMost(300)
        ),
        makeTimeFigure("longest", 1),
        Figure(
            name: "notes during a backup",
            value: beside.countPerSecond,
            unit: "/s",
            baseline: ("without a backup", usual.countPerSecond)
        ),
    ]
}

/// A flag for the end of a period, whose time is not known in advance.
private final class PeriodEnd: Sendable {
    private let flag = Atomic(false)

    var isReached: Bool { flag.load(ordering: .relaxed) }
    func reach() { flag.store(true, ordering: .relaxed) }
}

/// Clients that write notes to stores.
private struct StoreWriters: Sendable {
    let port: Int
    let keys: [String]
    let group: any EventLoopGroup

    /// Writes notes to the first `count` stores, to each of them one note after the other, until `body` has returned.
    func writeNotes(
        toFirst count: Int,
        whileRunning body: () async throws -> Void
    ) async throws -> MeasuredWrites {
        let end = PeriodEnd()
        let start = NIODeadline.now()
        return try await withThrowingTaskGroup(of: [Double].self) { tasks in
            for key in keys.prefix(count) {
                tasks.addTask {
                    let connection = try await HTTPConnection.openConnection(port: port, group: group)
                    var times: [Double] = []
                    while !end.isReached { times.append(try await writeNote(connection, key)) }
                    await connection.close()
                    return times
                }
            }
            // The writing tasks also end after an error.
            defer { end.reach() }
            try await body()
            let milliseconds = millisecondsPassed(since: start)
            end.reach()
            return MeasuredWrites(times: try await tasks.reduce(into: []) { $0 += $1 }, milliseconds: milliseconds)
        }
    }

    /// Writes a note, and returns the time of the write in milliseconds.
    private func writeNote(_ connection: HTTPConnection, _ key: String) async throws -> Double {
        let begin = NIODeadline.now()
        let path = "/v1/users/1/chats/local/1/messages"
        let body = BenchedGateway.makeTextMessage("a note")
        try checkAnswer(try await connection.sendRequest("POST", path, key: key, body: body), "POST \(path)")
        return millisecondsPassed(since: begin)
    }
}

extension BenchedGateway {
    /// Creates stores that have one profile each, and returns the keys of their administrators.
    fileprivate func createStores(_ count: Int) async throws -> [String] {
        var keys: [String] = []
        for number in 0..<count {
            let made = try await sendRequest("POST", "/v1/stores", #"{"name":"store \#(number)"}"#)
            guard let key = made["key"]?.stringValue else { throw HTTPConnection.Failure.notHTTP }
            let profile = #"{"profile":{"displayName":"user","fullName":""}}"#
            let answer = try await connection.sendRequest("POST", "/v1/users", key: key, body: profile)
            try checkAnswer(answer, "POST /v1/users")
            keys.append(key)
        }
        return keys
    }

    /// Makes a backup of all stores, and waits until the backup is complete.
    fileprivate func makeBackup(in copy: String) async throws {
        var answer = try await sendRequest("POST", "/v1/backup", #"{"folder":"\#(copy)"}"#)
        // The answer to long work is an operation, whose state is read until the operation has ended.
        while let operation = answer["operationId"]?.stringValue, answer["state"] == "running" {
            try await Task.sleep(for: .milliseconds(100))
            answer = try await sendRequest("GET", "/v1/operations/\(operation)")
        }
        guard answer["state"] == nil || answer["state"] == "done" else {
            throw UnexpectedAnswer(request: "POST /v1/backup", status: 200, body: answer.text)
        }
    }
}
