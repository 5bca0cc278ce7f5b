package import ChatAPI
internal import ChatConsole
package import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher

extension ChatController {
    /// Runs a command and returns its response.
    ///
    /// - Parameter userId: the user for whom the command runs; nil for the active user. The active user does not
    ///   change. A command that names a user must name this user.
    /// - Parameter rights: the rights of the sender. They are checked for the command, and for the commands that carry
    ///   out a terminal command.
    /// - Parameter context: the command with its request, its condition or its published read; nil for a command
    ///   without any of them.
    /// - Returns: the response or an error. For a command that is not implemented, the `notImplementedCommand` of the
    ///   error is the name of the command.
    package func send(
        _ command: ChatCommand,
        as userId: Int64? = nil,
        with rights: CommandRights,
        in context: CommandContext? = nil
    ) async -> APIResult<ChatResponse> {
        let context = context ?? CommandContext(command)
        return await PoolRequest.runAsRequest {
            await runIfAdmitted(command) {
                let response = try await runAndPublishResponse(context) {
                    try await makeRunningCommand(context, isByAdministrator: rights.scopes.contains(.admin)).run(
                        command,
                        as: userId,
                        with: rights
                    )
                }
                await storeAnswer(response, of: context)
                return response
            }
        }
    }

    /// Makes the hidden user with this password the active user. The search includes all users, as in the apps.
    /// - Returns: `activeUser`, or the error `userUnknown` if no user has the password.
    package func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse> {
        // If no user has the password, the command names the user 0, which does not exist. So the checks of rights, the
        // counting of attempts and the errors are the same as for an existing user.
        let users = (try? await store.read { try UserRecord.all(in: $0) }) ?? []
        let userId = ViewPassword.findOwner(of: viewPwd, among: users)?.userId ?? 0
        return await send(.users(.setActiveUser(userId: userId, viewPwd: viewPwd)), with: rights)
    }

    /// Returns the error with which a command is answered that has failed.
    func answerError(for failure: any Error) -> ChatError {
        switch failure {
        case let failure as ChatFailure: return failure.error
        case let away as FileFetchError: return .error(errorType: away.chatError)
        case let full as QuotaExceeded:
            store.quota.countRefusal()
            return .error(
                errorType: .quotaExceeded(
                    resource: full.resource.rawValue,
                    limit: full.limit,
                    message: full.description
                )
            )
        case DatabaseError.fileReplaced:
            reportReplacedFile()
            return .error(errorType: .chatStoreChanged)
        case DatabaseError.refusedByFence: return .error(errorType: .chatStoreChanged)
        case let error as DatabaseError where error.isOverload:
            return .errorStore(storeError: .dBBusyError(message: "\(error)"))
        case let error as DatabaseError:
            return .errorStore(storeError: error.isStorageFull ? .storageFull : .dBException(message: "\(error)"))
        case let error as FileSystemError: return error.chatFailure().error
        default: return .error(errorType: .internalError(message: "\(failure)"))
        }
    }

    /// Makes the ``RunningCommand`` that runs a command of this controller.
    /// - Parameter joint: the list to which the transaction of the command is added; nil to run the transaction
    ///   immediately.
    func makeRunningCommand(
        _ context: CommandContext,
        joining joint: JointTransaction? = nil,
        isByAdministrator: Bool = false
    ) -> RunningCommand {
        RunningCommand(context, services, store, self, joining: joint, isByAdministrator: isByAdministrator)
    }

    /// Logs the replacement of a database file once, since every later write is refused for the same reason.
    private func reportReplacedFile() {
        guard !isReplacementReported.exchange(true, ordering: .relaxed) else { return }
        services.logger.critical(
            "a database file was deleted or replaced while it was open: nothing is written until the original file is back"
        )
    }

    /// A number that changes with every change in the chat database.
    package var revision: UInt64 { store.revision.load(ordering: .acquiring) }
}

extension RunningCommand {
    func run(_ command: ChatCommand, as userId: Int64?, with rights: CommandRights) async throws -> ChatResponse {
        let command = try await admitCommand(command, as: userId, rights)
        if let fault = command.numberErrorText { throw ChatFailure.commandError(fault) }
        guard !lifecycle.isClosed else { throw ChatFailure(ChatErrorType.chatNotStarted) }
        guard command.runsWhenStopped || lifecycle.isRunning else { throw ChatFailure(ChatErrorType.chatNotStarted) }
        setCommand(command)
        if let needs = command.quotaNeeds { try await store.checkCapacity(for: needs, services.agent) }
        return try await dispatch(command, as: userId, with: rights).limitingOrigins(to: rights)
    }

    private func dispatch(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async throws -> ChatResponse {
        switch command {
        case .console(let command):
            return try await Console(TerminalEngine(terminalCommand: self, rights: rights)).run(command, as: userId)
        case .users(let command): return try await run(command, as: userId)
        case .lifecycle(let command): return try await run(command)
        case .messages(let command):
            return try await run(command, as: userId, onlyUnused: rights.chats != nil)
        case .contacts(let command): return try await run(command, as: userId)
        case .address(let command): return try await run(command, as: userId)
        case .security(let command): return try await run(command, as: userId)
        case .tags(let command): return try await run(command, as: userId)
        case .settings(let command): return try await run(command, as: userId)
        case .themes(let command): return try await run(command, as: userId)
        case .servers(let command): return try await run(command, as: userId)
        case .diagnostics(let command): return try await run(command, as: userId)
        case .database(let command): return try await run(command)
        case .groups(let command): return try await run(command, as: userId)
        case .files(let command): return try await run(command, as: userId)
        case .remoteControl(let command): return try await run(command)
        case .notifications(let command): return try await run(command)
        case .calls(let command): return try await run(command, as: userId)
        }
    }
}
