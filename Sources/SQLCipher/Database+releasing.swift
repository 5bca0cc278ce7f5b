import Concurrency
internal import Synchronization

extension OpenPool {
    /// The pool for databases that are opened by callers without a pool. It does not limit the number of open
    /// databases, but closes the connections of unused databases.
    static let unlimitedPool = OpenPool(Limits(open: .max))
}

extension Database {
    /// Number of times that a database of this process has released its resources, or was closed.
    package static var resourceReleaseCount: Int { releaseCount.load(ordering: .relaxed) }
    private static let releaseCount = Atomic(0)

    static func countResourceRelease() { releaseCount.wrappingAdd(1, ordering: .relaxed) }

    /// Closes the connections of readers, moves the write-ahead log into the file, and closes the connection of the
    /// writer. The next use opens the connections that it needs. Connections of readers in use stay open. The log stays
    /// if a read needs it, if the disk is full, or if an operation on a file fails. After other errors, the writer's
    /// connection stays open.
    /// - Returns: whether the writer's connection is closed.
    @discardableResult
    package func releaseResources() async -> Bool {
        _ = try? await runBlocking { [readerConnections] in readerConnections.closeFreeConnections() }
        return await disconnectIdleWriter()
    }

    /// Closes all connections of the database, including those of readers, and moves its log into the file. The caller
    /// ensures that no read or write is under way. Returns whether the writer's connection is closed.
    func closeConnections() async -> Bool {
        // A reader may still be about to give its connection back after its last read. So this function waits until all
        // connections of readers are closed.
        _ = try? await runBlocking { [readerConnections] in readerConnections.withAllClosed {} }
        return await disconnectIdleWriter()
    }

    private func disconnectIdleWriter() async -> Bool {
        let isReleased = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let job = WriteJob(
                work: .outsideTransactions { try $0.checkpointAndDisconnect() },
                onFinish: { continuation.resume(returning: $0 == nil) }
            )
            if !writeQueue.submitUrgent(job) { continuation.resume(returning: true) }
        }
        Self.countResourceRelease()
        return isReleased
    }
}
