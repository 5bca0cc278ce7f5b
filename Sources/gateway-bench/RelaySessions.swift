import NIOCore
import SMP
import SimpleXCrypto

/// Measures the memory of the SMP relay for each idle session: first after the handshake, then with a subscription to a
/// queue.
func measureRelaySessions(
    executable: String,
    folder: String,
    count: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let child = try MeasuredProcess(
        executable,
        ["relay", "--data", folder + "/sessions", "--port", "\(try FreePort.takeNext())"],
        log: folder + "/sessions.log"
    )
    defer { child.terminateProcess() }
    guard let line = child.waitForLine(containing: "Relay:"), let text = line.split(separator: " ").last,
        let server = try? ProtocolServer(parsing: String(text))
    else { throw HTTPConnection.Failure.closed }
    // The first sessions cause costs that occur only once, so they are opened before the measurement.
    var sessions: [SMPSession] = []
    for _ in 0..<20 {
        sessions.append(try await .connect(to: server, configuration: SMPClientConfiguration(), group: group) { _ in })
    }
    let before = child.residentBytes
    let start = NIODeadline.now()
    for _ in 0..<count {
        sessions.append(try await .connect(to: server, configuration: SMPClientConfiguration(), group: group) { _ in })
    }
    let elapsedSeconds = millisecondsPassed(since: start) / 1000
    let kibibytesPerIdleSession = Double(child.residentBytes - before) / Double(count) / 1024
    let (key, dhKey) = (AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey()), try X25519.PrivateKey())
    let queue = SMPRequest(
        .new(
            NewQueueRequest(
                authKey: key.publicKey,
                dhKey: dhKey.publicKey,
                subscription: .subscribe,
                data: .messaging(nil)
            )
        ),
        key: key
    )
    for session in sessions { _ = try await session.sendRequest(queue) }
    let kibibytesPerSubscribedSession = Double(child.residentBytes - before) / Double(count) / 1024
    for session in sessions { await session.close() }
    return [
        Figure(name: "relay: new sessions, one after the other", value: Double(count) / elapsedSeconds, unit: "/s"),
        Figure(name: "relay's memory for each of \(count) idle sessions", value: kibibytesPerIdleSession, unit: "KiB"),
        Figure(
            name: "the same, with a queue that each is subscribed to",
            value: kibibytesPerSubscribedSession,
            unit: "KiB"
        ),
    ]
}
