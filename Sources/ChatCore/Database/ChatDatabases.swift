internal import ChatAPI
internal import Concurrency
internal import SQLCipher
internal import Synchronization

/// The databases of a store, which can be copied while they are used.
public struct ChatDatabases: Sendable {
    let controller: ChatController

    /// The paths of the databases' files. Beside them there are their logs, with `-wal` and `-shm`.
    public var files: [String] { controller.databasePaths }

    /// Keeps both databases as they are while `body` runs: what wants to write to them waits.
    public func holding<T>(_ body: () async throws -> T) async throws -> T {
        try await controller.holdingDatabases(body)
    }

    /// Nothing of the folder for files leaves the disk while `body` runs: what the databases say to be there is there for a copy.
    public func keepingFiles<T>(_ body: () async throws -> T) async rethrows -> T { try await controller.objects.holding(body) }

    /// Copies both databases, as they are when `begun` is called, to `targets`, where there are no files yet. The copies have the same key.
    /// - Parameters:
    ///   - begun: also called when this throws.
    ///   - goesOn: asked now and then; when it says no, this throws.
    public func copy(
        to targets: [String], begun: @escaping @Sendable () -> Void, while goesOn: @escaping @Sendable () -> Bool
    ) async throws {
        try await controller.copyDatabases(to: targets, begun: begun, while: goesOn)
    }
}

extension ChatController {
    /// For copies; nil while the databases are not open.
    public var databases: ChatDatabases? { isStoreChanged ? nil : ChatDatabases(controller: self) }

    /// Copies both databases as they are at one moment, also while they are used.
    func copyDatabases(to targets: [String]) async throws {
        // Nobody writes to databases that are closed.
        guard !isStoreChanged else { return try await copyDatabases(to: targets, begun: {}, while: goesOn) }
        let begun = WakeSignal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Nothing is written between the beginnings of both.
            try await holdingDatabases {
                group.addTask { try await self.copyDatabases(to: targets, begun: begun.signal, while: self.goesOn) }
                guard await begun.wait() else { throw CancellationError() }
            }
            try await group.waitForAll()
        }
    }

    fileprivate func holdingDatabases<T>(_ body: () async throws -> T) async throws -> T {
        try await store.database.holding { try await agent.holdingDatabase(body) }
    }

    fileprivate func copyDatabases(
        to targets: [String], begun: @escaping @Sendable () -> Void, while goesOn: @escaping @Sendable () -> Bool
    ) async throws {
        let (both, key) = (CountDown(targets.count, begun), databaseKey)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (source, target) in zip(databasePaths, targets) {
                group.addTask {
                    // What has failed is begun too: nobody may wait for it.
                    let once = CountDown(1, both.count)
                    defer { once.count() }
                    try await self.withDatabase(source, key: key, ChatDatabaseError.errorExport) { try await $0.backup(to: target, begun: once.count, while: goesOn) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Calls a function once, when it has counted down to zero.
private final class CountDown: Sendable {
    private let left: Mutex<Int>
    private let end: @Sendable () -> Void

    init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
        left = Mutex(count)
        self.end = end
    }

    @Sendable func count() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { end() }
    }
}
