package import ChatAPI
package import ChatStore

extension ChatController {
    /// Runs a command on a connected phone, which is a remote host.
    ///
    /// A host runs commands as its active user. A command for another user of the host is refused, since it would run
    /// as the active user. No request of the protocol contains the user of a command, so another client of the host can
    /// switch the user between the check and the command. The command is then executed, but it is reported as refused
    /// if its answer contains the other user.
    /// - Parameters:
    ///   - id: the id of the phone's record.
    ///   - origin: identifies a read whose response is published in order with the changes of the host; nil for other
    ///     commands.
    package func send(
        _ command: ChatCommand,
        toRemoteHost id: Int64,
        as userId: Int64? = nil,
        with rights: CommandRights,
        claim: RequestClaim? = nil,
        origin: UInt64? = nil
    ) async -> APIResult<ChatResponse> {
        do {
            try rights.requirePermission(for: command, as: userId)
            guard command.isForRemoteHosts else {
                throw ChatFailure(RemoteHostError.localCommand, .id(remoteHostId: id))
            }
            let host = try await services.remoteHosts.requireHost(id)
            let client = host.client
            if let userId, command.subject == .currentUser {
                switch try await client.runCommand("/u").answer {
                case .result(.activeUser(let user)): try Self.checkActiveUser(user.userId, is: userId)
                case .error(let error): throw ChatFailure(error)
                case .result: throw ChatFailure(ChatErrorType.noActiveUser)
                }
            }
            let placed = try await host.sendCommandFile(command, rights, services.folders, services.fileObjects)
            if let claim { try await store.database.write { db in try claim.recordSending(at: .now, in: db) } }
            let (answer, answeredAs) = try await client.runCommand(placed.text)
            switch answer {
            case .result(let response):
                host.changes.publish(response, of: command, origin: origin)
                if let claim { try? await store.database.write { db in try claim.storeRemoteAnswer(response, in: db) } }
            case .error:
                if let claim { try? await store.database.write { db in try claim.deleteRequest(in: db) } }
            }
            if let userId, let answeredAs, command.subject == .currentUser {
                try Self.checkActiveUser(answeredAs, is: userId)
            }
            return answer
        } catch {
            return .error(ChatFailure.convertSessionError(error).error)
        }
    }

    private static func checkActiveUser(_ active: Int64, is userId: Int64) throws {
        guard active == userId else {
            throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: userId, activeUserId: active))
        }
    }

    /// Returns a connected host, for clients that follow the events of the host; nil if the host is not connected.
    package func findConnectedHost(_ id: Int64) -> ConnectedHost? {
        services.remoteHosts.connectedHosts.withLock { $0[id] }
    }

    /// Registers a handler that is called for every session in which a host is connected. For running sessions the
    /// handler is called immediately. For a later session the handler is called at its beginning, before the first
    /// event of the host. A session that is just beginning may be reported twice. The handler must not block.
    package func onConnectedHost(_ handler: @escaping @Sendable (_ id: Int64, ConnectedHost) -> Void) {
        services.remoteHosts.onConnected { handler($0.client.id, $0) }
    }
}

extension ChatController {
    /// Returns the state of the session with a phone; nil for an unknown phone.
    /// - Parameter id: the id of the phone; nil for the session that was offered to a new phone.
    package func readRemoteHostStatus(_ id: Int64?) async -> RemoteHostStatus? {
        await services.remoteHosts.readStatus(id)
    }

    /// The state of the session with a desktop.
    package var remoteCtrlStatus: RemoteCtrlStatus { get async { await services.remoteDesktop.status } }
}
