public import ChatCore

/// One secret of a key: a key that is rotated has another one, and for a while both.
struct Credential: Hashable, Sendable {
    let keyID: String
    /// The beginning of the secret's hash.
    let mark: [UInt8]

    init(keyID: String, hash: [UInt8]) {
        self.keyID = keyID
        mark = Array(hash.prefix(8))
    }
}

/// The key that authorized a request, with its scopes, profile and store.
public struct Principal: Sendable, Hashable {
    public let keyID: String
    public let scopes: Scopes
    /// The only profile that the key may see; `nil` for all.
    public let userId: Int64?
    /// The only store that the key opens; `nil` for the first one.
    public let store: String?
    /// The only chats that the key can reach; nil for all.
    public let chats: Set<KeyChat>?
    /// The only phone that the key can reach, and nothing else; nil for a key of this gateway.
    public let remoteHostId: Int64?
    /// By which secret of the key; nil where none was asked for.
    let credential: Credential?
    /// Whether it can do nothing yet but claim its key: whoever else has the secret of a link is to have made nothing that lasts.
    let isClaim: Bool

    init(
        keyID: String, scopes: Scopes, userId: Int64?, store: String? = nil, chats: Set<KeyChat>? = nil, remoteHostId: Int64? = nil,
        credential: Credential? = nil, isClaim: Bool = false
    ) {
        self.isClaim = isClaim
        self.keyID = keyID
        self.chats = chats
        self.remoteHostId = remoteHostId
        self.credential = credential
        self.scopes = scopes
        self.userId = userId
        self.store = store
    }

    /// What the core permits this key. Who manages the stores owns the machine, so commands may name files anywhere: the files of a data folder are all stores.
    var rights: CommandRights {
        let isOfMachine = store == nil && userId == nil && chats == nil && remoteHostId == nil && scopes.isSuperset(of: [.admin, .stores])
        return CommandRights(scopes: scopes, userId: userId, chats: chats.map { Set($0.map(\.reference)) }, paths: isOfMachine ? .anywhere : .ownFolders)
    }
}

extension KeyChat {
    fileprivate var reference: CommandRights.Chat {
        switch type {
        case "group": .group(id)
        case "local": .notes(id)
        default: .contact(id)
        }
    }
}

extension Principal {
    /// Whether the key reaches a phone of its store, which belongs to the whole store.
    func reaches(_ phone: Int64) -> Bool {
        userId == nil && chats == nil && (remoteHostId.map { $0 == phone } ?? scopes.contains(.admin))
    }

    /// Whether this key could have all the rights of another one: what it makes or replaces must not give it more.
    func covers(_ scopes: Scopes, userId: Int64?, chats: Set<KeyChat>?) -> Bool {
        guard self.scopes.allows(scopes), self.userId == nil || self.userId == userId else { return false }
        guard let own = self.chats else { return true }
        return chats.map { $0.isSubset(of: own) } ?? false
    }
}
