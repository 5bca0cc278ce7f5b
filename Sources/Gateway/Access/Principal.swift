public import ChatCore

/// The key that authorized a request, with its scopes, profile and store.
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

    /// What the core permits this key. An administrator of the first store owns the machine, so commands may name files anywhere.
    var rights: CommandRights {
        let isOfMachine = store == nil && userId == nil && scopes.contains(.admin)
        return CommandRights(scopes: scopes, userId: userId, paths: isOfMachine ? .anywhere : .ownFolders)
    }
}
