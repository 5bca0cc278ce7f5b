import Concurrency
internal import Synchronization

extension OpenPool {
    /// The pool of databases that are opened without a pool. It limits nothing, and closes the connections of unused
    /// databases.
    static let unlimited = OpenPool(Limits(open: .max))
}

extension Database {
    /// Number of times that a database of this process has released its resources.
    package static var resourceReleases: Int { releases.load(ordering: .relaxed) }
    private static let releases = Atomic(0)

    /// Closes the connections of readers, moves the write-ahead log into the file, and closes the connection of the
    /// writer. The next use opens the connections that it needs. Connections of readers in use stay open. The log stays
    /// if a read needs it, if the disk is full, or if the system refuses a file. After other errors, the writer's
    /// connection stays open.
    /// - Returns: whether the writer's connection is closed.
    @discardableResult
    package func releaseResources() async -> Bool {
        _ = try? await blocking { [slots] in for slot in slots { slot.closeUnused() } }
        return await restWriter()
    }

    /// Does the same as ``releaseResources()``, while no read or write is under way.
    func closeConnections() async -> Bool {
        // A reader may still be about to leave its slot after its last read.
        _ = try? await blocking { [slots] in for slot in slots { slot.close() } }
        return await restWriter()
    }

    private func restWriter() async -> Bool {
        let isReleased = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let job = WriteJob(
                work: .alone { try $0.rest() },
                finish: { continuation.resume(returning: $0 == nil) }
            )
            if !writer.submitUrgent(job) { continuation.resume(returning: true) }
        }
        Self.releases.wrappingAdd(1, ordering: .relaxed)
        return isReleased
    }
}
