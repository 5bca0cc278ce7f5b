import ChatAPI
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import Gateway

@Suite("Limits for a WebSocket client")
struct WebSocketBoundsTests {
    private func makeFrame(_ opcode: WebSocketOpcode, _ payload: [UInt8], isLast: Bool = false) -> ClientFrame {
        ClientFrame(isLast: isLast, opcode: opcode, payload: ByteBuffer(bytes: payload))
    }

    // MARK: Fragments

    @Test
    func `When 1,024 fragments of a message are joined, their bytes are moved in memory fewer than 24 times`() throws {
        var message = WebSocketMessage()
        let answers = UnreadAnswers()
        let keep: (Int) -> UnreadAnswers.Share? = { answers.countBytes($0, of: "") }
        var (moves, place) = (0, UnsafeRawPointer?.none)
        #expect(try message.addFrame(makeFrame(.text, []), keep: keep) == nil)
        for _ in 2..<WebSocketMessage.maxFrames {
            #expect(
                try message.addFrame(makeFrame(.continuation, [UInt8](repeating: 65, count: 1000)), keep: keep) == nil
            )
            let now = message.text?.withUnsafeReadableBytes { $0.baseAddress }
            if now != place { moves += 1 }
            place = now
        }
        #expect(moves < 24)
        #expect((900_000...1_022_000).contains(answers.countedBytes))
        #expect(try message.addFrame(makeFrame(.continuation, [66], isLast: true), keep: keep)?.utf8.count == 1_022_001)
        #expect(message.text == nil && answers.countedBytes == 0)
    }

    @Test(arguments: [true, false])
    func `A frame or message above the client's memory limit closes the socket with the code 1013`(
        isOneFrame: Bool
    ) throws {
        let socket = try EmbeddedSocket()
        let share = socket.owner.unreadAnswers.countBytes(socket.owner.unreadAnswers.maxClientBytes, of: "")
        let part = [UInt8](repeating: 65, count: 70_000)
        try socket.deliverBytes(
            isOneFrame
                ? Array(WebSocketClient.makeFrame(1, part).dropLast()) : WebSocketClient.makeFrame(1, part, fin: false)
        )
        #expect(try socket.takeFrames() == [[0x88, 2, 0x03, 0xF5]])
        withExtendedLifetime(share) {}
    }

    @Test(arguments: [0, 1])
    func `A message of more frames than permitted closes the WebSocket, even if the frames are empty`(size: Int) throws
    {
        let socket = try EmbeddedSocket()
        let part = [UInt8](repeating: 65, count: size)
        try socket.deliverBytes(WebSocketClient.makeFrame(1, part, fin: false))
        let rest = WebSocketClient.makeFrame(0, part, fin: false)
        try socket.deliverBytes(Array(repeating: rest, count: WebSocketMessage.maxFrames - 1).flatMap { $0 })
        #expect(try socket.takeFrames() == [])
        try socket.deliverBytes(rest)
        #expect(try socket.takeFrames() == [[0x88, 2, 0x03, 0xF1]])
    }

    // MARK: Pings

    @Test
    func `If a client sends pings without reading, memory does not grow, and the newest ping is answered at last`()
        throws
    {
        let socket = try EmbeddedSocket()
        socket.setReading(false)
        func pings(_ round: UInt8) -> [UInt8] {
            Array(repeating: WebSocketClient.makeFrame(9, [UInt8](repeating: round, count: 125)), count: 400).flatMap {
                $0
            }
        }
        while socket.channel.isWritable { try socket.deliverBytes(pings(1)) }
        let (waiting, readCount) = (socket.waitingBytes, socket.client.readCount)
        #expect(waiting <= socket.client.highWaterMark + 127)
        // These bytes stand for bytes that were already read from the network. The gateway requests no further reads.
        for _ in 0..<100 { try socket.deliverBytes(pings(2)) }
        try socket.deliverBytes(pings(3))
        #expect(socket.waitingBytes == waiting)
        #expect(socket.client.readCount == readCount)
        socket.setReading(true)
        let pongs = try socket.takeFrames()
        #expect(pongs.count == waiting / 127 + 1)
        #expect(pongs.last == [0x8A, 125] + [UInt8](repeating: 3, count: 125))
        #expect(socket.client.readCount > readCount)
    }

    @Test
    func `Many pings that arrive together get one pong, with the payload of the last ping`() throws {
        let socket = try EmbeddedSocket()
        try socket.deliverBytes((0..<200).flatMap { WebSocketClient.makeFrame(9, [UInt8($0)]) })
        #expect(try socket.takeFrames() == [[0x8A, 1, 199]])
    }

    // MARK: Commands

    @Test
    func `The gateway stops reading from a client while too many of the client's commands are unfinished`() throws {
        let socket = try EmbeddedSocket()
        socket.owner.state.withLock { $0.acceptsMore = false }
        let readCount = socket.client.readCount
        for _ in 0..<10 { try socket.deliverBytes(WebSocketClient.makeFrame(1, [65])) }
        #expect(socket.client.readCount == readCount)
        socket.owner.state.withLock { $0.acceptsMore = true }
        socket.connection.resumeReading()
        #expect(socket.client.readCount == readCount + 1)
    }

    /// Starts all commands that may start.
    /// - Returns: the number of started commands.
    private func startCommands(_ commands: inout SocketCommands) -> Int {
        var started = 0
        guard commands.beginStarting() else { return 0 }
        while commands.takeNext() != nil { started += 1 }
        return started
    }

    @Test
    func `No more than 64 commands of a client are started before one of the answers is sent`() {
        var commands = SocketCommands()
        for id in 0..<1000 {
            commands.addRequest(.command(id: "\(id)", .contacts(.addContact(userId: 1, incognito: false))))
        }
        let first = startCommands(&commands)
        for _ in 0..<64 { commands.recordAnswer(10, isRead: false) }
        let second = startCommands(&commands)
        let takesMore = commands.canReadMore()
        #expect(first == 64 && second == 0 && !takesMore)
        commands.recordWrittenAnswer(10)
        let third = startCommands(&commands)
        let resumes = commands.canResumeReading()
        #expect(third == 1 && !resumes)
    }

    @Test
    func `While too many bytes of answers wait for a client, no further command of the client starts`() {
        var commands = SocketCommands()
        let refused = SocketCommands.Request.refusedMessage(id: nil, answer: [])
        commands.addRequest(refused)
        let first = startCommands(&commands)
        commands.recordAnswer(SocketCommands.maxUnsentBytes, isRead: false)
        commands.addRequest(refused)
        let second = startCommands(&commands)
        let takesMore = commands.canReadMore()
        #expect(first == 1 && second == 0 && !takesMore)
        commands.recordWrittenAnswer(SocketCommands.maxUnsentBytes)
        let third = startCommands(&commands)
        let (resumes, again) = (commands.canResumeReading(), commands.canResumeReading())
        #expect(third == 1 && resumes && !again)
        #expect(commands.unfinishedCommandCount == 1 && commands.unsentBytes == 0)
    }

    @Test
    func `At most two read-only commands of a WebSocket run at the same time, and the next commands wait in order`() {
        var commands = SocketCommands()
        let (read, write) = (
            ChatCommand.users(.listUsers), ChatCommand.contacts(.addContact(userId: 1, incognito: false))
        )
        #expect(read.isReadOnly && !write.isReadOnly)
        for command in [write, read, read, write, read, write] { commands.addRequest(.command(id: "1", command)) }
        let first = startCommands(&commands)
        commands.recordAnswer(SocketCommands.maxUnsentBytes - 1, isRead: true)
        let second = startCommands(&commands)
        #expect(first == 4 && second == 2)
    }

    // MARK: Clients that do not read

    @Test
    func `A client that does not read its waiting answers is disconnected`() throws {
        let socket = try EmbeddedSocket()
        socket.setReading(false)
        socket.connection.sendText([UInt8](repeating: 65, count: 100))
        socket.channel.embeddedEventLoop.advanceTime(by: EmbeddedSocket.stallTime - .seconds(1))
        #expect(socket.channel.isActive)
        socket.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!socket.channel.isActive)
        #expect(socket.owner.state.withLock { $0.closedCount } == 1)
    }

    @Test
    func `A slow client that reads some of its answers stays connected`() throws {
        let socket = try EmbeddedSocket()
        for _ in 0..<10 {
            socket.setReading(false)
            socket.connection.sendText([UInt8](repeating: 65, count: 100))
            socket.channel.embeddedEventLoop.advanceTime(by: EmbeddedSocket.stallTime - .seconds(1))
            socket.setReading(true)
        }
        socket.channel.embeddedEventLoop.advanceTime(by: EmbeddedSocket.stallTime * 2)
        #expect(socket.channel.isActive)
    }

    @Test
    func `No frame follows a close frame, and a client that does not answer the close frame is disconnected`() throws {
        let socket = try EmbeddedSocket()
        socket.connection.beginClosing(.goingAway)
        socket.connection.sendText([65])
        #expect(try socket.takeFrames() == [[0x88, 2, 0x03, 0xE9]])
        socket.channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!socket.channel.isActive)
    }

    @Test
    func `A closed WebSocket connection releases its handler and the handler's owner from memory`() throws {
        final class Kept {
            weak var handler: WebSocketHandler?
            weak var owner: SocketOwner?
        }
        let kept = Kept()
        func use() throws {
            let socket = try EmbeddedSocket()
            kept.handler = try socket.channel.pipeline.syncOperations.handler(type: WebSocketHandler.self)
            kept.owner = socket.owner
            try socket.deliverBytes(WebSocketClient.makeFrame(1, [UInt8](repeating: 65, count: 500_000), fin: false))
            socket.setReading(false)
            socket.connection.sendText([UInt8](repeating: 65, count: 100_000))
            #expect(kept.handler != nil && kept.owner != nil)
            try socket.channel.close().wait()
            socket.channel.embeddedEventLoop.run()
            #expect(socket.owner.state.withLock { $0.closedCount } == 1)
        }
        try use()
        #expect(kept.handler == nil)
        #expect(kept.owner == nil)
    }
}
