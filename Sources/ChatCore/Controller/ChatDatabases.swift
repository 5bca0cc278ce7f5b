internal import ChatAPI
internal import Concurrency
internal import SQLCipher
internal import Synchronization

/// The databases of a store, which can be copied while they are in use.
package struct ChatDatabases: Sendable {
    let controller: ChatController

    /// The paths of the database files. Each file may have a log in files with the endings `-wal` and `-shm`.
    package var databasePaths: [String] { controller.services.configuration.databasePaths }

    /// Blocks writes to both databases until the returned hold is ended or released.
    /// - Parameter waiting: a function that is called, on any thread, when a write waits for the end of the hold. The
    ///   function must not wait.
    package func holdWrites(waiting: @escaping @Sendable () -> Void = {}) async throws -> DatabasesHold {
        let chat = try await controller.store.database.holdWrites(waiting: waiting)
        return DatabasesHold(
            chatHold: chat,
            endAgentHold: try await controller.services.agent.blockDatabaseWrites(waiting: waiting)
        )
    }

    /// Runs `body`, and moves no file to the object storage until `body` ends. So a copy of the store that `body` makes
    /// has all files that its databases expect on the disk.
    package func withFilesKept<T>(_ body: () async throws -> T) async rethrows -> T {
        try await controller.services.fileObjects.withRemovalPrevented(body)
    }

    /// Copies both databases to `targets`, which must not exist yet. The copies have the state at the call of `begun`,
    /// and the same key as the databases of the store.
    /// - Parameters:
    ///   - begun: is called when the state of the copies is determined, and also when this function throws.
    ///   - mayContinue: is called repeatedly. If it returns false, this function throws.
    package func copyDatabases(
        to targets: [String],
        begun: @escaping @Sendable () -> Void,
        while mayContinue: @escaping @Sendable () -> Bool
    ) async throws {
        try await controller.copyDatabases(to: targets, begun: begun, while: mayContinue)
    }
}

/// A time in which writes to both databases of a store wait. It ends with ``end()``, or when all copies of this value
/// are released.
package struct DatabasesHold: Sendable {
    fileprivate let chatHold: DatabaseHold
    fileprivate let endAgentHold: @Sendable () -> Void

    package func end() {
        chatHold.endHold()
        endAgentHold()
    }
}

extension ChatController {
    /// The databases for copying; nil while they are not open.
    package var databases: ChatDatabases? { isStoreChanged ? nil : ChatDatabases(controller: self) }

    /// Copies both databases with their state at one moment, even while they are in use.
    func copyDatabases(to targets: [String]) async throws {
        let mayContinue = WorkProgress.makeContinueCondition(services.mayContinue)
        // The databases are closed, so nothing writes to them, and no hold is needed.
        guard !isStoreChanged else {
            return try await copyDatabases(to: targets, begun: {}, while: mayContinue)
        }
        let begun = WakeSignal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Blocks writes until both copies have begun, so that the copies have the state of one moment.
            let hold = try await ChatDatabases(controller: self).holdWrites()
            defer { hold.end() }
            group.addTask {
                try await self.copyDatabases(to: targets, begun: begun.wake, while: mayContinue)
            }
            guard await begun.waitForSignal() else { throw CancellationError() }
            hold.end()
            try await group.waitForAll()
        }
    }

    fileprivate func copyDatabases(
        to targets: [String],
        begun: @escaping @Sendable () -> Void,
        while mayContinue: @escaping @Sendable () -> Bool
    ) async throws {
        let (both, key) = (CountDown(targets.count, begun), databaseKey)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (source, target) in zip(services.configuration.databasePaths, targets) {
                group.addTask {
                    // A failed copy counts as begun too, so that no caller waits for the copy.
                    let once = CountDown(1, both.countDown)
                    defer { once.countDown() }
                    try await self.services.withDatabase(source, key: key, ChatDatabaseError.errorExport) {
                        try await $0.backUp(to: target, begun: once.countDown, while: mayContinue)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A counter that calls a function once, when the count is zero.
private final class CountDown: Sendable {
    private let remainingCount: Mutex<Int>
    private let onZero: @Sendable () -> Void

    init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
        remainingCount = Mutex(count)
        self.onZero = end
    }

    @Sendable func countDown() {
        let isLast = remainingCount.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { onZero() }
    }
}
