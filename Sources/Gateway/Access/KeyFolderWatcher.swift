internal import Concurrency
internal import Files
internal import NIOCore
internal import NIOPosix
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Watches the folders of the stores, so that a key takes effect immediately when another process adds or revokes it.
final class KeyFolderWatcher: Sendable {
    private struct State {
        /// The descriptor of the watch; `nil` after the watch has ended, since the descriptor may then belong to
        /// another file.
        var descriptor: Int32?
        /// The store of each watched folder, by the number that the system gave to the folder. The store `nil` is the
        /// first store.
        var storesByWatch: [Int32: String?] = [:]
    }

    private let state: Mutex<State>
    private let channel = Mutex<(any Channel)?>(nil)

    static func start(folder: String, ring: KeyRing, group: any EventLoopGroup) async throws -> KeyFolderWatcher {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileSystemError(.open, folder, code: errno) }
        let watch = KeyFolderWatcher(descriptor)
        guard watch.watchFolder(folder, store: nil) else {
            let code = errno
            close(descriptor)
            throw FileSystemError(.open, folder, code: code)
        }
        let channel = try await NIOPipeBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(ring: ring, watch: watch))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        watch.channel.withLock { $0 = channel }
        return watch
    }

    private init(_ descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    /// Watches the folder of a store.
    /// - Returns: `false` when the watch has ended, or when the system cannot watch one more folder.
    @discardableResult
    func watchFolder(_ folder: String, store: String?) -> Bool {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return false }
            let number = inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE))
            guard number >= 0 else { return false }
            state.storesByWatch[number] = .some(store)
            return true
        }
    }

    func unwatchStore(_ store: String) {
        state.withLock { state in
            for (number, known) in state.storesByWatch where known == store {
                state.storesByWatch[number] = nil
                if let descriptor = state.descriptor { inotify_rm_watch(descriptor, number) }
            }
        }
    }

    func stop() async {
        state.withLock { $0.descriptor = nil }
        try? await channel.withLock { $0 }?.close().get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let ring: KeyRing
        private let watch: KeyFolderWatcher

        init(ring: KeyRing, watch: KeyFolderWatcher) {
            self.ring = ring
            self.watch = watch
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // Each record of an event has 16 bytes and the name of the changed file, which is padded with NUL.
            var events = unwrapInboundIn(data)
            while events.readableBytes >= 16 {
                guard let number = events.readInteger(endianness: .host, as: Int32.self) else { return }
                events.moveReaderIndex(forwardBy: 8)
                guard let length = events.readInteger(endianness: .host, as: UInt32.self),
                    let name = events.readBytes(length: Int(length))
                else { return }
                guard name.prefix(while: { $0 != 0 }).elementsEqual("keys.json".utf8),
                    let store = watch.state.withLock({ $0.storesByWatch[number] })
                else { continue }
                let ring = self.ring
                BlockingThread.runOnThread { ring.reloadKeys(store) }
            }
        }
    }
}
