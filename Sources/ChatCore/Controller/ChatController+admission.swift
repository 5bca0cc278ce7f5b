internal import ChatAPI

extension ChatController {
    /// Runs a command if the databases are open. Operations on whole databases wait until the command has ended.
    func admitted<T>(_ command: ChatCommand, _ body: () async throws -> T) async throws -> T {
        // The code of these commands acquires the lock `turns` itself.
        switch command {
        case .database, .lifecycle: return try await body()
        default: break
        }
        try running.withLock { running in
            guard !running.isMaintained, !running.isStoreChanged else {
                throw ChatFailure(ChatErrorType.chatStoreChanged)
            }
            running.commands += 1
        }
        defer {
            let waiting = running.withLock { running in
                running.commands -= 1
                defer { if running.commands == 0 { running.drained = nil } }
                return running.commands == 0 ? running.drained : nil
            }
            waiting?.resume()
        }
        return try await body()
    }

    /// Waits until all running commands have ended. The caller must refuse new commands before.
    func drain() async {
        await withCheckedContinuation { continuation in
            let isDrained = running.withLock { running in
                if running.commands > 0 { running.drained = continuation }
                return running.commands == 0
            }
            if isDrained { continuation.resume() }
        }
    }
}
