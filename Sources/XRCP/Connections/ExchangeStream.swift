package import NIOCore
import NIOHPACK
import NIOHTTP2
import SimpleXCrypto

/// One request and its answer. Request and answer are read and written in parts, so that neither side has a whole file
/// in memory.
package struct ExchangeStream: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<StreamHandler>
    /// Maximal time for which the stream waits for the peer while no byte is sent to it or received from it.
    package var peerTimeout = TimeAmount.seconds(30)

    init(channel: any Channel, handler: NIOLoopBound<StreamHandler>) {
        self.channel = channel
        self.handler = handler
    }

    package func close() { channel.close(promise: nil) }

    /// Number of bytes that are read or written in one step.
    static let partSize = 1 << 18
    /// Maximal number of bytes that ``dropRemainingBytes()`` reads before it resets the stream.
    private static let maxDroppedBytes = 16 << 20

    /// Reads `count` bytes, or fewer if the peer ends the stream earlier.
    func readBytes(_ count: Int) async throws(ExchangeError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try await readPart(min(count - bytes.count, Self.partSize), within: peerTimeout)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    private func readPart(_ count: Int, within patience: TimeAmount) async throws(ExchangeError) -> [UInt8] {
        do {
            return try await channel.eventLoop.flatSubmit { [handler, channel] in
                handler.value.readBytes(count, within: patience, on: channel.eventLoop)
            }.get()
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Drops the bytes that the peer still sends. If the peer sends too many bytes, or does not end the stream in time,
    /// the stream is reset. The app of simplex-chat ends a session when more than four streams are reset within a
    /// second.
    package func dropRemainingBytes() async {
        var left = Self.maxDroppedBytes
        while left > 0, let part = try? await readPart(Self.partSize, within: peerTimeout) {
            if part.isEmpty { return }
            left -= part.count
        }
        close()
    }

    /// Writes the next bytes, and returns when they are sent.
    /// - Parameter isLast: whether these bytes are the last ones of the stream.
    func writeBytes(_ bytes: [UInt8], isLast: Bool) async throws(ExchangeError) {
        do {
            try await channel.eventLoop.flatSubmit { [handler, channel, peerTimeout] in
                handler.value.writeBytes(bytes, isLast: isLast, within: peerTimeout, on: channel.eventLoop)
            }.get()
        } catch {
            throw ExchangeError(error)
        }
    }

    // MARK: Bodies

    /// The bytes before a sealed body, with the size of the body.
    package struct BodyHead: Sendable {
        fileprivate let bytes: [UInt8]
        /// Number of bytes of the sealed body.
        package let size: Int
    }

    /// Reads the head of the next body.
    /// - Parameter time: the time limit for the arrival of the head.
    package func readHead(_ cipher: SessionCipher, within time: TimeAmount) async throws(ExchangeError) -> BodyHead {
        let head = try await readPart(SessionCipher.headSize, within: time)
        guard head.count == SessionCipher.headSize else { throw .invalidSize }
        return BodyHead(bytes: head, size: try cipher.boxSize(head: head))
    }

    /// Reads the sealed body that follows its head.
    package func readSealedBody(
        _ head: BodyHead,
        _ cipher: SessionCipher
    ) async throws(ExchangeError) -> (box: [UInt8], signatures: [UInt8]) {
        let box = try await readBytes(head.size)
        guard box.count == head.size else { throw .invalidSize }
        return (box, try await readBytes(cipher.signaturesSize))
    }

    /// Verifies and decrypts a body. Returns the content, and the key of a file that may follow
    /// (``readFile(key:size:take:)``).
    package static func openBody(
        _ head: BodyHead,
        _ sealed: (box: [UInt8], signatures: [UInt8]),
        _ cipher: SessionCipher
    ) throws(ExchangeError) -> (content: [UInt8], file: SealingKey) {
        try cipher.openBody(head: head.bytes, box: sealed.box, signatures: sealed.signatures)
    }

    /// Reads a whole body from the peer. Returns the decrypted content, and the key of a file that may follow.
    package func readBody(_ cipher: SessionCipher) async throws(ExchangeError) -> (content: [UInt8], file: SealingKey) {
        let head = try await readHead(cipher, within: peerTimeout)
        return try Self.openBody(head, await readSealedBody(head, cipher), cipher)
    }

    /// Sends a body that no file follows.
    package func writeBody(_ content: [UInt8], _ cipher: SessionCipher) async throws(ExchangeError) {
        let (body, _) = try Self.sealBody(content, cipher)
        try await writeBytes(body, isLast: true)
    }

    /// Sends a body, and a file after the body.
    /// - Parameter part: returns bytes of the file, for an offset and a count.
    package func writeBodyWithFile(
        body content: [UInt8],
        _ cipher: SessionCipher,
        fileSize: UInt32,
        part: @Sendable (Int64, Int) async throws -> [UInt8]
    ) async throws {
        let (body, key) = try Self.sealBody(content, cipher)
        guard let size = UInt32(exactly: Int64(fileSize) + Int64(SecretBox.tagSize)) else {
            throw ExchangeError.fileSize
        }
        try await writeBytes(body + [1] + withUnsafeBytes(of: size.bigEndian) { Array($0) }, isLast: false)
        let box = SecretBoxStream(key: key.key, nonce: key.nonce)
        var offset: Int64 = 0
        while offset < Int64(fileSize) {
            let count = min(Self.partSize, Int(Int64(fileSize) - offset))
            let bytes = try await part(offset, count)
            guard bytes.count == count else { throw ExchangeError.fileSize }
            try await writeBytes(box.encrypt(bytes), isLast: false)
            offset += Int64(count)
        }
        try await writeBytes(box.computeTag(), isLast: true)
    }

    private static func sealBody(
        _ content: [UInt8],
        _ cipher: SessionCipher
    ) throws(ExchangeError) -> (body: [UInt8], file: SealingKey) {
        do throws(XRCPError) { return try cipher.sealBody(content) } catch { throw .control(error) }
    }

    /// Reads the file after a body. The bytes that `take` gets are not authenticated before this function returns.
    /// - Parameter size: the size of the file in bytes, which the body states.
    package func readFile(key: SealingKey, size: UInt32, take: @Sendable ([UInt8]) async throws -> Void) async throws {
        guard try await readBytes(1) == [1] else { throw ExchangeError.noFile }
        let sealed = try await readBytes(4)
        guard sealed.count == 4,
            sealed.reduce(Int64(0), { $0 << 8 | Int64($1) }) == Int64(size) + Int64(SecretBox.tagSize)
        else { throw ExchangeError.fileSize }
        let box = SecretBoxStream(key: key.key, nonce: key.nonce)
        var left = Int(size)
        while left > 0 {
            let part = try await readPart(min(left, Self.partSize), within: peerTimeout)
            guard !part.isEmpty else { throw ExchangeError.fileSize }
            left -= part.count
            try await take(box.decrypt(part))
        }
        let tag = try await readBytes(SecretBox.tagSize)
        guard tag.count == SecretBox.tagSize else { throw ExchangeError.fileSize }
        guard box.isTagValid(tag: tag) else { throw ExchangeError.control(.decrypt) }
    }
}

extension ExchangeError {
    fileprivate init(_ error: any Error) { self = error as? ExchangeError ?? .http2("\(error)") }
}

/// The bytes of one HTTP/2 stream in both directions. The headers contain no data: every request is a POST to `/`, and
/// every answer has status 200.
///
/// All state belongs to the event loop of the stream.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let isServer: Bool
    private var context: ChannelHandlerContext?
    private var receivedBytes = ByteBuffer()
    private var hasPeerEnded = false
    private var failure: (any Error)?
    private var pendingRead: (count: Int, promise: EventLoopPromise<[UInt8]>)?
    private var unwrittenBytes = 0
    private var hasSentHeaders = false
    /// The last time at which bytes arrived or were sent, or at which the stream began to wait for bytes.
    private var lastActivity = NIODeadline.now()
    private var silenceTimer: Scheduled<Void>?
    private var isReadingPaused = false

    /// Maximal number of received bytes that wait to be read.
    private static let maxReceivedBytes = 4 * ExchangeStream.partSize

    init(isServer: Bool) { self.isServer = isServer }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        storeFailure(ChannelError.ioOnClosedChannel)
        silenceTimer?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        storeFailure(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        storeFailure(error)
        context.close(promise: nil)
    }

    /// Restarts the timer. The timer resets the stream when the stream waits for the peer, and no byte arrives or is
    /// sent for `patience`.
    private func restartTimer(_ patience: TimeAmount) {
        silenceTimer?.cancel()
        guard let context else { return }
        silenceTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastActivity + patience) {
            self.silenceTimer = nil
            guard self.pendingRead != nil || self.unwrittenBytes > 0, let context = self.context else { return }
            guard self.lastActivity + patience <= .now() else { return self.restartTimer(patience) }
            self.storeFailure(ExchangeError.timeout)
            context.close(promise: nil)
        }
    }

    /// Stores the error with which the stream has failed, and ends a read that waits. Bytes that have arrived can still
    /// be read.
    private func storeFailure(_ error: any Error) {
        if failure == nil { failure = error }
        returnWaitingBytes()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            // Headers without a method belong to an answer, or are trailers. Trailers can also end a body.
            if isServer, let method = frame.headers.first(name: ":method"), method != "POST" {
                return context.close(promise: nil)
            }
            if frame.endStream { hasPeerEnded = true }
        case .data(let frame):
            if case .byteBuffer(var bytes) = frame.data { receivedBytes.writeBuffer(&bytes) }
            lastActivity = .now()
            if frame.endStream { hasPeerEnded = true }
        default: return
        }
        returnWaitingBytes()
        if receivedBytes.readableBytes > Self.maxReceivedBytes, !isReadingPaused {
            isReadingPaused = true
            _ = context.channel.setOption(.autoRead, value: false)
        }
    }

    func readBytes(_ count: Int, within patience: TimeAmount, on eventLoop: any EventLoop) -> EventLoopFuture<[UInt8]> {
        let promise = eventLoop.makePromise(of: [UInt8].self)
        guard pendingRead == nil else {
            promise.fail(ChannelError.operationUnsupported)
            return promise.futureResult
        }
        pendingRead = (count, promise)
        returnWaitingBytes()
        if pendingRead != nil {
            lastActivity = .now()
            restartTimer(patience)
        }
        return promise.futureResult
    }

    private func returnWaitingBytes() {
        guard let (count, promise) = pendingRead else { return }
        guard receivedBytes.readableBytes >= count || hasPeerEnded || failure != nil else { return }
        pendingRead = nil
        if receivedBytes.readableBytes < count, !hasPeerEnded, let failure { return promise.fail(failure) }
        let bytes = receivedBytes.readBytes(length: min(count, receivedBytes.readableBytes)) ?? []
        receivedBytes.discardReadBytes()
        promise.succeed(bytes)
        if isReadingPaused, receivedBytes.readableBytes <= Self.maxReceivedBytes / 2, let context {
            isReadingPaused = false
            _ = context.channel.setOption(.autoRead, value: true)
            context.read()
        }
    }

    func writeBytes(
        _ bytes: [UInt8],
        isLast: Bool,
        within patience: TimeAmount,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        guard let context, context.channel.isActive else {
            return eventLoop.makeFailedFuture(failure ?? ChannelError.ioOnClosedChannel)
        }
        if !hasSentHeaders {
            hasSentHeaders = true
            let headers: HPACKHeaders =
                isServer
                ? [":status": "200"] : [":method": "POST", ":scheme": "https", ":authority": "localhost", ":path": "/"]
            context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
        }
        let promise = eventLoop.makePromise(of: Void.self)
        unwrittenBytes += 1
        lastActivity = .now()
        restartTimer(patience)
        context.writeAndFlush(
            wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isLast))),
            promise: promise
        )
        return promise.futureResult.assumeIsolated().always { _ in
            self.unwrittenBytes -= 1
            self.lastActivity = .now()
        }.flatMapErrorThrowing { throw self.failure ?? $0 }.nonisolated()
    }
}
