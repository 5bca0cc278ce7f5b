import Foundation
import JSON
import NIOCore
import SMP

/// Measures a chat relay that serves a channel with many subscribers, together with one SMP relay. One program acts as
/// all subscribers. Measures the time to join, the time until the last subscriber has a post, the messages sent per
/// second, and the memory and database size for each subscriber.
func measureChannels(
    executable: String,
    folder: String,
    subscribers: Int,
    posts: Int,
    minutes: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let relay = try MeasuredProcess(
        executable,
        ["relay", "--data", folder + "/channel-relay", "--port", "\(try FreePort.takeNext())", "--quota", "100000"],
        log: folder + "/channel-relay.log"
    )
    defer { relay.terminateProcess() }
    guard let line = relay.waitForLine(containing: "Relay:"), let address = line.split(separator: " ").last,
        let server = try? ProtocolServer(parsing: String(address))
    else { throw HTTPConnection.Failure.closed }
    let gateway = try await BenchedGateway(
        folder: folder + "/channels",
        port: try FreePort.takeNext(),
        relay: String(address),
        executable: executable,
        group: group
    )
    let peers = try await ChannelPeers(folder: folder + "/channel-peers", relay: server, group: group)
    do {
        let figures = try await measureChannel(
            gateway,
            peers,
            relay,
            subscribers: subscribers,
            posts: posts,
            minutes: minutes
        )
        await peers.closeAgent()
        await gateway.stop()
        return figures
    } catch {
        await peers.closeAgent()
        await gateway.stop()
        throw error
    }
}

private func measureChannel(
    _ gateway: BenchedGateway,
    _ peers: ChannelPeers,
    _ relay: MeasuredProcess,
    subscribers: Int,
    posts: Int,
    minutes: Int
) async throws -> [Figure] {
    try await peers.makeChannel(at: gateway.createChatRelay())
    // The first ten subscribers and posts cause costs that occur only once, so they come before the first figures.
    try await peers.joinPeers(10)
    try await peers.postAndWait("the first post", subscribers: 10)
    try await gateway.waitUntilChannelMessagesSent()
    let storedBytes = try await gateway.measureStoredBytes()
    try await peers.postAndWait("a post after the start", subscribers: 10)
    let idleBytesBefore = try await gateway.measureIdleBytes()
    let joinStart = NIODeadline.now()
    try await peers.joinPeers(subscribers)
    let secondsToJoin = millisecondsPassed(since: joinStart) / 1000
    try await gateway.waitUntilChannelMessagesSent()
    let joinedKibibytes = Double(gateway.child.residentBytes - idleBytesBefore) / Double(subscribers) / 1024
    let storedKibibytes = Double(try await gateway.measureStoredBytes() - storedBytes) / Double(subscribers) / 1024

    var postMilliseconds: [Double] = []
    for _ in 0..<3 {
        let start = NIODeadline.now()
        try await peers.postAndWait("a post", subscribers: subscribers + 10)
        postMilliseconds.append(millisecondsPassed(since: start))
    }
    // The gateway was restarted before these posts, as before the first measurement of memory. So the two measurements
    // are comparable.
    let resident = Double(try await gateway.measureIdleBytes() - idleBytesBefore) / Double(subscribers) / 1024
    let steady = try await measureTenPostsAMinute(gateway, peers, subscribers: subscribers + 10, minutes: minutes)
    // From now on the subscribers receive nothing, so that only the chat relay and the SMP relay are measured.
    await peers.stopAgent()
    try await peers.startAgent(receiving: false)
    try await gateway.waitUntilChannelMessagesSent()
    let processor = gateway.child.processorSeconds + relay.processorSeconds
    let start = NIODeadline.now()
    for _ in 0..<posts {
        _ = try await peers.sendPost()
        try await gateway.waitUntilChannelMessagesSent(more: subscribers + 10)
    }
    let elapsedSeconds = millisecondsPassed(since: start) / 1000
    let deliveries = Double(posts * (subscribers + 10))
    let processorMilliseconds =
        (gateway.child.processorSeconds + relay.processorSeconds - processor) / deliveries * 1000
    let costs = ChannelCosts(
        joinSeconds: secondsToJoin,
        postMilliseconds: postMilliseconds,
        deliveriesPerSecond: deliveries / elapsedSeconds,
        deliveryProcessorMilliseconds: processorMilliseconds,
        kibibytesAfterRestart: resident,
        joinedKibibytes: joinedKibibytes,
        storedKibibytes: storedKibibytes
    )
    return costs.makeFigures(subscribers: subscribers) + steady
}

extension BenchedGateway {
    /// Creates a profile that is a chat relay.
    /// - Returns: the short link of the profile's address.
    fileprivate func createChatRelay() async throws -> String {
        _ = try await sendRequest(
            "POST",
            "/v1/users",
            #"{"profile":{"displayName":"rel","fullName":""},"userChatRelay":true}"#
        )
        let made = try await sendRequest("POST", "/v1/users/1/address")
        guard let link = made["connLinkContact"]?["connShortLink"]?.stringValue else {
            throw HTTPConnection.Failure.notHTTP
        }
        return link
    }
}

/// The measured costs of a channel at a chat relay. The sizes in KiB are for one subscriber.
private struct ChannelCosts {
    let joinSeconds: Double
    let postMilliseconds: [Double]
    let deliveriesPerSecond: Double
    let deliveryProcessorMilliseconds: Double
    /// Memory for a subscriber in KiB, after a restart and three posts.
    let kibibytesAfterRestart: Double
    /// Memory for a subscriber in KiB, immediately after all subscribers have joined.
    let joinedKibibytes: Double
    let storedKibibytes: Double

