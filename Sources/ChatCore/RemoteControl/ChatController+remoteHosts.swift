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
    /// A host runs commands as its active user. A command for another user of it is refused, since it would be done as the active one. The host has no
    /// request that says for whom a command is, so that another client of it can switch the user between the question who is active and the command:
    /// then the command was carried out, and if its answer names the other user it is reported as refused.
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
                switch try await client.run("/u").answer {
                case .result(.activeUser(let user)): try Self.check(user.userId, is: userId)
                case .error(let error): throw ChatFailure(error)
                case .result: throw ChatFailure(ChatErrorType.noActiveUser)
                }
            }
            let placed = try await client.placing(command, rights, folders, objects)
            if let claim { try await store.database.write { db in try claim.noteSent(at: .now, in: db) } }
            let (answer, answeredAs) = try await client.run(placed.text)
            switch answer {
            case .result(let response):
                client.changes.publish(response, of: command, origin: origin)
                if let claim { try? await store.database.write { db in try claim.keepRemote(response, in: db) } }
            case .error:
                if let claim { try? await store.database.write { db in try claim.forget(in: db) } }
            }
            if let userId, let answeredAs, command.subject == .current { try Self.check(answeredAs, is: userId) }
            return answer
        } catch {
            return .error(ChatFailure.of(error).error)
        }
    }

    private static func check(_ active: Int64, is userId: Int64) throws {
        guard active == userId else { throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: userId, activeUserId: active)) }
    }

    /// A connected host, for those who follow it; nil when it is not connected.
    public func connectedHost(_ id: Int64) -> ConnectedHost? { remoteHosts.connected.withLock { $0[id] }.map(ConnectedHost.init) }

    /// The handler is called for every session in which a host is connected: for those of now at once, for others when they begin, before the first
    /// event of the host. One that begins just now may come twice. The handler must not block.
    public func onConnectedHost(_ handler: @escaping @Sendable (_ id: Int64, ConnectedHost) -> Void) {
        remoteHosts.onConnected { handler($0.id, ConnectedHost($0)) }
    }
}

/// What can be followed of a connected host.
public struct ConnectedHost: Sendable {
    let client: RemoteHostClient

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

/// The session with a phone, for those who missed its events.
public struct RemoteHostStatus: Encodable, Sendable {
    /// Nil without a session.
    public let sessionState: RemoteHostSessionState?
    /// Why the last session has ended, unless it was stopped here.
    public let rhStopReason: RemoteHostStopReason?

    /// The link that the phone is to scan.
    public var link: String? {
        if case .connecting(let link) = sessionState { link } else { nil }
    }
}

extension ChatController {
    /// How far the session with a phone is.
    /// - Parameter id: nil for the session that was offered to a new phone.
    /// - Returns: nil for a phone that is not known.
    public func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus? { await remoteHosts.status(id) }

    /// How far the session with a desktop is.
    public var remoteCtrlStatus: RemoteCtrlStatus { get async { await remoteControl.status } }
}
