import Foundation
import JSON
import NIOCore

/// Measures a gateway with many stores, of which some are unlocked: the start time, the costs of a store that was just
/// unlocked and of an idle store, and the time of a read.
/// - Parameter idle: the number of seconds after which the costs of idle stores are measured.
func measureStores(
    folder: String,
    executable: String,
    count: Int,
    unlocked: Int,
    seconds: Int64,
    idle: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let data = folder + "/stores-data"
    let (port, relayPort) = (try FreePort.takeNext(), try FreePort.takeNext())
    func start() async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: data,
            port: port,
            relayPort: relayPort,
            executable: executable,
            group: group,
            more: ["--max-open-stores", "\(unlocked + 1)"]
        )
    }
    var gateway = try await start()
    try await gateway.createUser("alice")
    await gateway.stop()
    gateway = try await start()
    let (aloneReady, alone) = (gateway.secondsToReady, gateway.child.residentBytes)
    let (first, key) = try await gateway.createStore("first")
    await gateway.stop()
    try copyStores(data + "/stores", first, count: count, unlocked: unlocked)
    gateway = try await start()
    let readySeconds = gateway.secondsToReady
    let openingStart = NIODeadline.now()
    let costsWhenLocked = ProcessCosts(gateway.child, data)
    // A list of thousands of stores costs the gateway processor time, so the list is read only four times a second.
    while try await countUnlockedStores(gateway) <= unlocked { try await Task.sleep(for: .milliseconds(250)) }
    let openingSeconds = Double((NIODeadline.now() - openingStart).nanoseconds) / 1e9 + readySeconds
    let costsWhenOpened = ProcessCosts(gateway.child, data)
    let ownStoreMilliseconds = try await measureLatency(gateway.port, key, seconds, group),
        firstStoreMilliseconds = try await measureLatency(gateway.port, gateway.key, seconds, group)
    try await Task.sleep(for: .seconds(idle))
    let costsWhenIdle = ProcessCosts(gateway.child, data)
    let processor = gateway.child.processorSeconds
    try await Task.sleep(for: .seconds(seconds))
    let idleProcessorShare = (gateway.child.processorSeconds - processor) / Double(seconds)
    let stopStart = NIODeadline.now()
    await gateway.stop()
    let stopMilliseconds = Double((NIODeadline.now() - stopStart).nanoseconds) / 1e6
    let costs = StoreCosts(
        secondsToReady: (alone: aloneReady, withStores: readySeconds),
        secondsToOpen: openingSeconds,
        millisecondsToEnd: stopMilliseconds,
        residentBytes: (alone: alone, withStores: costsWhenLocked.residentBytes),
        idleProcessorShare: idleProcessorShare,
        readMilliseconds: (first: firstStoreMilliseconds, other: ownStoreMilliseconds)
    )
    return costs.makeFigures(stores: count, unlocked: unlocked)
        + costsWhenOpened.makeFigures("just opened", beyond: costsWhenLocked, stores: unlocked)
        + costsWhenIdle.makeFigures("idle for \(idle) s", beyond: costsWhenLocked, stores: unlocked)
}

/// The measured costs of a gateway with many stores, compared with a gateway that has only the first store.
private struct StoreCosts {
    let secondsToReady: (alone: Double, withStores: Double)
    let secondsToOpen: Double
    let millisecondsToEnd: Double
    let residentBytes: (alone: Int, withStores: Int)
    let idleProcessorShare: Double
    let readMilliseconds: (first: Double, other: Double)

    func makeFigures(stores count: Int, unlocked: Int) -> [Figure] {
        let megabyte = 1_048_576.0
        return [
            Figure(
                name: "start to ready, \(count) stores",
                value: secondsToReady.withStores * 1000,
                unit: "ms",
                baseline: ("no other stores", secondsToReady.alone * 1000)
            ),
            Figure(name: "start until \(unlocked) of them are unlocked", value: secondsToOpen * 1000, unit: "ms"),
            Figure(name: "end with \(unlocked) unlocked stores", value: millisecondsToEnd, unit: "ms"),
            Figure(
                name: "resident memory, \(count) stores, at ready",
                value: Double(residentBytes.withStores) / megabyte,
                unit: "MiB",
                baseline: ("no other stores", Double(residentBytes.alone) / megabyte)
            ),
            Figure(name: "processor time of idle stores", value: idleProcessorShare * 1000, unit: "ms/s"),
            Figure(
                name: "cached read of another store, median",
                value: readMilliseconds.other * 1000,
                unit: "µs",
                baseline: ("first store", readMilliseconds.first * 1000)
            ),
        ]
    }
}

