import Foundation
import JSON
import NIOCore

/// Measures a gateway whose stores have a contact each, in pairs: the openings of all stores by requests, the costs of
/// the idle stores, and messages over all stores.
/// - Parameters:
///   - folder: the folder of the stores. A later run uses them again.
///   - count: the number of stores, besides the first store.
///   - idle: the number of seconds after which the costs of idle stores are measured.
func measureOpenStores(
    folder: String,
    executable: String,
    count: Int,
    seconds: Int64,
    idle: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let folder = folder + "/open-stores-\(count)"
    let relay = try KeptRelay(folder: folder, executable: executable)
    defer { relay.child.terminateProcess() }
    let port = try FreePort.takeNext()
    func start(_ more: [String] = []) async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: folder + "/data",
            port: port,
            relay: relay.address,
            executable: executable,
            group: group,
            more: ["--max-open-stores", "\(count + 8)"] + more
        )
    }
    let stores: PlacedStores
    if let saved = PlacedStores(savedIn: folder) {
        stores = saved
    } else {
        stores = try await PlacedStores(relay.address, count: count, used: count, folder: folder + "/data") {
            try await start()
        }
        try stores.saveStores(in: folder)
    }
    let loads = StoreLoads(stores: stores.used, group: group) { _ in port }
    try stores.markAsClosable(in: folder + "/data/stores")
    // With `--close-idle-stores`, the gateway opens a store by its first request, and not at its start.
    let closing = OpenStoresMeasurement(
        gateway: try await start(["--close-idle-stores", "86400"]),
        relayPort: relay.port,
        loads: loads
    )
    let closed = closing.readCosts()
    var figures = try await closing.measureOpenings()
    await closing.gateway.stop()
    // With `--close-idle-stores`, the gateway would read from all databases every 30 seconds. So idle stores are
    // measured without this option.
    let opening = OpenStoresMeasurement(gateway: try await start(), relayPort: relay.port, loads: loads)
    figures += try await opening.measureIdleStores(idle, seconds, beyond: closed)
    figures += try await opening.measureMessages(seconds)
    await opening.gateway.stop()
    return figures
}

private struct OpenStoresMeasurement {
    let gateway: BenchedGateway
    let relayPort: Int
    let loads: StoreLoads

    private var count: Int { loads.stores.count }
    private var title: String { "\(count) stores with a contact" }

    func readCosts() -> ProcessCosts { ProcessCosts(gateway.child, gateway.folder) }

    /// Waits until all stores have a session with the relay, and returns the number of sessions.
    private func waitForSessions() async throws -> Int {
        try await waitForConnections(to: relayPort, atLeast: count, seconds: 600)
    }

    /// Opens all stores by one request each.
    func measureOpenings() async throws -> [Figure] {
        let (processor, begin) = (gateway.child.processorSeconds, NIODeadline.now())
        let times = try await loads.readProfiles()
        let seconds = millisecondsPassed(since: begin) / 1000
        let processorSeconds = gateway.child.processorSeconds - processor
        let sessions = try await waitForSessions()
        let sessionSeconds = millisecondsPassed(since: begin) / 1000
        return [
            Figure(
                name: "\(title): openings by a request, 8 at a time",
                value: Double(count) / seconds,
                unit: "/s",
                target: .atLeast(200)
            ),
            Figure(name: "an opening, p50", value: percentile(times, 0.5), unit: "ms"),
            Figure(name: "an opening, p99", value: percentile(times, 0.99), unit: "ms"),
            Figure(
                name: "processor time of an opening, until the last answer",
                value: processorSeconds / Double(count) * 1000,
                unit: "ms"
            ),
            Figure(
                name: "openings, with the sessions with the relay",
                value: Double(count) / sessionSeconds,
                unit: "/s"
            ),
            Figure(
                name: "sessions with the relay",
                value: Double(sessions),
                unit: "",
                baseline: ("open stores", Double(count))
            ),
        ]
    }

    /// Waits until the starting gateway has opened all stores, and measures the costs of the stores immediately and
    /// after a pause.
    /// - Parameters:
    ///   - idle: the duration of the pause in seconds.
    ///   - seconds: the time for which the processor time is measured.
    ///   - closed: the costs before the stores were opened.
    func measureIdleStores(_ idle: Int64, _ seconds: Int64, beyond closed: ProcessCosts) async throws -> [Figure] {
        let begin = NIODeadline.now()
        _ = try await waitForSessions()
        let openingMilliseconds = millisecondsPassed(since: begin) + gateway.secondsToReady * 1000
        let opened = readCosts()
        try await Task.sleep(for: .seconds(idle))
        let costs = readCosts()
        let processor = gateway.child.processorSeconds
        try await Task.sleep(for: .seconds(seconds))
        let share = (gateway.child.processorSeconds - processor) / Double(seconds)
        return [Figure(name: "\(title): start until all have sessions", value: openingMilliseconds, unit: "ms")]
            + opened.makeFigures("with a contact, just opened", beyond: closed, stores: count)
            + costs.makeFigures("with a contact, idle for \(idle) s", beyond: closed, stores: count)
            + [Figure(name: "\(title): processor time while idle", value: share * 1000, unit: "ms/s")]
    }

    /// Sends messages from all stores in turn, and waits until the last message of each store has arrived.
    func measureMessages(_ seconds: Int64) async throws -> [Figure] {
        let (processor, begin) = (gateway.child.processorSeconds, NIODeadline.now())
        let times = try await loads.sendMessages("message", until: begin + .seconds(seconds))
        let acceptedSeconds = millisecondsPassed(since: begin) / 1000
        // Stores of an earlier run have the texts of that run, so the text has a random number.
        let last = "last \(UInt64.random(in: 0...UInt64.max))"
        let lastTimes = try await loads.sendMessages(last)
        try await loads.waitForText(last)
        let deliveredSeconds = millisecondsPassed(since: begin) / 1000
        let all = times + lastTimes
        let processorSeconds = gateway.child.processorSeconds - processor
        return [
            Figure(
                name: "\(title): messages accepted, 8 at a time",
                value: Double(times.count) / acceptedSeconds,
                unit: "msg/s"
            ),
            Figure(name: "messages delivered", value: Double(all.count) / deliveredSeconds, unit: "msg/s"),
            Figure(name: "POST of a message answered, p50", value: percentile(all, 0.5), unit: "ms"),
            Figure(name: "POST of a message answered, p99", value: percentile(all, 0.99), unit: "ms"),
            Figure(
                name: "processor time of both sides for a message",
                value: processorSeconds / Double(all.count) * 1000,
                unit: "ms"
            ),
        ]
    }
}

extension PlacedStores {
    /// Records that the stores in use need not stay open. The gateway must be stopped, and its next start opens only
    /// stores that requests need.
    /// - Parameter folder: the folder of all stores.
    fileprivate func markAsClosable(in folder: String) throws {
        for store in used {
            let file = URL(fileURLWithPath: "\(folder)/\(store.id)/store.json")
            guard case .object(var record) = try JSONValue(parsing: [UInt8](try Data(contentsOf: file))) else {
                throw HTTPConnection.Failure.notHTTP
            }
            record["staysOpen"] = .bool(false)
            try Data(JSONValue.object(record).encodeText()).write(to: file)
        }
    }
}
