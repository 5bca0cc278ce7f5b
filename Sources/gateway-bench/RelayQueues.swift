import NIOCore
import NIOPosix
import SMP
import SimpleXCrypto

/// Measures the memory of the SMP relay for each queue, and the time in which it starts again with all queues.
func measureRelayQueues(
    executable: String,
    folder: String,
    count: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let port = try FreePort.takeNext()
    func startRelay() throws -> (child: MeasuredProcess, server: ProtocolServer, milliseconds: Double) {
        let begin = NIODeadline.now()
        let child = try MeasuredProcess(
            executable,
            ["relay", "--data", folder + "/queues", "--port", "\(port)"],
            log: folder + "/queues.log"
        )
        guard let line = child.waitForLine(containing: "Relay:"), let text = line.split(separator: " ").last,
            let server = try? ProtocolServer(parsing: String(text))
        else { throw HTTPConnection.Failure.closed }
        return (child, server, millisecondsPassed(since: begin))
    }
    let emptyRelay = try startRelay()
    let residentBytesBefore = emptyRelay.child.residentBytes
    let client = SMPClient(server: emptyRelay.server, group: group) { _ in }
    let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
    let begin = NIODeadline.now()
    let queueIDs = try await client.createQueues(count, key: key)
    let creationSeconds = millisecondsPassed(since: begin) / 1000
    let bytesPerNewQueue = Double(emptyRelay.child.residentBytes - residentBytesBefore) / Double(count)
    await client.close()
    emptyRelay.child.killProcess()
    let restartedRelay = try startRelay()
    let bytesPerRestoredQueue = Double(restartedRelay.child.residentBytes - residentBytesBefore) / Double(count)
    let subscriber = SMPClient(server: restartedRelay.server, group: group) { _ in }
    let subscriptionStart = NIODeadline.now()
    try await subscriber.subscribeQueues(queueIDs, key: key)
    let subscriptionSeconds = millisecondsPassed(since: subscriptionStart) / 1000
    await subscriber.close()
    restartedRelay.child.terminateProcess()
    return [
        Figure(name: "relay NEW, one session, 500 at a time", value: Double(count) / creationSeconds, unit: "/s"),
        Figure(name: "relay SUB, one session, 500 at a time", value: Double(count) / subscriptionSeconds, unit: "/s"),
        Figure(
            name: "relay's memory for each of \(count) queues",
            value: bytesPerNewQueue,
            unit: "B",
            target: .atMost(1_340)
        ),
        Figure(name: "the same, after a restart", value: bytesPerRestoredQueue, unit: "B", target: .atMost(1_340)),
        Figure(
            name: "relay's start with \(count) queues, after a kill",
            value: restartedRelay.milliseconds,
            unit: "ms",
            target: count >= 100_000 ? .atMost(1_000) : .none
        ),
    ]
}

extension SMPClient {
    /// Creates queues, 500 at a time. All queues have the same key. One key instead of many saves time outside of the
    /// measurement, and costs the relay the same.
    fileprivate func createQueues(_ count: Int, key: AuthorizationPrivateKey) async throws -> [[UInt8]] {
        let request = SMPRequest(
            .new(
                NewQueueRequest(
                    authKey: key.publicKey,
                    dhKey: try X25519.PrivateKey().publicKey,
                    subscription: .onlyCreate,
                    data: .messaging(nil)
                )
            ),
            key: key
        )
        var made: [[UInt8]] = []
        while made.count < count {
            for answer in await sendRequests(Array(repeating: request, count: min(500, count - made.count))) {
                guard case .ids(let ids) = try answer.get() else { throw HTTPConnection.Failure.notHTTP }
                made.append(ids.rcvID)
            }
        }
        return made
    }

    /// Subscribes to queues with the command SUB, 500 at a time.
    fileprivate func subscribeQueues(_ ids: [[UInt8]], key: AuthorizationPrivateKey) async throws {
        for start in stride(from: 0, to: ids.count, by: 500) {
            let batch = ids[start..<min(ids.count, start + 500)].map { SMPRequest(.sub, entityID: $0, key: key) }
            for answer in await sendRequests(batch) { _ = try answer.get() }
        }
    }
}
