internal import ChatAPI
internal import Concurrency

extension ChatController {
    /// Runs a command if the databases are open. Maintenance of the databases (export, replacement, encryption,
    /// deletion) waits until the command has ended.
    /// - Returns: the result of `body`, or the error of the refusal or of `body`.
    func runIfAdmitted<Answer>(
        _ command: ChatCommand,
        _ body: () async throws -> Answer
    ) async -> APIResult<Answer> {
        // These commands acquire the lock `lifecycleLock` in their own code. They are counted separately from other
        // commands, since maintenance holds this lock and must not wait for these commands.
        let acquiresLock =
            switch command {
            case .database, .lifecycle: true
            case .settings(let command):
                switch command {
                case .setClientService: true
                case .saveSettings, .getSettings, .setChatSettings, .setChatItemTTL, .getChatItemTTL, .setChatTTL,
                    .setNetworkConfig, .getNetworkConfig, .setNetworkInfo, .reconnectAllServers, .reconnectServer:
                    false
                }
            case .users, .messages, .contacts, .groups, .tags, .files, .calls, .notifications, .servers, .themes,
                .remoteControl, .diagnostics, .address, .security, .console:
                false
            }
        do {
            return try await (acquiresLock ? runningCommandsWithLock : runningCommands).runCounted {
                let isAdmitted = runState.withLock { running in
                    guard !running.isEnding else { return false }
                    return acquiresLock || !running.isUnderMaintenance && !running.isStoreChanged
                }
                guard isAdmitted else { throw ChatFailure(ChatErrorType.chatStoreChanged) }
                return .result(try await body())
            }
        } catch { return .error(answerError(for: error)) }
    }

    /// Refuses all later commands, and waits until the running commands have ended, at most for `patience`.
    package func endCommands(within patience: Duration) async {
        runState.withLock { $0.isEnding = true }
        let limit = ContinuousClock.now + patience
        await runningCommands.waitUntilIdle(until: limit)
        await runningCommandsWithLock.waitUntilIdle(until: limit)
    }
}
