import Glibc
import NIOPosix
import TestSupport
import Testing

@testable import Descriptors
@testable import Gateway

@Suite(.socketTimeLimit) struct ConnectionLimitTests {
    /// Whether the server accepts a new connection and answers on it.
    private func isAnswered(_ served: ServedGateway) async throws -> Bool {
        let client = try await served.connectAnonymously()
        return (try? await client.call("GET", "/livez").status) == 200
    }

    @Test
    func `A connection above the limit of connections is closed immediately, until an open connection ends`()
        async throws
    {
        try await ServedGateway.run({ $0.http.maxClientDescriptors = 4 }) { served in
            var clients: [HTTPClient] = []
            for _ in 0..<4 {
                clients.append(try await served.connectAnonymously())
                #expect(try await clients[clients.count - 1].call("GET", "/livez").status == 200)
            }
            for _ in 0..<20 { #expect(try await RawConnection.open(port: served.port).receiveRest() == []) }
            for client in clients { #expect(try await client.call("GET", "/livez").status == 200) }
            await clients.removeLast().connection.close()
            try await waitUntil("a connection is accepted again") { try await isAnswered(served) }
        }
    }

    @Test
    func `An open WebSocket counts as two connections toward the limit of connections`() async throws {
        try await ServedGateway.run({ $0.http.maxClientDescriptors = 3 }) { served in
            let socket = try await WebSocketClient.open(served.connectClient(), "/")
            let other = try await served.connectClient()
            #expect(try await WebSocketClient.sendHandshake(other, "/").status == 503)
            #expect(try await RawConnection.open(port: served.port).receiveRest() == [])
            #expect(try await other.call("GET", "/livez").status == 200)
            await socket.http.connection.close()
            try await waitUntil("a WebSocket is accepted") {
                try await WebSocketClient.sendHandshake(other, "/").status == 101
            }
        }
    }

    @Test
    func `A stream above the limit of event streams gets 503 with Retry-After`() async throws {
        try await ServedGateway.run({ $0.http.maxStreams = 2 }) { served in
            let poll = try await served.connectClient()
            try await poll.send("GET", "/v1/events?cursor=now&timeout=60")
            let stream = try await served.connectClient()
            try await stream.send("GET", "/v1/events", headers: [("Accept", "text/event-stream")])
            #expect(try await stream.receiveHead().status == 200)
            let other = try await served.connectClient()
            // The long poll may reach the gateway late, so this request is repeated until it is refused.
            try await waitUntil("all places of followers are in use") {
                try await other.call("GET", "/v1/events?cursor=now").status == 503
            }
            #expect(try await other.call("GET", "/v1/events?cursor=now").header("retry-after") != nil)
            #expect(try await other.call("GET", "/livez").status == 200)
            served.core.journal.publish(["one"])
            #expect(try await poll.receiveAnswer().status == 200)
            #expect(try await other.call("GET", "/v1/events").status == 200)
        }
    }

    @Test
    func `The last eighth of the connections is reserved for commands, and a WebSocket that needs it gets 503`()
        async throws
    {
        try await ServedGateway.run({ $0.http.maxClientDescriptors = 16 }) { served in
            var sockets: [WebSocketClient] = []
            for _ in 0..<7 {
                sockets.append(try await WebSocketClient.open(served.connectClient(), "/v1/events/ws?cursor=now"))
            }
            #expect(
                try await WebSocketClient.sendHandshake(served.connectClient(), "/v1/events/ws?cursor=now").status
                    == 503
            )
            #expect(try await served.connectClient().call("GET", "/v1/whoami").status == 200)
            withExtendedLifetime(sockets) {}
        }
    }

    @Test
    func `A connection without a complete first request header is closed after a timeout`() async throws {
        try await ServedGateway.run({ $0.http.firstRequestTimeoutSeconds = 1 }) { served in
            let answered = try await served.connectAnonymously()
            #expect(try await answered.call("GET", "/livez").status == 200)
            let (silent, half) = (
                try await RawConnection.open(port: served.port), try await RawConnection.open(port: served.port)
            )
            try await half.send("GET /livez HTTP/1.1\r\nHost: ")
            #expect(try await silent.receiveRest() == [])
            #expect(try await half.receiveRest() == [])
            #expect(try await answered.call("GET", "/livez").status == 200)
        }
    }

    @Test
    func `Clients that close their sending half while they wait still get their answers`() async throws {
        try await ServedGateway.run { served in
            var clients: [HTTPClient] = []
            // All clients connect first, since on a busy machine 100 connections take longer than a wait.
            for _ in 0..<100 { clients.append(try await served.connectClient()) }
            for client in clients {
                try await client.send("GET", "/v1/events?cursor=now&timeout=60")
                try await client.connection.finishSending()
            }
            // The event is published only when all clients wait, since a client that begins later would wait for
            // another event.
            let watch = try await served.connectClient()
            try await waitUntil("all clients wait") {
                try await watch.call("GET", "/metrics").text.contains("sxgw_event_waiters 100\n")
            }
            served.core.journal.publish(["one"])
            for client in clients { #expect(try await client.receiveAnswer().status == 200) }
        }
    }
}

@Suite(.socketTimeLimit) struct LingeringCloseTests {
    private func makeSocketPair() throws -> (own: Int32, peer: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Writes until the peer stops reading, and returns the number of bytes written.
    private func writeUntilRefused(to peer: Int32) async -> Int {
        var total = 0
        let bytes = [UInt8](repeating: 1, count: 65536)
        while true {
            let count = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count > 0 { total += count } else if errno == EAGAIN { await Task.yield() } else { return total }
        }
    }

    @Test
    func `While a refused body is still read, its connection counts toward the limit of connections`() async throws {
        let limits = HTTPLimits(connections: 100, perAddress: 100, streams: 100)
        let lingering = LingeringClose(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, limits: limits)
        let (own, peer) = try makeSocketPair()
        lingering.drainDuplicate(of: own, LingeringClose.Bounds(maxBytes: 1 << 20, maxSeconds: 60))
        close(own)
        #expect(limits.connections.descriptorsInUse == 1 && limits.lingeringConnections.inUseCount == 1)
        let total = await writeUntilRefused(to: peer)
        // The buffers of the sockets are full in addition to the bytes that were read.
        #expect(total >= 1 << 20 && total < 4 << 20, "\(total)")
        try await waitUntil("the descriptors of the request are free") {
            limits.connections.descriptorsInUse == 0 && limits.lingeringConnections.inUseCount == 0
        }
        close(peer)
    }

    @Test
    func `While too many refused bodies are read, a further refused connection is closed at once`() async throws {
        for limits in [
            HTTPLimits(connections: 16, perAddress: 16, streams: 16),
            HTTPLimits(connections: 1, perAddress: 1, streams: 1),
        ] {
            let lingering = LingeringClose(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, limits: limits)
            let (first, second) = (try makeSocketPair(), try makeSocketPair())
            let bounds = LingeringClose.Bounds(maxBytes: 1 << 20, maxSeconds: 60)
            lingering.drainDuplicate(of: first.own, bounds)
            lingering.drainDuplicate(of: second.own, bounds)
            close(first.own)
            close(second.own)
            #expect(await writeUntilRefused(to: second.peer) == 0)
            #expect(limits.connections.descriptorsInUse == 1)
            close(first.peer)
            close(second.peer)
            try await waitUntil("the descriptors of the connections are free") {
                limits.connections.descriptorsInUse == 0
            }
        }
    }

    @Test
    func `A client without a key gets 401 before its large body is read completely`() async throws {
        try await ServedGateway.run { served in
            let client = try await served.connectAnonymously()
            try await client.send("POST", "/v1/users", headers: [("Content-Length", "104857600")])
            let sending = Task {
                let megabyte = [UInt8](repeating: 32, count: 1 << 20)
                for sent in 0..<100 {
                    do { try await client.connection.send(megabyte) } catch { return sent }
                }
                return 100
            }
            #expect(try await client.receiveAnswer().status == 401)
            #expect(await sending.value < 50)
        }
    }
}

@Suite struct HTTPBodyTests {
    @Test(arguments: [1, 7, 1_000, 100_000])
    func `A body that arrives byte by byte uses at most twice as much memory as it has bytes`(size: Int) {
        var body = HTTPBody()
        for index in 0..<size { withUnsafeBytes(of: UInt8(truncatingIfNeeded: index)) { body.append($0) } }
        #expect(body.count == size && body.capacity <= max(2 * size, 256))
        let whole = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        #expect(body.withBytes { Array($0) } == whole)
        body.joinBlocks()
        #expect(body.capacity <= max(size, 256) && body.withBytes { Array($0) } == whole)
    }

    @Test
    func `A copy of a body does not change when bytes are added to the body that was copied`() {
        var body = HTTPBody(Array("ab".utf8))
        let copy = body
        Array("cd".utf8).withUnsafeBytes { body.append($0) }
        #expect(copy.withBytes { Array($0) } == Array("ab".utf8) && body.withBytes { Array($0) } == Array("abcd".utf8))
    }
}
