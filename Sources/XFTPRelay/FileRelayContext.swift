import Clocks
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
    /// The threads for work that may wait for the disk.
    let diskThreads: NIOThreadPool
    let uploadSlots: UploadSlots
    let logger: Logger
    let loops: [ObjectIdentifier: LoopSessions]
    let connectionLimiter: ConnectionLimiter
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
        connectionLimiter = configuration.makeConnectionLimiter()
        password = CreationPassword(configuration.createPassword)
    }

    /// Removes the contents of files that are no longer in the table, after the log has committed record `number`. If
    /// the contents were removed before the commit, they would be missing after a crash.
    func removeContents(_ ids: [RelayFileID], after number: UInt64) {
        // Any event loop can wait for the commit, so the first one is used.
        guard let loop = loops.values.first else { return }
        loop.eventLoop.execute {
            loop.runAfterCommit(of: number, in: self.store.log) {
                self.diskThreads.submit { _ in for id in ids { self.chunkFolder.removeContents(id) } }
            }
        }
    }
    /// Deletes expired files in steps of a thousand files. Commands wait at most one step for the lock.
    func expireFiles(now: Int64 = WallClock.seconds(), on eventLoop: any EventLoop) {
        guard let (ids, number) = store.deleteExpiredFiles(now: now, count: 1000) else { return }
        counters.filesExpired.increment(ids.count)
        removeContents(ids, after: number)
        eventLoop.execute { self.expireFiles(now: now, on: eventLoop) }
    }
}