extension BenchedGateway {
    /// Creates a store through the gateway.
    /// - Returns: the id of the store, and the key of its administrator.
    fileprivate func createStore(_ name: String) async throws -> (id: String, key: String) {
        let made = try await sendRequest("POST", "/v1/stores", #"{"name":"\#(name)"}"#)
        guard let id = made["store"]?["storeId"]?.stringValue, let key = made["key"]?.stringValue else {
            throw HTTPConnection.Failure.notHTTP
        }
        return (id, key)
    }
}

/// Returns the number of unlocked stores, including the first store.
private func countUnlockedStores(_ gateway: BenchedGateway) async throws -> Int {
    var count = 0
    var next: String?
    repeat {
        let page = try await gateway.sendRequest("GET", "/v1/stores?limit=100" + (next.map { "&cursor=" + $0 } ?? ""))
        count += page["stores"]?.arrayValue?.count { $0["state"] == "unlocked" } ?? 0
        next = page["next"]?.stringValue
    } while next != nil
    return count
}

/// The resources that the gateway's process uses at one moment.
struct ProcessCosts {
    let residentBytes: Int
    let threadCount: Int
    let mappingCount: Int
    let descriptorCount: Int
    /// The size on the disk, in bytes, of all stores except the first store.
    let diskBytes: Int

    init(_ child: MeasuredProcess, _ data: String) {
        residentBytes = child.residentBytes
        threadCount = child.threadCount
        mappingCount = child.mappingCount
        descriptorCount = child.descriptorCount
        let files = FileManager.default.enumerator(
            at: URL(filePath: data + "/stores"),
            includingPropertiesForKeys: [.totalFileAllocatedSizeKey]
        )
        diskBytes =
            files?.compactMap {
                try? ($0 as? URL)?.resourceValues(forKeys: [.totalFileAllocatedSizeKey]).totalFileAllocatedSize
            }.reduce(0, +) ?? 0
    }

    /// Makes the figures of the resources that one store uses.
    /// - Parameters:
    ///   - start: the resources of the gateway before the stores were opened.
    ///   - stores: the number of stores that were opened since `start`.
    func makeFigures(_ state: String, beyond start: ProcessCosts, stores: Int) -> [Figure] {
        func makeFigure(
            _ name: String,
            _ cost: KeyPath<ProcessCosts, Int>,
            per divisor: Double = 1,
            _ unit: String
        ) -> Figure {
            let whole = Double(self[keyPath: cost] - start[keyPath: cost])
            return Figure(name: "a store, \(state): \(name)", value: whole / Double(stores) / divisor, unit: unit)
        }
        return [
            makeFigure("resident memory", \.residentBytes, per: 1024, "KiB"),
            makeFigure("threads", \.threadCount, "threads"),
            makeFigure("memory mappings", \.mappingCount, "mappings"),
            makeFigure("open files", \.descriptorCount, "files"),
            makeFigure("logs on the disk", \.diskBytes, per: 1024, "KiB"),
        ]
    }
}

/// Sends one read after the other, and returns the median time of a read in milliseconds.
private func measureLatency(
    _ port: Int,
    _ key: String,
    _ seconds: Int64,
    _ group: any EventLoopGroup
) async throws -> Double {
    let connection = try await HTTPConnection.openConnection(port: port, group: group)
    let latencies = try await connection.repeatGet("/v1/users", key: key, until: .now() + .seconds(seconds))
    await connection.close()
    return percentile(latencies, 0.5)
}

/// Copies the first created store `count` − 1 times, as the restoration of a backup does. Each copy has a new id and
/// key. Stores from the number `unlocked` on stay locked.
private func copyStores(_ folder: String, _ first: String, count: Int, unlocked: Int) throws {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    let record = try String(contentsOfFile: "\(folder)/\(first)/store.json", encoding: .utf8)
    for index in 1..<count {
        let id = String((0..<15).map { _ in letters.randomElement() ?? "a" })
        try FileManager.default.copyItem(atPath: "\(folder)/\(first)", toPath: "\(folder)/\(id)")
        let hash = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let keys = #"{"keys":[{"id":"\#(id)","name":"admin","scopes":["admin"],"created":1,"sha256":"\#(hash)"}]}"#
        try keys.write(toFile: "\(folder)/\(id)/keys.json", atomically: true, encoding: .utf8)
        guard index >= unlocked else { continue }
        try record.replacingOccurrences(of: #""staysLocked":false"#, with: #""staysLocked":true"#)
            .write(toFile: "\(folder)/\(id)/store.json", atomically: true, encoding: .utf8)
    }
}
