public import ChatAPI

/// Where a command is carried out.
public enum CommandTarget: Hashable, Sendable {
    case local
    /// A connected phone.
    case remoteHost(Int64)
}

extension ChatController {
    /// Runs a command where it is meant to run. This is the one place that knows the difference.
    ///
    /// A host runs commands as its active user. A command for another user of it is refused, since it would be done as the active one.
    /// - Parameter origin: of a read that has its place among the changes of the host.
    public func send(
        _ command: ChatCommand, to target: CommandTarget, as userId: Int64? = nil, with rights: CommandRights, claim: RequestClaim? = nil,
        origin: UInt64? = nil
    ) async -> APIResult<ChatResponse> {
        guard case .remoteHost(let id) = target else { return await send(command, as: userId, with: rights, claim: claim) }
        do {
            try rights.check(command, as: userId)
            guard command.isForRemoteHosts else { throw ChatFailure(RemoteHostError.localCommand, .id(remoteHostId: id)) }
            let client = try await remoteHosts.client(id)
            if let userId, command.subject == .current {
                guard case .result(.activeUser(let user)) = try await client.run("/u"), user.userId == userId else {
                    throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: userId, activeUserId: 0))
                }
            }
            let answer = try await client.run(command.text)
            if case .result(let response) = answer { client.changes.tell(response, of: command, origin: origin) }
            return answer
        } catch {
            return .error(ChatFailure.of(error).error)
        }
    }

    /// A connected host, for those who follow it; nil when it is not connected.
    public func connectedHost(_ id: Int64) -> ConnectedHost? { remoteHosts.connected.withLock { $0[id] }.map(ConnectedHost.init) }
}

/// What can be followed of a connected host.
public struct ConnectedHost: Sendable {
    private let client: RemoteHostClient

    init(_ client: RemoteHostClient) { self.client = client }

    public var events: RemoteHostEvents { client.events }

    /// The handler is called for every change, in order, and must not block.
    public func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) { client.changes.add(handler) }
}

/// The session with a desktop, for those who missed its events.
public struct RemoteCtrlStatus: Encodable, Sendable {
    /// Nil without a session.
    public let sessionState: RemoteCtrlSessionState?
    /// Nil for a desktop that is not known yet.
    public let remoteCtrlId: Int64?
    public let ctrlDeviceName: String?
    /// Why the last session has ended, unless it was stopped here.
    public let rcStopReason: RemoteCtrlStopReason?
}

extension ChatController {
    /// How far the session with a desktop is.
    public var remoteCtrlStatus: RemoteCtrlStatus { get async { await remoteControl.status } }
}
