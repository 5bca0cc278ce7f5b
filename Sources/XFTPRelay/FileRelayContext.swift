import Descriptors
import Logging
import NIOCore
import NIOPosix
import RelayBase
import Transport

/// The state that all sessions of a file relay share.
final class FileRelayContext: Sendable {
    let configuration: FileRelayConfiguration
    let credentials: ServerCredentials
    let tlsConfiguration: TLSServerConfiguration
    let store: FileStore
    let chunkFolder: ChunkFolder
    /// Threads that may wait for the disk.
    let diskThreads: NIOThreadPool
    let uploadSlots: UploadSlots
    let logger: Logger
    let loops: [ObjectIdentifier: LoopSessions]
    let connectionCount: ConnectionCount
    let counters = FileRelayCounters()
    let password: CreationPassword

    init(
        configuration: FileRelayConfiguration,
        credentials: ServerCredentials,
        tls: TLSServerConfiguration,
        store: FileStore,
        folder: ChunkFolder,
        logger: Logger,
        loops: [LoopSessions]
    ) {
        self.configuration = configuration
        self.credentials = credentials
        self.tlsConfiguration = tls
        self.store = store
        self.chunkFolder = folder
        diskThreads = NIOThreadPool(numberOfThreads: 8)
        diskThreads.start()
        uploadSlots = UploadSlots(configuration.maxUploads)
        self.logger = logger
        self.loops = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
        connectionCount = configuration.makeConnectionCount
        password = CreationPassword(configuration.createPassword)
    }

    /// Removes the contents of files that the table no longer contains. The disk's threads do this after the commit of
    /// the log: if contents were removed before the commit, they would be missing after a crash.
    func removeContents(_ ids: [RelayFileID], after number: UInt64) {
        // Any event loop can wait for the commit, so the first one is used.
        guard let loop = loops.values.first else { return }
        loop.eventLoop.execute {
            loop.runAfterCommit(number, self.store.log) {
                self.diskThreads.submit { _ in for id in ids { self.chunkFolder.removeContents(id) } }
            }
        }
    }
    /// Deletes expired files, a thousand at a time, so that commands do not wait long for the lock.
    func expireFiles(now: Int64 = RelayClock.nowSeconds, on eventLoop: any EventLoop) {
        guard let (ids, number) = store.deleteExpiredFiles(now: now, count: 1000) else { return }
        counters.filesExpired.increment(ids.count)
        removeContents(ids, after: number)
        eventLoop.execute { self.expireFiles(now: now, on: eventLoop) }
    }
}
