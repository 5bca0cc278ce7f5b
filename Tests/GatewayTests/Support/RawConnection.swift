import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A plain TCP connection to which a test writes bytes and from which it reads bytes.
final class RawConnection: Sendable {
    enum Failure: Error { case closed, timeout }

    private let channel: any Channel
    private let inbox: Inbox

    static func open(port: Int) async throws -> RawConnection {
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel, inbox)
    }

    private init(_ channel: any Channel, _ inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Closes a connection that a test has not closed, since a server would wait for it at a stop.
    deinit { channel.close(promise: nil) }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(channel.allocator.buffer(bytes: bytes)).get()
    }

    /// Stops reading.
    func pauseReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func resumeReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// Ends the sending direction of the connection. The connection can still receive bytes.
    func finishSending() async throws { try await channel.close(mode: .output).get() }

    func close() async { try? await channel.close().get() }

    /// Waits until `take` finds its part in the received bytes, and removes the part.
    func receive<T: Sendable>(
        within limit: Duration = .seconds(60),
        _ take: @escaping @Sendable (inout [UInt8], _ ended: Bool) throws -> T?
    ) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask {
                while true {
                    // The end is read before the bytes, since both may arrive between the two readings, and no byte may
                    // be lost.
                    let (change, isEnded) = (self.inbox.nextChange(), self.inbox.isEnded)
                    if let found = try self.inbox.take(take) { return found }
                    if isEnded { throw Failure.closed }
                    await change.wait()
                    try Task.checkCancellation()
                }
            }
            group.addTask {
                try await sleepThroughLimit(limit)
                self.inbox.wakeWaiters()
                throw Failure.timeout
            }
            defer {
                group.cancelAll()
                inbox.wakeWaiters()
            }
            guard let first = try await group.next() else { throw Failure.closed }
            return first
        }
    }

    func receiveBytes(_ count: Int) async throws -> [UInt8] {
        try await receive { buffer, _ in
            guard buffer.count >= count else { return nil }
            defer { buffer.removeFirst(count) }
            return Array(buffer[..<count])
        }
    }

    /// Reads everything up to the end of the stream.
    func receiveRest() async throws -> [UInt8] {
        try await receive { buffer, ended in
            guard ended else { return nil }
            defer { buffer = [] }
            return buffer
        }
    }

    private final class Receiver: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let inbox: Inbox
        init(_ inbox: Inbox) { self.inbox = inbox }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            inbox.append(Array(unwrapInboundIn(data).readableBytesView))
        }
        func channelInactive(context: ChannelHandlerContext) { inbox.end() }
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { inbox.end() }
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            inbox.end()
            context.close(promise: nil)
        }
    }

    private final class Inbox: Sendable {
        struct Change: Sendable {
            let stream: AsyncStream<Void>
            func wait() async { for await _ in stream { return } }
        }

        private let state = Mutex((buffer: [UInt8](), ended: false, waiters: [AsyncStream<Void>.Continuation]()))

        var isEnded: Bool { state.withLock { $0.ended } }
        func nextChange() -> Change {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            state.withLock { $0.waiters.append(continuation) }
            return Change(stream: stream)
        }
        func take<T>(_ body: (inout [UInt8], Bool) throws -> T?) rethrows -> sending T? where T: Sendable {
            try state.withLock { state throws in try body(&state.buffer, state.ended) }
        }
        func append(_ bytes: [UInt8]) {
            state.withLock { $0.buffer += bytes }
            wakeWaiters()
        }
        func end() {
            state.withLock { $0.ended = true }
            wakeWaiters()
        }
        func wakeWaiters() {
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.finish() }
        }
    }
}
