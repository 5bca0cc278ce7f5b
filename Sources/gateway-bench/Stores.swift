import Foundation
import JSON
import NIOCore

/// Measures a gateway with many stores, most of them locked: start time, memory, and the time of reading one store.
func measureStores(
    folder: String,
    executable: String,
    count: Int,
    unlocked: Int,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let data = folder + "/stores-data"
    func start() async throws -> BenchedGateway {
        try await BenchedGateway(folder: data, port: 15_226, relayPort: 15_227, executable: executable, group: group)
    }
    var gateway = try await start()
    try await gateway.createUser("alice")
    await gateway.stop()
    gateway = try await start()
    let (aloneReady, alone) = (gateway.secondsToReady, gateway.child.residentBytes)
    let made = try await gateway.request("POST", "/v1/stores", #"{"name":"first"}"#)
    await gateway.stop()
    guard let first = made["store"]?["storeId"]?.stringValue, let key = made["key"]?.stringValue else {
        throw HTTPConnection.Failure.notHTTP
    }
    try copyStores(data + "/stores", first, count: count, unlocked: unlocked)
    gateway = try await start()
    let ready = gateway.secondsToReady
    let begin = NIODeadline.now()
    let lockedOnly = gateway.child.residentBytes
    var open = 0
    while open < unlocked {
        let stores = try await gateway.request("GET", "/v1/stores")["stores"]?.arrayValue ?? []
        open = stores.count { $0["state"] == "unlocked" } - 1
    }
    let opening = Double((NIODeadline.now() - begin).nanoseconds) / 1e9 + ready
    let resident = gateway.child.residentBytes
    let files =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(gateway.child.identifier)/fd").count) ?? 0
    let own = try await latency(gateway.port, key, seconds, group),
        firsts = try await latency(gateway.port, gateway.key, seconds, group)
    await gateway.stop()
    let megabyte = 1_048_576.0
    return [
        Figure(
            name: "start to ready, \(count) stores",
            value: ready * 1000,
            unit: "ms",
            baseline: ("no other stores", aloneReady * 1000)
        ),
        Figure(name: "start until \(unlocked) of them are unlocked", value: opening * 1000, unit: "ms"),
        Figure(
            name: "resident memory, \(count) stores, at ready",
            value: Double(lockedOnly) / megabyte,
            unit: "MiB",
            baseline: ("no other stores", Double(alone) / megabyte)
        ),
        Figure(
            name: "resident memory, \(unlocked) of them unlocked",
            value: Double(resident) / megabyte,
            unit: "MiB",
            baseline: ("no other stores", Double(alone) / megabyte)
        ),
        Figure(name: "open files, \(unlocked) of \(count) stores unlocked", value: Double(files), unit: "files"),
        Figure(
            name: "cached read of another store, median",
            value: own * 1000,
            unit: "µs",
            baseline: ("first store", firsts * 1000)
        ),
    ]
}

/// Returns the median time of requests that are sent one after the other, in milliseconds.
private func latency(_ port: Int, _ key: String, _ seconds: Int64, _ group: any EventLoopGroup) async throws -> Double {
    let connection = try await HTTPConnection.open(port: port, group: group)
    let latencies = try await connection.repeatGet("/v1/users", key: key, until: .now() + .seconds(seconds))
    await connection.close()
    return percentile(latencies, 0.5)
}

/// Copies a store in the same way as the restoration of a backup. Each copy has a new key.
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
