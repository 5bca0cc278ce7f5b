import Dispatch
import Glibc

/// Rewrites a log with only what is still needed, while the relay runs.
///
/// 1. Take a snapshot of the queues together with its position in the log.
/// 2. Write the snapshot to a new file.
/// 3. Append what was logged meanwhile: most of it during normal operation, the rest between two commits.
/// 4. Replace the old file by the new one. Until then the old one is complete, so a crash at any instant loses nothing.
struct LogCompaction: Sendable {
    let store: QueueStore
    let path: String

    static let suffix = ".new"

    /// Whether more than half of a log of some size is garbage.
    static func isWorthwhile(_ store: QueueStore, threshold: Int64) -> Bool {
        let size = store.log.size
        return size > threshold && store.table.withLock { $0.liveBytes } < size / 2
    }

    /// On failure the new file is removed: a full disk needs its space.
    func run() async throws(StoreError) {
        do throws(StoreError) { try await rewrite() } catch {
            unlink(path + Self.suffix)
            throw error
        }
    }

    private func rewrite() async throws(StoreError) {
        let (path, newPath) = (path, path + Self.suffix)
        // Records are appended under the same lock, so the snapshot has those before `start` and no other.
        let (slots, services, start) = store.table.withLock { table in (table.slots, table.services, store.log.size) }
        try await Self.inBackground { () throws(StoreError) in try Self.write(services, slots, to: newPath) }
        let written = try await store.log.exchangeFile { (file: inout LogFile) throws(StoreError) in file.size }
        try await Self.inBackground { () throws(StoreError) in
            try LogFile.reopen(at: newPath).append(from: LogFile.reopen(at: path), offset: start, count: written - start)
        }
        try await store.log.exchangeFile { (file: inout LogFile) throws(StoreError) in
            let new = try LogFile.reopen(at: newPath)
            try new.append(from: file, offset: written, count: file.size - written)
            try new.move(to: path)
            file = new
        }
    }

    /// On a thread that may wait for the disk.
    private static func inBackground(_ work: @escaping @Sendable () throws(StoreError) -> Void) async throws(StoreError) {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, StoreError>, Never>) in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: Result(catching: work)) }
        }
        try result.get()
    }

    private static func write(
        _ services: [ServiceID: Service], _ slots: ContiguousArray<Queue?>, to path: String
    ) throws(StoreError) {
        let file = try LogFile.create(at: path)
        var buffer: [UInt8] = []
        // Before the queues that belong to them.
        for (id, service) in services {
            LogRecord.service(id, service.role, certificateHash: service.certificateHash).append(to: &buffer)
        }
        for case let queue? in slots {
            LogRecord.created(queue).append(to: &buffer)
            for message in queue.messages {
                LogRecord.message(queue.recipientID, message).append(to: &buffer)
                if buffer.count > 1 << 20 { try flush(&buffer, to: file) }
            }
            if buffer.count > 1 << 20 { try flush(&buffer, to: file) }
        }
        try flush(&buffer, to: file)
        // Most of it is on the disk before the last, quick sync.
        try file.sync()
    }

    private static func flush(_ buffer: inout [UInt8], to file: LogFile) throws(StoreError) {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
