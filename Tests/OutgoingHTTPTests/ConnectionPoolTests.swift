import SMPTestSupport
import Synchronization
import TestSupport
import Testing

@testable import OutgoingHTTP

@Suite("Limits of kept connections", .socketTimeLimit) struct ConnectionPoolTests {
    @Test
    func `The HTTP client keeps at most four unused connections to a server open`() async throws {
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        let receiver = try await HTTPReceiver.start { _ in
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            return .status(200)
        }
        let client = try KeepingClient(units: 20)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await client.get(receiver.url).status } }
            try await waitUntil("all requests have come") { waiting.withLock { $0.count } == 6 }
            for continuation in waiting.withLock({ $0 }) { continuation.resume() }
            for try await status in group { #expect(status == 200) }
        }
        #expect(receiver.connectionCount == 6 && client.keptConnectionCount == 4 && client.allowance.inUseCount == 4)
        try await waitUntil("two connections are closed") { receiver.openConnectionCount == 4 }
        await receiver.stop()
        try await waitUntil("no connection is kept") {
            client.keptConnectionCount == 0 && client.allowance.inUseCount == 0
        }
    }

    @Test
    func `The HTTP client keeps at most its limit of connections open to many servers`() async throws {
        var receivers: [HTTPReceiver] = []
        for _ in 0..<6 { receivers.append(try await HTTPReceiver.start { _ in .status(200) }) }
        let limited = try KeepingClient { $0.maxKeptConnections = 3 }
        let narrow = try KeepingClient(units: 2)
        for receiver in receivers {
            for client in [limited, narrow] { #expect(try await client.get(receiver.url).status == 200) }
            #expect(
                limited.keptConnectionCount <= 3 && narrow.keptConnectionCount == 1 && narrow.allowance.inUseCount == 1
            )
        }
        #expect(limited.keptConnectionCount == 3 && limited.allowance.inUseCount == 3)
        // The newest connections are kept.
        for client in [limited, narrow] { _ = try await client.get(receivers[5].url) }
        #expect(receivers[5].connectionCount == 2 && receivers[5].requests.count == 4)
        for receiver in receivers { await receiver.stop() }
    }

    @Test
    func `A kept HTTP connection is closed if a new request needs a connection and the limit is reached`() async throws
    {
        let receivers = (
            kept: try await HTTPReceiver.start { _ in .status(200) },
            silent: try await HTTPReceiver.start { _ in .silence }
        )
        let client = try KeepingClient(units: 2)
        _ = try await client.get(receivers.kept.url)
        #expect(client.keptConnectionCount == 1 && client.allowance.inUseCount == 1)
        let waiting = (0..<2).map { _ in Task { try await client.post(receivers.silent.url) } }
        _ = await receivers.silent.nextRequests(2)
        #expect(client.keptConnectionCount == 0 && client.allowance.inUseCount == 2)
        try await waitUntil("the kept connection is closed") { receivers.kept.openConnectionCount == 0 }
        #expect(try await client.post(receivers.kept.url) == .tooManyConnections)
        for task in waiting {
            task.cancel()
            #expect(try await task.value == .cancelled)
        }
        #expect(client.allowance.inUseCount == 0)
        await receivers.kept.stop()
        await receivers.silent.stop()
    }

    @Test
    func `An HTTP client that keeps no connections asks the server to close each connection`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let client = try KeepingClient { $0.maxKeptConnections = 0 }
        for _ in 0..<2 { _ = try await client.get(receiver.url) }
        #expect(receiver.connectionCount == 2 && receiver.requests.allSatisfy { $0.header("connection") == "close" })
        #expect(client.keptConnectionCount == 0 && client.allowance.inUseCount == 0)
        await receiver.stop()
    }

    @Test
    func `A kept HTTP connection is closed 30 seconds after its last request`() async throws {
        let (clock, receiver) = (ManualClock(), try await HTTPReceiver.start { _ in .status(200) })
        let client = try KeepingClient(clock: clock)
        for round in 1...2 {
            _ = try await client.get(receiver.url)
            try await waitUntil("the time runs") { clock.sleeperCount == round }
            clock.advance(by: .seconds(20))
        }
        #expect(client.keptConnectionCount == 1 && receiver.connectionCount == 1)
        clock.advance(by: .seconds(10))
        try await waitUntil("the connection is closed") {
            client.keptConnectionCount == 0 && receiver.openConnectionCount == 0
        }
        #expect(client.allowance.inUseCount == 0)
        #expect(try await client.get(receiver.url).status == 200)
        #expect(receiver.connectionCount == 2)
        await receiver.stop()
    }

    @Test
    func `HTTP requests of different owners or to different host names use different connections`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let client = try KeepingClient()
        for owner in [nil, "a", "b", nil, "a", "b"] {
            #expect(try await client.post(receiver.url, owner: owner) == nil)
        }
        #expect(receiver.connectionCount == 3 && client.keptConnectionCount == 3)
        _ = try await client.get("http://name.example:\(receiver.port)/")
        #expect(receiver.connectionCount == 4)
        await receiver.stop()
    }

    @Test
    func `A request that requires a public address does not use a kept connection to an allowed private address`()
        async throws
    {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        let client = try KeepingClient()
        _ = try await client.get(receiver.url)
        var outward = OutgoingRequest(get: try TargetURL(receiver.url), maxKeptAnswerBytes: 0)
        outward.requiresPublicAddress = true
        let sent = outward
        await #expect(throws: OutgoingError.refusedAddress) { _ = try await client.http.send(sent) }
        #expect(receiver.requests.count == 1 && client.keptConnectionCount == 1)
        await receiver.stop()
    }

    @Test
    func `A cancelled HTTP request closes its connection`() async throws {
        for isKept in [false, true] {
            let receiver = try await HTTPReceiver.start(replies: isKept ? [.status(200), .silence] : [.silence])
            let client = try KeepingClient()
            if isKept { _ = try await client.get(receiver.url) }
            let before = receiver.requests.count
            let sending = Task { try await client.post(receiver.url, isRepeatable: true) }
            _ = await receiver.nextRequests(before + 1)
            sending.cancel()
            #expect(try await sending.value == .cancelled)
            #expect(
                client.keptConnectionCount == 0 && client.allowance.inUseCount == 0 && receiver.connectionCount == 1
            )
            try await waitUntil("the connection is closed") { receiver.openConnectionCount == 0 }
            await receiver.stop()
        }
    }

    @Test
    func `Closing the HTTP client closes its kept connections`() async throws {
        let receiver = try await HTTPReceiver.start { _ in .status(200) }
        var client: KeepingClient? = try KeepingClient()
        _ = try await client?.get(receiver.url)
        #expect(receiver.openConnectionCount == 1)
        client = nil
        try await waitUntil("the connection is closed") { receiver.openConnectionCount == 0 }
        await receiver.stop()
    }
}
