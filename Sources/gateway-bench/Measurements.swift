import Foundation
import JSON
import NIOCore

/// Measures reads of the chat list and of a page of a chat. The rates are compared with a bare HTTP server that returns
/// the same bytes.
func measureReads(_ gateway: BenchedGateway, bench: String, seconds: Int64) async throws -> [Figure] {
    var figures = [Figure]()
    for (name, path) in [
        ("GET chats (100 chats)", "/v1/users/1/chats?limit=100"),
        ("GET chat, 50 items", "/v1/users/1/chats/direct/1?limit=50"),
    ] {
        // A new connection is opened, since the gateway's connection for commands may have been idle for too long.
        let connection = try await HTTPConnection.openConnection(port: gateway.port, group: gateway.group)
        let answer = try await connection.sendRequest("GET", path, key: gateway.key)
        await connection.close()
        let file = gateway.folder + ".body"
        try Data(answer.body).write(to: URL(fileURLWithPath: file))
        let barePort = try FreePort.takeNext()
        let bare = try MeasuredProcess(bench, ["bare", "\(barePort)", file], log: gateway.folder + ".bare.log")
        defer { bare.killProcess() }
        guard bare.waitForLine(containing: "listening") != nil else { throw HTTPConnection.Failure.closed }
        // The rounds alternate between the gateway and the bare server, so that other load on the machine affects both
        // equally.
        var ours = 0.0, theirs = 0.0
        for _ in 0..<3 {
            theirs += try await measureReadRate(
                port: barePort,
                path: "/",
                key: nil,
                seconds: seconds,
                group: gateway.group
            )
            ours += try await measureReadRate(
                port: gateway.port,
                path: path,
                key: gateway.key,
                seconds: seconds,
                group: gateway.group
            )
        }
        figures.append(
            Figure(
                name: "\(name), \(answer.body.count) bytes",
                value: ours / 3,
                unit: "req/s",
                baseline: ("bare handler", theirs / 3),
                target: .atLeast(0.5)
            )
        )
    }
    return figures
}

/// Repeats a GET request over several connections, and returns the total number of requests per second.
func measureReadRate(
    port: Int,
    path: String,
    key: String?,
    clients: Int = 8,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> Double {
    let deadline = NIODeadline.now() + .seconds(seconds)
    let requestCount = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for _ in 0..<clients {
            tasks.addTask {
                let connection = try await HTTPConnection.openConnection(port: port, group: group)
                let count = try await connection.repeatGet(path, key: key, until: deadline).count
                await connection.close()
                return count
            }
        }
        return try await tasks.reduce(0, +)
    }
    return Double(requestCount) / Double(seconds)
}

/// Measures messages from user 1 to user 2: the time until the POST is answered, the time until the receiver has the
/// event, and the messages per second.
func measureMessages(
    _ gateway: BenchedGateway,
    count: Int,
    _ bareCosts: () async throws -> BaselineCosts
) async throws -> [Figure] {
    let before = try await bareCosts()
    try await gateway.reconnect()
    let bobsKey = try await gateway.createKey(ofUser: 2)
    let follower = try await gateway.followTexts(key: bobsKey)
    let (answered, received) = try await measureSequence(gateway, follower, count: count)
    await follower.close()
    let rate = try await measureBurst(gateway, key: bobsKey, count: count)
    let bare = BaselineCosts.mean(before, try await bareCosts())
    return bare.figures + [
        Figure(
            name: "POST answered, p50",
            value: percentile(answered, 0.5),
            unit: "ms",
            baseline: ("a synced append", bare.appendMilliseconds),
            target: .atMost(25)
        ),
        Figure(
            name: "POST answered, p99",
            value: percentile(answered, 0.99),
            unit: "ms",
            baseline: ("a synced append", bare.appendMilliseconds)
        ),
        Figure(
            name: "POST to the other side's event, p50",
            value: percentile(received, 0.5),
            unit: "ms",
            baseline: ("bare message", bare.messageMilliseconds),
            target: .atMost(7.5)
        ),
        Figure(
            name: "POST to the other side's event, p99",
            value: percentile(received, 0.99),
            unit: "ms",
            baseline: ("bare message", bare.messageMilliseconds),
            target: .atMost(30)
        ),
        Figure(
            name: "messages in sequence, POST to event",
            value: rate,
            unit: "msg/s",
            baseline: ("bare messages", 1000 / bare.messageMilliseconds),
            target: .atLeast(0.65)
        ),
    ]
}

