internal import ChatAPI

/// The rights of a command's sender. They accompany each command from its transport to its execution.
public struct CommandRights: Sendable, Hashable {
    public let scopes: Scopes
    /// The only user whose data may be read and changed; nil for all.
    public let userId: Int64?
    public let paths: PathAccess

    public init(scopes: Scopes, userId: Int64? = nil, paths: PathAccess) {
        self.scopes = scopes
        self.userId = userId
        self.paths = paths
    }

    /// Those of the app itself.
    public static let all = CommandRights(scopes: [.read, .write, .events, .admin, .stores], paths: .anywhere)

    /// No rights.
    public static let none = CommandRights(scopes: [], paths: .ownFolders)

    /// - Parameter current: the user that the command is run for; nil for the active user.
    /// - Throws: `accessDenied`.
    func check(_ command: ChatCommand, as current: Int64?) throws {
        let needed = Scopes.required(for: command)
        guard scopes.allows(needed) else {
            throw ChatFailure(ChatErrorType.accessDenied(reason: "the key lacks the scope \(needed.subtracting(scopes).names.joined(separator: ", "))"))
        }
        guard let userId else { return }
        let isOwn =
            switch command.subject {
            // Some commands name a user, but run for the active one.
            case .user(let named): named == userId && (current == nil || current == userId)
            case .current: current == userId
            case .handover(let other): current == userId && other == userId
            case .store: false
            }
        guard isOwn else { throw ChatFailure(ChatErrorType.accessDenied(reason: "the key is bound to one profile")) }
    }
}

/// Where the files may be that commands name.
public enum PathAccess: Sendable, Hashable {
    case anywhere
    /// Below the store's own folders: its `space`, and the folders for files, temporary files, assets and remote hosts.
    case ownFolders
}
