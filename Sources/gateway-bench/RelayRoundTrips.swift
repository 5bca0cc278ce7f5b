import NIOCore
import NIOPosix
import SMP
import SimpleXCrypto
import Synchronization

/// Measures the SMP relay with pairs of a sender and a recipient: the time of a message from its SEND to the answer to
/// its ACK. Each sender and each recipient has its own session. The relay runs in a separate process.
func measureRelay(
    executable: String,
    bench: String,
    folder: String,
    pairs: Int,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let child = try MeasuredProcess(
        executable,
        ["relay", "--data", folder + "/relay", "--port", "\(try FreePort.takeNext())"],
        log: folder + "/relay.log"
    )
    guard let line = child.waitForLine(containing: "Relay:"), let text = line.split(separator: " ").last,
        let server = try? ProtocolServer(parsing: String(text))
    else { throw HTTPConnection.Failure.closed }
    var relayPairs: [RelayPair] = []
    for _ in 0..<pairs { relayPairs.append(try await RelayPair(server, group: group)) }
    let processorSecondsBefore = child.processorSeconds
    let deadline = NIODeadline.now() + .seconds(seconds)
    let start = NIODeadline.now()
    let latencies = try await withThrowingTaskGroup(of: [Double].self) { tasks in
        for pair in relayPairs { tasks.addTask { try await pair.exchangeMessages(until: deadline) } }
        return try await tasks.reduce(into: [Double]()) { $0 += $1 }
    }
    let elapsedSeconds = millisecondsPassed(since: start) / 1000
    let processor = (child.processorSeconds - processorSecondsBefore) / Double(latencies.count) * 1000
    let resident = Double(child.residentBytes) / 1_048_576
    for pair in relayPairs { await pair.close() }
    child.terminateProcess()
    let baselineRate = try await BlockEcho.measureRate(
        bench: bench,
        folder: folder,
        pairs: pairs,
        seconds: seconds,
        group: group
    )
    return [
        Figure(
            name: "relay SEND→MSG→ACK, \(pairs) pairs, driver included",
            value: Double(latencies.count) / elapsedSeconds,
            unit: "/s",
            baseline: ("two blocks there and back over bare TLS", baselineRate),
            target: pairs >= 128 ? .atLeast(0.35) : .none
        ),
        Figure(name: "the same, p50", value: percentile(latencies, 0.5), unit: "ms"),
        Figure(name: "the same, p99", value: percentile(latencies, 0.99), unit: "ms"),
        Figure(name: "relay's processor time for each", value: processor, unit: "ms"),
        Figure(name: "relay's resident memory with \(pairs * 2) sessions", value: resident, unit: "MiB"),
    ]
}

/// The sender and the recipient of one secured queue on the relay.
private final class RelayPair: Sendable {
    private let sender: SMPClient
    private let recipient: SMPClient
    private let queue: CreatedQueue
    private let senderKey: AuthorizationPrivateKey
    private let receivedMessages: AsyncStream<RcvMessage>

    init(_ server: ProtocolServer, group: any EventLoopGroup) async throws {
        let (received, continuation) = AsyncStream.makeStream(of: RcvMessage.self)
        self.receivedMessages = received
        sender = SMPClient(server: server, group: group) { _ in }
        recipient = SMPClient(server: server, group: group) { event in
            if case .message(_, let message) = event { continuation.yield(message) }
        }
        senderKey = .x25519(try X25519.PrivateKey())
        queue = try await recipient.createQueue(
            key: .ed25519(try Ed25519.PrivateKey()),
            dhKey: try X25519.PrivateKey(),
            mode: .messaging
        )
        try await sender.secureQueueAsSender(sndID: queue.sndID, key: senderKey)
    }

    /// Sends one message after the other until `deadline`. Returns the latency of each message in milliseconds, from
    /// SEND to the answer to ACK.
    func exchangeMessages(until deadline: NIODeadline) async throws -> [Double] {
        var messages = receivedMessages.makeAsyncIterator()
        let body = [UInt8](repeating: 0x41, count: 15_000)
        var latencies: [Double] = []
        while NIODeadline.now() < deadline {
            let start = NIODeadline.now()
            try await sender.sendMessage(sndID: queue.sndID, key: senderKey, flags: .none, body: body)
            guard let message = await messages.next() else { return latencies }
            try await recipient.acknowledgeMessage(
                rcvID: queue.credentials.rcvID,
                key: queue.credentials.key,
                messageID: message.id
            )
            latencies.append(millisecondsPassed(since: start))
        }
        return latencies
    }

    func close() async {
        await sender.close()
        await recipient.close()
    }
}