/// Sends messages one after the other. Each message is sent when the previous message has arrived.
/// - Returns: the milliseconds until each POST was answered, and until the receiver had each message.
private func measureSequence(
    _ gateway: BenchedGateway,
    _ follower: TextArrivals,
    count: Int
) async throws -> (answered: [Double], received: [Double]) {
    var answered = [Double](), received = [Double]()
    for index in 0..<count {
        let start = NIODeadline.now()
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/direct/1/messages",
            BenchedGateway.makeTextMessage("m\(index)")
        )
        answered.append(millisecondsPassed(since: start))
        let arrival = try await follower.waitForArrival(of: "m\(index)")
        received.append(Double((arrival - start).nanoseconds) / 1e6)
    }
    return (answered, received)
}

/// Sends messages one after the other without waiting for their delivery.
/// - Returns: the messages per second, until the last message has reached the receiver.
private func measureBurst(_ gateway: BenchedGateway, key: String, count: Int) async throws -> Double {
    let follower = try await gateway.followTexts(key: key)
    let start = NIODeadline.now()
    for index in 0..<count {
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/direct/1/messages",
            BenchedGateway.makeTextMessage("b\(index)")
        )
    }
    let lastArrival = try await follower.waitForArrival(of: "b\(count - 1)")
    await follower.close()
    return Double(count) / (Double((lastArrival - start).nanoseconds) / 1e9)
}

func millisecondsPassed(since start: NIODeadline) -> Double {
    Double((NIODeadline.now() - start).nanoseconds) / 1e6
}

/// Measures many long polls that wait for the same event: the memory of each waiting request, and the time until the
/// last request has the event.
func measureWaiters(_ gateway: BenchedGateway, count: Int) async throws -> [Figure] {
    try await gateway.reconnect()
    let cursor = try await gateway.readLatestCursor()
    let before = gateway.child.residentBytes
    var connections = [HTTPConnection]()
    for _ in 0..<count {
        connections.append(try await HTTPConnection.openConnection(port: gateway.port, group: gateway.group))
    }
    let answers = connections.map { connection in
        Task { [key = gateway.key] in
            let answer = try await connection.sendRequest("GET", "/v1/events?cursor=\(cursor)&timeout=60", key: key)
            guard answer.status == 200 else { throw HTTPConnection.Failure.notHTTP }
            return NIODeadline.now()
        }
    }
    try await gateway.waitForReaders(count)
    let kibibytesPerWaiter = Double(gateway.child.residentBytes - before) / Double(count) / 1024
    let start = NIODeadline.now()
    _ = try await gateway.sendRequest(
        "POST",
        "/v1/users/1/chats/direct/1/messages",
        BenchedGateway.makeTextMessage("wake \(count)")
    )
    var lastArrival = start
    for answer in answers { lastArrival = max(lastArrival, try await answer.value) }
    for connection in connections { await connection.close() }
    return [
        Figure(
            name: "memory per waiting long poll, \(count) of them",
            value: kibibytesPerWaiter,
            unit: "KiB",
            target: count >= 10_000 ? .atMost(20) : .none
        ),
        Figure(
            name: "POST until the last of \(count) waiters gets the event",
            value: Double((lastArrival - start).nanoseconds) / 1e6,
            unit: "ms"
        ),
    ]
}

extension BenchedGateway {
    /// Waits until the gateway's metrics count at least `count` readers that wait for events.
    func waitForReaders(_ count: Int) async throws {
        let deadline = NIODeadline.now() + .seconds(60)
        while NIODeadline.now() < deadline {
            let answer = try await connection.sendRequest("GET", "/metrics", key: key)
            for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            where line.hasPrefix("sxgw_event_waiters ") {
                if let waiting = Double(line.split(separator: " ").last ?? ""), Int(waiting) >= count { return }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw HTTPConnection.Failure.closed
    }
}
