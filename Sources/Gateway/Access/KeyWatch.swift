internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
internal import Glibc
#endif

/// Watches the data folder, so that a key added or revoked by another process counts at once.
final class KeyWatch: Sendable {
    private let channel: any Channel

    static func start(folder: String, ring: KeyRing, group: any EventLoopGroup) async throws -> KeyWatch {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileError(path: folder, code: errno) }
        guard inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE)) >= 0 else {
            let code = errno
            close(descriptor)
            throw FileError(path: folder, code: code)
        }
        let channel = try await NIOPipeBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(ring: ring)) }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        return KeyWatch(channel)
    }

    private init(_ channel: any Channel) { self.channel = channel }

    func stop() async { try? await channel.close().get() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let ring: KeyRing

        init(ring: KeyRing) { self.ring = ring }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // Records of 16 bytes and a name padded with NUL.
            var events = unwrapInboundIn(data)
            while events.readableBytes >= 16 {
                events.moveReaderIndex(forwardBy: 12)
                guard let length = events.readInteger(endianness: .host, as: UInt32.self),
                    let name = events.readBytes(length: Int(length))
                else { return }
                if name.prefix(while: { $0 != 0 }).elementsEqual("keys.json".utf8) {
                    let ring = self.ring
                    BlockingThread.run { ring.reload() }
                }
            }
        }
    }
}
