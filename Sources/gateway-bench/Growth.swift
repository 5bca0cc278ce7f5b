import Foundation
import JSON
import NIOCore

/// Compares a store of 10 chats and 1,000 messages with a store of 1,000 chats and 1,000,000 messages. The requests
/// alternate between the stores, so that other load on the machine affects both equally. A change before each read
/// prevents an answer from the cache.
func measureGrowth(
    stores: String,
    executable: String,
    chats: Int,
    messages: Int,
    rounds: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    try FileManager.default.createDirectory(atPath: stores, withIntermediateDirectories: true)
    let grownStores = [
        GrownStore(folder: stores + "/small", chatCount: 10, messageCount: 1_000),
        GrownStore(folder: stores + "/large-\(chats)-\(messages)", chatCount: chats, messageCount: messages),
    ]
    // Ports of an earlier run are read before another port is taken. Otherwise a taken port could be one of them.
    let relayPorts = try grownStores.map { try FreePort.readKeptPort(in: $0.folder + ".port") }
    let servedStores = try zip(grownStores, relayPorts).map { try ServedStore($0, relayPort: $1, executable, group) }
    var openGateways: [BenchedGateway] = [], figures: [Figure] = []
    for servedStore in servedStores { try await servedStore.makeStore() }
    var startMilliseconds: [[Double]] = [[], []]
    for round in 0..<3 {
        for (index, servedStore) in servedStores.enumerated() {
            let gateway = try await servedStore.startGateway()
            startMilliseconds[index].append(gateway.secondsToReady * 1_000)
            if round < 2 { await gateway.stop() } else { openGateways.append(gateway) }
        }
    }
    figures.append(
        Figure(
            name: "start to ready, \(messages) messages, median of 3",
            value: percentile(startMilliseconds[1], 0.5),
            unit: "ms",
            target: .atMost(1_000)
        )
    )
    figures.append(
        Figure(
            name: "start to ready, \(messages) messages, in relation",
            value: percentile(startMilliseconds[1], 0.5),
            unit: "ms",
            baseline: ("1000 messages", percentile(startMilliseconds[0], 0.5)),
            target: .atMost(1.3)
        )
    )
    for gateway in openGateways { try await gateway.waitUntilQuiet() }
    // A gateway closes idle connections, and may have been idle while the other gateway was measured. So the
    // connections are opened again.
    for gateway in openGateways { try await gateway.reconnect() }
    do {
        figures += try await measureGrownReads(
            GrownGateway(openGateways[0]),
            GrownGateway(openGateways[1]),
            rounds: rounds
        )
    } catch {
        print("growth: failed: \(error)")
    }
    for gateway in openGateways { await gateway.stop() }
    return figures
}

/// A grown store (with the data of years), and the program and ports with which its gateway is started.
private struct ServedStore {
    let store: GrownStore
    let executable: String
    let group: any EventLoopGroup
    let port: Int
    let relayPort: Int

    init(_ store: GrownStore, relayPort: Int, _ executable: String, _ group: any EventLoopGroup) throws {
        (self.store, self.relayPort, self.executable, self.group) = (store, relayPort, executable, group)
        port = try FreePort.takeNext()
    }

    func makeStore() async throws {
        try await store.makeStore(port: port, relayPort: relayPort, executable: executable, group: group)
    }

    func startGateway() async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: store.folder,
            port: port,
            relayPort: relayPort,
            executable: executable,
            group: group
        )
    }
}

private func measureGrownReads(_ small: GrownGateway, _ large: GrownGateway, rounds: Int) async throws -> [Figure] {
    var figures: [Figure] = []
    for read in try await GrowthRead.makeAll(small, large) {
        var (ours, theirs, size) = ([Double](), [Double](), 0)
        // The gateways close connections that were idle for too long, so the connections are opened again.
        for side in [small, large] { try await side.gateway.reconnect() }
        for _ in 0..<rounds {
            theirs.append(try await small.measureRead(read.smallPath).milliseconds)
            let answer = try await large.measureRead(read.largePath)
            ours.append(answer.milliseconds)
            size = answer.bytes
        }
        figures.append(
            Figure(
                name: "\(read.name), \(size) bytes",
                value: percentile(ours, 0.5),
                unit: "ms",
                baseline: ("small store", percentile(theirs, 0.5)),
                target: read.hasEqualAnswerSizes ? .atMost(1.5) : .none
            )
        )
    }
    figures += try await measureReadsAfterWrites(small, large, rounds: rounds)
    figures += try await measureEvents(small, large, followed: false, count: rounds)
    figures += try await measureEvents(small, large, followed: true, count: rounds)
    figures.append(
        Figure(
            name: "resident memory after all these requests",
            value: Double(large.gateway.child.residentBytes) / 1_048_576,
            unit: "MiB",
            baseline: ("small store", Double(small.gateway.child.residentBytes) / 1_048_576)
        )
    )
    return figures
}

