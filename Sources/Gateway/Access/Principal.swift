public import ChatCore

/// Who a request is from.
public struct Principal: Sendable, Hashable {
    public let keyID: String
    public let scopes: Scopes
    /// The only profile that the key may see; `nil` for all.
    public let userId: Int64?
    /// The only store that the key opens; `nil` for the first one.
    public let store: String?

    public init(keyID: String, scopes: Scopes, userId: Int64?, store: String? = nil) {
        self.keyID = keyID
        self.scopes = scopes
        self.userId = userId
        self.store = store
    }

    /// What the core lets it do. Who administers the first store has the machine, so that its files may be anywhere.
    var rights: CommandRights {
        let isOfMachine = store == nil && userId == nil && scopes.contains(.admin)
        return CommandRights(scopes: scopes, userId: userId, paths: isOfMachine ? .anywhere : .ownFolders)
    }
}