    func makeFigures(subscribers: Int) -> [Figure] {
        [
            Figure(
                name: "\(subscribers) subscribers join a channel at a chat relay",
                value: Double(subscribers) / joinSeconds,
                unit: "/s"
            ),
            Figure(
                name: "a post until the last of \(subscribers) subscribers has it, median of 3, subscribers included",
                value: percentile(postMilliseconds, 0.5),
                unit: "ms"
            ),
            Figure(
                name: "messages of a chat relay to \(subscribers) subscribers, until the message relay has them",
                value: deliveriesPerSecond,
                unit: "/s",
                target: subscribers >= 10_000 ? .atLeast(1_000) : .none
            ),
            Figure(name: "processor time of both relays for each", value: deliveryProcessorMilliseconds, unit: "ms"),
            Figure(
                name:
                    "chat relay's memory for each of \(subscribers) subscribers, at rest after a restart and three posts",
                value: kibibytesAfterRestart,
                unit: "KiB",
                target: subscribers >= 10_000 ? .atMost(10) : .none
            ),
            Figure(
                name: "the same right after they have joined, without a restart",
                value: joinedKibibytes,
                unit: "KiB"
            ),
            Figure(
                name: "chat relay's databases for each of \(subscribers) subscribers",
                value: storedKibibytes,
                unit: "KiB",
                target: subscribers >= 10_000 ? .atMost(4) : .none
            ),
        ]
    }
}

/// Measures ten posts in each minute. A post is sent when all subscribers have received the previous post.
private func measureTenPostsAMinute(
    _ gateway: BenchedGateway,
    _ peers: ChannelPeers,
    subscribers: Int,
    minutes: Int
) async throws -> [Figure] {
    guard minutes > 0 else { return [] }
    var steadyPostMilliseconds: [Double] = []
    let before = gateway.child.residentBytes, bytes = gateway.fileBytes
    for _ in 0..<minutes * 10 {
        let start = NIODeadline.now()
        try await peers.postAndWait("a post of many", subscribers: subscribers)
        steadyPostMilliseconds.append(millisecondsPassed(since: start))
        try await Task.sleep(for: .milliseconds(max(0, 6_000 - Int64(millisecondsPassed(since: start)))))
    }
    let deliveries = Double(steadyPostMilliseconds.count * subscribers)
    return [
        Figure(
            name: "ten posts a minute for \(minutes) minutes: the slowest until the last subscriber has it",
            value: steadyPostMilliseconds.max() ?? 0,
            unit: "ms",
            target: .atMost(6_000)
        ),
        Figure(
            name: "growth of the chat relay's memory by these posts",
            value: Double(gateway.child.residentBytes - before) / 1_048_576,
            unit: "MiB"
        ),
        Figure(
            name: "growth of the chat relay's databases for each delivery of these posts",
            value: Double(gateway.fileBytes - bytes) / deliveries,
            unit: "B"
        ),
    ]
}

extension ChannelPeers {
    /// Sends a post to the channel, and waits until `subscribers` subscribers have received the post.
    fileprivate func postAndWait(_ what: String, subscribers: Int) async throws {
        let text = try await sendPost()
        try await waitForCondition(what) { self.arrivalCount(of: text) >= subscribers }
    }
}

extension BenchedGateway {
    private func readMetrics() async throws -> [String: Double] {
        let answer = try await connection.sendRequest("GET", "/metrics", key: key)
        var values: [String: Double] = [:]
        for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let value = Double(parts[1]) { values[String(parts[0])] = value }
        }
        return values
    }

    /// Waits twelve seconds, and returns the gateway's resident memory in bytes.
    fileprivate func measureIdleBytes() async throws -> Int {
        try await Task.sleep(for: .seconds(12))
        return child.residentBytes
    }

    /// The present size in bytes of the gateway's databases and their write-ahead logs.
    fileprivate var fileBytes: Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".db") || $0.hasSuffix(".db-wal") }.reduce(0) { sum, file in
            let size = (try? FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.size]) as? Int
            return sum + (size ?? 0)
        }
    }

    /// Stops the gateway and starts it again. The stop writes the write-ahead logs into the databases. The logs are not
    /// measured, because their size does not depend on the stored data.
    /// - Returns: the size of the databases in bytes, with all data in them.
    fileprivate func measureStoredBytes() async throws -> Int {
        await connection.close()
        child.terminateProcess()
        let bytes = fileBytes
        try await restart()
        return bytes
    }

    /// Waits until the gateway has sent all messages to members of channels.
    /// - Parameter more: the number of messages that must have been sent since the last call.
    fileprivate func waitUntilChannelMessagesSent(more: Int = 0) async throws {
        // The gateway closes a connection that was idle while members joined, so a new connection is opened.
        try await reconnect()
        let deadline = NIODeadline.now() + .seconds(600)
        while NIODeadline.now() < deadline {
            let values = try await readMetrics()
            let delivered = Int(values["sxgw_channel_deliveries_total"] ?? 0)
            if values["sxgw_channel_jobs"] == 0, values["sxgw_channel_messages_waiting"] == 0,
                values["sxgw_outboxes"] == 0, delivered >= sentChannelMessageCount + more
            {
                sentChannelMessageCount = delivered
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw ChannelPeers.Failure.timedOut("the outbox")
    }
}