/// Measures reads that follow a write of the same user, in a small and a large store.
private func measureReadsAfterWrites(
    _ small: GrownGateway,
    _ large: GrownGateway,
    rounds: Int
) async throws -> [Figure] {
    var figures: [Figure] = []
    let chatPath = "/v1/users/1/chats/direct/1?limit=50"
    for (name, path) in [
        ("chat list, 8 chats", "/v1/users/1/chats?limit=8"), ("chat, newest 50", chatPath),
        ("search in a chat, rare word", chatPath + "&search=\(GrownStore.rareWord.lowercased())"),
    ] {
        var times: [[Double]] = [[], []]
        for side in [small, large] { try await side.gateway.reconnect() }
        for _ in 0..<rounds {
            for (index, side) in [small, large].enumerated() {
                _ = try await side.gateway.sendRequest(
                    "POST",
                    "/v1/users/1/chats/local/1/messages",
                    BenchedGateway.makeTextMessage("note")
                )
                times[index].append(try await side.measureRead(path).milliseconds)
            }
        }
        let (theirs, ours) = (percentile(times[0], 0.5), percentile(times[1], 0.5))
        figures.append(Figure(name: "after a write: \(name)", value: ours, unit: "ms", target: .atMost(0.5)))
        figures.append(
            Figure(
                name: "after a write: \(name), in relation",
                value: ours,
                unit: "ms",
                baseline: ("small store", theirs),
                target: .atMost(1.3)
            )
        )
    }
    return figures
}

extension BenchedGateway {
    /// Waits until the gateway needs almost no processor time, because the work after its start is finished.
    func waitUntilQuiet() async throws {
        var before = -1.0, quiet = 0
        while quiet < 3 {
            let now = child.processorSeconds
            quiet = now - before < 0.02 ? quiet + 1 : 0
            before = now
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// Measures the cost of a message that is sent from the first chat and of a message that is received in it.
/// - Parameter followed: whether a client follows the state of the chat during the measurement.
private func measureEvents(
    _ small: GrownGateway,
    _ large: GrownGateway,
    followed: Bool,
    count: Int
) async throws -> [Figure] {
    var sent: [[Double]] = [[], []], received: [[Double]] = [[], []], processor: [Double] = [0, 0]
    for side in [small, large] where followed {
        let session = try await side.gateway.sendRequest("POST", "/v1/users/1/sessions")["sessionId"]?.stringValue ?? ""
        _ = try await side.gateway.sendRequest(
            "PUT",
            "/v1/users/1/sessions/\(session)/chat",
            #"{"chatType":"direct","chatId":1}"#
        )
    }
    for round in 0..<count {
        for (index, side) in [small, large].enumerated() {
            let costs = try await side.gateway.measureExchange(round)
            sent[index].append(costs.sent)
            received[index].append(costs.received)
            processor[index] += costs.processor
        }
    }
    let nameSuffix = followed ? ", state followed" : ""
    func makeFigure(_ name: String, _ values: [[Double]]) -> Figure {
        Figure(
            name: name + nameSuffix,
            value: percentile(values[1], 0.5),
            unit: "ms",
            baseline: ("small store", percentile(values[0], 0.5)),
            target: .atMost(1.5)
        )
    }
    return [
        makeFigure("time until the POST of a message is answered", sent),
        makeFigure("time from the POST of a message to the event of the receiver", received),
        Figure(
            name: "processor time of a sent and a received message" + nameSuffix,
            value: processor[1] / Double(count),
            unit: "ms",
            baseline: ("small store", processor[0] / Double(count)),
            target: .atMost(1.5)
        ),
    ]
}

extension BenchedGateway {
    /// Sends a message from the first chat, and then receives a message in it.
    /// - Returns: three times in milliseconds: until the POST was answered, until the receiver had the event, and the
    ///   processor time of the gateway.
    fileprivate func measureExchange(
        _ round: Int
    ) async throws -> (sent: Double, received: Double, processor: Double) {
        let before = child.processorSeconds
        var cursor = try await readLatestCursor()
        var start = NIODeadline.now()
        _ = try await sendRequest("POST", "/v1/users/1/chats/direct/1/messages", Self.makeTextMessage("to \(round)"))
        let sent = millisecondsPassed(since: start)
        try await followEvents(from: cursor) { $0.isReceipt(of: 1) }
        cursor = try await readLatestCursor()
        start = NIODeadline.now()
        _ = try await sendRequest("POST", "/v1/users/2/chats/direct/1/messages", Self.makeTextMessage("from \(round)"))
        try await followEvents(from: cursor) {
            $0["userId"]?.integerValue == 1 && $0["event"]?["type"]?.stringValue == "newChatItems"
        }
        let received = millisecondsPassed(since: start)
        try await followEvents(from: cursor) { $0.isReceipt(of: 2) }
        return (sent, received, (child.processorSeconds - before) * 1_000)
    }
}

extension JSONValue {
    /// Returns whether this journal entry tells the user that one of the user's messages was delivered.
    func isReceipt(of user: Int) -> Bool {
        self["userId"]?.integerValue == Int64(user) && self["event"]?["type"]?.stringValue == "chatItemsStatusesUpdated"
            && self["event"]?["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue == "sndRcvd"
    }
}
