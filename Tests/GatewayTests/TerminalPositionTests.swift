import Files
import JSON
import Logging
import NIOPosix
import TestSupport
import Testing

@testable import Gateway

@Suite("Positions of clients of the terminal protocol", .socketTimeLimit)
struct TerminalPositionTests {
    @Test
    func `A terminal client begins at the position at which the previous client with the same key ended`() {
        let places = TerminalPositions(epoch: "one", start: 4)
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...9) == 4)
        places.recordDisconnect("bot", epoch: "one", at: 12)
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...20) == 12)
        #expect(places.recordConnect("other", epoch: "one", kept: 0...20) == 4)
    }

    @Test
    func `A second terminal client that connects with the same key gets only new events`() {
        let places = TerminalPositions(epoch: "one", start: 0)
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...5) == 0)
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...7) == 7)
        places.recordDisconnect("bot", epoch: "one", at: 8)
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...9) == 9)
        for position: UInt64 in [9, 3] { places.recordDisconnect("bot", epoch: "one", at: position) }
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...12) == 9)
    }

    @Test
    func `A terminal client gets only a limited number of past events, and only events that the journal still has`() {
        let places = TerminalPositions(epoch: "one", start: 0)
        let latest = TerminalPositions.maxWaitingEvents * 3
        #expect(
            places.recordConnect("bot", epoch: "one", kept: 0...latest) == latest - TerminalPositions.maxWaitingEvents
        )
        #expect(places.recordConnect("other", epoch: "one", kept: (latest - 2)...latest) == latest - 2)
    }

    @Test
    func `A stored position of a terminal client is ignored if the position belongs to another journal`() {
        let places = TerminalPositions(epoch: "one", start: 0)
        _ = places.recordConnect("bot", epoch: "one", kept: 0...5)
        #expect(places.recordConnect("bot", epoch: "two", kept: 0...3) == 3)
        places.recordDisconnect("bot", epoch: "one", at: 5)
        places.recordDisconnect("bot", epoch: "two", at: 3)
        #expect(places.recordConnect("bot", epoch: "two", kept: 0...6) == 3)
    }

    @Test
    func `The oldest position of a terminal client is forgotten if too many keys have a position`() {
        let places = TerminalPositions(epoch: "one", start: 1)
        for key in 0...TerminalPositions.maxKeys {
            _ = places.recordConnect("\(key)", epoch: "one", kept: 0...5)
            places.recordDisconnect("\(key)", epoch: "one", at: 5)
        }
        #expect(places.recordConnect("0", epoch: "one", kept: 0...5) == 1)
    }

    @Test
    func `The first terminal client gets all events since the gateway's start, and the next one only newer events`()
        async throws
    {
        try await ServedGateway.run { served in
            served.core.journal.publish(["one", "two"])
            let first = try await WebSocketClient.open(served.connectClient(), "/")
            #expect(try await receiveTypes(first, 2) == ["one", "two"])
            try await answerPing(first)
            try await closeSocket(first, served.connectClient())
            served.core.journal.publish(["three"])
            let next = try await WebSocketClient.open(served.connectClient(), "/")
            #expect(try await receiveTypes(next, 1) == ["three"])
            served.core.journal.publish(["more"])
            #expect(try await receiveTypes(next, 1) == ["more"])
        }
    }

    @Test
    func `Events that a terminal client has not read when its connection ends are sent to the next client`()
        async throws
    {
        try await ServedGateway.run { served in
            let first = try await WebSocketClient.open(served.connectClient(), "/")
            served.core.journal.publish(["one", "two"])
            // The client stands for one that is killed after the bytes have arrived and before its library has read
            // them. So it answers no ping.
            #expect(try await JSONValue(parsing: first.receiveText(pings: false))["resp"]?["type"] == "one")
            try await closeSocket(first, served.connectClient())
            served.core.journal.publish(["three"])
            let next = try await WebSocketClient.open(served.connectClient(), "/")
            #expect(try await receiveTypes(next, 3) == ["one", "two", "three"])
        }
    }

    @Test(arguments: [true, false])
    func `A terminal client gets every event, even if both the client and the gateway restart`(
        isConnected: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let core = MemoryCore()
        func start() async throws -> (server: GatewayServer, key: String) {
            let server = try await GatewayServer.start(
                .patientConfiguration(folder: folder.path),
                core: core,
                routes: RouteTable.all,
                group: MultiThreadedEventLoopGroup.singleton,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let key = String(decoding: try DiskFiles.readFile("\(folder.path)/admin.key") ?? [], as: UTF8.self)
            return (server, key.trimmingNewline)
        }
        let first = try await start()
        let bot = try await WebSocketClient.open(.connect(port: first.server.port, key: first.key), "/")
        core.journal.publish(["one"])
        #expect(try await receiveTypes(bot, 1) == ["one"])
        try await answerPing(bot)
        if !isConnected { try await closeSocket(bot, .connect(port: first.server.port, key: first.key)) }
        core.journal.publish(["two"])
        await first.server.stop()
        core.journal.publish(["three"])
        let second = try await start()
        core.journal.publish(["four"])
        let again = try await WebSocketClient.open(.connect(port: second.server.port, key: second.key), "/")
        #expect(try await receiveTypes(again, 3) == ["two", "three", "four"])
        await second.server.stop()
    }

    @Test
    func `Positions of terminal clients are read from a file, unless it is damaged or belongs to another journal`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/places.json"
        func read(_ epoch: String) -> UInt64 {
            TerminalPositions(epoch: epoch, start: 9, file: .init(path: path)).recordConnect(
                "bot",
                epoch: epoch,
                kept: 0...9
            )
        }
        let places = TerminalPositions(epoch: "one", start: 4, file: .init(path: path))
        #expect(places.recordConnect("bot", epoch: "one", kept: 0...9) == 4)
        places.recordReceived("bot", epoch: "one", at: 7)
        await places.stop()
        #expect(read("one") == 7)
        #expect(read("two") == 9)
        try DiskFiles.replaceFile(path, with: Array("{\"epoch\":".utf8))
        #expect(read("one") == 9)
    }

    @Test
    func `If a terminal client's position changes several times in a short time, only the last one is written`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (path, held) = (folder.path + "/places.json", HeldClock(at: 1_800_000_000))
        let places = TerminalPositions(epoch: "one", start: 4, file: .init(path: path), clock: held.gatewayClock)
        _ = places.recordConnect("bot", epoch: "one", kept: 0...9)
        for position: UInt64 in 5...7 { places.recordReceived("bot", epoch: "one", at: position) }
        await held.waitForSleepers(1)
        #expect(try DiskFiles.readFile(path) == nil)
        held.advance(by: TerminalPositions.writeDelaySeconds)
        try await waitUntil("the file is written") { try DiskFiles.readFile(path) != nil }
        let again = TerminalPositions(epoch: "one", start: 9, file: .init(path: path))
        #expect(again.recordConnect("bot", epoch: "one", kept: 0...9) == 7)
    }

    @Test
    func `A node that has lost a store does not overwrite terminal positions that the store's next node has written`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (path, fence) = (folder.path + "/places.json", folder.path + "/fence")
        func node(_ token: UInt64, isValid: @escaping @Sendable () -> Bool = { true }) throws -> TerminalPositions {
            let claimed = try WriteFence.claimFiles(fence, token: token, isValid: isValid)
            return TerminalPositions(epoch: "one", start: 4, file: .init(path: path, fence: claimed))
        }
        let old = try node(1)
        _ = old.recordConnect("bot", epoch: "one", kept: 0...9)
        let new = try node(2)
        _ = new.recordConnect("bot", epoch: "one", kept: 0...9)
        new.recordReceived("bot", epoch: "one", at: 8)
        await new.stop()
        old.recordReceived("bot", epoch: "one", at: 5)
        await old.stop()
        #expect(try node(3).recordConnect("bot", epoch: "one", kept: 0...9) == 8)
        // The lease of this node has ended, so its places must not be stored, although no other node has the store yet.
        let lost = try node(4) { false }
        lost.recordReceived("bot", epoch: "one", at: 9)
        _ = lost.recordConnect("bot", epoch: "one", kept: 0...9)
        await lost.stop()
        #expect(try node(5).recordConnect("bot", epoch: "one", kept: 0...9) == 8)
    }

    private func receiveTypes(_ socket: WebSocketClient, _ count: Int) async throws -> [JSONValue?] {
        var types: [JSONValue?] = []
        for _ in 0..<count { types.append(try await socket.receiveJSON()["resp"]?["type"]) }
        return types
    }

    /// Answers the ping of the gateway, and waits until the gateway has read the pong. From then on the gateway knows
    /// which events the client has read.
    private func answerPing(_ socket: WebSocketClient) async throws {
        // The gateway sends a ping after the events, which the client answers after it has read the events.
        while true {
            let (opcode, payload) = try await socket.receiveFrame()
            guard opcode == 9 else { continue }
            try await socket.send(10, payload)
            break
        }
        // The gateway reads this command after the pong, so its answer shows that the pong was read.
        try await socket.send(#"{"corrId":"1","cmd":"/u"}"#)
        _ = try await socket.receiveAnswer(to: "1")
    }

    private func closeSocket(_ socket: WebSocketClient, _ metrics: HTTPClient) async throws {
        try await socket.send(8, [3, 232])
        try await waitUntil("the client is disconnected") {
            try await metrics.call("GET", "/metrics").text.contains("sxgw_event_streams 0\n")
        }
    }
}
